/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of nearly all calls: of the machine's own ABI, with a number of the table, in the
 * narrow form. They call nothing but the clock, and leave all else to the general path.
 */
#ifndef LT_SYSCALL_FAST_H
#define LT_SYSCALL_FAST_H

#include "core/clock.h"
#include "syscall/compat.h"
#include "syscall/internal.h"

/* The versions of the probes; the session chooses one. */
enum lt_syscall_variant {
	LT_SYSCALLS_ANY,		/* the general path */
	LT_SYSCALLS_COUNTER,
	LT_SYSCALLS_MONO,
	LT_SYSCALLS_FILTERED,
	LT_SYSCALLS_TEXTS,		/* what arguments point to, perhaps filtered */
	LT_N_SYSCALL_VARIANTS,
};

/**
 * lt_syscall_enter_fast() - note the begin of a call
 * @s: slot of the running thread, which is its
 * @nr: number of the call, below 65536
 * @args: how many arguments
 * @now: the time
 */
static __always_inline void lt_syscall_enter_fast(struct lt_slot *s, unsigned long nr,
						  unsigned int args, u64 now)
{
	this_cpu_inc(lt_syscall_counts.entered);
	s->nr = nr;
	s->args = args;
	s->state = LT_SLOT_SEEN | LT_SLOT_OPEN;
	if (likely((s64)(now - s->begin) >= 0))
		s->begin = now;
}

/*
 * Stores 48 bits. On a little-endian machine two bytes more, which the next argument, or the
 * next record, overwrites: the caller has room for them.
 *
 * Return: not 0: the value does not fit 48 bits, the highest of which is the sign.
 */
static __always_inline u64 lt_syscall_put_arg(void *p, u64 value)
{
#ifdef __LITTLE_ENDIAN
	put_unaligned(value, (u64 *)p);
#else
	put_unaligned((u16)(value >> 32), (u16 *)p);
	put_unaligned((u32)value, (u32 *)(p + 2));
#endif
	return (value + BIT_ULL(47)) >> 48;
}

/* Return: not 0: an argument does not fit. */
static __always_inline u64 lt_syscall_put_args(void *p, struct pt_regs *regs, unsigned int n)
{
	u64 over = 0;

	LT_SYSCALL_ARGS(args, regs);
	if (n > 0)
		over = lt_syscall_put_arg(p, LT_SYSCALL_ARG(args, regs, 0));
	if (n > 1)
		over |= lt_syscall_put_arg(p + 6, LT_SYSCALL_ARG(args, regs, 1));
	if (n > 2)
		over |= lt_syscall_put_arg(p + 12, LT_SYSCALL_ARG(args, regs, 2));
	if (n > 3)
		over |= lt_syscall_put_arg(p + 18, LT_SYSCALL_ARG(args, regs, 3));
	if (n > 4)
		over |= lt_syscall_put_arg(p + 24, LT_SYSCALL_ARG(args, regs, 4));
	if (n > 5)
		over |= lt_syscall_put_arg(p + 30, LT_SYSCALL_ARG(args, regs, 5));
	return over;
}

#define LT_SYSCALL_LONGEST	(LT_REC_WORD + sizeof(struct lt_rec_SYS_6) + 2)

/**
 * lt_syscall_exit_fast() - write a call that has returned, if a few stores do
 * @s: slot of the running thread, with the call open
 * @regs: of the call
 * @result: what it returned
 * @now: the time
 *
 * The record is stored behind the packet's last one, and becomes part of the packet at the
 * end, if all values fit. As in lt_object_fast() an event that comes while another is written
 * finds c->limit 0.
 *
 * Context: process, interrupts off.
 * Return: false: nothing was written, the general path must.
 */
static __always_inline bool lt_syscall_exit_fast(struct lt_slot *s, struct pt_regs *regs,
						 long result, u64 now)
{
	struct lt_channel_cpu *c = this_cpu_ptr(lt_channel_syscall.cpu);
	const struct task_struct *task = current;
	struct rchan_buf *buf = c->buf;
	u64 duration = now - s->begin;
	struct lt_rec_SYS_0 *rec;
	unsigned int n = s->args;
	void *at;

	/* If the task is announced, there is a buffer: the announcement stands in it. */
	if (unlikely(task != c->task || task->start_boottime != c->task_start ||
		     task->pid != c->task_tid || (now - c->last) >> LT_TIME_BITS ||
		     duration >> 32 || result != (s32)result ||
		     buf->offset + LT_SYSCALL_LONGEST > c->limit))
		return false;
	at = buf->data + buf->offset;
	rec = at + LT_REC_WORD;
	if (unlikely(lt_syscall_put_args(rec + 1, regs, n)))
		return false;
	put_unaligned(LT_WORD(LT_EV_ID(LT_EV_SYS_0) + n, LT_CTX_TASK, now), (u32 *)at);
	rec->nr = s->nr;
	rec->flags = 0;
	rec->duration = duration;
	rec->result = result;
	buf->offset += LT_REC_WORD + sizeof(*rec) + n * 6;
	c->last = now;
	c->tried[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
	s->begin = now;
	s->state = LT_SLOT_SEEN;
	return true;
}

#endif /* LT_SYSCALL_FAST_H */
