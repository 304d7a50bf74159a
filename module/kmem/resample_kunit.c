// SPDX-License-Identifier: GPL-2.0
/*
 * A sample of addresses that changes: its records, and what is kept.
 */
#include "kmem/site_kunit.h"

static void expect_sample(struct kunit *test, size_t i, unsigned int one_in, unsigned int before)
{
	const struct lt_rec_SAMPLE *rec = (void *)site_records[i].payload;

	KUNIT_ASSERT_EQ(test, site_records[i].id, (unsigned int)LT_EV_SAMPLE);
	KUNIT_EXPECT_EQ(test, rec->one_in, one_in);
	KUNIT_EXPECT_EQ(test, rec->before, before);
}

/* Each change is a record; a sample has all addresses of each smaller one. */
static void sample_changes_with_a_record(struct kunit *test)
{
	static const unsigned int samples[] = { 4, 8, 8, 2, 65536, 3, 1 };
	unsigned int i, k, n = 0, before = 1;

	lt_set_sample(0);
	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		KUNIT_EXPECT_EQ(test, lt_kmem_resample(samples[i]), 0);
		KUNIT_EXPECT_EQ(test, lt_sample, samples[i] > 1 ? U32_MAX / samples[i] : 0);
	}
	site_read_all(test);
	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		if (samples[i] == before)
			continue;
		/* The first one is behind the task. */
		expect_sample(test, 1 + n++, samples[i], before);
		before = samples[i];
	}
	KUNIT_EXPECT_EQ(test, site_n_records, (size_t)1 + n);
	for (i = 0; i < 4096; i++) {
		bool left_out = false;

		for (k = 1; k <= 65536; k *= 2) {
			lt_set_sample(k);
			KUNIT_EXPECT_TRUE(test, lt_sampled_out((u64)i * 64) || !left_out);
			left_out = lt_sampled_out((u64)i * 64);
		}
	}
	lt_set_sample(0);
}

/* Where there is no room for the record, nothing changes, whether the sample grows or not. */
static void full_buffer_keeps_the_sample(struct kunit *test)
{
	unsigned int i, before = 4;

	lt_set_sample(before);
	for (i = 0; !site_cpu()->full[LT_CLASS_KMALLOC]; i++)
		site_put_kmalloc(i, site_place(0x1234, 100, 128, NUMA_NO_NODE));
	KUNIT_EXPECT_EQ(test, lt_kmem_resample(8), -ENOSPC);
	KUNIT_EXPECT_EQ(test, lt_sample, U32_MAX / before);
	KUNIT_EXPECT_EQ(test, lt_kmem_resample(2), -ENOSPC);
	KUNIT_EXPECT_EQ(test, lt_sample, U32_MAX / before);
	KUNIT_EXPECT_EQ(test, lt_sample_one_in, before);
	KUNIT_EXPECT_EQ(test, site_cpu()->full[LT_CLASS_MARKER], 2ULL);
	lt_set_sample(0);
}

static struct kunit_case resample_cases[] = {
	KUNIT_CASE(sample_changes_with_a_record),
	KUNIT_CASE(full_buffer_keeps_the_sample),
	{}
};

struct kunit_suite lt_resample_suite = {
	.name = "lifetrace_resample",
	.init = site_test_init,
	.exit = site_test_exit,
	.test_cases = resample_cases,
};
