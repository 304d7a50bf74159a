/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing one event:
 *
 *	c = lt_enter(ch, class, &flags);
 *	if (!c)
 *		return;
 *	rec = lt_reserve(ch, c, class, LT_EV_X, sizeof(*rec));
 *	if (rec)
 *		... fill in all of *rec ...
 *	lt_leave(c, class, flags);
 *
 * Between enter and leave interrupts are off: relay's reservation is not
 * atomic, and no other event of this CPU may come between reserving a record and
 * filling it in. That also keeps a probe on its CPU on kernels that call
 * probes preemptible (7.x). Code there does not allocate, sleep or take a lock.
 */
#ifndef LT_WRITE_H
#define LT_WRITE_H

#include <linux/hardirq.h>

#include "core/channel.h"

/* write.c */
bool lt_half_full(struct lt_channel *ch);

/**
 * struct lt_site_form - the record that announces a site
 * @id: enum lt_event_id
 * @size: bytes of its payload
 */
struct lt_site_form {
	unsigned int id;
	size_t size;
};

void *lt_reserve_with_site(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
			   size_t size, const struct lt_site_form *form, bool announced,
			   void **site);
void *lt_reserve_slow(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
		      size_t size);
void *lt_reserve_uncounted(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
			   size_t size);
void *lt_reserve_no_task(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int class,
			 unsigned int id, size_t size);
bool lt_write_later(struct lt_channel *ch, unsigned int class, unsigned int id,
		    const void *payload, size_t size);
void lt_write_waiting(struct lt_channel *ch, struct lt_channel_cpu *c);
size_t lt_n_waiting(struct lt_channel *ch);
void lt_drop_waiting(struct lt_channel *ch);

/*
 * Keep other events out of this CPU's buffer: lt_enter() refuses them by @busy, and
 * lt_object_fast() finds no room below @limit. Context: interrupts off.
 */
static __always_inline void lt_claim(struct lt_channel_cpu *c)
{
	c->busy = true;
	c->limit = 0;
	barrier();
}

static __always_inline void lt_unclaim(struct lt_channel_cpu *c)
{
	barrier();
	c->limit = c->fast_limit;
	c->busy = false;
}

/* Is there no room for another packet? */
static inline bool lt_full(struct rchan_buf *buf)
{
	/* The reader may free a packet meanwhile: the next call finds the room. */
	return data_race(relay_buf_full(buf));
}

/**
 * lt_enter() - begin to write an event
 * @ch: channel
 * @class: enum lt_class
 * @flags: for lt_leave()
 *
 * Context: any, NMI included.
 * Return: this CPU's state; NULL when the event was refused (and counted).
 */
static __always_inline struct lt_channel_cpu *
lt_enter(struct lt_channel *ch, unsigned int class, unsigned long *flags)
{
	struct lt_channel_cpu *c;

	/*
	 * An NMI may have interrupted a reservation at any instruction. Its
	 * events are counted and dropped. Only NMIs write this counter, and
	 * they do not nest.
	 */
	if (unlikely(in_nmi())) {
		this_cpu_inc(ch->cpu->nmi[LT_CLASS_INDEX(class)]);
		return NULL;
	}
	local_irq_save(*flags);
	c = this_cpu_ptr(ch->cpu);
	if (unlikely(c->busy)) {
		this_cpu_inc(ch->cpu->nested[LT_CLASS_INDEX(class)]);
		local_irq_restore(*flags);
		return NULL;
	}
	lt_claim(c);
	return c;
}

/**
 * lt_leave() - end an event that was counted or written
 * @c: state of this CPU, from lt_enter()
 * @class: enum lt_class
 * @flags: from lt_enter()
 *
 * Counts the event, and does so after its record is written: when the reservation
 * closes a packet, the event is not yet counted, and the counts in the closed packet are
 * exactly those of its records and of the records before.
 */
static __always_inline void lt_leave(struct lt_channel_cpu *c, unsigned int class,
				     unsigned long flags)
{
	c->tried[LT_CLASS_INDEX(class)]++;
	lt_unclaim(c);
	local_irq_restore(flags);
}

/* In place of lt_leave(), when nothing was written and nothing must be counted. */
static __always_inline void lt_cancel(struct lt_channel_cpu *c, unsigned long flags)
{
	lt_unclaim(c);
	local_irq_restore(flags);
}

static __always_inline unsigned int lt_context_now(void)
{
	if (in_hardirq())
		return LT_CTX_HARDIRQ;
	return in_serving_softirq() ? LT_CTX_SOFTIRQ : LT_CTX_TASK;
}

/* enum lt_context, by one load for task context. (PREEMPT_RT counts softirqs elsewhere.) */
static __always_inline unsigned int lt_context_or_nmi(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) &&
	    likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return LT_CTX_TASK;
	return in_nmi() ? LT_CTX_NMI : lt_context_now();
}

/**
 * lt_put_word() - write the beginning of a record
 * @rec: the record
 * @id: enum lt_event_id
 * @now: time of the record
 * @longer: in the long form
 *
 * Return: where the payload goes.
 */
static inline void *lt_put_word(void *rec, unsigned int id, u64 now, bool longer)
{
	if (!longer) {
		put_unaligned(LT_WORD(id, lt_context_now(), now), (u32 *)rec);
		return rec + LT_REC_WORD;
	}
	*(u8 *)rec = LT_LONG_MARK;
	put_unaligned((u16)LT_EV_ID(id), (u16 *)(rec + LT_LONG_ID));
	put_unaligned(now, (u64 *)(rec + LT_LONG_TIME));
	*(u8 *)(rec + LT_LONG_CTX) = LT_LONG_CONTEXT(lt_context_now());
	return rec + LT_REC_LONG;
}

/**
 * lt_put_at() - reserve a record and write its beginning
 * @ch: channel
 * @c: state of this CPU
 * @id: enum lt_event_id
 * @size: bytes of the payload
 * @now: time of the record, clock units; if it is before the last record, that is the time
 *
 * Context: between lt_enter() and lt_leave(), and there is a buffer.
 * Return: where the payload goes, @size bytes; NULL: the buffer is full. c->now is the time.
 */
static __always_inline void *lt_put_at(struct lt_channel *ch, struct lt_channel_cpu *c,
				       unsigned int id, size_t size, u64 now)
{
	struct task_struct *task = current;
	u32 *rec;

	if (unlikely((s64)(now - c->last) < 0))
		now = c->last;
	c->now = now;

	if (unlikely(task != c->task || task->start_boottime != c->task_start ||
		     task->pid != c->task_tid || (now - c->last) >> LT_TIME_BITS ||
		     c->buf->offset + LT_REC_WORD + size > c->size))
		return lt_reserve_slow(ch, c, id, size);

	rec = relay_reserve(ch->rchan, LT_REC_WORD + size);
	if (unlikely(!rec))	/* never: there was room */
		return NULL;
	put_unaligned(LT_WORD(id, lt_context_now(), now), rec);
	c->last = now;
	return rec + 1;
}

/* lt_put_at() at this moment. */
static __always_inline void *lt_put(struct lt_channel *ch, struct lt_channel_cpu *c,
				    unsigned int id, size_t size)
{
	return lt_put_at(ch, c, id, size, lt_clock());
}

/**
 * lt_reserve() - lt_put(), and count the event if it is refused
 * @ch: channel
 * @c: state of this CPU
 * @class: enum lt_class
 * @id: enum lt_event_id
 * @size: bytes of the payload
 *
 * Context: between lt_enter() and lt_leave().
 * Return: where the payload goes; NULL: refused.
 */
static __always_inline void *
lt_reserve(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int class,
	   unsigned int id, size_t size)
{
	void *rec;

	/* NULL on a CPU that came up while the channel was being opened. */
	if (unlikely(!c->buf)) {
		c->nobuf[LT_CLASS_INDEX(class)]++;
		return NULL;
	}
	rec = lt_put(ch, c, id, size);
	if (unlikely(!rec))
		c->full[LT_CLASS_INDEX(class)]++;
	return rec;
}

/* Count an event that is left out on purpose. Context: any. */
static __always_inline void lt_filtered(struct lt_channel *ch, unsigned int class)
{
	this_cpu_inc(ch->cpu->filtered[LT_CLASS_INDEX(class)]);
}

/*
 * Store the low bytes of a value in the machine's byte order, by a store of eight: those behind the
 * first @size bytes are to be written after it.
 */
static __always_inline void lt_put_first(void *p, size_t size, u64 value)
{
#ifdef __BIG_ENDIAN
	value <<= 64 - 8 * size;
#endif
	put_unaligned(value, (u64 *)p);
}

/* The number that lt_put_first() has stored; for tests. */
static inline u64 lt_get_first(const void *p, size_t size)
{
	u64 v = 0;

#ifdef __LITTLE_ENDIAN
	memcpy(&v, p, size);
#else
	memcpy((u8 *)&v + sizeof(v) - size, p, size);
#endif
	return v;
}

/* Store the low 40 bits of a value in the machine's byte order. */
static __always_inline void lt_put_u40(u8 *p, u64 value)
{
#ifdef __BIG_ENDIAN
	p[0] = upper_32_bits(value) & 0xff;
	put_unaligned(lower_32_bits(value), (u32 *)(p + 1));
#else
	put_unaligned(lower_32_bits(value), (u32 *)p);
	p[4] = upper_32_bits(value) & 0xff;
#endif
}

/* Store the low 48 bits of a value in the machine's byte order. */
static __always_inline void lt_put_u48(u8 *p, u64 value)
{
#ifdef __BIG_ENDIAN
	put_unaligned((u16)(value >> 32), (u16 *)p);
	put_unaligned(lower_32_bits(value), (u32 *)(p + 2));
#else
	put_unaligned(lower_32_bits(value), (u32 *)p);
	put_unaligned((u16)(value >> 32), (u16 *)(p + 4));
#endif
}

#endif /* LT_WRITE_H */
