// SPDX-License-Identifier: GPL-2.0
/*
 * Products of times and frequencies.
 */
#include <linux/time64.h>

#include "core/clock.h"
#include "core/kunit.h"

static void products_do_not_overflow(struct kunit *test)
{
	static const struct {
		u64 a, b, d, result;
	} cases[] = {
		{ 0, 0, 1, 0 },
		{ 7, 3, 2, 10 },
		{ 20000000, 3000000000, NSEC_PER_SEC, 60000000 },
		/* A counter of 3 GHz that was measured for 7 s, and for three days. */
		{ 21000000000, NSEC_PER_SEC, 7 * NSEC_PER_SEC, 3000000000 },
		{ 777600000000000, NSEC_PER_SEC, 259200 * NSEC_PER_SEC, 3000000000 },
		/* A counter of 20 GHz. */
		{ 20000000000, BIT_ULL(30), NSEC_PER_SEC, 21474836480 },
		{ U64_MAX, U64_MAX, U64_MAX, U64_MAX },
		{ U64_MAX - 1, U64_MAX, U64_MAX, U64_MAX - 1 },
		{ U64_MAX, 1, 2, U64_MAX / 2 },
		{ U64_MAX / 3, 2999999999, 3000000000, 6148914689186878974 },
		/* More than there can be. */
		{ U64_MAX, 3000000000, NSEC_PER_SEC, U64_MAX },
		{ U64_MAX, 2, 1, U64_MAX },
		{ U64_MAX, U64_MAX, U64_MAX - 1, U64_MAX },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, lt_mul_div(cases[i].a, cases[i].b, cases[i].d),
				    cases[i].result, "%llu * %llu / %llu", cases[i].a, cases[i].b,
				    cases[i].d);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(products_do_not_overflow),
	{}
};

struct kunit_suite lt_clock_suite = {
	.name = "lifetrace_clock",
	.test_cases = clock_cases,
};
