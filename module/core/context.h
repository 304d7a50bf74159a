/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The task that runs: a record of its own, written only when it changes.
 */
#ifndef LT_CONTEXT_H
#define LT_CONTEXT_H

#include "core/channel.h"

/**
 * lt_context_changed() - must the running task be announced?
 * @c: state of this CPU
 *
 * True also when no task was announced in this packet (c->task is NULL).
 * Context: between lt_enter() and lt_leave().
 */
static __always_inline bool lt_context_changed(const struct lt_channel_cpu *c)
{
	return c->task != current || c->task_start != current->start_boottime ||
	       c->task_tid != current->pid;
}

/**
 * struct lt_seen_task - a task that was announced
 * @rec: its record
 * @seq: lt_channel_cpu.seq when that was written: it stands in the open packet if this is
 *	still the same. 0: none was
 */
struct lt_seen_task {
	struct lt_rec_TASK rec;
	u64 seq;
};

/* The number of a task is the index of its entry, which another task may have had before. */
#define LT_TASKS_BITS	6
#define LT_TASKS	BIT(LT_TASKS_BITS)
#define LT_TASKS_BYTES	(LT_TASKS * sizeof(struct lt_seen_task))

/* The record of the running task that must stand before a record. */
enum lt_task_form {
	LT_NO_TASK,
	LT_TASK_AGAIN,
	LT_TASK_NARROW,
	LT_TASK_WHOLE,
};

enum lt_task_form lt_context_read(const struct lt_channel_cpu *c, struct lt_rec_TASK *rec,
				  bool fresh);
void lt_context_write(struct lt_channel_cpu *c, void *to, const struct lt_rec_TASK *rec,
		      enum lt_task_form form);
unsigned int lt_context_number(const struct lt_channel_cpu *c);
void lt_context_renamed(struct lt_channel *ch, struct task_struct *task);

#endif /* LT_CONTEXT_H */
