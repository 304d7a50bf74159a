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
static bool is_narrow(const struct lt_syscall *call, u64 duration)
{
	unsigned int i;
	u64 over = duration >> 32;

	for (i = 0; i < call->n; i++)
		over |= ((u64)call->args[i] + BIT_ULL(47)) >> 48;
	return !over && call->result == (s32)call->result && call->nr == (u16)call->nr;
}

/* @rest: bytes of records that follow. Return: where they go; NULL: no room, counted. */
static __always_inline void *write_wide(struct lt_channel_cpu *c, const struct lt_syscall *call,
					u64 now, u64 duration, size_t rest)
{
	size_t size = sizeof(struct lt_rec_SYS_WIDE_0) + call->n * sizeof(u64);
	struct lt_rec_SYS_WIDE_0 *rec;
	unsigned int i;
	u8 *arg;

	rec = lt_put_at(&lt_channel_syscall, c, LT_EV_SYS_WIDE_0 + call->n, size + rest, now);
	if (!rec) {
		c->full[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
		return NULL;
	}
	rec->nr = call->nr;
	rec->flags = call->flags;
	rec->duration = duration;
	rec->result = call->result;
	arg = (u8 *)(rec + 1);
	for (i = 0; i < call->n; i++, arg += sizeof(u64))
		put_unaligned((u64)call->args[i], (u64 *)arg);
	return arg;
}

/* As write_wide(). */
static __always_inline void *write_narrow(struct lt_channel_cpu *c, const struct lt_syscall *call,
					  u64 now, u64 duration, size_t rest)
{
	size_t size = sizeof(struct lt_rec_SYS_0) + call->n * 6;
	struct lt_rec_SYS_0 *rec;
	unsigned int i;
	u8 *arg;

	rec = lt_put_at(&lt_channel_syscall, c, LT_EV_SYS_0 + call->n, size + rest, now);
	if (unlikely(!rec)) {
		c->full[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
		return NULL;
	}
	rec->nr = call->nr;
	rec->flags = call->flags;
	rec->duration = duration;
	rec->result = call->result;
	arg = (u8 *)(rec + 1);
	for (i = 0; i < call->n; i++, arg += 6)
		put_s48(arg, call->args[i]);
	return arg;
}

/* A call that left a slot. */
static void leave_out(void)
{
	lt_filtered(&lt_channel_syscall, LT_CLASS_SYS);
	this_cpu_inc(lt_syscall_counts.late);
}

/**
 * lt_syscall_put_texts() - write, and count, what the arguments of a call point to
 * @c: state of this CPU
 * @texts: some
 * @to: behind the record of the call, or its begin, which was reserved with them; NULL: there
 *	was no room for both
 * @now: time of that record
 *
 * Context: between lt_enter() and lt_leave().
 */
void lt_syscall_put_texts(struct lt_channel_cpu *c, struct lt_texts *texts, void *to, u64 now)
{
	const unsigned int class = LT_CLASS_INDEX(LT_CLASS_SYS_STR);

	if (to)
		lt_texts_put(texts, to, now);
	else if (c->buf)
		c->full[class] += texts->n;
	else
		c->nobuf[class] += texts->n;
	c->tried[class] += texts->n;
}

static __always_inline u64 write_call(const struct lt_syscall *call, struct lt_texts *texts)
{
	size_t rest = texts ? texts->size : 0;
	struct lt_channel_cpu *c;
	u64 now, duration;
	unsigned long flags;
	void *to = NULL;

	if (lt_filter_used.active &&
	    !lt_syscall_result_is_chosen(call->nr, call->flags & LT_SYS_COMPAT, call->result)) {
		leave_out();
		return 0;
	}
	c = lt_enter(&lt_channel_syscall, LT_CLASS_SYS, &flags);
	if (unlikely(!c))
		return 0;
	/* The time of the record: it follows that of the CPU's last one, and the begin. */
	now = lt_not_before(lt_not_before(lt_clock(), c->last), call->begin);
	duration = call->begin ? now - call->begin : 0;
	if (lt_filter_used.active && !lt_syscall_time_is_chosen(duration, call->flags)) {
		leave_out();
		lt_cancel(c, flags);
		return now;
	}
	if (unlikely(!c->buf))
		c->nobuf[LT_CLASS_INDEX(LT_CLASS_SYS)]++;
	else if (likely(is_narrow(call, duration)))
		to = write_narrow(c, call, now, duration, rest);
	else
		to = write_wide(c, call, now, duration, rest);
	if (texts && texts->n)
		lt_syscall_put_texts(c, texts, to, now);
	lt_leave(c, LT_CLASS_SYS, flags);
	return now;
}

/**
 * lt_syscall_write() - write a call that has returned
 * @call: the call
 *
 * Context: process.
 * Return: the end of the call, clock units; 0: it was not written.
 */
u64 lt_syscall_write(const struct lt_syscall *call)
{
	return write_call(call, NULL);
}

/**
 * lt_syscall_write_texts() - lt_syscall_write(), and what its arguments point to
 * @call: the call; its flags are completed
 * @texts: what was read
 *
 * All of it stands in one packet.
 */
u64 lt_syscall_write_texts(struct lt_syscall *call, struct lt_texts *texts)
{
	if (texts->n)
		call->flags |= LT_SYS_TEXTS;
	return write_call(call, texts);
}
