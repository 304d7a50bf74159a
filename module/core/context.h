/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is running: a record of its own, written only when it changes.
 */
#ifndef LT_CONTEXT_H
#define LT_CONTEXT_H

#include "core/channel.h"

/**
 * lt_context_changed() - must the running task be restated?
 *
 * True also when the task was never stated in this packet (c->task is NULL).
 * Context: between lt_enter() and lt_leave().
 */
static __always_inline bool lt_context_changed(const struct lt_channel_cpu *c)
{
	return c->task != current || c->task_start != current->start_boottime ||
	       c->task_tid != current->pid;
}

/**
 * lt_put_word() - write a record's first word
 * @longer: in the long form
 * Return: where the payload goes.
 */
static inline void *lt_put_word(void *rec, unsigned int id, u64 now, bool longer)
{
	if (!longer) {
		put_unaligned(LT_WORD(id, lt_context(), now), (u32 *)rec);
		return rec + LT_REC_WORD;
	}
	*(u8 *)rec = LT_LONG_MARK;
	put_unaligned((u16)LT_EV_ID(id), (u16 *)(rec + LT_LONG_ID));
	put_unaligned(now, (u64 *)(rec + LT_LONG_TIME));
	*(u8 *)(rec + LT_LONG_CTX) = LT_LONG_CONTEXT(lt_context());
	return rec + LT_REC_LONG;
}

void lt_context_write(struct lt_channel_cpu *c, struct lt_rec_TASK *rec);
void lt_context_renamed(struct lt_channel *ch, struct task_struct *task);

#endif /* LT_CONTEXT_H */
