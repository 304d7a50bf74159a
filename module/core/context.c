// SPDX-License-Identifier: GPL-2.0
/*
 * The running task.
 *
 * A task is (tid, start time); its name is written along because it costs
 * little there and is what people look for.
 */
#include <linux/sched.h>

#include "core/context.h"

/* Fill in the record, and remember for whom. */
void lt_context_write(struct lt_channel_cpu *c, struct lt_rec_TASK *rec)
{
	struct task_struct *task = current;

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

	c->task = task;
	c->task_start = task->start_boottime;
	c->task_tid = task->pid;
}

/**
 * lt_context_renamed() - a task gets another name
 * @ch: channel
 * @task: who
 *
 * If it is the running one, this CPU restates it with the next event. A name is
 * only a help for people; it may be stale where the task is renamed by another,
 * where it comes back to a CPU on which it was stated last, and where an
 * interrupt allocates between this and the change itself.
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
