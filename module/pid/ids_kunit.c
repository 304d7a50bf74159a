// SPDX-License-Identifier: GPL-2.0
/*
 * Ids of pid namespaces.
 */
#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "pid/pid_kunit.h"

static u16 id_of(struct pid_namespace *ns)
{
	unsigned long flags;
	u16 id;

	spin_lock_irqsave(&lt_pid_lock, flags);
	id = lt_pidns_get(ns, PID_TEST_LEVEL)->id;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return id;
}

static u64 lost_of(unsigned int class)
{
	struct lt_class_counts counts[LT_N_CLASSES];
	unsigned int cpu;
	u64 lost = 0;

	for_each_possible_cpu(cpu) {
		lt_channel_counts(&lt_channel_pid, cpu, counts);
		lost += counts[LT_CLASS_INDEX(class)].lost_nested;
	}
	return lost;
}

/*
 * More namespaces than there are ids come and go. An id is not used again before it has rested;
 * what is not recorded meanwhile is counted as lost.
 */
static void ids_are_used_again_after_a_rest(struct kunit *test)
{
	unsigned long *seen = kunit_kcalloc(test, BITS_TO_LONGS(1 << 16), sizeof(*seen),
					    GFP_KERNEL);
	struct pid_namespace *one = pid_test_inner(test, 1);
	unsigned long begin = jiffies, flags;
	u64 lost = lost_of(LT_CLASS_WRAP);
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, seen);
	for (i = 0; i < U16_MAX + 10 && !lt_pidns_without_id(); i++) {
		u16 id;

		pid_test_give(one, 1);
		id = id_of(one);
		/* Where this machine is slow, the first ids have rested by now. */
		if (id && test_and_set_bit(id, seen))
			KUNIT_EXPECT_GE(test, (long)(jiffies - begin), (long)HZ);
		cond_resched();
	}
	if (lt_pidns_without_id()) {
		KUNIT_EXPECT_EQ(test, id_of(one), (u16)0);
		KUNIT_EXPECT_GT(test, lost_of(LT_CLASS_WRAP), lost);
	}
	lt_pidns_flush();
	msleep(2500);
	pid_test_give(one, 1);
	KUNIT_EXPECT_NE(test, id_of(one), (u16)0);
	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_pidns_retire(lt_pidns_get(one, PID_TEST_LEVEL));
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	lt_pidns_flush();
	kvfree(one);
}

static struct kunit_case ids_cases[] = {
	KUNIT_CASE(ids_are_used_again_after_a_rest),
	{}
};

struct kunit_suite lt_pid_ids_suite = {
	.name = "lifetrace_pid_ids",
	.init = pid_test_init,
	.exit = pid_test_exit,
	.test_cases = ids_cases,
};
