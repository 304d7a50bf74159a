// SPDX-License-Identifier: GPL-2.0
/*
 * Announcing the task that runs.
 *
 * A task is identified by (tid, start time); the record also holds its name, which costs
 * little there.
 */
#include <linux/sched.h>
#include <linux/threads.h>

#include "core/context.h"
#include "core/write.h"

/* The number that a task has in all packets. */
static unsigned int number_of(pid_t tid)
{
	return tid % LT_TASKS;
}

/*
 * The kernel pads names with zeroes, since 5.17: before, what stands behind the end of a shorter
 * name may be that of another one, and it is taken to be too long.
 */
static bool is_narrow(const struct lt_rec_TASK *rec)
{
	BUILD_BUG_ON(PID_MAX_LIMIT > 1U << 8 * sizeof_field(struct lt_rec_TASK_NARROW, tid));
	return !rec->comm[sizeof_field(struct lt_rec_TASK_NARROW, comm)] &&
	       !(rec->start >> 8 * sizeof_field(struct lt_rec_TASK_NARROW, start));
}

/**
 * lt_context_read() - what there is to say of the running task
 * @c: state of this CPU
 * @rec: result
 * @fresh: in a packet in which nothing is announced
 *
 * Context: between lt_enter() and lt_leave().
 * Return: the form in which it is to be said. LT_TASK_AGAIN: the open packet has said the same of
 * the task's number.
 */
enum lt_task_form lt_context_read(const struct lt_channel_cpu *c, struct lt_rec_TASK *rec,
				  bool fresh)
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
	 * an unterminated one is not a problem for a fixed field. The form is
	 * chosen by this copy.
	 */
	data_race(memcpy(rec->comm, task->comm, sizeof(rec->comm)));
	BUILD_BUG_ON(sizeof(rec->comm) != TASK_COMM_LEN);
	rec->number = number_of(rec->tid);
	seen = &c->tasks[rec->number];
	if (!fresh && seen->seq == c->seq && !memcmp(&seen->rec, rec, sizeof(*rec)))
		return LT_TASK_AGAIN;
	return is_narrow(rec) ? LT_TASK_NARROW : LT_TASK_WHOLE;
}

/* Each store but the last ones reaches over the end of its field, where the next one follows. */
static void put_narrow(void *to, const struct lt_rec_TASK *rec)
{
	struct lt_rec_TASK_NARROW *narrow = to;

	BUILD_BUG_ON(offsetof(struct lt_rec_TASK_NARROW, start) + sizeof(u64) > sizeof(*narrow));
	lt_put_first(to + offsetof(struct lt_rec_TASK_NARROW, tid), sizeof(narrow->tid), rec->tid);
	lt_put_first(to + offsetof(struct lt_rec_TASK_NARROW, tgid), sizeof(narrow->tgid),
		     rec->tgid);
	lt_put_first(to + offsetof(struct lt_rec_TASK_NARROW, start), sizeof(narrow->start),
		     rec->start);
	narrow->flags = rec->flags;
	narrow->number = rec->number;
	memcpy(narrow->comm, rec->comm, sizeof(narrow->comm));
}

/**
 * lt_context_write() - fill in the record of the running task
 * @c: state of this CPU; remembers the task as announced
 * @to: payload of the record, which is reserved
 * @rec: by lt_context_read()
 * @form: what that returned
 *
 * Context: between lt_enter() and lt_leave().
 */
void lt_context_write(struct lt_channel_cpu *c, void *to, const struct lt_rec_TASK *rec,
		      enum lt_task_form form)
{
	struct task_struct *task = current;

	if (form == LT_TASK_AGAIN) {
		((struct lt_rec_TASK_AGAIN *)to)->number = rec->number;
	} else {
		if (form == LT_TASK_NARROW)
			put_narrow(to, rec);
		else
			memcpy(to, rec, sizeof(*rec));
		/* The packet is open: its number is that before @seq. */
		c->tasks[rec->number] = (struct lt_seen_task){ .rec = *rec, .seq = c->seq };
	}
	c->task = task;
	c->task_start = task->start_boottime;
	c->task_tid = task->pid;
}

/**
 * lt_context_number() - the number of the running task in the open packet
 * @c: state of this CPU
 *
 * Another task with the number would have been announced in place of this one: the last *task* of
 * the packet is that of the running task, behind which an event was reserved.
 *
 * Context: between lt_enter() and lt_leave(), behind a reservation that was not refused.
 */
unsigned int lt_context_number(const struct lt_channel_cpu *c)
{
	return number_of(c->task_tid);
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
