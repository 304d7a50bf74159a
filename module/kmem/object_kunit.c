// SPDX-License-Identifier: GPL-2.0
/*
 * Writing events of objects: bytes, time, the running task, packets, refusals.
 */
#include <linux/slab.h>

#include "core/context.h"
#include "kmem/site_kunit.h"

/* ------------------------------------------------------------------------
 * Bytes
 */

static void word_and_marks_are_inverted(struct kunit *test)
{
	static const u32 lows[] = { 0, 1, 0x800000, LT_TIME_MASK, 0x123456 };
	unsigned int id, context, i;

	for (id = 1; id <= LT_EV_LONG; id++)
		for (context = 0; context < 4; context++)
			for (i = 0; i < ARRAY_SIZE(lows); i++) {
				u32 word = LT_WORD(id, context, lows[i] | 0xabULL << LT_TIME_BITS);

				KUNIT_EXPECT_EQ(test, LT_WORD_ID(word), id);
				KUNIT_EXPECT_EQ(test, LT_WORD_CONTEXT(word), context);
				KUNIT_EXPECT_EQ(test, LT_WORD_LOW(word), lows[i]);
			}
	/* The long form is known by its first byte, whatever follows. */
	for (i = 0; i < 256; i++) {
		u8 bytes[4] = { LT_LONG_MARK, i, i, i };

		KUNIT_EXPECT_EQ(test, LT_WORD_ID(get_unaligned((u32 *)bytes)), LT_EV_LONG);
	}
	for (context = 0; context < 4; context++)
#ifdef __BIG_ENDIAN
		KUNIT_EXPECT_EQ(test, LT_LONG_CONTEXT(context), (u8)(context << 6));
#else
		KUNIT_EXPECT_EQ(test, LT_LONG_CONTEXT(context), (u8)context);
#endif
}

/* Both stores of a brief form, against the fields; and not a byte more than is said. */
static void brief_is_ten_bytes(struct kunit *test)
{
	u64 low = IS_ENABLED(CONFIG_64BIT) ? 0xa1b2c3d4e8ULL : 0xb2c3d4e8ULL;
	void *ptr = (void *)(unsigned long)(lt_ptr_base() + low);
	u8 bytes[1 + LT_BRIEF + 4], payload[LT_BRIEF_PAYLOAD];
	const void *stored = bytes + 1 + LT_REC_WORD;
	u32 word = LT_WORD(LT_EV_BRIEF(KMALLOC), LT_CTX_SOFTIRQ, 0x654321);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, (size_t)LT_BRIEF, (size_t)(IS_ENABLED(CONFIG_64BIT) ? 10 : 11));
	memset(bytes, 0xee, sizeof(bytes));
	lt_put_brief(bytes + 1, word, 0x7ab, ptr);
	KUNIT_EXPECT_EQ(test, get_unaligned((u32 *)(bytes + 1)), word);
	KUNIT_EXPECT_EQ(test, lt_brief_site(stored), 0x7abU);
	KUNIT_EXPECT_EQ(test, lt_brief_ptr(stored), lt_ptr_base() + low);
	KUNIT_EXPECT_EQ(test, bytes[0], (u8)0xee);
	for (i = 1 + LT_BRIEF_STORED; i < sizeof(bytes); i++)
		KUNIT_EXPECT_EQ(test, bytes[i], (u8)0xee);
	/* The payload alone, in the same bytes. */
	lt_put_brief_payload(payload, 0x7ab, ptr);
	KUNIT_EXPECT_EQ(test, memcmp(payload, stored, sizeof(payload)), 0);
}

/* The fast and the slow path write equal records, which take equal room. */
static void both_ways_write_the_same(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	struct rchan_buf *buf = site_cpu()->buf;
	size_t before;

	site_put_kmalloc(1, p);
	before = buf->offset;
	KUNIT_EXPECT_TRUE(test, site_put_fast_now(2, p));
	KUNIT_EXPECT_EQ(test, buf->offset, before + LT_BRIEF);
	/* lt_object_slow() uses a site that is announced, too. */
	lt_object_slow(&site_kmalloc, site_object(2), NULL, p.call_site, p.what, p.how);
	KUNIT_EXPECT_EQ(test, buf->offset, before + 2 * LT_BRIEF);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC));
	site_expect(test, 2, 1, p, 0);
	site_expect(test, 3, 2, p, 0);
	KUNIT_EXPECT_EQ(test, memcmp(site_records[3].payload, site_records[4].payload,
				     LT_BRIEF_PAYLOAD), 0);
	site_expect_sum(test, LT_CLASS_KMALLOC, 3);
}

/* The second store of a brief form reaches over its end. */
static void last_bytes_of_a_packet_stay_free(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	struct lt_channel_cpu *c = site_cpu();

	site_put_kmalloc(1, p);
	c->limit = c->buf->offset + LT_BRIEF_STORED - 1;
	KUNIT_EXPECT_FALSE(test, site_put_fast_now(2, p));
	c->limit = c->buf->offset + LT_BRIEF_STORED;
	KUNIT_EXPECT_TRUE(test, site_put_fast_now(2, p));
	KUNIT_EXPECT_FALSE(test, site_put_fast_now(3, p));
	c->limit = c->size;
	KUNIT_EXPECT_TRUE(test, site_put_fast_now(3, p));
	site_read_all(test);
	site_expect_sum(test, LT_CLASS_KMALLOC, 3);
}

/* ------------------------------------------------------------------------
 * Time, task, context
 */

/* A task is announced before the event where any part of its identity has changed. */
static void task_that_changes_is_announced_before(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	struct lt_channel_cpu *c = site_cpu();

	site_put_kmalloc(0, p);
	c->task_start++;
	KUNIT_EXPECT_FALSE(test, site_put_fast_now(1, p));
	site_put_kmalloc(1, p);
	c->task_tid++;
	KUNIT_EXPECT_FALSE(test, site_put_fast_now(2, p));
	site_put_kmalloc(2, p);
	lt_context_renamed(&lt_channel_kmem, current);
	KUNIT_EXPECT_FALSE(test, site_put_fast_now(3, p));
	site_put_kmalloc(3, p);
	KUNIT_EXPECT_TRUE(test, site_put_fast_now(4, p));
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK_AGAIN, LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK_AGAIN, LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK_AGAIN, LT_EV_BRIEF(KMALLOC), LT_EV_BRIEF(KMALLOC));
	KUNIT_EXPECT_EQ(test, ((struct lt_rec_TASK_AGAIN *)site_records[3].payload)->number,
			((struct lt_rec_TASK *)site_records[0].payload)->number);
	site_expect_sum(test, LT_CLASS_KMALLOC, 5);
}

/* The fast path takes a time less than 2^24 units after the last, and never before it. */
static void fast_path_limits_the_time_step(struct kunit *test)
{
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	struct lt_channel_cpu *c = site_cpu();
	const u64 gap = 1ULL << LT_TIME_BITS;
	u64 last;

	site_put_kmalloc(0, p);
	last = c->last;
	KUNIT_EXPECT_FALSE(test, site_put_fast(site_object(1), p, last - 1));
	KUNIT_EXPECT_FALSE(test, site_put_fast(site_object(1), p, last + gap));
	KUNIT_EXPECT_FALSE(test, site_put_fast(site_object(1), p, last + (gap << 20)));
	KUNIT_EXPECT_TRUE(test, site_put_fast(site_object(1), p, last + gap - 1));
	KUNIT_EXPECT_EQ(test, c->last, last + gap - 1);
	/* The clock has hardly come so far: it gets the time of the one before. */
	site_put_kmalloc(2, p);
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC), LT_EV_BRIEF(KMALLOC));
	KUNIT_EXPECT_EQ(test, site_records[2].time, last);
	KUNIT_EXPECT_EQ(test, site_records[3].time, last + gap - 1);
	KUNIT_EXPECT_GE(test, site_records[4].time, last + gap - 1);
}

static void first_of_the_records_is_longer(struct kunit *test)
{
	static const struct {
		bool task, site;
		size_t n, first;
	} cases[] = { { 0, 0, 1, 3 }, { 1, 0, 2, 4 }, { 0, 1, 2, 6 }, { 1, 1, 3, 8 } };
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	struct lt_channel_cpu *c = site_cpu();
	size_t i, j;

	site_put_kmalloc(9, p);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].task)
			c->task = NULL;
		if (cases[i].site)
			p.call_site += 0x1000;
		c->last -= 1ULL << LT_TIME_BITS;
		site_put_kmalloc(i, p);
	}
	KUNIT_EXPECT_TRUE(test, site_put_fast_now(i, p));
	site_read_all(test);
	SITE_EXPECT_ALL(test, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK_AGAIN, LT_EV_BRIEF(KMALLOC),
			LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_TASK_AGAIN, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC));
	/* The very first one is, if this CPU was away since its packet was opened. */
	for (i = 1; i < 3; i++)
		KUNIT_EXPECT_FALSE(test, site_records[i].longer);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		for (j = 0; j < cases[i].n; j++) {
			const struct lt_test_record *r = &site_records[cases[i].first + j];

			KUNIT_EXPECT_EQ(test, r->longer, !j);
			KUNIT_EXPECT_EQ(test, r->context, LT_CTX_TASK);
		}
	KUNIT_EXPECT_FALSE(test, site_records[11].longer);
}

/*
 * Leave exactly @room bytes in the packet that is open: records of two sizes make any
 * number. One that came late has the long form, and may leave too little.
 */
static void leave_room(struct kunit *test, size_t room)
{
	const size_t large = LT_REC_WORD + (LT_TIGHT ? sizeof(struct lt_rec_KFREE) :
						       sizeof(struct lt_rec_KFREE_WIDE));
	struct lt_place freed = { site_place(0x1234, 0, 0, 0).call_site, LT_WHAT_FREED, 0 };
	size_t left;

	KUNIT_ASSERT_NE(test, large % LT_BRIEF, (size_t)0);
	while ((left = SITE_SUBBUF_SIZE - site_cpu()->buf->offset) != room) {
		if (left > room && !((left - room) % LT_BRIEF))
			site_put_kmalloc(0, site_place(0x1234, 100, 128, NUMA_NO_NODE));
		else if (left >= room + large && LT_TIGHT)	/* odd: in full */
			site_put(&site_kfree, site_object(0) + 1, NULL, freed);
		else if (left >= room + large)
			lt_test_write(&lt_channel_kmem, 0);
		else
			site_close_packet();
	}
}

/*
 * Where a packet has room for the records, but not for the first of them in the
 * long form, they go to the next one: a short form there would lose time.
 */
static void gap_at_the_end_of_a_packet_is_kept(struct kunit *test)
{
	const size_t task = LT_REC_WORD + sizeof(struct lt_rec_TASK_AGAIN);
	const size_t brief = task + LT_REC_WORD + sizeof(struct lt_rec_SITE_NARROW) + LT_BRIEF;
	const size_t full = task + LT_REC_WORD + sizeof(struct lt_rec_KFREE_WIDE);
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	struct lt_channel_cpu *c = site_cpu();
	size_t i, packets;

	for (i = 0; i < 2; i++) {
		site_put_kmalloc(0, p);
		leave_room(test, (i ? full : brief) + 4);
		packets = c->ready;
		c->task = NULL;
		c->last -= 3ULL << LT_TIME_BITS;
		if (i)
			lt_test_write(&lt_channel_kmem, 0);
		else
			site_put_kmalloc(1, site_place(0x5678, 100, 128, NUMA_NO_NODE));
		KUNIT_EXPECT_EQ(test, c->ready, packets + 1);
	}
	/* Of records that say nothing of the task; no matter that they do here. */
	site_put_kmalloc(0, p);
	leave_room(test, LT_REC_WORD + sizeof(struct lt_rec_KFREE_WIDE) + 4);
	packets = c->ready;
	c->last -= 3ULL << LT_TIME_BITS;
	lt_channel_kmem.no_task = true;
	lt_test_write(&lt_channel_kmem, 0);
	lt_channel_kmem.no_task = false;
	KUNIT_EXPECT_EQ(test, c->ready, packets + 1);
	KUNIT_EXPECT_EQ(test, c->full[LT_CLASS_KMALLOC] + c->full[LT_CLASS_KFREE], 0ULL);
}

/* As in an interrupt: what says so is one word. An NMI's events are refused. */
static void context_is_recorded(struct kunit *test)
{
	static const unsigned int in[] = {
		0, SOFTIRQ_OFFSET, HARDIRQ_OFFSET, HARDIRQ_OFFSET | SOFTIRQ_OFFSET,
		SOFTIRQ_DISABLE_OFFSET, NMI_OFFSET, NMI_OFFSET | HARDIRQ_OFFSET,
	};
	static const unsigned int expected[] = {
		LT_CTX_TASK, LT_CTX_SOFTIRQ, LT_CTX_HARDIRQ, LT_CTX_HARDIRQ, LT_CTX_TASK,
	};
	struct lt_place p = site_place(0x1234, 100, 128, NUMA_NO_NODE);
	size_t before, i;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return;	/* says it elsewhere */
	site_put_kmalloc(9, p);
	for (i = 0; i < ARRAY_SIZE(in); i++) {
		unsigned long flags;

		before = site_cpu()->buf->offset;
		local_irq_save(flags);
		__preempt_count_add(in[i]);
		site_put_kmalloc(i, p);
		__preempt_count_sub(in[i]);
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ(test, site_cpu()->buf->offset,
				before + (i < ARRAY_SIZE(expected) ? LT_BRIEF : 0));
	}
	site_read_all(test);
	KUNIT_ASSERT_EQ(test, site_n_records, 3 + ARRAY_SIZE(expected));
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		KUNIT_EXPECT_EQ(test, site_records[3 + i].context, expected[i]);
	KUNIT_EXPECT_EQ(test, site_cpu()->nmi[LT_CLASS_KMALLOC], 2ULL);
	site_expect_sum(test, LT_CLASS_KMALLOC, 1 + ARRAY_SIZE(expected));
}

/* ------------------------------------------------------------------------
 * Packets, and what is refused
 */

static struct lt_place nth_place(unsigned int i)
{
	return site_place(0x1000 + 0x40 * (i % 7), 100, 128, NUMA_NO_NODE);
}

/* Each packet announces all that its records need; no event is lost between two. */
static void packets_decode_alone(struct kunit *test)
{
	const struct lt_packet_header *packet = NULL;
	unsigned int n = 0, seen = 0;
	size_t i;

	while (!site_cpu()->full[LT_CLASS_KMALLOC]) {
		site_put_kmalloc(n, nth_place(n));
		n++;
	}
	n--;
	KUNIT_EXPECT_GT(test, n, SITE_N_SUBBUFS * 200U);
	site_read_all(test);
	for (i = 0; i < site_n_records; i++) {
		if (site_records[i].packet != packet)
			KUNIT_EXPECT_EQ(test, site_records[i].id, LT_EV_TASK);
		packet = site_records[i].packet;
		if (site_records[i].id != LT_EV_BRIEF(KMALLOC))
			continue;
		site_expect(test, i, seen, nth_place(seen), 0);
		seen++;
	}
	KUNIT_EXPECT_EQ(test, seen, n);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_TASK), (u64)SITE_N_SUBBUFS);
	KUNIT_EXPECT_EQ(test, site_count(LT_EV_SITE_NARROW), (u64)SITE_N_SUBBUFS * 7);
	site_expect_sum(test, LT_CLASS_KMALLOC, n);
}

/* A packet may end at its last byte; what stands behind it is another's. */
static void nothing_is_written_behind_a_packet(struct kunit *test)
{
	struct rchan_buf *buf = site_cpu()->buf;
	u8 *behind = buf->start + SITE_SUBBUF_SIZE;
	unsigned int skip, n;

	for (skip = 0; skip < LT_BRIEF; skip++) {
		site_put_kmalloc(0, nth_place(0));
		/* The end falls elsewhere each time. It is not read. */
		buf->offset += skip;
		behind = buf->data + SITE_SUBBUF_SIZE;
		if (behind == buf->start + SITE_SUBBUF_SIZE * SITE_N_SUBBUFS)
			behind = NULL;
		else
			memset(behind, 0xee, 8);
		for (n = 0; buf->offset + LT_BRIEF <= SITE_SUBBUF_SIZE; n++)
			site_put_kmalloc(n, nth_place(0));
		if (behind)
			KUNIT_EXPECT_EQ(test, get_unaligned((u64 *)behind),
					0xeeeeeeeeeeeeeeeeULL);
		KUNIT_EXPECT_LE(test, buf->offset, (size_t)SITE_SUBBUF_SIZE);
		KUNIT_EXPECT_GT(test, buf->offset, (size_t)SITE_SUBBUF_SIZE - LT_BRIEF);
		site_close_packet();
		relay_subbufs_consumed(lt_channel_kmem.rchan, raw_smp_processor_id(), 1);
	}
	KUNIT_EXPECT_EQ(test, site_cpu()->full[LT_CLASS_KMALLOC], 0ULL);
}

static void full_buffer_refuses_and_counts(struct kunit *test)
{
	u64 *full = site_cpu()->full, *tried = site_cpu()->tried, before;
	struct lt_place p = nth_place(0);
	unsigned int n = 0;

	while (!full[LT_CLASS_KMALLOC])
		site_put_kmalloc(n++, p);
	before = tried[LT_CLASS_KMALLOC];
	KUNIT_EXPECT_EQ(test, before, (u64)n);
	for (n = 0; n < 100; n++)
		site_put_kmalloc(n, p);
	KUNIT_EXPECT_EQ(test, full[LT_CLASS_KMALLOC], 101ULL);
	KUNIT_EXPECT_EQ(test, tried[LT_CLASS_KMALLOC], before + 100);
	/* The other ways to be refused there, one by one. */
	site_put(&site_kmalloc, SITE_FAR, NULL, p);
	site_put(&site_kfree, site_object(0), NULL,
		 (struct lt_place){ p.call_site, LT_WHAT_FREED, 0 });
	KUNIT_EXPECT_EQ(test, full[LT_CLASS_KMALLOC], 102ULL);
	KUNIT_EXPECT_EQ(test, full[LT_CLASS_KFREE], 1ULL);
	site_expect_sum(test, LT_CLASS_KMALLOC, before - 1);
	site_expect_sum(test, LT_CLASS_KFREE, 0);

	/* Room for one packet, which announces task and site again. */
	relay_subbufs_consumed(lt_channel_kmem.rchan, raw_smp_processor_id(), 1);
	KUNIT_EXPECT_FALSE(test, site_put_fast_now(1, p));
	site_put_kmalloc(7, p);
	site_put_kmalloc(8, p);
	site_expect_sum(test, LT_CLASS_KMALLOC, before + 1);
	site_read_all(test);
	/* The first packet is overwritten by the last, which is read in its place. */
	SITE_EXPECT_IDS(test, 0, LT_EV_TASK, LT_EV_SITE_NARROW, LT_EV_BRIEF(KMALLOC),
			LT_EV_BRIEF(KMALLOC));
	site_expect(test, 2, 7, p, 0);
	site_expect(test, 3, 8, p, 0);
	KUNIT_EXPECT_EQ(test, site_records[0].packet->counts[LT_CLASS_KMALLOC].seen,
			before + 103);
	KUNIT_EXPECT_EQ(test, site_records[0].packet->counts[LT_CLASS_KMALLOC].lost_full,
			102ULL);
}

/* Room for the event, but not to say what its cache is. */
static void cache_that_cannot_be_announced_loses_its_event(struct kunit *test)
{
	struct kmem_cache *s = kmem_cache_create("lifetrace_kunit_lost", 200, 0, 0, NULL);
	struct lt_channel_cpu *c = site_cpu();
	struct lt_place p;
	unsigned int n = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	p = (struct lt_place) {
		lt_text_base() + 0x99, lt_what_cache(s, false), lt_how(GFP_KERNEL, 0),
	};
	while (c->ready < SITE_N_SUBBUFS - 1 ||
	       c->buf->offset + sizeof(struct lt_rec_CACHE) <= SITE_SUBBUF_SIZE)
		site_put_kmalloc(n++, nth_place(0));
	KUNIT_EXPECT_EQ(test, c->full[LT_CLASS_KMALLOC], 0ULL);
	site_put(&site_cache_alloc, site_object(0), s, p);
	KUNIT_EXPECT_EQ(test, c->tried[LT_CLASS_CACHE_ALLOC], 1ULL);
	KUNIT_EXPECT_EQ(test, c->full[LT_CLASS_CACHE_ALLOC], 1ULL);
	relay_subbufs_consumed(lt_channel_kmem.rchan, raw_smp_processor_id(), SITE_N_SUBBUFS);
	site_put(&site_cache_alloc, site_object(5), s, p);
	site_read_all(test);
	SITE_EXPECT_IDS(test, 0, LT_EV_TASK, LT_EV_CACHE, LT_EV_SITE_NARROW,
			LT_EV_BRIEF(CACHE_ALLOC));
	site_expect(test, 3, 5, p, ((struct lt_rec_CACHE *)site_records[1].payload)->cache);
	site_expect_sum(test, LT_CLASS_CACHE_ALLOC, 1);
	site_expect_sum(test, LT_CLASS_KMALLOC, n);
	kmem_cache_destroy(s);
}

static void event_within_another_is_refused(struct kunit *test)
{
	struct lt_place p = nth_place(0);
	struct lt_channel_cpu *c;
	unsigned long flags;
	size_t before;

	/* Task and site, which lt_object_fast() needs, are announced. */
	site_put_kmalloc(0, p);
	KUNIT_EXPECT_TRUE(test, site_put_fast_now(1, p));
	c = lt_enter(&lt_channel_kmem, LT_CLASS_KFREE, &flags);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, c);
	before = c->buf->offset;
	KUNIT_EXPECT_FALSE(test, site_put_fast_now(2, p));
	site_put_kmalloc(2, p);
	KUNIT_EXPECT_EQ(test, c->buf->offset, before);
	KUNIT_EXPECT_EQ(test, c->nested[LT_CLASS_KMALLOC], 1ULL);
	KUNIT_EXPECT_EQ(test, c->tried[LT_CLASS_KMALLOC], 2ULL);
	lt_cancel(c, flags);
	KUNIT_EXPECT_TRUE(test, site_put_fast_now(3, p));
	site_expect_sum(test, LT_CLASS_KMALLOC, 3);
}

static void cpu_without_buffer_counts(struct kunit *test)
{
	struct lt_channel_cpu *c = site_cpu();
	struct lt_place p = nth_place(0);
	struct rchan_buf *buf = c->buf;
	unsigned int i;

	/* As on a CPU for which relay made no buffer: no announcement, no size. */
	c->buf = NULL;
	c->limit = 0;
	c->fast_limit = 0;
	c->size = 0;
	for (i = 0; i < 3; i++)
		site_put_kmalloc(i, p);
	KUNIT_EXPECT_EQ(test, c->nobuf[LT_CLASS_KMALLOC], 3ULL);
	KUNIT_EXPECT_EQ(test, c->tried[LT_CLASS_KMALLOC], 3ULL);
	KUNIT_EXPECT_EQ(test, c->limit, (size_t)0);
	c->buf = buf;
	c->size = SITE_SUBBUF_SIZE;
	c->fast_limit = c->size;
	c->limit = c->size;
	site_put_kmalloc(3, p);
	site_expect_sum(test, LT_CLASS_KMALLOC, 1);
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE(word_and_marks_are_inverted),
	KUNIT_CASE(brief_is_ten_bytes),
	KUNIT_CASE(both_ways_write_the_same),
	KUNIT_CASE(last_bytes_of_a_packet_stay_free),
	KUNIT_CASE(task_that_changes_is_announced_before),
	KUNIT_CASE(fast_path_limits_the_time_step),
	KUNIT_CASE(first_of_the_records_is_longer),
	KUNIT_CASE(gap_at_the_end_of_a_packet_is_kept),
	KUNIT_CASE(context_is_recorded),
	KUNIT_CASE(packets_decode_alone),
	KUNIT_CASE(nothing_is_written_behind_a_packet),
	KUNIT_CASE(full_buffer_refuses_and_counts),
	KUNIT_CASE(cache_that_cannot_be_announced_loses_its_event),
	KUNIT_CASE(event_within_another_is_refused),
	KUNIT_CASE(cpu_without_buffer_counts),
	{}
};

struct kunit_suite lt_object_suite = {
	.name = "lifetrace_object",
	.init = site_test_init,
	.exit = site_test_exit,
	.test_cases = object_cases,
};
