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

void lt_context_write(struct lt_channel_cpu *c, struct lt_rec_TASK *rec);
void lt_context_renamed(struct lt_channel *ch, struct task_struct *task);

#endif /* LT_CONTEXT_H */
