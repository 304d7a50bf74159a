// SPDX-License-Identifier: GPL-2.0
/*
 * Announcing the task that runs.
 *
 * A task is identified by (tid, start time); the record also holds its name, which costs
 * little there.
 */
#include <linux/sched.h>

#include "core/context.h"

/**
 * lt_context_read() - what there is to say of the running task
 * @c: state of this CPU
 * @rec: result
 *
 * Context: between lt_enter() and lt_leave().
 * Return: whether the open packet has said the same of the task's number, so that this is enough.
 */
bool lt_context_read(const struct lt_channel_cpu *c, struct lt_rec_TASK *rec)
{
	const struct task_struct *task = current;
	const struct lt_seen_task *seen;

	rec->tid = task->pid;
	rec->tgid = task->tgid;
	rec->start = task->start_boottime;
	rec->flags = 0;
	if (task->flags & PF_KTHREAD)
		rec->flags |= LT_TASK_FLAG_KTHREAD;
	if (task->flags & PF_IO_WORKER)
		rec->flags |= LT_TASK_FLAG_IO_WORKER;
	/*
	 * Another thread may be renaming this one: a mixed name is possible,
	 * an unterminated one is not a problem for a fixed field.
	 */
	data_race(memcpy(rec->comm, task->comm, sizeof(rec->comm)));
	BUILD_BUG_ON(sizeof(rec->comm) != TASK_COMM_LEN);
	rec->number = rec->tid % LT_TASKS;
	seen = &c->tasks[rec->number];
	return seen->seq == c->seq && !memcmp(&seen->rec, rec, sizeof(*rec));
}

/**
 * lt_context_write() - fill in the record of the running task
 * @c: state of this CPU; remembers the task as announced
 * @to: payload of the record, which is reserved
 * @rec: by lt_context_read()
 * @again: the number is enough
 *
 * Context: between lt_enter() and lt_leave().
 */
void lt_context_write(struct lt_channel_cpu *c, void *to, const struct lt_rec_TASK *rec,
		      bool again)
{
	struct task_struct *task = current;

	if (again) {
		((struct lt_rec_TASK_AGAIN *)to)->number = rec->number;
	} else {
		memcpy(to, rec, sizeof(*rec));
		/* The packet is open: its number is that before @seq. */
		c->tasks[rec->number] = (struct lt_seen_task){ .rec = *rec, .seq = c->seq };
	}
	c->task = task;
	c->task_start = task->start_boottime;
	c->task_tid = task->pid;
}

/**
 * lt_context_renamed() - a task is about to get another name
 * @ch: channel
 * @task: the task
 *
 * If it is the running task, this CPU announces it again with its next event. A name
 * is only a help for people; it may be stale where the task is renamed by another one,
 * where the task comes back to a CPU on which it was announced last, and where an
 * interrupt allocates between this call and the change itself.
 *
 * Context: any.
 */
void lt_context_renamed(struct lt_channel *ch, struct task_struct *task)
{
	unsigned long flags;

	if (task != current || in_nmi())
		return;
	local_irq_save(flags);
	this_cpu_ptr(ch->cpu)->task = NULL;
	local_irq_restore(flags);
}
