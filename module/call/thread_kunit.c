// SPDX-License-Identifier: GPL-2.0
/*
 * The open calls of a thread: of one that dies, and at the end of the session.
 */
#include <linux/preempt.h>
#include <linux/slab.h>

#include "call/call_kunit.h"

#define MAX_RECORDS	64

/* More than have a place. */
#define DEEP		(LT_CALL_OPEN_KEPT + 5)

static const struct lt_test_steps plain = BOTH_STEPS(2, ARG(0), STORE(8), RESULT(0), STORE(8));

static struct lt_test_record *records;
static size_t n_records;
static struct pt_regs regs;
static struct lt_call_fn *fn;
static struct lt_call_thread *thread;
static struct lt_call_data *data[DEEP];

static int thread_test_init(struct kunit *test)
{
	unsigned int i;
	int err;

	memset(&regs, 0, sizeof(regs));
	records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records), GFP_KERNEL);
	if (!records)
		return -ENOMEM;
	for (i = 0; i < DEEP; i++) {
		data[i] = kunit_kzalloc(test, LT_CALL_DATA_MOST, GFP_KERNEL);
		if (!data[i])
			return -ENOMEM;
	}
	err = lt_test_call_init(test);
	if (err)
		return err;
	fn = lt_test_call_begin(test, &plain, 0, 0);
	thread = lt_call_thread_find(current->pid);
	return thread ? 0 : -ENOMEM;
}

static unsigned long frame_of(unsigned int i)
{
	return 0x8000 - 64 * i;
}

static void enter(struct kunit *test, unsigned int i)
{
	bool awaited;

	preempt_disable();
	awaited = !lt_call_enter(fn, data[i], &regs, frame_of(i));
	preempt_enable();
	KUNIT_ASSERT_TRUE(test, awaited);
}

static void leave(unsigned int i)
{
	preempt_disable();
	lt_call_return(data[i], &regs);
	preempt_enable();
}

/* Calls @from to @to, the one before @to innermost. */
static void enter_all(struct kunit *test, unsigned int from, unsigned int to)
{
	for (; from < to; from++)
		enter(test, from);
}

/* The innermost ones, from the call before @from down to @to. */
static void leave_all(unsigned int from, unsigned int to)
{
	while (from-- > to)
		leave(from);
}

/* The records of open calls. */
static void read_open(struct kunit *test)
{
	size_t i, n;

	lt_channel_finish(&lt_channel_call);
	n = lt_test_records(test, &lt_channel_call, records, MAX_RECORDS);
	for (i = n_records = 0; i < n; i++)
		if (records[i].id == LT_EV_CALL_OPEN)
			records[n_records++] = records[i];
}

/*
 * This thread died in the first @n calls, and they are written from the outermost on: here those
 * that have a place, since others are found by kretprobes alone.
 */
static void expect_died(struct kunit *test, unsigned int n)
{
	unsigned int i;

	n = min_t(unsigned int, n, LT_CALL_OPEN_KEPT);

	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).died, (u64)n);
	read_open(test);
	KUNIT_ASSERT_EQ(test, n_records, (size_t)n);
	for (i = 0; i < n; i++) {
		const struct lt_rec_CALL_OPEN *o = records[i].payload;

		KUNIT_EXPECT_EQ(test, o->function, fn->number);
		KUNIT_EXPECT_EQ(test, o->depth, (u16)-(frame_of(i) / 8));
		KUNIT_EXPECT_EQ(test, o->tid, (u32)current->pid);
		KUNIT_EXPECT_EQ(test, o->start, current->start_boottime);
		KUNIT_EXPECT_EQ(test, o->begin, data[i]->begin);
		KUNIT_EXPECT_EQ(test, o->why, LT_CALL_DIED);
	}
}

static void calls_that_returned_are_not_open(struct kunit *test)
{
	enter_all(test, 0, DEEP);
	KUNIT_EXPECT_EQ(test, thread->n, (u32)DEEP);
	leave_all(DEEP, 3);
	KUNIT_EXPECT_EQ(test, thread->n, 3U);
	lt_call_thread_died(current);
	KUNIT_EXPECT_EQ(test, thread->n, 0U);
	expect_died(test, 3);
}

static void a_thread_dies_in_more_calls_than_have_a_place(struct kunit *test)
{
	enter_all(test, 0, DEEP);
	lt_call_thread_died(current);
	KUNIT_EXPECT_EQ(test, thread->n, 0U);
	expect_died(test, DEEP);
}

/* The places of calls that returned are those of others, among these beyond the last place. */
static void calls_come_and_go_before_a_thread_dies(struct kunit *test)
{
	enter_all(test, 0, DEEP);
	leave_all(DEEP, LT_CALL_OPEN_KEPT + 2);
	enter_all(test, LT_CALL_OPEN_KEPT + 2, DEEP - 1);
	leave_all(DEEP - 1, LT_CALL_OPEN_KEPT);
	enter_all(test, LT_CALL_OPEN_KEPT, LT_CALL_OPEN_KEPT + 2);
	leave_all(LT_CALL_OPEN_KEPT + 2, LT_CALL_OPEN_KEPT - 1);
	enter_all(test, LT_CALL_OPEN_KEPT - 1, DEEP - 2);
	KUNIT_EXPECT_EQ(test, thread->n, (u32)DEEP - 2);
	lt_call_thread_died(current);
	expect_died(test, DEEP - 2);
}

/* What a thread calls on its way out is counted from 0 on, also beyond the last place. */
static void a_dying_thread_calls_on(struct kunit *test)
{
	enter_all(test, 0, 2);
	lt_call_thread_died(current);
	enter_all(test, 0, DEEP);
	leave_all(DEEP, 0);
	KUNIT_EXPECT_EQ(test, thread->n, 0U);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).returned, (u64)DEEP);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).died, 2ULL);
}

/* The function that calls the probe on a thread's end returns, and those around it do not. */
static void the_call_around_the_end_returns(struct kunit *test)
{
	struct lt_test_steps around = plain;

	around.name = "__traceiter_sched_process_exit";
	lt_call_close();
	fn = lt_test_call_begin(test, &around, 0, 0);
	thread = lt_call_thread_find(current->pid);
	KUNIT_ASSERT_NOT_NULL(test, thread);
	/* Two calls of other functions. */
	thread->start = current->start_boottime;
	thread->n = 2;
	enter(test, 2);
	KUNIT_EXPECT_EQ(test, thread->n, 2U);
	lt_call_thread_died(current);
	KUNIT_EXPECT_EQ(test, thread->n, 0U);
	leave(2);
	KUNIT_EXPECT_EQ(test, thread->n, 0U);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 1ULL);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).returned, 1ULL);
}

/* What returns behind the end of the session is not seen: so nothing is said to have died then. */
static void behind_the_end_nothing_dies(struct kunit *test)
{
	enter_all(test, 0, 3);
	lt_call_stopping();
	lt_call_thread_died(current);
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).died, 0ULL);
	KUNIT_EXPECT_EQ(test, thread->n, 3U);
}

/* The number of a thread that is gone: its open calls are not those of the next one. */
static void a_number_used_again_begins_anew(struct kunit *test)
{
	const struct lt_rec_CALL_OPEN *o;

	enter_all(test, 0, DEEP - 1);
	thread->start--;	/* as if that had been another one */
	lt_call_thread_died(current);
	KUNIT_EXPECT_EQ(test, thread->n, (u32)DEEP - 1);
	enter(test, DEEP - 1);
	KUNIT_EXPECT_EQ(test, thread->n, 1U);
	KUNIT_EXPECT_EQ(test, thread->start, current->start_boottime);
	KUNIT_EXPECT_EQ(test, thread->open[0].begin, data[DEEP - 1]->begin);
	lt_call_close();
	KUNIT_EXPECT_EQ(test, lt_n_waiting(&lt_channel_call), (size_t)1);
	read_open(test);
	KUNIT_ASSERT_EQ(test, n_records, (size_t)1);
	o = records[0].payload;
	KUNIT_EXPECT_EQ(test, o->why, LT_CALL_AT_END);
	KUNIT_EXPECT_EQ(test, o->begin, data[DEEP - 1]->begin);
	KUNIT_EXPECT_EQ(test, o->tgid, (u32)current->tgid);
}

/*
 * A thread executes a program, and gets the number and the start time of another one: what returns
 * then was not open at the end.
 */
static void calls_around_an_exec_are_not_open(struct kunit *test)
{
	const u64 start = current->start_boottime;

	enter_all(test, 0, 3);
	current->start_boottime = start - 1;
	lt_call_thread_moved(current->pid);
	leave_all(3, 0);
	current->start_boottime = start;
	KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).returned, 3ULL);
	KUNIT_EXPECT_EQ(test, thread->n, 0U);
	lt_call_close();
	KUNIT_EXPECT_EQ(test, lt_n_waiting(&lt_channel_call), (size_t)0);
}

static struct kunit_case thread_cases[] = {
	KUNIT_CASE(calls_that_returned_are_not_open),
	KUNIT_CASE(a_thread_dies_in_more_calls_than_have_a_place),
	KUNIT_CASE(calls_come_and_go_before_a_thread_dies),
	KUNIT_CASE(a_dying_thread_calls_on),
	KUNIT_CASE(the_call_around_the_end_returns),
	KUNIT_CASE(behind_the_end_nothing_dies),
	KUNIT_CASE(a_number_used_again_begins_anew),
	KUNIT_CASE(calls_around_an_exec_are_not_open),
	{}
};

struct kunit_suite lt_call_thread_suite = {
	.name = "lifetrace_call_thread",
	.init = thread_test_init,
	.exit = lt_test_call_exit,
	.test_cases = thread_cases,
};
