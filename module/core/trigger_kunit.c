// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers: which of them wake who waits, and which freeze buffers.
 */
#include "core/kunit.h"
#include "core/trigger.h"

/* A trigger. Return: whether it wakes. */
static bool wakes(unsigned int what)
{
	unsigned long before = lt_triggers_woken();

	lt_trigger_note(what, 0, "kunit");
	return lt_triggers_woken() != before;
}

static void trigger_test_exit(struct kunit *test)
{
	lt_triggers_freeze(false);
	lt_triggers_exit();
}

/* Each is kept; those of one kind do not use up the wakeups of another. */
static void many_wake_once(struct kunit *test)
{
	struct lt_triggers *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int i;
	u64 before;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t);
	lt_triggers_view(t);
	before = t->count;
	KUNIT_EXPECT_TRUE(test, wakes(LT_TRIGGER_OOM_KILL));
	for (i = 0; i < LT_TRIGGERS_KEPT; i++)
		KUNIT_EXPECT_FALSE(test, wakes(LT_TRIGGER_OOM_KILL));
	KUNIT_EXPECT_TRUE(test, wakes(LT_TRIGGER_HUNG_TASK));
	lt_triggers_view(t);
	KUNIT_EXPECT_EQ(test, t->count, before + LT_TRIGGERS_KEPT + 2);
	KUNIT_ASSERT_EQ(test, t->n, (unsigned int)LT_TRIGGERS_KEPT);
	KUNIT_EXPECT_EQ(test, t->latest[t->n - 1].number, t->count);
	KUNIT_EXPECT_EQ(test, t->latest[t->n - 1].what, (unsigned int)LT_TRIGGER_HUNG_TASK);
	KUNIT_EXPECT_STREQ(test, t->latest[0].text, "kunit");
	/* Nor do they push out what has woken somebody, who may not have read it yet. */
	for (i = 0; i < 3 * LT_TRIGGERS_KEPT; i++)
		KUNIT_EXPECT_FALSE(test, wakes(LT_TRIGGER_OOM_KILL));
	lt_triggers_view(t);
	KUNIT_ASSERT_EQ(test, t->n, (unsigned int)LT_TRIGGERS_KEPT);
	KUNIT_EXPECT_EQ(test, t->latest[t->n - 1].number, t->count);
	for (i = 1; i < t->n; i++)
		KUNIT_EXPECT_GT(test, t->latest[i].number, t->latest[i - 1].number);
	for (i = 0; i < t->n && t->latest[i].what != LT_TRIGGER_HUNG_TASK; i++)
		;
	KUNIT_EXPECT_LT(test, i, t->n);
}

/* Also within a second of one that did: otherwise nobody would thaw the buffers. */
static void one_that_freezes_wakes(struct kunit *test)
{
	wakes(LT_TRIGGER_USER);
	KUNIT_EXPECT_FALSE(test, wakes(LT_TRIGGER_USER));
	KUNIT_EXPECT_FALSE(test, READ_ONCE(lt_channels_frozen));
	lt_triggers_freeze(true);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(lt_channels_frozen));
	KUNIT_EXPECT_TRUE(test, wakes(LT_TRIGGER_USER));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(lt_channels_frozen));
	/* They are frozen already. */
	KUNIT_EXPECT_FALSE(test, wakes(LT_TRIGGER_USER));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(lt_channels_frozen));
	lt_triggers_freeze(false);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(lt_channels_frozen));
	KUNIT_EXPECT_FALSE(test, wakes(LT_TRIGGER_USER));
}

static struct kunit_case trigger_cases[] = {
	KUNIT_CASE(many_wake_once),
	KUNIT_CASE(one_that_freezes_wakes),
	{}
};

struct kunit_suite lt_trigger_suite = {
	.name = "lifetrace_trigger",
	.exit = trigger_test_exit,
	.test_cases = trigger_cases,
};
