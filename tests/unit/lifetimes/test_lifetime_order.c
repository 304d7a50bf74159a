// SPDX-License-Identifier: GPL-2.0
/*
 * The lifetime engine: frees that are stamped later than the next birth, and
 * frees through RCU.
 *
 * In comments, A1 is the first birth at an address, F1 the free of that object,
 * R1 its kfree_rcu.
 */
#include "lifetime_test.h"

#define A	0x1000ULL
#define B	0x2000ULL

static struct lt_task other = { .tid = 11, .tgid = 11, .start = 2, .comm = "b" };

/* A1 A2 F1 F2, the clocks being 50 ns apart. */
static void test_inversion(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	r.task = &other;
	kmalloc(&r, 0, 1000, A, 8, 8);
	r.task = NULL;
	kfree(&r, 1, 1050, A);		/* may be either's */
	expect(&r, "");
	r.task = &other;
	kfree(&r, 0, 3000, A);
	expect(&r, "kmalloc 1000 100-1000 exact kfree\n"
		   "kmalloc 1000 1000-3000 exact kfree");
	assert_int_equal(stats(&r)->inversions, 1);
	finish(&r, 9000, 0);
	expect(&r, "");
}

/* The death moment is that of the late free, but for its time. */
static void test_inversion_moment(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	kmalloc(&r, 0, 1000, A, 8, 8);
	r.task = &other;
	r.context = LT_CTX_SOFTIRQ;
	kfree(&r, 1, 1050, A);
	r.context = LT_CTX_TASK;
	rcu_free(&r, 0, 2000, A);	/* decides it: F1 was not A2's */
	expect(&r, "kmalloc 1000 100-1000 exact kfree");
	assert_int_equal(r.last.death.cpu, 1);
	assert_int_equal(r.last.death.context, LT_CTX_SOFTIRQ);
	assert_ptr_equal(r.last.death.task, &other);
	finish(&r, 9000, 0);
	expect(&r, "kmalloc 1000 1000-2000 exact rcu_free");
}

/* Too late for the clocks: A1's free was not seen, F is A2's. */
static void test_too_late(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	r.task = &other;
	kmalloc(&r, 0, 1000, A, 8, 8);
	r.task = NULL;
	kfree(&r, 1, 2001, A);
	expect(&r, "kmalloc 1000 100-1000 bounded reborn\n"
		   "kmalloc 1000 1000-2001 exact kfree");
	finish(&r, 9000, 0);
}

/* On the CPU of the new birth, after it: the new one's. */
static void test_same_cpu(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	kmalloc(&r, 0, 1000, A, 8, 8);
	r.task = &other;
	kfree(&r, 0, 1010, A);
	expect(&r, "kmalloc 1000 100-1000 bounded reborn\n"
		   "kmalloc 1000 1000-1010 exact kfree");
	finish(&r, 9000, 0);
}

/* By the task that made the new one: the new one's, also after a migration. */
static void test_same_task(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);
	cache_alloc(&r, 0, 1000, A, 5);
	cache_free(&r, 1, 900000, A, 5);
	expect(&r, "cache 1000 1000-900000 exact kmem_cache_free");
	finish(&r, 20000000, 0);
	expect(&r, "cache 1000 100-1000 bounded reborn");
}

/* A kernel that stamps kmem_cache_free after the release: ms, but not kfree. */
static void test_late_free(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);
	kmalloc(&r, 1, 100, B, 8, 8);
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);
	kmalloc(&r, 0, 1000, B, 8, 8);
	r.task = NULL;
	cache_free(&r, 1, 5000000, A, 5);
	kfree(&r, 1, 5000000, B);
	expect(&r, "kmalloc 2000 100-1000 bounded reborn\n"
		   "kmalloc 2000 1000-5000000 exact kfree");
	/* Within a second it might be the later one of the two. */
	cache_free(&r, 1, 1000001001, A, 5);
	expect(&r, "cache 1000 100-1000 exact kmem_cache_free\n"
		   "cache 1000 1000-1000001001 exact kmem_cache_free");
	finish(&r, 1030000000, 0);
}

/*
 * Late, on one CPU: an interrupt allocates between release and stamp, or
 * another task does. Not: an interrupt frees what a task has made before.
 */
static void test_late_free_same_cpu(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 0, 100, A, 5);
	r.context = LT_CTX_HARDIRQ;
	cache_alloc(&r, 0, 1000, A, 5);
	r.context = LT_CTX_TASK;
	cache_free(&r, 0, 1010, A, 5);
	expect(&r, "");
	r.context = LT_CTX_HARDIRQ;
	cache_free(&r, 0, 5000, A, 5);
	expect(&r, "cache 1000 100-1000 exact kmem_cache_free\n"
		   "cache 1000 1000-5000 exact kmem_cache_free");

	r.context = LT_CTX_TASK;
	cache_alloc(&r, 0, 6000, A, 5);
	r.task = &other;
	cache_alloc(&r, 0, 7000, A, 5);
	r.task = NULL;
	cache_free(&r, 0, 8000, A, 5);
	expect(&r, "");
	r.task = &other;
	cache_free(&r, 0, 9000, A, 5);
	expect(&r, "cache 1000 6000-7000 exact kmem_cache_free\n"
		   "cache 1000 7000-9000 exact kmem_cache_free");

	cache_alloc(&r, 0, 10000, A, 5);
	cache_alloc(&r, 0, 11000, A, 5);
	r.context = LT_CTX_SOFTIRQ;
	cache_free(&r, 0, 12000, A, 5);
	expect(&r, "cache 1000 11000-12000 exact kmem_cache_free");
	finish(&r, 30000000, 0);
	expect(&r, "cache 1000 10000-11000 bounded reborn");
}

/* A1 A2 F F', both from elsewhere and in time: which is which is a guess. */
static void test_both_may_be_late(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	kmalloc(&r, 0, 1000, A, 8, 8);
	r.task = &other;
	kfree(&r, 1, 1050, A);
	kfree(&r, 2, 1060, A);
	expect(&r, "kmalloc 1000 100-1000 uncertain kfree\n"
		   "kmalloc 1000 1000-1060 uncertain kfree");
	assert_int_equal(stats(&r)->ambiguous, 2);
	assert_int_equal(stats(&r)->inversions, 0);
	finish(&r, 9000, 0);
}

/* A1 A2 F A3: one free is missing, nobody knows whose. */
static void test_undecided_reborn(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	kmalloc(&r, 0, 1000, A, 8, 8);
	r.task = &other;
	kfree(&r, 1, 1050, A);
	kmalloc(&r, 0, 5000, A, 8, 8);
	expect(&r, "kmalloc 1000 100-1000 uncertain kfree");
	kfree(&r, 0, 9000, A);
	expect(&r, "kmalloc 1000 1000-5000 uncertain reborn\n"
		   "kmalloc 1000 5000-9000 exact kfree");
	finish(&r, 9000, 0);
}

/* A1 A2 F1 A3 F2 F3: late again and again, nothing is missing. */
static void test_chain(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	for (uint64_t i = 1; i < 20; i++) {
		r.task = i & 1 ? &other : NULL;
		kmalloc(&r, 0, i * 1000, A, 8, 8);
		r.task = i & 1 ? NULL : &other;
		kfree(&r, 1, i * 1000 + 50, A);
	}
	kfree(&r, 0, 50000, A);
	finish(&r, 90000, 0);
	/* No "before": no free was left without an object. None is called exact
	 * but the last two, of which it is proven.
	 */
	assert_int_equal(r.n, 20);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_BEFORE], 0);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_OPEN], 0);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_EXACT], 1);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_UNCERTAIN], 19);
}

/* A1 A2 F and the end. */
static void test_undecided_end(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	kmalloc(&r, 0, 1000, A, 8, 8);
	r.task = &other;
	kfree(&r, 1, 1050, A);
	finish(&r, 9000, 0);
	expect(&r, "kmalloc 1000 100-1000 uncertain kfree\n"
		   "kmalloc 1000 1000-9000 uncertain alive");
}

/* An event that was lost between F and F' might have told another story. */
static void test_inversion_with_loss(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 1, 100, A, 8, 8);
	kmalloc(&r, 0, 1000, A, 8, 8);
	r.task = &other;
	kfree(&r, 1, 1050, A);
	r.gap_end = 2000;
	kfree(&r, 0, 3000, A);
	expect(&r, "kmalloc 1000 100-1000 uncertain kfree\n"
		   "kmalloc 1000 1000-3000 uncertain kfree");
	finish(&r, 9000, 2000);
}

/* The cache of a late free tells whose it is. */
static void test_cache_decides(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);
	cache_alloc(&r, 0, 1000, A, 6);
	r.task = &other;
	cache_free(&r, 1, 1050, A, 5);
	expect(&r, "cache 1000 100-1000 exact kmem_cache_free");
	cache_alloc(&r, 0, 2000, B, 5);
	cache_alloc(&r, 0, 3000, B, 6);
	r.task = NULL;
	cache_free(&r, 1, 3050, B, 6);
	expect(&r, "cache 2000 3000-3050 exact kmem_cache_free");
	finish(&r, 9000, 0);
	expect(&r, "cache 2000 2000-3000 bounded reborn\n"
		   "cache 1000 1000-9000 open alive");
}

/* A doubt on one address does not hold up another, and ends by time. */
static void test_doubts_expire_in_order(void **state)
{
	struct run r = run_new(false);

	(void)state;
	for (uint64_t i = 0; i < 200; i++)
		kmalloc(&r, 0, 100, A + i * 64, 8, 8);
	for (uint64_t i = 0; i < 200; i++)
		kmalloc(&r, 0, 1000 + i * 10, A + i * 64, 8, 8);
	assert_int_equal(r.n, 99);	/* those older than 1000 ns */
	for (uint64_t i = 0; i < 200; i++)
		kfree(&r, 0, 9000, A + i * 64);
	assert_int_equal(r.n, 400);
	finish(&r, 9000, 0);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_BOUNDED], 200);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_EXACT], 200);
}

/* R ends the life; what comes later tells how long the memory was in limbo. */
static void test_rcu(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	rcu_free(&r, 0, 200, A);
	expect(&r, "");
	assert_int_equal(r.live, 0);
	assert_int_equal(r.held, 8);
	bulk_free(&r, 1, 5200, A, 0);
	expect(&r, "kmalloc 1000 100-200 exact rcu_free +5000");
	assert_int_equal(r.held, 0);
	assert_int_equal(r.last.death.cpu, 0);
	assert_int_equal(stats(&r)->rcu_confirmed, 1);
	/* The second confirmation would be one too many. */
	kfree(&r, 1, 5300, A);
	expect(&r, "unknown 1000 0-5300 before kfree");
	finish(&r, 9000, 0);
}

/* No event tells of the release: normal, and no reason for doubt. */
static void test_rcu_reborn(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	rcu_free(&r, 0, 200, A);
	kmalloc(&r, 1, 90000, A, 8, 8);
	kmalloc(&r, 1, 99000, B, 8, 8);
	expect(&r, "kmalloc 1000 100-200 exact rcu_free");
	assert_int_equal(r.live, 16);
	finish(&r, 100000, 0);
	expect(&r, "kmalloc 1000 90000-100000 open alive\n"
		   "kmalloc 2000 99000-100000 open alive");
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_BOUNDED], 0);
}

static void test_rcu_end(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	kmalloc(&r, 0, 150, B, 8, 8);
	rcu_free(&r, 0, 200, A);
	finish(&r, 9000, 0);
	expect(&r, "kmalloc 1000 100-200 exact rcu_free\n"
		   "kmalloc 2000 150-9000 open alive");
	assert_int_equal(stats(&r)->rcu_unknown, 0);
}

/* A1 R1 A2 F F2: the release of the first was stamped late. */
static void test_rcu_late_confirmation(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	rcu_free(&r, 0, 200, A);
	kmalloc(&r, 0, 5000, A, 8, 8);
	r.task = &other;
	bulk_free(&r, 1, 5050, A, 0);
	expect(&r, "");
	kfree(&r, 0, 8000, A);
	expect(&r, "kmalloc 1000 100-200 exact rcu_free +4800\n"
		   "kmalloc 1000 5000-8000 exact kfree");
	finish(&r, 9000, 0);
}

/* A1 R1 A2 F, and no more: F is A2's, but nobody will swear to it. */
static void test_rcu_undecided(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	rcu_free(&r, 0, 200, A);
	kmalloc(&r, 0, 5000, A, 8, 8);
	r.task = &other;
	kfree(&r, 1, 5050, A);
	kmalloc(&r, 0, 6000, A, 8, 8);
	expect(&r, "kmalloc 1000 100-200 exact rcu_free\n"
		   "kmalloc 1000 5000-5050 uncertain kfree");
	finish(&r, 9000, 0);
	expect(&r, "kmalloc 1000 6000-9000 open alive");
}

static void test_rcu_gap(void **state)
{
	struct run r = run_new(false);

	(void)state;
	/* A gap in limbo: the life is sure, but the free may be another's. */
	kmalloc(&r, 0, 100, A, 8, 8);
	rcu_free(&r, 0, 200, A);
	r.gap_end = 300;
	kfree(&r, 0, 400, A);
	expect(&r, "kmalloc 1000 100-200 exact rcu_free");
	/* A gap in life. */
	kmalloc(&r, 0, 500, A, 8, 8);
	r.gap_end = 600;
	rcu_free(&r, 0, 700, A);
	kfree(&r, 0, 800, A);
	expect(&r, "kmalloc 1000 500-700 uncertain rcu_free +100");
	finish(&r, 9000, 600);
}

/* An address of which nothing is known: perhaps vmalloc's. */
static void test_rcu_unknown(void **state)
{
	struct run r = run_new(false);

	(void)state;
	rcu_free(&r, 0, 100, 0xffffc90000000000ULL);
	rcu_free(&r, 0, 110, 0xffffc90000000000ULL);	/* used again */
	finish(&r, 9000, 0);
	expect(&r, "");
	assert_int_equal(stats(&r)->rcu_unknown, 2);
	assert_int_equal(stats(&r)->rcu_requests, 2);
}

/* What follows proves that it was a slab object after all. */
static void test_rcu_before(void **state)
{
	struct run r = run_new(false);

	(void)state;
	rcu_free(&r, 0, 100, A);
	cache_free(&r, 0, 300, A, 4);
	expect(&r, "unknown 1000 0-100 before rcu_free +200");
	assert_int_equal(r.last.cache, 4);
	rcu_free(&r, 0, 400, B);
	kmalloc(&r, 0, 500, B, 8, 8);
	kfree(&r, 0, 5000, B);
	expect(&r, "unknown 2000 0-400 before rcu_free\n"
		   "kmalloc 2000 500-5000 exact kfree");
	finish(&r, 9000, 0);
	assert_int_equal(stats(&r)->rcu_unknown, 0);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_BEFORE], 2);
}

/* Given to kfree_rcu twice: in between it was born unseen. */
static void test_rcu_twice(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	rcu_free(&r, 0, 200, A);
	rcu_free(&r, 0, 5000, A);
	expect(&r, "kmalloc 1000 100-200 exact rcu_free");
	kfree(&r, 0, 6000, A);
	expect(&r, "unknown 1000 0-5000 before rcu_free +1000");
	assert_int_equal(r.held, 0);
	finish(&r, 9000, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inversion),
		cmocka_unit_test(test_inversion_moment),
		cmocka_unit_test(test_too_late),
		cmocka_unit_test(test_same_cpu),
		cmocka_unit_test(test_same_task),
		cmocka_unit_test(test_late_free),
		cmocka_unit_test(test_late_free_same_cpu),
		cmocka_unit_test(test_both_may_be_late),
		cmocka_unit_test(test_undecided_reborn),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_undecided_end),
		cmocka_unit_test(test_inversion_with_loss),
		cmocka_unit_test(test_cache_decides),
		cmocka_unit_test(test_doubts_expire_in_order),
		cmocka_unit_test(test_rcu),
		cmocka_unit_test(test_rcu_reborn),
		cmocka_unit_test(test_rcu_end),
		cmocka_unit_test(test_rcu_late_confirmation),
		cmocka_unit_test(test_rcu_undecided),
		cmocka_unit_test(test_rcu_gap),
		cmocka_unit_test(test_rcu_unknown),
		cmocka_unit_test(test_rcu_before),
		cmocka_unit_test(test_rcu_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
