// SPDX-License-Identifier: GPL-2.0
/*
 * Choosing probes and the clock; a whole session on this kernel. The list of all suites.
 */
#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "core/clock.h"
#include "core/kunit.h"
#include "kmem/kmem.h"
#include "session/channels.h"
#include "session/internal.h"
#include "session/params.h"
#include "session/session.h"

static bool wanted(const char *name)
{
	unsigned int i, k;

	for_each_channel(i)
		for (k = 0; k < lt_channels[i].probes->n; k++)
			if (!strcmp(lt_channels[i].probes->probe[k].name, name))
				return lt_channels[i].probes->probe[k].wanted;
	return false;
}

static void groups_and_names_choose(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, lt_params_select("slab"), 0);
	KUNIT_EXPECT_TRUE(test, wanted("kmalloc"));
	KUNIT_EXPECT_TRUE(test, wanted("task_exit"));
	KUNIT_EXPECT_FALSE(test, wanted("page_alloc"));

	KUNIT_EXPECT_EQ(test, lt_params_select(" kfree , page_free\n"), 0);
	KUNIT_EXPECT_TRUE(test, wanted("kfree"));
	KUNIT_EXPECT_TRUE(test, wanted("page_free"));
	KUNIT_EXPECT_FALSE(test, wanted("kmalloc"));

	KUNIT_EXPECT_EQ(test, lt_params_select("all"), 0);
	KUNIT_EXPECT_TRUE(test, wanted("page_free_batched"));
	KUNIT_EXPECT_EQ(test, lt_params_select("kfree,nonsense"), -EINVAL);

	/* The words that the file "events" shows choose probes, too. */
	KUNIT_EXPECT_EQ(test, lt_params_select("number,number_free"), 0);
	KUNIT_EXPECT_TRUE(test, lt_probes_wanted(lt_channels[LT_CHANNEL_PID - 1].probes));
	KUNIT_EXPECT_EQ(test, lt_params_select("slab"), 0);
	KUNIT_EXPECT_FALSE(test, lt_probes_wanted(lt_channels[LT_CHANNEL_PID - 1].probes));
	/* The names of tasks are right in a session of requests alone, too. */
	KUNIT_EXPECT_EQ(test, lt_params_select("uring"), 0);
	KUNIT_EXPECT_TRUE(test, wanted("sys_rename"));
	KUNIT_EXPECT_FALSE(test, wanted("sys_enter"));
	KUNIT_EXPECT_EQ(test, lt_params_select("slab,uring_complete"), 0);
	KUNIT_EXPECT_TRUE(test, wanted("sys_rename"));
}

/* What a user reads of a refusal: one line, until the next session starts. */
static void the_reason_of_a_refusal_is_kept(struct kunit *test)
{
	struct lt_params *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	char text[256] = "";
	struct seq_file m = { .buf = text, .size = sizeof(text) - 1 };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);
	KUNIT_EXPECT_EQ(test, lt_params_select("kfree,non\nsense"), -EINVAL);
	lt_refused_show(&m);
	KUNIT_EXPECT_STREQ(test, text, "error events: no event or group is called 'non?sense'\n");
	lt_params_take(p, true, false);
	m.count = 0;
	memset(text, 0, sizeof(text));
	lt_refused_show(&m);
	KUNIT_EXPECT_STREQ(test, text, "");

	/* A char may be signed: bytes of UTF-8 are no control characters. */
	KUNIT_EXPECT_EQ(test, lt_params_select("kfr\xc3\xa9\x7f"), -EINVAL);
	lt_refused_show(&m);
	KUNIT_EXPECT_STREQ(test, text,
			   "error events: no event or group is called 'kfr\xc3\xa9?'\n");
}

/* A probe is attached before another that could record what it must end. */
static void frees_come_before_allocations(struct kunit *test)
{
	bool alloc = false;
	unsigned int i;

	for (i = 0; i < lt_kmem_probes.n; i++) {
		if (strstr(lt_kmem_probes.probe[i].name, "alloc"))
			alloc = true;
		if (strstr(lt_kmem_probes.probe[i].name, "free"))
			KUNIT_EXPECT_FALSE(test, alloc);
	}
	KUNIT_EXPECT_TRUE(test, alloc);
}

static void clocks_have_names(struct kunit *test)
{
	struct lt_clock_reading a, b;
	int err;

	KUNIT_EXPECT_EQ(test, lt_clock_select("nonsense", true), -EINVAL);
	err = lt_clock_select("counter", true);
	if (err)
		KUNIT_EXPECT_TRUE(test, err == -ENODEV && !IS_ENABLED(CONFIG_UML));
	else
		KUNIT_EXPECT_GT(test, lt_clock_freq(), 1000000ULL);
	KUNIT_EXPECT_EQ(test, lt_clock_select("raw", true), 0);
	KUNIT_EXPECT_EQ(test, lt_clock_select("mono", true), 0);
	KUNIT_EXPECT_STREQ(test, lt_clock_name(), "mono");
	lt_clock_read(&a);
	lt_clock_read(&b);
	KUNIT_EXPECT_LE(test, a.clock, b.clock);
	KUNIT_EXPECT_LE(test, a.mono, b.mono);
}

/* What comes behind the counter has its units and its rate, and no step. */
static void the_counter_can_be_left(struct kunit *test)
{
	struct lt_clock_reading a, b, c;
	u64 least, most, units;

	KUNIT_EXPECT_EQ(test, lt_clock_select("auto", false), 0);
	KUNIT_EXPECT_STREQ(test, lt_clock_name(), "mono");
	KUNIT_EXPECT_EQ(test, lt_clock_select("auto", true), 0);
	if (strcmp(lt_clock_name(), "counter")) {
		KUNIT_EXPECT_EQ(test, lt_clock_select("counter", true), -ENODEV);
		return;
	}
	lt_clock_read(&a);
	lt_clock_keep();
	lt_clock_read(&b);
	msleep(20);
	lt_clock_read(&c);
	KUNIT_EXPECT_STREQ(test, lt_clock_name(), "counter");
	KUNIT_EXPECT_LE(test, a.clock, b.clock);
	KUNIT_EXPECT_LE(test, b.clock, c.clock);
	/* Within a per cent from the counter to what follows it, and behind. */
	units = c.clock - a.clock;
	least = div64_u64((c.mono - a.mono) * 99, 100);
	most = div64_u64((c.mono - a.mono) * 101, 100);
	KUNIT_EXPECT_GE(test, div64_u64(units * NSEC_PER_SEC, lt_clock_freq()), least);
	KUNIT_EXPECT_LE(test, div64_u64(units * NSEC_PER_SEC, lt_clock_freq()), most);
	KUNIT_EXPECT_EQ(test, lt_clock_select("mono", true), 0);
}

static int select_clock(const char *name)
{
	return lt_params_select_clock(name, true, lt_session.suspends);
}

/* A session that starts when the machine is about to be suspended must not read its counter. */
static void a_suspend_takes_the_counter(struct kunit *test)
{
	bool counter;

	KUNIT_ASSERT_EQ(test, lt_params_select("slab"), 0);
	counter = !select_clock("counter");
	KUNIT_EXPECT_FALSE(test, lt_session_suspend(LT_HIBERNATION));
	KUNIT_EXPECT_EQ(test, select_clock("counter"), -EBUSY);
	KUNIT_EXPECT_EQ(test, select_clock("auto"), 0);
	KUNIT_EXPECT_STREQ(test, lt_clock_name(), "mono");
	KUNIT_EXPECT_EQ(test, select_clock("raw"), 0);
	KUNIT_EXPECT_EQ(test, select_clock("nonsense"), -EINVAL);

	/* One that ends does not end the other. */
	KUNIT_EXPECT_FALSE(test, lt_session_suspend(LT_SUSPEND));
	lt_session_resume(LT_SUSPEND);
	KUNIT_EXPECT_EQ(test, select_clock("counter"), -EBUSY);
	lt_session_resume(LT_HIBERNATION);
	KUNIT_EXPECT_EQ(test, select_clock("counter"), counter ? 0 : -ENODEV);
	KUNIT_EXPECT_EQ(test, select_clock("auto"), 0);
	KUNIT_EXPECT_STREQ(test, lt_clock_name(), counter ? "counter" : "mono");
	KUNIT_EXPECT_EQ(test, select_clock("mono"), 0);
}

/* The version of a probe that knows the clock must not be taken with a filter. */
static void version_fits_the_session(struct kunit *test)
{
	/* The counter of some machines cannot be used. */
	bool counter = !lt_clock_select("mono", true) && !lt_clock_select("counter", true);

	KUNIT_EXPECT_EQ(test, lt_variant_of_session(), counter ? LT_COUNTER : LT_MONO);
	lt_min_size = 1;
	KUNIT_EXPECT_EQ(test, lt_variant_of_session(), LT_ANY);
	lt_min_size = 0;
	lt_set_sample(2);
	KUNIT_EXPECT_EQ(test, lt_variant_of_session(), LT_ANY);
	lt_set_sample(0);
	lt_sample_changes = true;
	KUNIT_EXPECT_EQ(test, lt_variant_of_session(), LT_ANY);
	lt_sample_changes = false;
	KUNIT_ASSERT_EQ(test, lt_clock_select("boot", true), 0);
	KUNIT_EXPECT_EQ(test, lt_variant_of_session(), LT_ANY);
	KUNIT_ASSERT_EQ(test, lt_clock_select("raw", true), 0);
	KUNIT_EXPECT_EQ(test, lt_variant_of_session(), LT_ANY);
	KUNIT_ASSERT_EQ(test, lt_clock_select("mono", true), 0);
	KUNIT_EXPECT_EQ(test, lt_variant_of_session(), LT_MONO);
}

/* Probes attached for real; on UML functions cannot be probed, and that is said. */
static void self_test_passes(struct kunit *test)
{
	lt_code_apart = true;
	KUNIT_ASSERT_EQ(test, lt_channels_init(), 0);
	KUNIT_EXPECT_EQ(test, lt_session_selftest(), 0);
	KUNIT_EXPECT_EQ(test, lt_session_selftest(), 0);
	KUNIT_EXPECT_STREQ(test, lt_session_state_name(), "idle");
	lt_session_exit();
	lt_channels_exit();
}

static struct kunit_case session_cases[] = {
	KUNIT_CASE(groups_and_names_choose),
	KUNIT_CASE(the_reason_of_a_refusal_is_kept),
	KUNIT_CASE(frees_come_before_allocations),
	KUNIT_CASE(clocks_have_names),
	KUNIT_CASE(the_counter_can_be_left),
	KUNIT_CASE(a_suspend_takes_the_counter),
	KUNIT_CASE(version_fits_the_session),
	KUNIT_CASE(self_test_passes),
	{}
};

static struct kunit_suite lt_session_suite = {
	.name = "lifetrace_session",
	.test_cases = session_cases,
};

kunit_test_suites(&lt_channel_suite, &lt_overwrite_suite, &lt_cache_suite, &lt_caller_suite,
		  &lt_kmem_suite, &lt_site_suite, &lt_object_suite, &lt_form_suite,
		  &lt_filter_suite, &lt_resample_suite, &lt_stack_suite, &lt_session_suite,
		  &lt_pid_suite, &lt_pid_ids_suite, &lt_texts_suite, &lt_trigger_suite,
		  &lt_clock_suite, &lt_syscalls_suite, &lt_call_check_suite, &lt_call_fetch_suite,
		  &lt_call_suite, &lt_call_gate_suite, &lt_call_thread_suite, &lt_call_boot_suite,
		  &lt_call_fuzz_suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit suites of lifetrace");
