// SPDX-License-Identifier: GPL-2.0
/*
 * The lifetime engine where kmem_cache_free is traced after the release: frees
 * that come when the next object at their address is over already, or very late.
 * And births and frees that must not be taken for those of one object.
 *
 * In comments, A1 is the first birth at an address, F1 the free of that object.
 */
#include "lifetime_test.h"

#define A	0x1000ULL
#define B	0x2000ULL

static struct lt_task other = { .tid = 11, .tgid = 11, .start = 2, .comm = "b" };

/* A softirq comes between release and stamp: A1 A2 F2 F1. */
static void softirq_between(struct run *r)
{
	cache_alloc(r, 0, 100, A, 5);
	r->context = LT_CTX_SOFTIRQ;
	cache_alloc(r, 0, 1000, A, 5);
	cache_free(r, 0, 1500, A, 5);
	r->context = LT_CTX_TASK;
	expect(r, "cache 1000 1000-1500 exact kmem_cache_free");
}

static void test_after_softirq(void **state)
{
	struct run r = run_new(true);

	(void)state;
	softirq_between(&r);
	cache_free(&r, 0, 2000, A, 5);
	expect(&r, "cache 1000 100-1000 exact kmem_cache_free");
	assert_int_equal(r.held, 0);
	assert_int_equal(stats(&r)->inversions, 1);
	/* That was all there was of it. */
	cache_alloc(&r, 0, 3000, A, 5);
	cache_free(&r, 0, 4000, A, 5);
	expect(&r, "cache 1000 3000-4000 exact kmem_cache_free");
	finish(&r, 90000, 0);
}

/* The same, but another task comes between. */
static void test_after_task(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 0, 100, A, 5);
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);
	cache_free(&r, 0, 1500, A, 5);
	r.task = NULL;
	cache_free(&r, 0, 2000, A, 5);
	expect(&r, "cache 1000 1000-1500 exact kmem_cache_free\n"
		   "cache 1000 100-1000 exact kmem_cache_free");
	assert_int_equal(r.held, 0);
	finish(&r, 90000, 0);
}

/* A1 was lost, so F1 may be taken for the end of A2: not where order says otherwise. */
static void test_birth_was_lost(void **state)
{
	struct run r = run_new(true);

	(void)state;
	r.gap_end = 50;
	cache_alloc(&r, 1, 1000, A, 5);
	r.task = &other;
	cache_free(&r, 0, 1500, A, 5);
	cache_free(&r, 0, 2000, A, 5);
	expect(&r, "cache 1000 1000-1500 uncertain kmem_cache_free\n"
		   "unknown 1000 0-2000 uncertain kmem_cache_free");
	cache_alloc(&r, 0, 3000, A, 5);
	cache_free(&r, 0, 3500, A, 5);
	expect(&r, "cache 1000 3000-3500 exact kmem_cache_free");
	cache_alloc(&r, 1, 4000, A, 5);
	cache_free(&r, 0, 1000004001, A, 5);
	expect(&r, "cache 1000 4000-1000004001 exact kmem_cache_free");
	finish(&r, 2000000000, 50);

	/* Nor is it sure that it is the end of any that follows. */
	r = run_new(true);
	r.gap_end = 50;
	r.task = &other;
	cache_alloc(&r, 1, 1000, A, 5);
	cache_alloc(&r, 1, 1100, A, 5);
	r.task = NULL;
	cache_free(&r, 0, 1500, A, 5);
	r.task = &other;
	cache_free(&r, 1, 1600, A, 5);
	expect(&r, "cache 1000 1000-1100 uncertain kmem_cache_free\n"
		   "cache 1000 1100-1600 exact kmem_cache_free");
	finish(&r, 90000, 50);

	/* Where the event comes before the release, it is in order. */
	r = run_new(false);
	r.gap_end = 50;
	cache_alloc(&r, 1, 1000, A, 5);
	r.task = &other;
	cache_free(&r, 0, 1500, A, 5);
	expect(&r, "cache 1000 1000-1500 exact kmem_cache_free");
	finish(&r, 90000, 50);
}

/* F1 never comes: time passes, or the trace ends. */
static void test_never(void **state)
{
	struct run r = run_new(true);

	(void)state;
	softirq_between(&r);
	kmalloc(&r, 1, 30000000, B, 8, 8);
	expect(&r, "cache 1000 100-1000 bounded reborn");
	cache_free(&r, 0, 30000100, A, 5);
	expect(&r, "unknown 1000 0-30000100 before kmem_cache_free");
	kfree(&r, 1, 30000200, B);
	expect(&r, "kmalloc 2000 30000000-30000200 exact kfree");

	cache_alloc(&r, 0, 40000100, A, 5);
	r.context = LT_CTX_SOFTIRQ;
	cache_alloc(&r, 0, 40001000, A, 5);
	cache_free(&r, 0, 40001500, A, 5);
	finish(&r, 40002000, 0);
	expect(&r, "cache 1000 40001000-40001500 exact kmem_cache_free\n"
		   "cache 1000 40000100-40001000 bounded reborn");
	assert_int_equal(stats(&r)->live[LT_SPACE_SLAB], 0);
}

/* A free that cannot be F1: of the task that made A2, or through kfree_rcu. */
static void test_not_its_own(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 0, 100, A, 5);
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);
	cache_free(&r, 0, 1500, A, 5);
	cache_free(&r, 0, 1700, A, 5);
	expect(&r, "cache 1000 1000-1500 exact kmem_cache_free\n"
		   "cache 1000 100-1000 bounded reborn\n"
		   "unknown 1000 0-1700 before kmem_cache_free");
	r.task = NULL;
	softirq_between(&r);
	rcu_free(&r, 0, 2000, A);
	expect(&r, "cache 1000 100-1000 bounded reborn");
	cache_free(&r, 0, 3000, A, 5);
	expect(&r, "unknown 1000 0-2000 before rcu_free +1000");
	finish(&r, 90000, 0);
}

/* A1 A2 F2 A3: F1 may still come, so a free soon after is not certainly A3's. */
static void test_born_before_it(void **state)
{
	struct run r = run_new(true);

	(void)state;
	softirq_between(&r);
	cache_alloc(&r, 1, 1800, A, 5);
	expect(&r, "cache 1000 100-1000 bounded reborn");
	r.task = &other;
	cache_free(&r, 0, 2000, A, 5);
	expect(&r, "cache 1000 1800-2000 uncertain kmem_cache_free");
	finish(&r, 90000, 0);
}

/* F1 comes when A1 was long given up for lost. */
static void test_later_than_that(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);
	kmalloc(&r, 0, 11000000, B, 8, 8);
	expect(&r, "cache 1000 100-1000 bounded reborn");
	r.task = NULL;
	cache_free(&r, 1, 12000000, A, 5);
	expect(&r, "cache 1000 1000-12000000 uncertain kmem_cache_free");

	/* By the task that made it: its own. After a second: nobody is that late. */
	cache_alloc(&r, 1, 20000100, A, 5);
	r.task = &other;
	cache_alloc(&r, 0, 20001000, A, 5);
	cache_free(&r, 1, 40000000, A, 5);
	cache_alloc(&r, 1, 50000100, A, 5);
	cache_alloc(&r, 0, 50001000, A, 5);
	r.task = NULL;
	cache_free(&r, 1, 1150001000, A, 5);
	expect(&r, "cache 1000 20000100-20001000 bounded reborn\n"
		   "cache 1000 20001000-40000000 exact kmem_cache_free\n"
		   "cache 1000 50000100-50001000 bounded reborn\n"
		   "cache 1000 50001000-1150001000 exact kmem_cache_free");
	finish(&r, 1200000000, 0);
	expect(&r, "kmalloc 2000 11000000-1200000000 open alive");
}

/* What was freed by kfree was not freed late. */
static void test_kfree_is_never_late(void **state)
{
	struct run r = run_new(true);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	r.context = LT_CTX_SOFTIRQ;
	cache_alloc(&r, 0, 1000, A, 5);
	cache_free(&r, 0, 1500, A, 5);
	expect(&r, "kmalloc 1000 100-1000 bounded reborn\n"
		   "cache 1000 1000-1500 exact kmem_cache_free");
	finish(&r, 90000, 0);
}

static void large(struct run *r, uint32_t cpu, uint64_t time, uint64_t site)
{
	struct lt_event ev = {
		.time = time, .seq = r->seq++, .task = r->task, .ptr = A, .cpu = cpu,
		.call_site = site, .bytes_req = 20000, .bytes_alloc = 32768, .node = -1,
		.class = LT_CLASS_KMALLOC,
	};

	lt_lifetimes_event(r->lf, &ev, 0);
}

/* One call that is traced twice is so soon, with a preemption; an hour later it is another. */
static void test_traced_twice(void **state)
{
	struct run r = run_new(false);

	(void)state;
	r.task = &other;
	kmalloc(&r, 3, 1, B, 8, 8);
	large(&r, 0, 100, SITE_ALLOC);
	large(&r, 0, 98000300, SITE_ALLOC + 0x1000);
	assert_int_equal(stats(&r)->births[LT_SPACE_SLAB], 2);
	large(&r, 1, 3600000000000ULL, SITE_ALLOC);
	kfree(&r, 1, 3600000000500ULL, A);
	assert_int_equal(stats(&r)->births[LT_SPACE_SLAB], 3);
	expect(&r, "kmalloc 1000 100-3600000000000 bounded reborn\n"
		   "kmalloc 1000 3600000000000-3600000000500 exact kfree");
	finish(&r, 3700000000000ULL, 0);
}

static struct lt_task third = { .tid = 12, .tgid = 12, .start = 3, .comm = "c" };

/*
 * A1 A2 F2 F1: F2 comes from a third CPU in time to be taken for F1, and F1 later than
 * DOUBT_LATE_NS, which a virtual CPU that is taken away does. A2 died at 2000.
 */
static void test_kept_free_was_its_own(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);
	r.task = &third;
	cache_free(&r, 2, 2000, A, 5);		/* F2 */
	r.task = NULL;
	cache_free(&r, 1, 15000000, A, 5);	/* F1 */
	expect(&r, "cache 1000 100-1000 uncertain kmem_cache_free\n"
		   "cache 1000 1000-15000000 uncertain kmem_cache_free");
	finish(&r, 90000000, 0);
}

/* A1 A2 F2, A1's ghost is given up, A3 F1: A3 is alive. */
static void test_born_after_the_ghost(void **state)
{
	struct run r = run_new(true);

	(void)state;
	softirq_between(&r);
	kmalloc(&r, 1, 11500000, B, 8, 8);	/* any event: the ghost expires */
	expect(&r, "cache 1000 100-1000 bounded reborn");
	r.task = &other;
	cache_alloc(&r, 1, 12000000, A, 5);	/* A3 */
	r.task = NULL;
	cache_free(&r, 0, 15000000, A, 5);	/* F1 */
	expect(&r, "cache 1000 12000000-15000000 uncertain kmem_cache_free");
	finish(&r, 90000000, 0);
}

/* The same without a ghost: A2 may be told from F1 (OBJ_LATE), A3 forgets it. */
static void test_born_after_the_doubt(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);		/* A1 */
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);		/* A2 */
	cache_free(&r, 0, 11500000, A, 5);	/* F2, by who made it */
	expect(&r, "cache 1000 100-1000 bounded reborn\n"
		   "cache 1000 1000-11500000 exact kmem_cache_free");
	cache_alloc(&r, 0, 12000000, A, 5);	/* A3, which stays alive */
	r.task = NULL;
	cache_free(&r, 1, 15000000, A, 5);	/* F1 */
	expect(&r, "cache 1000 12000000-15000000 uncertain kmem_cache_free");
	finish(&r, 90000000, 0);
}

/* A1 A2 R2 F1: F1 is not the end of A2's grace period. */
static void test_late_is_no_confirmation(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);
	rcu_free(&r, 0, 1500, A);
	r.task = NULL;
	cache_free(&r, 1, 2000, A, 5);		/* F1 */
	expect(&r, "cache 1000 100-1000 bounded reborn\n"
		   "unknown 1000 0-2000 before kmem_cache_free");
	kfree(&r, 1, 900000, A);		/* the release */
	expect(&r, "cache 1000 1000-1500 exact rcu_free +898500");
	finish(&r, 90000000, 0);
}

/*
 * A1 A2 F2 A3 F3 A4 F1: an interrupt of a microsecond comes between F1's release and its
 * stamp, while one task of CPU 0 takes and gives back the same slot. A4 is alive.
 */
static void test_taken_again_and_again(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);		/* A1 */
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);		/* A2 */
	cache_free(&r, 0, 1100, A, 5);
	cache_alloc(&r, 0, 1200, A, 5);		/* A3 */
	cache_free(&r, 0, 1300, A, 5);
	expect(&r, "cache 1000 1000-1100 exact kmem_cache_free\n"
		   "cache 1000 100-1000 bounded reborn\n"
		   "cache 1000 1200-1300 exact kmem_cache_free");
	cache_alloc(&r, 0, 1400, A, 5);		/* A4 */
	r.task = NULL;
	cache_free(&r, 1, 2000, A, 5);		/* F1 */
	expect(&r, "cache 1000 1400-2000 uncertain kmem_cache_free");
	finish(&r, 90000000, 0);
}

/*
 * A1 A2 A3 F1 F3 F2: A1 and A2 were both released before they are told to be freed. F1 may
 * be the end of A2 for all that the engine knows, so that A2 is not certain to have ended
 * by it (it ended by F2).
 */
static void test_three_born_before_the_first_free(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);		/* A1 */
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);		/* A2 */
	r.task = &third;
	cache_alloc(&r, 2, 1500, A, 5);		/* A3 */
	expect(&r, "cache 1000 100-1000 bounded reborn");
	r.task = NULL;
	cache_free(&r, 1, 2000, A, 5);		/* F1 */
	r.task = &third;
	cache_free(&r, 2, 2500, A, 5);		/* F3, by who made A3 */
	expect(&r, "cache 1000 1000-1500 uncertain kmem_cache_free\n"
		   "cache 1000 1500-2500 exact kmem_cache_free");
	finish(&r, 90000000, 0);
}

/* A1 A2 A3, F3 by who made it, and the ghost of A2 is met by F1, not by F2. */
static void test_ghost_met_by_the_first_free(void **state)
{
	struct run r = run_new(true);

	(void)state;
	cache_alloc(&r, 1, 100, A, 5);		/* A1 */
	r.task = &other;
	cache_alloc(&r, 0, 1000, A, 5);		/* A2 */
	r.task = &third;
	cache_alloc(&r, 2, 1500, A, 5);		/* A3 */
	cache_free(&r, 2, 1700, A, 5);		/* F3 */
	r.task = NULL;
	cache_free(&r, 1, 2000, A, 5);		/* F1 */
	expect(&r, "cache 1000 100-1000 bounded reborn\n"
		   "cache 1000 1500-1700 exact kmem_cache_free\n"
		   "cache 1000 1000-1500 uncertain kmem_cache_free");
	finish(&r, 90000000, 0);
}

/*
 * The birth of A0 was lost. A1 is given to kfree_rcu and born again as A2, which stays
 * alive; F0 comes late.
 */
static void test_born_after_rcu(void **state)
{
	struct run r = run_new(true);

	(void)state;
	r.gap_end = 50;
	cache_alloc(&r, 0, 100, A, 5);		/* A1 */
	rcu_free(&r, 0, 200, A);
	r.task = &other;
	cache_alloc(&r, 0, 20000000, A, 5);	/* A2 */
	r.task = &third;
	cache_free(&r, 1, 31000000, A, 5);	/* F0, or F2 */
	expect(&r, "cache 1000 100-200 exact rcu_free\n"
		   "cache 1000 20000000-31000000 uncertain kmem_cache_free");
	finish(&r, 90000000, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_softirq),
		cmocka_unit_test(test_after_task),
		cmocka_unit_test(test_birth_was_lost),
		cmocka_unit_test(test_never),
		cmocka_unit_test(test_not_its_own),
		cmocka_unit_test(test_born_before_it),
		cmocka_unit_test(test_later_than_that),
		cmocka_unit_test(test_kfree_is_never_late),
		cmocka_unit_test(test_traced_twice),
		cmocka_unit_test(test_taken_again_and_again),
		cmocka_unit_test(test_kept_free_was_its_own),
		cmocka_unit_test(test_born_after_the_ghost),
		cmocka_unit_test(test_born_after_the_doubt),
		cmocka_unit_test(test_late_is_no_confirmation),
		cmocka_unit_test(test_three_born_before_the_first_free),
		cmocka_unit_test(test_ghost_met_by_the_first_free),
		cmocka_unit_test(test_born_after_rcu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
