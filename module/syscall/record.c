// SPDX-License-Identifier: GPL-2.0
/*
 * Writing a system call that has returned, in any form. See fast.h for nearly all.
 */
#include "core/clock.h"
#include "syscall/internal.h"

static void put_s48(u8 *p, u64 value)
{
#ifdef __BIG_ENDIAN
	put_unaligned((u16)(value >> 32), (u16 *)p);
	put_unaligned((u32)value, (u32 *)(p + 2));
#else
	put_unaligned((u32)value, (u32 *)p);
	put_unaligned((u16)(value >> 32), (u16 *)(p + 4));
#endif
}

/* Do all values fit? An argument must fit 48 bits, the highest of which is the sign. */
static bool is_narrow(const struct lt_call *call, u64 duration)
{
	unsigned int i;
	u64 over = duration >> 32;

	for (i = 0; i < call->n; i++)
		over |= ((u64)call->args[i] + BIT_ULL(47)) >> 48;
	return !over && call->result == (s32)call->result && call->nr == (u16)call->nr;
}

static void write_wide(struct lt_channel_cpu *c, const struct lt_call *call, u64 now,
		       u64 duration)
{
	size_t size = sizeof(struct lt_rec_SYS_WIDE_0) + call->n * sizeof(u64);
	struct lt_rec_SYS_WIDE_0 *rec;
	unsigned int i;
	u8 *arg;

	rec = lt_put_at(&lt_channel_syscall, c, LT_EV_SYS_WIDE_0 + call->n, size, now);
	if (!rec) {
		c->full[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
		return;
	}
	rec->nr = call->nr;
	rec->flags = call->flags;
	rec->duration = duration;
	rec->result = call->result;
	arg = (u8 *)(rec + 1);
	for (i = 0; i < call->n; i++, arg += sizeof(u64))
		put_unaligned((u64)call->args[i], (u64 *)arg);
}

static void write_narrow(struct lt_channel_cpu *c, const struct lt_call *call, u64 now,
			 u64 duration)
{
	size_t size = sizeof(struct lt_rec_SYS_0) + call->n * 6;
	struct lt_rec_SYS_0 *rec;
	unsigned int i;
	u8 *arg;

	rec = lt_put_at(&lt_channel_syscall, c, LT_EV_SYS_0 + call->n, size, now);
	if (unlikely(!rec)) {
		c->full[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
		return;
	}
	rec->nr = call->nr;
	rec->flags = call->flags;
	rec->duration = duration;
	rec->result = call->result;
	arg = (u8 *)(rec + 1);
	for (i = 0; i < call->n; i++, arg += 6)
		put_s48(arg, call->args[i]);
}

/* A call that left a slot. */
static void leave_out(void)
{
	lt_filtered(&lt_channel_syscall, LT_CLASS_SYS);
	this_cpu_inc(lt_call_counts.late);
}

/**
 * lt_call_write() - write a call that has returned
 * @call: the call
 *
 * Context: process.
 * Return: the end of the call, clock units; 0: it was not written.
 */
u64 lt_call_write(const struct lt_call *call)
{
	struct lt_channel_cpu *c;
	u64 now, duration;
	unsigned long flags;

	if (lt_filter_used.active &&
	    !lt_call_result_is_chosen(call->nr, call->flags & LT_SYS_COMPAT, call->result)) {
		leave_out();
		return 0;
	}
	c = lt_enter(&lt_channel_syscall, LT_CLASS_SYS, &flags);
	if (unlikely(!c))
		return 0;
	/* The time of the record: it follows that of the CPU's last one, and the begin. */
	now = lt_not_before(lt_not_before(lt_clock(), c->last), call->begin);
	duration = call->begin ? now - call->begin : 0;
	if (lt_filter_used.active && !lt_call_time_is_chosen(duration, call->flags)) {
		leave_out();
		lt_cancel(c, flags);
		return now;
	}
	if (unlikely(!c->buf))
		c->nobuf[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
	else if (likely(is_narrow(call, duration)))
		write_narrow(c, call, now, duration);
	else
		write_wide(c, call, now, duration);
	lt_leave(c, LT_CLASS_SYS, flags);
	return now;
}
