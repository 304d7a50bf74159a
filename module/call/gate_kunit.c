// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that are left out as they begin, whatever their values are: by their task, by how many
 * calls they are in.
 */
#include <linux/preempt.h>
#include <linux/slab.h>

#include "call/call_kunit.h"
#include "core/only.h"

static const struct lt_test_steps plain = BOTH_STEPS(2, ARG(0), STORE(8), RESULT(0), STORE(8));
static const struct lt_test_steps slow = BOTH_STEPS(3, ARG(0), S(ADD, 0, 0, 1), STORE(8), RESULT(0),
						 STORE(8));
static const struct lt_test_steps * const kinds[] = { &plain, &slow };

#define DEEP	6

static struct pt_regs regs;
static struct lt_call_data *data[DEEP];

static void gate_test_exit(struct kunit *test)
{
	lt_test_call_exit(test);
	lt_only_close();
}

/* So many calls, each within the one before, which then return. Return: how many were let in. */
static unsigned int calls_within(struct kunit *test, struct lt_call_fn *fn, unsigned int n)
{
	unsigned int in = 0, i;

	for (i = 0; i < n; i++) {
		preempt_disable();
		in += !lt_call_enter(fn, data[in], &regs, 0x8000 - 64 * i);
		preempt_enable();
	}
	for (i = in; i > 0; i--) {
		preempt_disable();
		lt_call_return(data[i - 1], &regs);
		preempt_enable();
	}
	return in;
}

static int gate_test_init(struct kunit *test)
{
	unsigned int i;

	memset(&regs, 0, sizeof(regs));
	for (i = 0; i < DEEP; i++) {
		data[i] = kunit_kzalloc(test, LT_CALL_DATA_MOST, GFP_KERNEL);
		if (!data[i])
			return -ENOMEM;
	}
	return lt_test_call_init(test);
}

/* What the packets say: of so many calls some were written, and others left out. */
static void expect_counted(struct kunit *test, u64 written, u64 filtered)
{
	struct lt_class_counts c;

	lt_channel_finish(&lt_channel_call);
	c = lt_test_call_counted();
	KUNIT_EXPECT_EQ(test, c.filtered, filtered);
	KUNIT_EXPECT_EQ(test, c.seen, written + filtered);
}

/* Of this thread one call in its task and one in an interrupt. Return: how many were let in. */
static unsigned int let_in(struct kunit *test, struct lt_call_fn *fn)
{
	unsigned int n = calls_within(test, fn, 1);

	preempt_disable();
	preempt_count_add(HARDIRQ_OFFSET);
	n += calls_within(test, fn, 1);
	preempt_count_sub(HARDIRQ_OFFSET);
	preempt_enable();
	return n;
}

static void calls_of_other_tasks_are_left_out(struct kunit *test)
{
	const struct lt_only own = { .pid = task_tgid_vnr(current) };
	static const struct lt_only other = { .pid = 1 };
	struct lt_call_fn *fn;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		fn = lt_test_call_begin(test, kinds[i], 0, 0);
		KUNIT_EXPECT_EQ(test, let_in(test, fn), 2U);
		lt_call_close();
		/* An interrupt is nobody's work. */
		KUNIT_ASSERT_EQ(test, lt_only_open(&own), 0);
		fn = lt_test_call_begin(test, kinds[i], 0, 0);
		KUNIT_EXPECT_EQ(test, let_in(test, fn), 1U);
		KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 1ULL);
		KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).filtered, 1ULL);
		lt_call_close();
		lt_only_close();
		/* Threads of the kernel are no children of its first process. */
		if (!find_vpid(1))
			continue;
		KUNIT_ASSERT_EQ(test, lt_only_open(&other), 0);
		fn = lt_test_call_begin(test, kinds[i], 0, 0);
		KUNIT_EXPECT_EQ(test, let_in(test, fn), 0U);
		KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 0ULL);
		KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).filtered, 2ULL);
		lt_call_close();
		lt_only_close();
	}
	expect_counted(test, 6, find_vpid(1) ? 6 : 2);
}

static void calls_within_too_many_are_left_out(struct kunit *test)
{
	struct lt_call_fn *fn;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		fn = lt_test_call_begin(test, kinds[i], 0, 2);
		KUNIT_EXPECT_EQ(test, calls_within(test, fn, DEEP), 2U);
		/* Those that have returned count no more. */
		KUNIT_EXPECT_EQ(test, calls_within(test, fn, 1), 1U);
		KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).entered, 3ULL);
		KUNIT_EXPECT_EQ(test, lt_call_counts_sum(fn).filtered, DEEP - 2ULL);
		lt_call_close();
		fn = lt_test_call_begin(test, kinds[i], 0, DEEP);
		KUNIT_EXPECT_EQ(test, calls_within(test, fn, DEEP), (unsigned int)DEEP);
		lt_call_close();
	}
	expect_counted(test, 2 * (3 + DEEP), 2 * (DEEP - 2));
}

/* Calls of a thread that had the number before are not those of this one. */
static void another_thread_is_not_as_deep(struct kunit *test)
{
	struct lt_call_fn *fn = lt_test_call_begin(test, &plain, 0, 1);
	struct lt_call_thread *t = lt_call_thread_find(current->pid);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t);
	t->n = 5;
	t->start = current->start_boottime;
	KUNIT_EXPECT_EQ(test, calls_within(test, fn, 1), 0U);
	t->start--;
	KUNIT_EXPECT_EQ(test, calls_within(test, fn, 1), 1U);
	KUNIT_EXPECT_EQ(test, t->n, 0U);
}

static struct kunit_case gate_cases[] = {
	KUNIT_CASE(calls_of_other_tasks_are_left_out),
	KUNIT_CASE(calls_within_too_many_are_left_out),
	KUNIT_CASE(another_thread_is_not_as_deep),
	{}
};

struct kunit_suite lt_call_gate_suite = {
	.name = "lifetrace_call_gate",
	.init = gate_test_init,
	.exit = gate_test_exit,
	.test_cases = gate_cases,
};
