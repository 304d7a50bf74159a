// SPDX-License-Identifier: GPL-2.0
/*
 * Ids of pid namespaces.
 */
#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "pid/pid.h"
#include "pid/pid_kunit.h"

#define MAX_RECORDS	64

static u16 id_at(struct pid_namespace *ns, unsigned int level)
{
	unsigned long flags;
	u16 id;

	spin_lock_irqsave(&lt_pid_lock, flags);
	id = lt_pidns_get(ns, level)->id;
	spin_unlock_irqrestore(&lt_pid_lock, flags);
	return id;
}

static u16 id_of(struct pid_namespace *ns)
{
	return id_at(ns, PID_TEST_LEVEL);
}

static void retire(struct pid_namespace *ns, unsigned int level)
{
	unsigned long flags;

	spin_lock_irqsave(&lt_pid_lock, flags);
	lt_pidns_retire(lt_pidns_get(ns, level));
	spin_unlock_irqrestore(&lt_pid_lock, flags);
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

/* In an empty channel. Ids are used again: both are announced when the inner one is met. */
static void outer_is_announced_first(struct kunit *test, struct pid_namespace *inner)
{
	struct lt_test_record *records = kunit_kcalloc(test, MAX_RECORDS, sizeof(*records),
						       GFP_KERNEL);
	size_t i, n, met = 0;
	u16 outer = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, records);
	lt_channel_close(&lt_channel_pid);
	KUNIT_ASSERT_EQ(test, lt_channel_open(&lt_channel_pid, NULL, LT_MIN_PID_SUBBUF_SIZE, 16,
					      78), 0);
	KUNIT_EXPECT_NE(test, id_at(inner, PID_TEST_LEVEL + 1), (u16)0);
	lt_channel_flush(&lt_channel_pid, false);
	n = lt_test_records(test, &lt_channel_pid, records, MAX_RECORDS);
	for (i = 0; i < n; i++) {
		const struct lt_rec_PID_NS *r = records[i].payload;

		if (records[i].id != LT_EV_PID_NS)
			continue;
		if (r->inum == inner->parent->ns.inum) {
			outer = r->ns;
		} else if (r->inum == inner->ns.inum) {
			KUNIT_EXPECT_NE(test, outer, (u16)0);
			KUNIT_EXPECT_EQ(test, (u16)r->parent, outer);
			met++;
		}
	}
	KUNIT_EXPECT_EQ(test, met, (size_t)1);
}

/*
 * More namespaces than there are ids come and go. An id is not used again before it has rested;
 * what is not recorded meanwhile is counted as lost.
 */
static void ids_are_used_again_after_a_rest(struct kunit *test)
{
	unsigned long *seen = kunit_kcalloc(test, BITS_TO_LONGS(1 << 16), sizeof(*seen),
					    GFP_KERNEL);
	struct pid_namespace *one = pid_test_inner(test, 3), *inner = one + 2;
	unsigned long begin = jiffies;
	u64 lost = lost_of(LT_CLASS_WRAP);
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, seen);
	/* Two that are older than the session, one in the other. */
	inner->parent = one + 1;
	inner->level++;
	id_at(inner, PID_TEST_LEVEL + 1);
	lt_pidgen_pause();
	lt_pidgen_record();
	/* KUnit ends a case after 300 s: fewer namespaces where each costs milliseconds. */
	for (i = 0; i < U16_MAX + 10 && time_before(jiffies, begin + 120 * HZ); i++) {
		u16 id;

		if (lt_pidns_without_id())
			break;
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
	lt_pidns_flush();
	/* Until all have been given once, no id is used again. */
	if (i > U16_MAX || lt_pidns_without_id())
		outer_is_announced_first(test, inner);
	else
		kunit_info(test, "%u of the ids were given in the time of a case", i);
	retire(inner, PID_TEST_LEVEL + 1);
	retire(one + 1, PID_TEST_LEVEL);
	retire(one, PID_TEST_LEVEL);
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
