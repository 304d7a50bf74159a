// SPDX-License-Identifier: GPL-2.0
/*
 * A call of a function: what is kept when it begins, and its record when it returns.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "call/internal.h"
#include "core/context.h"

struct lt_channel lt_channel_call __read_mostly;

/* The session stops: calls that begin now are after its end. */
static bool stopping;

/* ------------------------------------------------------------------------
 * The record
 */

/* The forms of a record, by the bytes of its values: in steps of 4. */
struct form {
	u8 id;
	u16 bytes;
};

#define FORM(size)	{ LT_EV_ID(LT_EV_CALL_##size), size }
#define WIDE(size)	{ LT_EV_ID(LT_EV_CALL_WIDE_##size), size }

static const struct form forms[] = {
	FORM(0), FORM(4), FORM(8), FORM(12), FORM(16), FORM(20), FORM(24), FORM(28), FORM(32),
	FORM(40), FORM(48), FORM(64), FORM(80), FORM(96), FORM(128), FORM(192), FORM(256),
};

static const struct form wide_forms[] = { WIDE(0), WIDE(32), WIDE(64), WIDE(128), WIDE(256) };

static const struct form *form_of(unsigned int bytes, bool wide)
{
	const struct form *f = wide ? wide_forms : forms;

	if (!wide && bytes <= 32)
		return f + (bytes + 3) / 4;
	while (f->bytes < bytes)	/* the last one holds any */
		f++;
	return f;
}

static void put_values(u8 *to, const struct lt_call_values *v, unsigned int room)
{
	memcpy(to, v->to, v->bytes);
	memset(to + v->bytes, 0, room - v->bytes);
}

static void put_narrow(struct lt_rec_CALL_0 *rec, const struct lt_call_data *d, u64 duration,
		       const struct lt_call_values *v, const struct form *f)
{
	rec->function = d->fn->number;
	rec->depth = d->depth;
	rec->duration = min_t(u64, duration, U32_MAX);
	put_values((u8 *)(rec + 1), v, f->bytes);
}

static void put_wide(struct lt_rec_CALL_WIDE_0 *rec, const struct lt_call_data *d, u64 duration,
		     const struct lt_call_values *v, const struct form *f)
{
	rec->function = d->fn->number;
	rec->depth = d->depth;
	rec->duration = duration;
	rec->unread = v->unread;
	rec->cut = v->cut;
	put_values((u8 *)(rec + 1), v, f->bytes);
}

/*
 * The time of the record is @now, or that of the CPU's last record, if that is later by some ns:
 * the duration is from the begin to there. A clock that has gone back makes none.
 */
static void write_call(const struct lt_call_data *d, u64 now, const struct lt_call_values *v)
{
	bool wide = v->unread || v->cut || (now - d->begin) >> 31;
	const struct form *f = form_of(v->bytes, wide);
	struct lt_channel_cpu *c;
	unsigned long flags;
	size_t size;
	u64 duration;
	void *rec;

	c = lt_enter(&lt_channel_call, LT_CLASS_CALL, &flags);
	if (!c)
		return;
	size = (wide ? sizeof(struct lt_rec_CALL_WIDE_0) : sizeof(struct lt_rec_CALL_0)) +
	       f->bytes;
	if (unlikely(!c->buf)) {
		c->nobuf[LT_CLASS_INDEX(LT_CLASS_CALL)]++;
		goto out;
	}
	rec = lt_put_at(&lt_channel_call, c, LT_EV(LT_CHANNEL_CALL, f->id), size, now);
	if (unlikely(!rec)) {
		c->full[LT_CLASS_INDEX(LT_CLASS_CALL)]++;
		goto out;
	}
	duration = (s64)(c->now - d->begin) > 0 ? c->now - d->begin : 0;
	if (wide)
		put_wide(rec, d, duration, v, f);
	else
		put_narrow(rec, d, duration, v, f);
out:
	lt_leave(c, LT_CLASS_CALL, flags);
}

/* ------------------------------------------------------------------------
 * Begin and return
 */

/*
 * An interrupt may come between any two of these, and leaves @t as it found it: so the place is
 * taken first, and filled in afterwards.
 */
static void open_call(struct lt_call_data *d, struct task_struct *task)
{
	struct lt_call_thread *t = NULL;

	/* The idle threads of all CPUs have one number. */
	if (likely(task->pid))
		t = lt_call_thread_find(task->pid);
	d->thread = t;
	d->index = 0;
	if (unlikely(!t))
		return;
	if (unlikely(t->start != task->start_boottime)) {
		/* Its number was another thread's, of which nothing is left. */
		t->start = task->start_boottime;
		t->n = 0;
	}
	d->index = min_t(u32, t->n, U16_MAX);
	t->n = d->index + 1;
	barrier();
	if (likely(d->index < LT_CALL_OPEN_KEPT)) {
		t->open[d->index].begin = d->begin;
		t->open[d->index].function = d->fn->number;
		t->open[d->index].depth = d->depth;
	}
}

static void write_no_return(const struct lt_call_fn *fn, struct lt_call_data *d,
			    const struct lt_call_values *v)
{
	this_cpu_inc(fn->counts->entered);
	this_cpu_inc(fn->counts->returned);
	write_call(d, d->begin, v);
}

/**
 * lt_call_enter() - a function is called
 * @fn: the function
 * @d: what is kept until it returns, of LT_CALL_DATA_SIZE() bytes
 * @regs: at its entry
 * @sp: of its frame
 *
 * Context: any, with preemption off: the function's own. Inside of another one of these, if that
 * was interrupted; or if it calls a function that is watched.
 * Return: whether its return is to be seen; if not, nothing is kept.
 */
bool lt_call_enter(const struct lt_call_fn *fn, struct lt_call_data *d, struct pt_regs *regs,
		   unsigned long sp)
{
	struct lt_call_values v = { .to = (u8 *)(d->words + fn->n_kept) };

	if (unlikely(READ_ONCE(stopping)))
		return false;
	if (unlikely(in_nmi())) {
		this_cpu_inc(fn->counts->missed);
		return false;
	}
	if (unlikely(!lt_call_fetch(fn->steps, fn->n_entry, regs, d->words, &v))) {
		this_cpu_inc(fn->counts->filtered);
		lt_filtered(&lt_channel_call, LT_CLASS_CALL);
		return false;
	}
	d->fn = fn;
	d->depth = -(long)(sp / 8);
	d->unread = v.unread;
	d->begin = lt_clock();
	if (unlikely(fn->flags & LT_CALL_NO_RETURN)) {
		write_no_return(fn, d, &v);
		return false;
	}
	open_call(d, current);
	this_cpu_inc(fn->counts->entered);
	return true;
}

/**
 * lt_call_return() - a function returns
 * @d: of lt_call_enter()
 * @regs: with its result
 *
 * Context: as lt_call_enter(), in the context and thread of the call.
 */
void lt_call_return(struct lt_call_data *d, struct pt_regs *regs)
{
	u64 now = lt_clock();
	const struct lt_call_fn *fn = d->fn;
	u8 bytes[LT_CALL_MAX_BYTES];
	struct lt_call_values v = { .to = bytes, .bytes = fn->entry_bytes, .unread = d->unread };

	if (likely(d->thread))
		d->thread->n = d->index;
	this_cpu_inc(fn->counts->returned);
	if (unlikely(fn->min && now - d->begin < fn->min))
		goto filtered;
	memcpy(bytes, d->words + fn->n_kept, fn->entry_bytes);
	v.value = fn->entry_values;
	if (unlikely(!lt_call_fetch(fn->steps + fn->n_entry, fn->n_return, regs, d->words, &v)))
		goto filtered;
	write_call(d, now, &v);
	return;

filtered:
	this_cpu_inc(fn->counts->filtered);
	lt_filtered(&lt_channel_call, LT_CLASS_CALL);
}

/* ------------------------------------------------------------------------
 * Probes
 */

static void birth(struct task_struct *p, u64 clone_flags)
{
	lt_call_thread_make(p);
}

static void death(struct task_struct *p, bool group_dead)
{
	lt_call_thread_died(p);
}

LT_PROBE_NEWTASK(probe_birth, birth)
LT_PROBE_TASK_EXIT(probe_death, death)

static void probe_rename(void *data, struct task_struct *p, const char *name)
{
	lt_context_renamed(&lt_channel_call, p);
}

static const struct lt_notifier functions = { lt_call_attach, lt_call_detach };

static struct lt_probe probes[] = {
	{ .name = "call_birth", .kind = LT_TRACEPOINT, .group = "call", .by_name = true,
	  .symbols = { "task_newtask" }, .fn = LT_NEWTASK_PROBE(probe_birth) },
	{ .name = "call_death", .kind = LT_TRACEPOINT, .group = "call", .by_name = true,
	  .symbols = { "sched_process_exit" }, .fn = LT_TASK_EXIT_PROBE(probe_death) },
	{ .name = "call_rename", .kind = LT_TRACEPOINT, .group = "call", .by_name = true,
	  .symbols = { "task_rename" }, .fn = probe_rename },
	{ .name = "functions", .kind = LT_NOTIFIER, .group = "call", .by_name = true,
	  .symbols = { "functions" }, .notifier = &functions },
};

const struct lt_probes lt_call_probes = { probes, ARRAY_SIZE(probes) };

/* ------------------------------------------------------------------------
 * The life of the channel; process context, under the session's lock
 */

static void begin_counts(struct lt_call_fns *fns)
{
	unsigned int i;
	int cpu;

	for (i = 0; i < fns->n; i++) {
		struct lt_call_fn *fn = &fns->fn[i];

		fn->min = lt_mul_div(fn->min_ns, lt_clock_freq(), NSEC_PER_SEC);
		fn->state = LT_CALL_IDLE;
		fn->error = 0;
		fn->missed = 0;
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(fn->counts, cpu), 0, sizeof(*fn->counts));
	}
}

/* Return: 0 or -ENOMEM; -ENODATA: there is no set of functions. */
int lt_call_open(void)
{
	struct lt_call_fns *fns = lt_call_fns_next();
	int err;

	if (!fns || !fns->n) {
		lt_call_fns_put(fns);
		return -ENODATA;
	}
	err = lt_call_threads_open();
	if (err) {
		lt_call_fns_put(fns);
		return err;
	}
	lt_call_use(fns);
	begin_counts(fns);
	WRITE_ONCE(stopping, false);
	return 0;
}

void lt_call_stopping(void)
{
	WRITE_ONCE(stopping, true);
}

/* No function is attached any more. The set is kept, for the files. */
void lt_call_close(void)
{
	if (!lt_call_leaves)
		return;
	lt_call_threads_write_open();
	lt_call_threads_close();
}
