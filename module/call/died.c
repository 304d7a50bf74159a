// SPDX-License-Identifier: GPL-2.0
/*
 * The calls in which a thread ends.
 */
#include "call/internal.h"

static void write_died(const struct lt_call_thread *t, const struct lt_call_opened *open)
{
	const struct lt_call_fn *fn = &lt_call_used->fn[open->where.function];
	struct lt_rec_CALL_OPEN *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	this_cpu_inc(fn->counts->died);
	c = lt_enter(&lt_channel_call, LT_CLASS_CALL_OPEN, &flags);
	if (!c)
		return;
	rec = lt_reserve(&lt_channel_call, c, LT_CLASS_CALL_OPEN, LT_EV_CALL_OPEN, sizeof(*rec));
	if (rec) {
		lt_call_fill_open(rec, t, open, current, current->pid);
		rec->why = LT_CALL_DIED;
	}
	lt_leave(c, LT_CLASS_CALL_OPEN, flags);
}

/*
 * A call beyond those with a place, by how many are around it. The kernel keeps what is kept of it
 * until it returns, and the running thread is in it.
 *
 * Return: false: there is no such call, or the kernel has no list of them.
 */
static bool find_deep(const struct lt_call_thread *t, u32 index, struct lt_call_opened *open)
{
	bool found = false;
#if LT_HAVE_CALL_INSTANCES
	struct llist_node *node;

	preempt_disable();
	for (node = lt_call_first_instance(); node && !found; node = node->next) {
		struct kretprobe_instance *ri;
		const struct kretprobe *rp = lt_call_instance(node, &ri);
		const struct lt_call_data *d = (void *)ri->data;

		if (!rp || !lt_call_engine_has(rp) || d->thread != t || d->index != index ||
		    d->where.function >= lt_call_used->n)
			continue;
		*open = (struct lt_call_opened) { .begin = d->begin, .where = d->where };
		found = true;
	}
	preempt_enable();
#endif
	return found;
}

/**
 * lt_call_thread_died() - write the calls in which the running thread ends
 * @task: the running thread, which exits
 *
 * Functions that are called later, on its way out, are counted again from 0 on.
 *
 * Context: process; interrupts on top leave the place as they found it.
 */
void lt_call_thread_died(struct task_struct *task)
{
	struct lt_call_thread *t = lt_call_thread_find(task->pid);
	struct lt_call_opened open;
	unsigned int i;

	/* Functions are detached first: returns may not have been seen any more. */
	if (READ_ONCE(lt_call_gate) & LT_CALL_CLOSED)
		return;
	if (!t || t->start != task->start_boottime)
		return;
	for (i = 0; i < lt_call_kept_of(t); i++)
		write_died(t, &t->open[i]);
	for (; i < t->n; i++)
		if (find_deep(t, i, &open))
			write_died(t, &open);
	t->n = 0;
}
