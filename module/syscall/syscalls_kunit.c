// SPDX-License-Identifier: GPL-2.0
/*
 * What is recorded of system calls: arguments of the ABI of 32 bits, limits of the filter.
 */
#include "core/clock.h"
#include "core/kunit.h"
#include "syscall/compat.h"
#include "syscall/internal.h"

static void arguments_are_cut(struct kunit *test)
{
	unsigned long args[LT_SYSCALL_MAX_ARGS];
	unsigned int i;

	for (i = 0; i < LT_SYSCALL_MAX_ARGS; i++)
		args[i] = (unsigned long)(0x1234567880000000ULL + i);
	lt_syscall_cut(args);
	for (i = 0; i < LT_SYSCALL_MAX_ARGS; i++)
		KUNIT_EXPECT_EQ(test, args[i], 0x80000000UL + i);
}

/* A limit of which the clock has no such time leaves out all. */
static void a_huge_limit_is_huge(struct kunit *test)
{
	struct lt_syscall_filter f = { .min_ns = 5000 };

	lt_syscall_filter_set(&f);
	KUNIT_EXPECT_EQ(test, lt_filter_used.min,
			lt_mul_div(5000, lt_clock_freq(), NSEC_PER_SEC));
	f.min_ns = U64_MAX;
	lt_syscall_filter_set(&f);
	KUNIT_EXPECT_GE(test, lt_filter_used.min, U64_MAX / 2);
	KUNIT_EXPECT_FALSE(test, lt_syscall_time_is_chosen(BIT_ULL(50), 0));
	KUNIT_EXPECT_TRUE(test, lt_syscall_time_is_chosen(0, LT_SYS_BEFORE));
	f.min_ns = 0;
	lt_syscall_filter_set(&f);
	KUNIT_EXPECT_EQ(test, lt_filter_used.min, 0ULL);
}

static struct kunit_case calls_cases[] = {
	KUNIT_CASE(arguments_are_cut),
	KUNIT_CASE(a_huge_limit_is_huge),
	{}
};

struct kunit_suite lt_syscalls_suite = {
	.name = "lifetrace_calls",
	.test_cases = calls_cases,
};
