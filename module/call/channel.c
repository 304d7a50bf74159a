// SPDX-License-Identifier: GPL-2.0
/*
 * The life of the channel call: what it attaches, when it opens and closes.
 */
#include <linux/mm.h>

#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "call/internal.h"
#include "core/context.h"
#include "core/only.h"

/* No table where no functions were chosen; it comes and goes while no probe is attached. */
static void birth(struct task_struct *p, u64 clone_flags)
{
	if (lt_call_leaves)
		lt_call_thread_make(p);
}

static void death(struct task_struct *p, bool group_dead)
{
	if (lt_call_leaves)
		lt_call_thread_died(p);
}

LT_PROBE_NEWTASK(probe_birth, birth)
LT_PROBE_TASK_EXIT(probe_death, death)

static void probe_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	if (lt_call_leaves && old_pid != p->pid)
		lt_call_thread_moved(old_pid);
}

LT_CHECK_TRACEPOINT(sched_process_exec, probe_exec);

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
	{ .name = "call_exec", .kind = LT_TRACEPOINT, .group = "call", .by_name = true,
	  .symbols = { "sched_process_exec" }, .fn = probe_exec },
	{ .name = "call_rename", .kind = LT_TRACEPOINT, .group = "call", .by_name = true,
	  .symbols = { "task_rename" }, .fn = probe_rename },
	{ .name = "functions", .kind = LT_NOTIFIER, .group = "call", .by_name = true,
	  .symbols = { "functions" }, .notifier = &functions },
};

const struct lt_probes lt_call_probes = { probes, ARRAY_SIZE(probes) };

/* ------------------------------------------------------------------------
 * The life of the channel; process context, under the session's lock
 */

static void begin_fns(struct lt_call_fns *fns, unsigned int gate)
{
	unsigned int i;
	int cpu;

	for (i = 0; i < fns->n; i++) {
		struct lt_call_fn *fn = &fns->fn[i];

		/* So that a duration can be compared with its sign. */
		fn->min = lt_mul_div(fn->min_ns, lt_clock_freq(), NSEC_PER_SEC);
		fn->min = min_t(u64, fn->min, S64_MAX);
		fn->span = fn->plain ? LT_CALL_SHORT_UNITS -
				       min_t(u64, fn->min, LT_CALL_SHORT_UNITS) : 0;
		fn->fast = fn->plain && !gate;
		fn->state = LT_CALL_IDLE;
		fn->error = 0;
		fn->missed = 0;
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(fn->counts, cpu), 0, sizeof(*fn->counts));
		cond_resched();
	}
}

/*
 * Without functions the session is that of the other channels: this one's events may be named
 * among all, and the file "events" says why they are not watched.
 *
 * Return: 0 or -ENOMEM.
 */
int lt_call_open(void)
{
	struct lt_call_fns *fns = lt_call_fns_next();
	unsigned int gate;
	int err;

	if (!fns || !fns->n) {
		lt_call_fns_put(fns);
		lt_call_use(NULL);
		return 0;
	}
	err = lt_call_threads_open();
	if (err) {
		lt_call_fns_put(fns);
		return err;
	}
	lt_call_use(fns);
	gate = (lt_only_on ? LT_CALL_ONLY : 0) | (fns->depth ? LT_CALL_SHALLOW : 0);
	begin_fns(fns, gate);
	WRITE_ONCE(lt_call_gate, gate);
	return 0;
}

void lt_call_stopping(void)
{
	unsigned int i;

	WRITE_ONCE(lt_call_gate, LT_CALL_CLOSED);
	/* Of each function the gate is looked at from here on. */
	for (i = 0; lt_call_used && i < lt_call_used->n; i++)
		WRITE_ONCE(lt_call_used->fn[i].fast, false);
}

/* No function is attached any more. The set is kept, for the files. */
void lt_call_close(void)
{
	if (!lt_call_leaves)
		return;
	lt_call_threads_write_open();
	lt_call_threads_close();
}
