// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers that are overwritten, and frozen: what of them a reader still finds, and what is counted.
 */
#include "core/kunit.h"
#include "core/write.h"

#define SUBBUF_SIZE	LT_MIN_SUBBUF_SIZE
#define N_SUBBUFS	4
#define MAX_RECORDS	4096

static struct lt_channel ch;
static struct lt_test_record *records;

/* Each case opens the channel. */
static int overwrite_test_init(struct kunit *test)
{
	records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records), GFP_KERNEL);
	if (!records)
		return -ENOMEM;
	if (lt_test_stay_on(0) || lt_channel_init(&ch, LT_CHANNEL_KMEM))
		return -ENOMEM;
	ch.overwrite = true;
	return 0;
}

static void overwrite_test_exit(struct kunit *test)
{
	lt_channel_close(&ch);
	lt_channel_destroy(&ch);
	ch.overwrite = false;
	lt_channels_frozen = false;
}

static struct lt_channel_cpu *this_cpu(void)
{
	return raw_cpu_ptr(ch.cpu);
}

/*
 * Numbers up to @last - 1 are there, once each, and the header of the first packet says how
 * many are gone. Return: how many.
 */
static u64 expect_the_latest(struct kunit *test, u64 last)
{
	size_t i, n = lt_test_records(test, &ch, records, MAX_RECORDS);
	const struct lt_packet_header *first = NULL;
	u64 gone = 0, found = 0, in_first = 0;

	for (i = 0; i < n; i++) {
		const struct lt_rec_KFREE_WIDE *r = records[i].payload;

		if (records[i].id != LT_EV_KFREE_WIDE)
			continue;
		if (!first) {
			first = records[i].packet;
			gone = r->ptr;
		}
		in_first += records[i].packet == first;
		KUNIT_EXPECT_EQ(test, r->ptr, gone + found);
		KUNIT_EXPECT_EQ(test, r->call_site, ~(gone + found));
		found++;
	}
	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_EXPECT_EQ(test, gone + found, last);
	KUNIT_EXPECT_EQ(test, first->counts[LT_CLASS_KFREE].seen - in_first, gone);
	return gone;
}

static void overwriting_keeps_the_latest(struct kunit *test)
{
	struct lt_channel_cpu *c = this_cpu();
	u64 number = 0, overwritten;
	bool half_full;

	KUNIT_EXPECT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, N_SUBBUFS, 77), -EINVAL);
	KUNIT_ASSERT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, 2 * N_SUBBUFS, 77), 0);
	while (c->ready < 5 * N_SUBBUFS) {
		/* Never refused; and a snapshot has no reason to wait for a reader. */
		KUNIT_ASSERT_TRUE(test, lt_test_write(&ch, number++));
		preempt_disable();	/* as in a probe */
		half_full = lt_half_full(&ch);
		preempt_enable();
		KUNIT_ASSERT_FALSE(test, half_full);
		KUNIT_ASSERT_EQ(test, c->opened, c->ready + 1);
	}
	/* The place of the open packet is that of one more which is gone. */
	overwritten = expect_the_latest(test, number - 1);
	KUNIT_EXPECT_GT(test, overwritten, 0ULL);
	lt_channel_finish(&ch);
	KUNIT_EXPECT_TRUE(test, c->finished);
	KUNIT_EXPECT_EQ(test, c->opened, c->ready);
	expect_the_latest(test, number);
	KUNIT_EXPECT_EQ(test, c->full[LT_CLASS_KFREE], 0ULL);
	KUNIT_EXPECT_EQ(test, c->tried[LT_CLASS_KFREE], number);
}

/* What nobody has read is not given up for records that waited: they take what room is open. */
static void later_records_overwrite_nothing(struct kunit *test)
{
	struct lt_rec_KFREE_WIDE rec = { .ptr = 1 };
	struct lt_channel_cpu *c = this_cpu();
	size_t opened, i;
	u64 number = 0;

	KUNIT_ASSERT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, 2 * N_SUBBUFS, 77), 0);
	while (c->ready < 5 * N_SUBBUFS)
		KUNIT_ASSERT_TRUE(test, lt_test_write(&ch, number++));
	opened = c->opened;
	for (i = 0; i < MAX_RECORDS; i++)
		KUNIT_ASSERT_TRUE(test, lt_write_later(&ch, LT_CLASS_KFREE, LT_EV_KFREE_WIDE, &rec,
						       sizeof(rec)));
	lt_channel_finish(&ch);
	KUNIT_EXPECT_TRUE(test, c->finished);
	KUNIT_EXPECT_EQ(test, c->opened, opened);
	KUNIT_EXPECT_EQ(test, c->ready, opened);
	KUNIT_EXPECT_EQ(test, lt_test_packet(&ch, opened - 1)->flags, LT_PACKET_LAST);
	KUNIT_EXPECT_GT(test, c->tried[LT_CLASS_KFREE], number);
	KUNIT_EXPECT_EQ(test, lt_test_packet(&ch, opened - 1)->counts[LT_CLASS_KFREE].seen,
			c->tried[LT_CLASS_KFREE]);
	KUNIT_EXPECT_GT(test, lt_n_waiting(&ch), (size_t)0);
	KUNIT_EXPECT_LT(test, lt_n_waiting(&ch), (size_t)MAX_RECORDS);
}

static void frozen_buffers_refuse_and_count(struct kunit *test)
{
	struct lt_channel_cpu *c = this_cpu();
	u64 number = 0;
	size_t ready;

	KUNIT_ASSERT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, 2 * N_SUBBUFS, 77), 0);
	while (c->ready < 3 * N_SUBBUFS)
		lt_test_write(&ch, number++);
	lt_channels_frozen = true;
	/* The open packet is filled. */
	while (lt_test_write(&ch, number))
		number++;
	ready = c->ready;
	KUNIT_EXPECT_EQ(test, ready, (size_t)3 * N_SUBBUFS + 1);
	KUNIT_EXPECT_EQ(test, c->opened, ready);
	KUNIT_EXPECT_FALSE(test, lt_test_write(&ch, number));
	lt_channel_flush(&ch, false);
	KUNIT_EXPECT_EQ(test, c->ready, ready);
	KUNIT_EXPECT_EQ(test, c->full[LT_CLASS_KFREE], 2ULL);
	expect_the_latest(test, number);
	lt_channels_frozen = false;
	KUNIT_EXPECT_TRUE(test, lt_test_write(&ch, number++));
	lt_channel_finish(&ch);
	KUNIT_EXPECT_EQ(test, lt_test_packet(&ch, ready)->counts[LT_CLASS_KFREE].lost_full, 2ULL);
	expect_the_latest(test, number);
}

/* A CPU comes up for the first time while buffers are frozen: it fills a packet, no more. */
static void buffer_is_made_while_others_are_frozen(struct kunit *test)
{
	struct lt_channel_cpu *c = this_cpu();
	u64 number = 0;

	lt_channels_frozen = true;
	KUNIT_ASSERT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, 2 * N_SUBBUFS, 77), 0);
	KUNIT_EXPECT_PTR_NE(test, (void *)c->open, (void *)NULL);
	KUNIT_EXPECT_EQ(test, c->opened, (size_t)1);
	while (number < MAX_RECORDS && lt_test_write(&ch, number))
		number++;
	KUNIT_EXPECT_EQ(test, c->ready, (size_t)1);
	lt_channels_frozen = false;
	lt_channel_finish(&ch);
	KUNIT_EXPECT_EQ(test, lt_test_packet(&ch, 0)->magic, LT_PACKET_MAGIC);
	KUNIT_EXPECT_EQ(test, lt_test_packet(&ch, 1)->counts[LT_CLASS_KFREE].lost_full, 1ULL);
	expect_the_latest(test, number);
}

static struct kunit_case overwrite_cases[] = {
	KUNIT_CASE(overwriting_keeps_the_latest),
	KUNIT_CASE(later_records_overwrite_nothing),
	KUNIT_CASE(frozen_buffers_refuse_and_count),
	KUNIT_CASE(buffer_is_made_while_others_are_frozen),
	{}
};

struct kunit_suite lt_overwrite_suite = {
	.name = "lifetrace_overwrite",
	.init = overwrite_test_init,
	.exit = overwrite_test_exit,
	.test_cases = overwrite_cases,
};
