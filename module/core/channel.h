/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A channel: one relay channel, its packets, and how records get into them.
 */
#ifndef LT_CHANNEL_H
#define LT_CHANNEL_H

#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "core/clock.h"
#include "core/compat.h"

struct dentry;
struct lt_site;

/**
 * struct lt_channel_cpu - a channel's state on one CPU
 *
 * The first part belongs to the CPU: it is read and written there with
 * interrupts off, or by anybody once the CPU cannot write any more. What every
 * event reads is one cache line.
 *
 * @task: whose context record was written last, NULL: none in this packet
 * @task_start: its start time, and
 * @task_tid: its tid: a struct task_struct is used again, and exec by a thread
 *	changes a task's tid, so the pointer alone is no identity
 * @busy: an event is being written; another one now comes from the tracer itself
 * @finishing: the session has stopped; the next packet to be closed is the last
 * @finished: it has been closed
 * @last: time of the latest record; no record of this stream gets an earlier one
 * @buf: relay's buffer of this CPU; NULL: it has none
 * @limit: bytes of a sub-buffer; 0 as long as @busy, and where there is no buffer
 * @sites: its table of sites, see object.h; NULL: the channel has none
 * @stamp: what a site's entry must hold to be valid in the packet that is open.
 *	The CPU itself increments it for each packet; another one may do so at any
 *	time, to make all entries invalid
 * @now: time of the event for which a packet is being opened or closed
 * @open: header of the open packet, NULL: none
 * @seq: of the next packet to be opened
 * @size: bytes of a sub-buffer; 0: there is no buffer
 * @told: @stamp when the packet was opened
 * @tried: events that came as far as a reservation
 * @full: of those, no room
 * @nobuf: of those, the CPU had no buffer
 *
 * Written by this_cpu_inc(), from any context:
 *
 * @nested: events refused because of @busy
 * @nmi: events refused because they happened in NMI context
 * @filtered: events left out on purpose
 *
 * For the reader. What stands before @read_lock is cleared for a new session.
 *
 * @ready: packets closed since the start; published with release semantics
 *	after the packet's last byte, taken with acquire semantics before its
 *	first. Relay's own count is advanced before the packet's header is
 *	complete and cannot serve.
 * @read_lock: one read() at a time, and who closes the last packet
 * @reader: the session whose reader has the file open, or 0
 * @wait: who polls
 * @wakeup: wakes them from a context in which that is allowed
 */
struct lt_channel_cpu {
	struct task_struct *task;
	u64 task_start;
	pid_t task_tid;
	bool busy;
	bool finishing;
	bool finished;
	u64 last;
	struct rchan_buf *buf;
	size_t limit;
	struct lt_site *sites;
	atomic_long_t stamp;

	u64 now;
	struct lt_packet_header *open;
	u64 seq;
	size_t size;
	unsigned long told;
	u64 tried[LT_N_CLASSES];
	u64 full[LT_N_CLASSES];
	u64 nobuf[LT_N_CLASSES];

	u64 nested[LT_N_CLASSES];
	u64 nmi[LT_N_CLASSES];
	u64 filtered[LT_N_CLASSES];

	size_t ready;
	struct mutex read_lock;	/* reading, closing the last packet */
	u64 reader;
	wait_queue_head_t wait;
	struct irq_work wakeup;
} ____cacheline_aligned;

/**
 * struct lt_channel - a channel
 * @id: enum lt_channel_id
 * @rchan: relay's part; NULL: closed. Set before the first probe is attached
 *	and cleared after the last one is gone, so probes use it as it is.
 * @cpu: state of each possible CPU; lives as long as the module
 * @session: number of the session, never 0
 * @dir: where the files of its buffers are; NULL: there are none
 * @plain: no record says who is running, and there are no sites; set before the
 *	channel is opened
 */
struct lt_channel {
	unsigned int id;
	bool plain;
	struct rchan *rchan;
	struct lt_channel_cpu __percpu *cpu;
	u64 session;
	struct dentry *dir;
};

/* The smallest sub-buffer: a header, and some of the largest records. */
#define LT_MIN_SUBBUF_SIZE	4096

int lt_channel_init(struct lt_channel *ch, unsigned int id);
void lt_channel_destroy(struct lt_channel *ch);
int lt_channel_open(struct lt_channel *ch, struct dentry *dir, size_t subbuf_size,
		    size_t n_subbufs, u64 session);
void lt_channel_close(struct lt_channel *ch);
void lt_channel_flush(struct lt_channel *ch, bool quiet);
void lt_channel_finish(struct lt_channel *ch);
void lt_channel_counts(struct lt_channel *ch, unsigned int cpu,
		       struct lt_class_counts *counts);
u64 lt_channel_lost(struct lt_channel *ch);

void *lt_reserve_told(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
		      size_t size, bool told, struct lt_rec_SITE **site);
void *lt_reserve_slow(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
		      size_t size);

/* ------------------------------------------------------------------------
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
 * atomic, and nobody on this CPU may come between reserving a record and
 * filling it in. That also keeps a probe on its CPU on kernels that call
 * probes preemptible (7.x). Nothing there allocates, sleeps or takes a lock.
 */

/*
 * Nobody else writes to this CPU's buffer from here on: see lt_enter() and
 * lt_object_fast(), to which there is no room meanwhile.
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
	c->limit = c->size;
	c->busy = false;
}

/* Is there no room for another packet? */
static inline bool lt_full(struct rchan_buf *buf)
{
	/* The reader may count on meanwhile: then there is room a little later. */
	return data_race(relay_buf_full(buf));
}

/**
 * lt_enter() - begin to write an event
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

/*
 * The counts change after the record is written: when a reservation closes a
 * packet, the event it is made for is not yet counted, and the counts in the
 * closed packet are exactly those of its records and the ones before.
 */
static __always_inline void lt_leave(struct lt_channel_cpu *c, unsigned int class,
				     unsigned long flags)
{
	c->tried[LT_CLASS_INDEX(class)]++;
	lt_unclaim(c);
	local_irq_restore(flags);
}

/* In place of lt_leave(), when nothing was written and nothing is to be counted. */
static __always_inline void lt_cancel(struct lt_channel_cpu *c, unsigned long flags)
{
	lt_unclaim(c);
	local_irq_restore(flags);
}

static __always_inline unsigned int lt_context(void)
{
	if (in_hardirq())
		return LT_CTX_HARDIRQ;
	return in_serving_softirq() ? LT_CTX_SOFTIRQ : LT_CTX_TASK;
}

/* One look for the most frequent case; with PREEMPT_RT softirqs are elsewhere. */
static __always_inline unsigned int lt_context_or_nmi(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) &&
	    likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return LT_CTX_TASK;
	return in_nmi() ? LT_CTX_NMI : lt_context();
}

/**
 * lt_put() - reserve a record and write its first word
 * @id: enum lt_event_id, below LT_EV_LONG
 * @size: bytes of the payload
 *
 * Context: between lt_enter() and lt_leave(), and there is a buffer.
 * Return: where the payload goes, @size bytes; NULL: the buffer is full.
 */
static __always_inline void *lt_put(struct lt_channel *ch, struct lt_channel_cpu *c,
				    unsigned int id, size_t size)
{
	struct task_struct *task = current;
	u64 now = lt_clock();
	u32 *rec;

	if (unlikely((s64)(now - c->last) < 0))
		now = c->last;
	c->now = now;

	if (unlikely(task != c->task || task->start_boottime != c->task_start ||
		     task->pid != c->task_tid || (now - c->last) >> LT_TIME_BITS ||
		     c->buf->offset + LT_REC_WORD + size > c->size))
		return lt_reserve_slow(ch, c, id, size);

	rec = relay_reserve(ch->rchan, LT_REC_WORD + size);
	if (unlikely(!rec))	/* cannot be: there was room */
		return NULL;
	put_unaligned(LT_WORD(id, lt_context(), now), rec);
	c->last = now;
	return rec + 1;
}

/**
 * lt_reserve() - reserve the record of an event
 * As lt_put(), and counts what is refused.
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

bool lt_half_full(struct lt_channel *ch);
void *lt_reserve_plain(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int class,
		       unsigned int id, size_t size);
void *lt_reserve_quiet(struct lt_channel *ch, struct lt_channel_cpu *c, unsigned int id,
		       size_t size);

/* An event that is left out on purpose. Context: any. */
static __always_inline void lt_filtered(struct lt_channel *ch, unsigned int class)
{
	this_cpu_inc(ch->cpu->filtered[LT_CLASS_INDEX(class)]);
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

#endif /* LT_CHANNEL_H */
