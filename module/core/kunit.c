// SPDX-License-Identifier: GPL-2.0
/*
 * The KUnit module: all of lifetrace but load and unload, and its suites.
 * Built on request only: make LT_KUNIT=m.
 *
 * The suites look at one CPU's buffer: each test stays on one CPU, and is the
 * only one that writes. Nothing is attached, events are written by hand.
 */
#include <linux/sched.h>

#include "core/kunit.h"
#include "core/write.h"

/* Stay on a CPU. Each case is a thread of its own, which begins with its suite's init. */
int lt_test_stay_on(unsigned int cpu)
{
	return set_cpus_allowed_ptr(current, cpumask_of(cpu));
}

/* Packets closed on all CPUs. */
size_t lt_test_packets(struct lt_channel *ch)
{
	size_t n = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		n += per_cpu_ptr(ch->cpu, cpu)->ready;
	return n;
}

/* The n-th closed packet, over all CPUs; NULL: it was overwritten, or there is none. */
const struct lt_packet_header *lt_test_packet(struct lt_channel *ch, size_t n)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rchan_buf *buf = *per_cpu_ptr(ch->rchan->buf, cpu);
		size_t ready = per_cpu_ptr(ch->cpu, cpu)->ready;

		if (ch->overwrite && n + ch->rchan->n_subbufs < per_cpu_ptr(ch->cpu, cpu)->opened &&
		    n < ready)
			return NULL;
		if (n < ready)
			return buf->start + n % ch->rchan->n_subbufs * ch->rchan->subbuf_size;
		n -= ready;
	}
	return NULL;
}

static size_t payload_size(unsigned int id)
{
	switch (id) {
#define SIZE_CASE(CHANNEL, id, NAME, name, CLASS, text)	\
	case LT_EV_##NAME:				\
		return sizeof(struct lt_rec_##NAME);
	LT_EVENTS(SIZE_CASE)
	}
	return 0;
}

static size_t packet_records(struct kunit *test, const struct lt_packet_header *h,
			     struct lt_test_record *out, size_t max)
{
	const void *p = (void *)h + h->header_size, *end = (void *)h + h->content_bits / 8;
	u64 time = h->timestamp_begin;
	size_t n = 0;

	while (p < end && n < max) {
		struct lt_test_record *r = &out[n++];
		u32 word = get_unaligned((u32 *)p);

		r->id = LT_WORD_ID(word);
		r->context = LT_WORD_CONTEXT(word);
		r->packet = h;
		r->longer = r->id == LT_EV_LONG;
		if (r->longer) {
			r->id = get_unaligned((u16 *)(p + 1));
			time = get_unaligned((u64 *)(p + 3));
			r->context = *(u8 *)(p + 11);
#ifdef __BIG_ENDIAN
			r->context >>= 6;
#endif
			p += LT_REC_LONG;
		} else {
			time += (LT_WORD_LOW(word) - time) & LT_TIME_MASK;
			p += LT_REC_WORD;
		}
		r->time = time;
		r->id = LT_EV(h->channel, r->id);
		r->payload = p;
		r->size = payload_size(r->id);
		KUNIT_ASSERT_GT(test, r->size, (size_t)0);
		p += r->size;
		KUNIT_EXPECT_LE(test, r->time, h->timestamp_end);
	}
	if (n < max)
		KUNIT_EXPECT_PTR_EQ(test, p, end);
	return n;
}

/* All records of all closed packets that are there, in order. Return: how many. */
size_t lt_test_records(struct kunit *test, struct lt_channel *ch,
		       struct lt_test_record *out, size_t max)
{
	size_t i, n = 0, packets = lt_test_packets(ch);

	for (i = 0; i < packets; i++) {
		const struct lt_packet_header *h = lt_test_packet(ch, i);

		n += h ? packet_records(test, h, out + n, max - n) : 0;
	}
	return n;
}

/* Write an event that carries a number. Return: was it written? */
bool lt_test_write(struct lt_channel *ch, u64 number)
{
	struct lt_rec_KFREE_WIDE *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(ch, LT_CLASS_KFREE, &flags);
	if (!c)
		return false;
	rec = lt_reserve(ch, c, LT_CLASS_KFREE, LT_EV_KFREE_WIDE, sizeof(*rec));
	if (rec) {
		rec->ptr = number;
		rec->call_site = ~number;
	}
	lt_leave(c, LT_CLASS_KFREE, flags);
	return rec;
}
