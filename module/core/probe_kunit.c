// SPDX-License-Identifier: GPL-2.0
/*
 * Choosing probes, the clock, and a whole session on this kernel.
 */
#include "core/clock.h"
#include "kmem/kmem.h"
#include "core/kunit.h"
#include "core/probe.h"
#include "session/session.h"

static bool wanted(const char *name)
{
	unsigned int i;

	for (i = 0; i < LT_N_PROBES; i++)
		if (!strcmp(lt_probe(i)->name, name))
			return lt_probe(i)->wanted;
	return false;
}

static void groups_and_names_choose(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lt_probes_select("slab"), 0);
	KUNIT_EXPECT_TRUE(test, wanted("kmalloc"));
	KUNIT_EXPECT_TRUE(test, wanted("task_exit"));
	KUNIT_EXPECT_FALSE(test, wanted("page_alloc"));

	KUNIT_EXPECT_EQ(test, lt_probes_select(" kfree , page_free\n"), 0);
	KUNIT_EXPECT_TRUE(test, wanted("kfree"));
	KUNIT_EXPECT_TRUE(test, wanted("page_free"));
	KUNIT_EXPECT_FALSE(test, wanted("kmalloc"));

	KUNIT_EXPECT_EQ(test, lt_probes_select("all"), 0);
	KUNIT_EXPECT_TRUE(test, wanted("page_free_batched"));
	KUNIT_EXPECT_EQ(test, lt_probes_select("kfree,nonsense"), -EINVAL);

	/* What is shown can be asked for. */
	KUNIT_EXPECT_EQ(test, lt_probes_select("number,number_free"), 0);
	KUNIT_EXPECT_TRUE(test, lt_probes_want(LT_GROUP_TASKS));
	KUNIT_EXPECT_EQ(test, lt_probes_select("slab"), 0);
	KUNIT_EXPECT_FALSE(test, lt_probes_want(LT_GROUP_TASKS));
}

/* A probe is attached before another that could record what it must end. */
static void frees_come_before_allocations(struct kunit *test)
{
	bool alloc = false;
	unsigned int i;

	for (i = 0; i < LT_N_PROBES; i++) {
		if (strstr(lt_probe(i)->name, "alloc"))
			alloc = true;
		if (strstr(lt_probe(i)->name, "free"))
			KUNIT_EXPECT_FALSE(test, alloc);
	}
	KUNIT_EXPECT_TRUE(test, alloc);
}

static void clocks_have_names(struct kunit *test)
{
	struct lt_clock_reading a, b;
	int err;

	KUNIT_EXPECT_EQ(test, lt_clock_select("nonsense"), -EINVAL);
	err = lt_clock_select("counter");
	if (err)
		KUNIT_EXPECT_TRUE(test, err == -ENODEV && !IS_ENABLED(CONFIG_UML));
	else
		KUNIT_EXPECT_GT(test, lt_clock_freq(), 1000000ULL);
	KUNIT_EXPECT_EQ(test, lt_clock_select("raw"), 0);
	KUNIT_EXPECT_EQ(test, lt_clock_select("mono"), 0);
	KUNIT_EXPECT_STREQ(test, lt_clock_name(), "mono");
	lt_clock_read(&a);
	lt_clock_read(&b);
	KUNIT_EXPECT_LE(test, a.clock, b.clock);
	KUNIT_EXPECT_LE(test, a.mono, b.mono);
}

/* The version of a probe that knows the clock must not be taken with a filter. */
static void version_fits_the_session(struct kunit *test)
{
	/* Not every machine's can be used: see above. */
	bool counter = !lt_clock_select("mono") && !lt_clock_select("counter");

	KUNIT_EXPECT_EQ(test, lt_variant(), counter ? LT_COUNTER : LT_MONO);
	lt_min_size = 1;
	KUNIT_EXPECT_EQ(test, lt_variant(), LT_ANY);
	lt_min_size = 0;
	lt_set_sample(2);
	KUNIT_EXPECT_EQ(test, lt_variant(), LT_ANY);
	lt_set_sample(0);
	KUNIT_ASSERT_EQ(test, lt_clock_select("boot"), 0);
	KUNIT_EXPECT_EQ(test, lt_variant(), LT_ANY);
	KUNIT_ASSERT_EQ(test, lt_clock_select("raw"), 0);
	KUNIT_EXPECT_EQ(test, lt_variant(), LT_ANY);
	KUNIT_ASSERT_EQ(test, lt_clock_select("mono"), 0);
	KUNIT_EXPECT_EQ(test, lt_variant(), LT_MONO);
}

/* Probes attached for real; on UML functions cannot be probed, and that is said. */
static void self_test_passes(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, lt_session_init(), 0);
	KUNIT_EXPECT_EQ(test, lt_session_selftest(), 0);
	KUNIT_EXPECT_EQ(test, lt_session_selftest(), 0);
	KUNIT_EXPECT_STREQ(test, lt_session_state_name(), "idle");
	lt_session_exit();
}

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(groups_and_names_choose),
	KUNIT_CASE(frees_come_before_allocations),
	KUNIT_CASE(clocks_have_names),
	KUNIT_CASE(version_fits_the_session),
	KUNIT_CASE(self_test_passes),
	{}
};

struct kunit_suite lt_probe_suite = {
	.name = "lifetrace_probe",
	.test_cases = probe_cases,
};
