// SPDX-License-Identifier: GPL-2.0
/*
 * What was counted of each function, and how it is shown.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>

#include "call/internal.h"

static u64 glance(const u64 *counter)
{
	/* Its CPU may count meanwhile: the value of some moment is enough. */
	return data_race(READ_ONCE(*counter));
}

/* What all CPUs counted of a function, and its engine. */
struct lt_call_counts lt_call_counts_sum(const struct lt_call_fn *fn)
{
	struct lt_call_counts sum = { 0 };
	int cpu;

	sum.missed = READ_ONCE(fn->missed) + lt_call_engine_missed(fn);
	for_each_possible_cpu(cpu) {
		const struct lt_call_counts *c = per_cpu_ptr(fn->counts, cpu);

		sum.returned += glance(&c->returned);
		sum.filtered += glance(&c->filtered);
		sum.missed += glance(&c->missed);
		sum.died += glance(&c->died);
	}
	/*
	 * The ends first: of a call whose end is counted here, the begin was counted before, maybe
	 * on another CPU, and is found by what is read later. So no more end than have begun.
	 */
	smp_rmb();
	for_each_possible_cpu(cpu)
		sum.entered += glance(&per_cpu_ptr(fn->counts, cpu)->entered);
	return sum;
}

static const char *reason(const struct lt_call_fn *fn)
{
	switch (fn->error) {
	case 0:
		return "-";
	case -ENOENT:
	case -EILSEQ:
		return "there is no function at this address, or of this name";
	case -EINVAL:
	case -EADDRNOTAVAIL:
		return "the kernel allows no probe there";
	case -EOPNOTSUPP:
		return "this kernel cannot probe functions";
	case -ENOMEM:
		return "no memory";
	case -EEXIST:
		return "another number has the function at this address";
	case -EBUSY:
		return "ftrace is switched off (kernel.ftrace_enabled)";
	default:
		return "could not be attached";
	}
}

static void show_fn(struct seq_file *m, const struct lt_call_fn *fn)
{
	static const char * const states[] = {
		[LT_CALL_IDLE] = "not watched",
		[LT_CALL_WAITS] = "waits",
		[LT_CALL_WATCHED] = "watched",
	};
	struct lt_call_counts c = lt_call_counts_sum(fn);
	u64 ended = c.returned + c.died;

	seq_printf(m, "counts\t%u\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%s\n", fn->number,
		   states[READ_ONCE(fn->state)], c.entered, c.returned, c.filtered,
		   c.missed, c.died,
		   c.entered > ended ? c.entered - ended : 0,
		   reason(fn));
}

/* The file "calls", of the latest session: the lines "counts" of a block FUNCTIONS. */
int lt_call_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	mutex_lock(&lt_call_lock);
	for (i = 0; lt_call_used && i < lt_call_used->n; i++)
		show_fn(m, &lt_call_used->fn[i]);
	mutex_unlock(&lt_call_lock);
	return 0;
}

/*
 * The file "functions": what describes the set of a session that records to readers, where that
 * came with the set. A session without functions leaves the set of the one before in its place.
 */
void lt_call_show_text(struct seq_file *m)
{
	mutex_lock(&lt_call_lock);
	if (READ_ONCE(lt_call_leaves) && lt_call_used && lt_call_used->text)
		seq_write(m, lt_call_used->text, lt_call_used->text_size);
	mutex_unlock(&lt_call_lock);
}

/* The channel's line in the file "info". */
void lt_call_show_info(struct seq_file *m)
{
	mutex_lock(&lt_call_lock);
	if (lt_call_used && lt_call_used->depth)
		seq_printf(m, "function_depth=%u\n", lt_call_used->depth);
	mutex_unlock(&lt_call_lock);
}

/* The channel's line in the file "stats". */
void lt_call_show_stats(struct seq_file *m)
{
	struct lt_call_counts sum = { 0 };
	unsigned int i;

	mutex_lock(&lt_call_lock);
	for (i = 0; lt_call_used && i < lt_call_used->n; i++) {
		struct lt_call_counts c = lt_call_counts_sum(&lt_call_used->fn[i]);

		sum.entered += c.entered;
		sum.returned += c.returned;
		sum.died += c.died;
		sum.missed += c.missed;
	}
	mutex_unlock(&lt_call_lock);
	seq_printf(m, "calls entered %llu returned %llu died %llu missed %llu\n", sum.entered,
		   sum.returned, sum.died, sum.missed);
}
