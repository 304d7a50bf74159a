// SPDX-License-Identifier: GPL-2.0
/*
 * Packets and records: what a reader relies on.
 */
#include "core/context.h"
#include "core/kunit.h"
#include "core/write.h"

#define SUBBUF_SIZE	LT_MIN_SUBBUF_SIZE
#define N_SUBBUFS	4
#define MAX_RECORDS	4096

static struct lt_channel ch;
static struct lt_test_record *records;

static int channel_test_init(struct kunit *test)
{
	records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records), GFP_KERNEL);
	if (!records)
		return -ENOMEM;
	if (lt_test_stay_on(0) || lt_channel_init(&ch, LT_CHANNEL_KMEM))
		return -ENOMEM;
	return lt_channel_open(&ch, NULL, SUBBUF_SIZE, N_SUBBUFS, 77);
}

static void channel_test_exit(struct kunit *test)
{
	lt_channel_close(&ch);
	lt_channel_destroy(&ch);
}

static struct lt_channel_cpu *this_cpu(void)
{
	return raw_cpu_ptr(ch.cpu);
}

/* seen = records + lost + filtered, in each packet as of its end. */
static void expect_closed_sums(struct kunit *test)
{
	size_t i, j, n = lt_test_records(test, &ch, records, MAX_RECORDS);

	for (i = 0; i < lt_test_packets(&ch); i++) {
		const struct lt_packet_header *h = lt_test_packet(&ch, i);
		const struct lt_class_counts *c = &h->counts[LT_CLASS_KFREE];
		u64 written = 0;

		for (j = 0; j < n; j++)
			if (records[j].id == LT_EV_KFREE_WIDE &&
			    records[j].packet->cpu == h->cpu &&
			    records[j].packet->seq <= h->seq)
				written++;
		KUNIT_EXPECT_EQ(test, c->seen, written + c->lost_full + c->lost_nmi +
				c->lost_nested + c->lost_nobuf + c->filtered);
	}
}

static void header_is_complete(struct kunit *test)
{
	const struct lt_packet_header *h;
	u64 before = lt_clock();

	/* As opened a second time: the first packet begins now, too. */
	lt_channel_close(&ch);
	KUNIT_ASSERT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, N_SUBBUFS, 77), 0);
	KUNIT_EXPECT_TRUE(test, lt_test_write(&ch, 1));
	lt_channel_finish(&ch);
	KUNIT_ASSERT_GE(test, lt_test_packets(&ch), (size_t)1);
	h = lt_test_packet(&ch, 0);
	KUNIT_EXPECT_EQ(test, h->magic, LT_PACKET_MAGIC);
	KUNIT_EXPECT_EQ(test, h->header_size, sizeof(*h));
	KUNIT_EXPECT_EQ(test, h->size_long, sizeof(long));
	KUNIT_EXPECT_EQ(test, h->page_shift, PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, h->session, 77ULL);
	KUNIT_EXPECT_EQ(test, h->seq, 0ULL);
	KUNIT_EXPECT_EQ(test, h->flags, LT_PACKET_LAST);
	KUNIT_EXPECT_GE(test, h->timestamp_begin, before);
	KUNIT_EXPECT_LE(test, h->timestamp_begin, h->timestamp_end);
	KUNIT_EXPECT_EQ(test, h->content_bits, h->packet_bits);
	KUNIT_EXPECT_EQ(test, h->content_bits / 8, sizeof(*h) + LT_REC_WORD +
			sizeof(struct lt_rec_TASK) + LT_REC_WORD +
			sizeof(struct lt_rec_KFREE_WIDE));
}

static void first_record_says_who_runs(struct kunit *test)
{
	const struct lt_rec_TASK *task;

	lt_test_write(&ch, 5);
	lt_test_write(&ch, 6);
	lt_channel_finish(&ch);
	KUNIT_ASSERT_EQ(test, lt_test_records(test, &ch, records, MAX_RECORDS), (size_t)3);
	KUNIT_ASSERT_EQ(test, records[0].id, LT_EV_TASK);
	task = records[0].payload;
	KUNIT_EXPECT_EQ(test, task->tid, current->pid);
	KUNIT_EXPECT_EQ(test, task->tgid, current->tgid);
	KUNIT_EXPECT_EQ(test, task->start, current->start_boottime);
	KUNIT_EXPECT_EQ(test, memcmp(task->comm, current->comm, sizeof(task->comm)), 0);
	KUNIT_EXPECT_EQ(test, records[1].id, LT_EV_KFREE_WIDE);
	KUNIT_EXPECT_EQ(test, records[2].id, LT_EV_KFREE_WIDE);
	KUNIT_EXPECT_EQ(test, records[1].context, LT_CTX_TASK);
}

static void task_is_restated_when_it_changes(struct kunit *test)
{
	lt_test_write(&ch, 1);
	lt_context_renamed(&ch, current);
	lt_test_write(&ch, 2);
	/* Another task in the struct of the first: start time or tid differ. */
	this_cpu()->task_start++;
	lt_test_write(&ch, 3);
	this_cpu()->task_tid++;
	lt_test_write(&ch, 4);
	lt_test_write(&ch, 5);
	lt_channel_finish(&ch);
	KUNIT_ASSERT_EQ(test, lt_test_records(test, &ch, records, MAX_RECORDS), (size_t)9);
	KUNIT_EXPECT_EQ(test, records[2].id, LT_EV_TASK_AGAIN);
	KUNIT_EXPECT_EQ(test, records[4].id, LT_EV_TASK_AGAIN);
	KUNIT_EXPECT_EQ(test, records[6].id, LT_EV_TASK_AGAIN);
	KUNIT_EXPECT_EQ(test, records[8].id, LT_EV_KFREE_WIDE);
}

/* A short name takes the narrow form; its number is what the event of its exit has. */
static void task_with_a_short_name_is_narrow(struct kunit *test)
{
	const struct lt_rec_TASK_NARROW *narrow;
	char before[TASK_COMM_LEN];

	memcpy(before, current->comm, sizeof(before));
	memset(current->comm, 0, sizeof(current->comm));
	memcpy(current->comm, "eight..8", 8);
	lt_test_write(&ch, 1);
	lt_context_renamed(&ch, current);
	lt_test_write(&ch, 2);
	current->comm[8] = 'x';
	lt_context_renamed(&ch, current);
	lt_test_write(&ch, 3);
	memcpy(current->comm, before, sizeof(before));
	KUNIT_EXPECT_EQ(test, lt_context_number(this_cpu()), current->pid % LT_TASKS);
	lt_channel_finish(&ch);
	KUNIT_ASSERT_EQ(test, lt_test_records(test, &ch, records, MAX_RECORDS), (size_t)6);
	KUNIT_EXPECT_EQ(test, records[0].id, LT_EV_TASK_NARROW);
	KUNIT_EXPECT_EQ(test, records[1].id, LT_EV_KFREE_WIDE);
	KUNIT_EXPECT_EQ(test, records[2].id, LT_EV_TASK_AGAIN);
	KUNIT_EXPECT_EQ(test, records[4].id, LT_EV_TASK);
	narrow = records[0].payload;
	KUNIT_EXPECT_EQ(test, lt_get_first(narrow->tid, 3), (u64)current->pid);
	KUNIT_EXPECT_EQ(test, lt_get_first(narrow->tgid, 3), (u64)current->tgid);
	KUNIT_EXPECT_EQ(test, lt_get_first(narrow->start, 7), current->start_boottime);
	KUNIT_EXPECT_EQ(test, (int)narrow->flags, LT_TASK_FLAG_KTHREAD);
	KUNIT_EXPECT_EQ(test, (int)narrow->number, current->pid % LT_TASKS);
	KUNIT_EXPECT_EQ(test, memcmp(narrow->comm, "eight..8", 8), 0);
}

static void long_gap_takes_the_long_form(struct kunit *test)
{
	u64 last;

	lt_test_write(&ch, 1);
	/* As if the record before were older than the short form can say. */
	last = this_cpu()->last - (1ULL << LT_TIME_BITS);
	this_cpu()->last = last;
	lt_test_write(&ch, 2);
	lt_test_write(&ch, 3);
	lt_channel_finish(&ch);
	KUNIT_ASSERT_EQ(test, lt_test_records(test, &ch, records, MAX_RECORDS), (size_t)4);
	KUNIT_EXPECT_FALSE(test, records[1].longer);
	KUNIT_EXPECT_TRUE(test, records[2].longer);
	/* This CPU may have been away before it. */
	KUNIT_EXPECT_EQ(test, records[3].longer,
			(records[3].time - records[2].time) >> LT_TIME_BITS != 0);
	KUNIT_EXPECT_EQ(test, records[2].context, LT_CTX_TASK);
	KUNIT_EXPECT_GE(test, records[2].time, last + (1ULL << LT_TIME_BITS));
	KUNIT_EXPECT_LE(test, records[2].time, records[3].time);
}

static void time_never_steps_back(struct kunit *test)
{
	u64 future;

	lt_test_write(&ch, 1);
	future = this_cpu()->last + 1000000000ULL;
	this_cpu()->last = future;
	lt_test_write(&ch, 2);
	KUNIT_EXPECT_EQ(test, this_cpu()->last, future);
	lt_channel_finish(&ch);
	KUNIT_EXPECT_GE(test, lt_test_packet(&ch, 0)->timestamp_end, future);
}

static void numbers_arrive_once_and_in_order(struct kunit *test)
{
	u64 number = 0, expected = 0;
	size_t i, n;

	while (lt_test_write(&ch, number))
		number++;
	lt_channel_finish(&ch);
	n = lt_test_records(test, &ch, records, MAX_RECORDS);
	for (i = 0; i < n; i++) {
		const struct lt_rec_KFREE_WIDE *r = records[i].payload;

		if (records[i].id != LT_EV_KFREE_WIDE)
			continue;
		KUNIT_EXPECT_EQ(test, r->ptr, expected);
		KUNIT_EXPECT_EQ(test, r->call_site, ~expected);
		expected++;
	}
	KUNIT_EXPECT_EQ(test, expected, number);
	KUNIT_EXPECT_GT(test, number, (u64)100 * (N_SUBBUFS - 1));
	expect_closed_sums(test);
}

static void packets_are_numbered(struct kunit *test)
{
	size_t i;

	for (i = 0; i < 3; i++) {
		lt_test_write(&ch, i);
		lt_channel_flush(&ch, i % 2);
		lt_channel_flush(&ch, i % 2);	/* nothing to close: no empty packet */
		relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(), 1);
	}
	KUNIT_ASSERT_EQ(test, lt_test_packets(&ch), (size_t)3);
	for (i = 0; i < 3; i++) {
		const struct lt_packet_header *h = lt_test_packet(&ch, i);

		KUNIT_EXPECT_EQ(test, h->seq, (u64)i);
		KUNIT_EXPECT_EQ(test, h->flags, 0);
		if (i)
			KUNIT_EXPECT_GE(test, h->timestamp_begin,
					lt_test_packet(&ch, i - 1)->timestamp_end);
	}
	expect_closed_sums(test);
}

/* A reader that does not come has its buffer filled by events, not by the passing of time. */
static void quiet_flush_keeps_room(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 2 * N_SUBBUFS; i++) {
		KUNIT_EXPECT_TRUE(test, lt_test_write(&ch, i));
		lt_channel_flush(&ch, true);
	}
	KUNIT_EXPECT_EQ(test, lt_test_packets(&ch), (size_t)1);
	/* It has come. */
	relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(), 1);
	lt_channel_flush(&ch, true);
	KUNIT_EXPECT_EQ(test, lt_test_packets(&ch), (size_t)2);
	/* A requested flush closes all packets. */
	KUNIT_EXPECT_TRUE(test, lt_test_write(&ch, i));
	lt_channel_flush(&ch, false);
	KUNIT_EXPECT_EQ(test, lt_test_packets(&ch), (size_t)3);
	expect_closed_sums(test);
}

static void full_buffer_refuses_and_counts(struct kunit *test)
{
	unsigned int i, lost = 0;
	const struct lt_packet_header *h;

	while (lt_test_write(&ch, 0))
		;
	for (i = 0; i < 1000; i++)
		lost += !lt_test_write(&ch, 0);
	KUNIT_EXPECT_EQ(test, lost, 1000U);
	KUNIT_EXPECT_EQ(test, lt_test_packets(&ch), (size_t)N_SUBBUFS);
	KUNIT_EXPECT_EQ(test, this_cpu()->full[LT_CLASS_KFREE], 1001ULL);

	/* Room for one: the next event opens a packet and is written. */
	relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(), 1);
	KUNIT_EXPECT_TRUE(test, lt_test_write(&ch, 0));
	lt_channel_finish(&ch);
	h = lt_test_packet(&ch, N_SUBBUFS);
	KUNIT_EXPECT_EQ(test, h->seq, (u64)N_SUBBUFS);
	KUNIT_EXPECT_EQ(test, h->counts[LT_CLASS_KFREE].lost_full, 1001ULL);
	KUNIT_EXPECT_EQ(test, h->discarded, 1001ULL);
}

/* Lost events are reported as soon as there is room, also if no event follows. */
static void flush_reports_losses(struct kunit *test)
{
	const struct lt_packet_header *h;

	while (lt_test_write(&ch, 0))
		;
	lt_channel_flush(&ch, false);
	KUNIT_EXPECT_EQ(test, lt_test_packets(&ch), (size_t)N_SUBBUFS);
	relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(), 2);
	lt_channel_flush(&ch, false);
	KUNIT_ASSERT_EQ(test, lt_test_packets(&ch), (size_t)N_SUBBUFS + 1);
	h = lt_test_packet(&ch, N_SUBBUFS);
	KUNIT_EXPECT_EQ(test, h->content_bits / 8, sizeof(*h));
	KUNIT_EXPECT_EQ(test, h->counts[LT_CLASS_KFREE].lost_full, 1ULL);
	lt_channel_flush(&ch, false);
	KUNIT_EXPECT_EQ(test, lt_test_packets(&ch), (size_t)N_SUBBUFS + 1);
	KUNIT_EXPECT_TRUE(test, lt_test_write(&ch, 0));
}

/* The losses after the last packet need a packet, too. */
static void finish_when_full_waits_for_room(struct kunit *test)
{
	struct lt_channel_cpu *c = this_cpu();
	const struct lt_packet_header *h;

	while (lt_test_write(&ch, 0))
		;
	lt_channel_finish(&ch);
	KUNIT_EXPECT_TRUE(test, c->finishing);
	KUNIT_EXPECT_FALSE(test, c->finished);
	KUNIT_EXPECT_EQ(test, c->ready, (size_t)N_SUBBUFS);

	relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(), N_SUBBUFS);
	lt_channel_finish(&ch);
	KUNIT_EXPECT_TRUE(test, c->finished);
	KUNIT_EXPECT_EQ(test, c->ready, (size_t)N_SUBBUFS + 1);
	h = lt_test_packet(&ch, N_SUBBUFS);
	KUNIT_EXPECT_EQ(test, h->flags, LT_PACKET_LAST);
	KUNIT_EXPECT_EQ(test, h->content_bits / 8, sizeof(*h));
	KUNIT_EXPECT_EQ(test, h->counts[LT_CLASS_KFREE].lost_full, 1ULL);

	/* And only once. */
	lt_channel_finish(&ch);
	KUNIT_EXPECT_EQ(test, c->ready, (size_t)N_SUBBUFS + 1);
	KUNIT_EXPECT_FALSE(test, lt_test_write(&ch, 0));
}

/*
 * Add records that wait, with the numbers from 0 on. They go to any CPU that has room: the buffers
 * of the others are filled before.
 */
static void write_later(struct kunit *test, unsigned int n)
{
	unsigned int i, here = raw_smp_processor_id(), cpu;

	for_each_online_cpu(cpu) {
		if (cpu == here)
			continue;
		KUNIT_ASSERT_EQ(test, lt_test_stay_on(cpu), 0);
		while (lt_test_write(&ch, 0))
			;
	}
	KUNIT_ASSERT_EQ(test, lt_test_stay_on(here), 0);
	for (i = 0; i < n; i++) {
		struct lt_rec_KFREE_WIDE rec = { .call_site = ~(u64)i, .ptr = i };

		KUNIT_ASSERT_TRUE(test, lt_write_later(&ch, LT_CLASS_KFREE, LT_EV_KFREE_WIDE, &rec,
						       sizeof(rec)));
	}
}

static void later_records_wait_for_room(struct kunit *test)
{
	struct lt_channel_cpu *c = this_cpu();
	const struct lt_packet_header *last;
	size_t i, n, at;

	while (lt_test_write(&ch, 0))
		;
	write_later(test, 100);
	lt_channel_finish(&ch);
	KUNIT_EXPECT_FALSE(test, c->finished);
	KUNIT_EXPECT_EQ(test, lt_n_waiting(&ch), (size_t)100);
	for (i = 0; i < N_SUBBUFS; i++)
		KUNIT_EXPECT_EQ(test, lt_test_packet(&ch, i)->flags, 0);

	relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(), N_SUBBUFS);
	lt_channel_finish(&ch);
	KUNIT_EXPECT_TRUE(test, c->finished);
	KUNIT_EXPECT_EQ(test, lt_n_waiting(&ch), (size_t)0);
	KUNIT_ASSERT_EQ(test, c->ready, (size_t)N_SUBBUFS + 1);
	last = lt_test_packet(&ch, N_SUBBUFS);
	KUNIT_EXPECT_EQ(test, last->flags, LT_PACKET_LAST);
	/* That one, which is behind the others, too; those of other CPUs come behind it. */
	n = lt_test_records(test, &ch, records, MAX_RECORDS);
	while (n && records[n - 1].packet != last)
		n--;
	KUNIT_ASSERT_GT(test, n, (size_t)100);
	for (i = 0, at = n - 100; i < 100; i++, at++) {
		const struct lt_rec_KFREE_WIDE *r = records[at].payload;

		KUNIT_EXPECT_PTR_EQ(test, records[at].packet, last);
		KUNIT_EXPECT_EQ(test, records[at].id, LT_EV_KFREE_WIDE);
		KUNIT_EXPECT_EQ(test, r->ptr, (u64)i);
	}
}

static void later_records_fill_buffers_again(struct kunit *test)
{
	struct lt_channel_cpu *c = this_cpu();
	size_t left, rounds = 0;
	u64 number = 0;

	while (lt_test_write(&ch, number))
		number++;
	write_later(test, MAX_RECORDS);
	lt_channel_finish(&ch);
	while (!c->finished && rounds++ < MAX_RECORDS) {
		left = lt_n_waiting(&ch);
		relay_subbufs_consumed(ch.rchan, raw_smp_processor_id(),
				       c->ready - c->buf->subbufs_consumed);
		lt_channel_finish(&ch);
		KUNIT_EXPECT_TRUE(test, c->finished || lt_n_waiting(&ch) < left);
		/* Of all packets the last one alone. */
		KUNIT_EXPECT_EQ(test, lt_test_packet(&ch, c->ready - 1)->flags,
				c->finished ? LT_PACKET_LAST : 0);
	}
	KUNIT_EXPECT_GT(test, rounds, (size_t)2);
	KUNIT_EXPECT_EQ(test, lt_n_waiting(&ch), (size_t)0);
	KUNIT_EXPECT_EQ(test, c->tried[LT_CLASS_KFREE], number + 1 + MAX_RECORDS);
	KUNIT_EXPECT_EQ(test, c->full[LT_CLASS_KFREE], 1ULL);
	KUNIT_EXPECT_EQ(test, lt_test_packet(&ch, c->ready - 1)->counts[LT_CLASS_KFREE].seen,
			number + 1 + MAX_RECORDS);
}

/* Nobody reads: what waits goes with the buffers, and its number stays until the next session. */
static void later_records_are_dropped(struct kunit *test)
{
	while (lt_test_write(&ch, 0))
		;
	write_later(test, 10);
	lt_channel_finish(&ch);
	lt_channel_close(&ch);
	KUNIT_EXPECT_TRUE(test, list_empty(&ch.waiting));
	KUNIT_EXPECT_EQ(test, lt_n_waiting(&ch), (size_t)10);
	KUNIT_ASSERT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, N_SUBBUFS, 78), 0);
	KUNIT_EXPECT_EQ(test, lt_n_waiting(&ch), (size_t)0);
}

static void nested_event_is_refused_and_counted(struct kunit *test)
{
	struct lt_class_counts counts[LT_N_CLASSES];
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&ch, LT_CLASS_KMALLOC, &flags);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, c);
	KUNIT_EXPECT_FALSE(test, lt_test_write(&ch, 1));
	lt_leave(c, LT_CLASS_KMALLOC, flags);
	KUNIT_EXPECT_TRUE(test, lt_test_write(&ch, 2));
	lt_channel_counts(&ch, raw_smp_processor_id(), counts);
	KUNIT_EXPECT_EQ(test, counts[LT_CLASS_KFREE].lost_nested, 1ULL);
	KUNIT_EXPECT_EQ(test, counts[LT_CLASS_KFREE].seen, 2ULL);
	/* Entered and never reserved, as a probe must not: the sum shows it. */
	KUNIT_EXPECT_EQ(test, counts[LT_CLASS_KMALLOC].seen, 1ULL);
	this_cpu()->tried[LT_CLASS_KMALLOC] = 0;
	lt_channel_finish(&ch);
	expect_closed_sums(test);
}

static void cpu_without_buffer_counts(struct kunit *test)
{
	struct rchan_buf *buf = this_cpu()->buf;
	struct lt_class_counts counts[LT_N_CLASSES];

	this_cpu()->buf = NULL;
	KUNIT_EXPECT_FALSE(test, lt_test_write(&ch, 1));
	this_cpu()->buf = buf;
	KUNIT_EXPECT_TRUE(test, lt_test_write(&ch, 2));
	lt_channel_counts(&ch, raw_smp_processor_id(), counts);
	KUNIT_EXPECT_EQ(test, counts[LT_CLASS_KFREE].lost_nobuf, 1ULL);
	lt_channel_finish(&ch);
	expect_closed_sums(test);
}

static void impossible_sizes_are_refused(struct kunit *test)
{
	lt_channel_close(&ch);
	KUNIT_EXPECT_EQ(test, lt_channel_open(&ch, NULL, 100, 4, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, 1, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, lt_channel_open(&ch, NULL, INT_MAX, 2, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, lt_channel_open(&ch, NULL, SUBBUF_SIZE, 2, 1), 0);
}

static struct kunit_case channel_cases[] = {
	KUNIT_CASE(header_is_complete),
	KUNIT_CASE(first_record_says_who_runs),
	KUNIT_CASE(task_is_restated_when_it_changes),
	KUNIT_CASE(task_with_a_short_name_is_narrow),
	KUNIT_CASE(long_gap_takes_the_long_form),
	KUNIT_CASE(time_never_steps_back),
	KUNIT_CASE(numbers_arrive_once_and_in_order),
	KUNIT_CASE(packets_are_numbered),
	KUNIT_CASE(full_buffer_refuses_and_counts),
	KUNIT_CASE(quiet_flush_keeps_room),
	KUNIT_CASE(flush_reports_losses),
	KUNIT_CASE(finish_when_full_waits_for_room),
	KUNIT_CASE(later_records_wait_for_room),
	KUNIT_CASE(later_records_fill_buffers_again),
	KUNIT_CASE(later_records_are_dropped),
	KUNIT_CASE(nested_event_is_refused_and_counted),
	KUNIT_CASE(cpu_without_buffer_counts),
	KUNIT_CASE(impossible_sizes_are_refused),
	{}
};

struct kunit_suite lt_channel_suite = {
	.name = "lifetrace_channel",
	.init = channel_test_init,
	.exit = channel_test_exit,
	.test_cases = channel_cases,
};
