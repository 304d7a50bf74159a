// SPDX-License-Identifier: GPL-2.0
/*
 * The lifetime engine, with events made by hand: slab objects.
 *
 * A script is a list of steps, one event each; what comes out is compared with
 * a list of lifetimes, written as text:
 *
 *	kind ptr birth-death certainty ending [+limbo]
 */
#include "lifetime_test.h"

#define A	0x1000ULL	/* addresses of objects */
#define B	0x2000ULL

static struct lt_task task_a = { .tid = 10, .tgid = 10, .start = 1, .comm = "a" };
static struct lt_task task_b = { .tid = 10, .tgid = 10, .start = 2, .comm = "b" };

static void test_pair(void **state)
{
	struct run r = run_new(false);

	(void)state;
	r.task = &task_a;
	kmalloc(&r, 0, 100, A, 60, 64);
	r.task = &task_b;
	kfree(&r, 1, 250, A);
	expect(&r, "kmalloc 1000 100-250 exact kfree");
	assert_int_equal(r.last.birth.cpu, 0);
	assert_int_equal(r.last.death.cpu, 1);
	assert_ptr_equal(r.last.birth.task, &task_a);
	assert_ptr_equal(r.last.death.task, &task_b);
	assert_int_equal(r.last.birth.call_site, SITE_ALLOC);
	assert_int_equal(r.last.death.call_site, SITE_FREE);
	assert_int_equal(r.last.bytes_req, 60);
	assert_int_equal(r.last.bytes_alloc, 64);
	assert_int_equal(r.last.further, 0);
	finish(&r, 1000, 0);
	expect(&r, "");
}

/* Tasks are what the pointer says, not their number. */
static void test_task_identity(void **state)
{
	struct run r = run_new(false);
	uint32_t first;

	(void)state;
	r.task = &task_a;
	kmalloc(&r, 0, 100, A, 60, 64);
	kfree(&r, 0, 110, A);
	first = r.last.birth.task_id;
	assert_int_equal(r.last.death.task_id, first);
	r.task = &task_b;
	kmalloc(&r, 0, 120, A, 60, 64);
	kfree(&r, 0, 130, A);
	assert_int_not_equal(r.last.birth.task_id, first);
	assert_ptr_equal(lt_lifetimes_task(r.lf, first), &task_a);
	finish(&r, 1000, 0);
}

static void test_reuse(void **state)
{
	struct run r = run_new(false);

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		kmalloc(&r, i & 1, 100 + i * 10, A, 8, 8);
		kfree(&r, i & 1, 105 + i * 10, A);
		assert_int_equal(r.last.certainty, LT_EXACT);
		assert_int_equal(lt_lifetime_ns(&r.last), 5);
	}
	finish(&r, 100000, 0);
	assert_int_equal(r.n, 1000);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_EXACT], 1000);
}

static void test_further(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	kmalloc(&r, 0, 101, B, 8, 8);
	page_alloc(&r, 0, 102, 7, 0);	/* another space: does not count */
	kmalloc(&r, 0, 103, B + 64, 8, 8);
	kfree(&r, 0, 104, A);
	assert_int_equal(r.last.further, 2);
	kfree(&r, 0, 105, B + 64);
	assert_int_equal(r.last.further, 0);
	finish(&r, 200, 0);
}

static void test_open(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 300, A, 8, 8);
	kmalloc(&r, 1, 100, B, 8, 8);
	finish(&r, 1000, 0);
	expect(&r, "kmalloc 2000 100-1000 open alive\n"
		   "kmalloc 1000 300-1000 open alive");
	assert_int_equal(stats(&r)->live[LT_SPACE_SLAB], 2);
	assert_false(r.last.death.known);
}

static void test_before(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kfree(&r, 0, 100, A);
	cache_free(&r, 0, 110, B, 3);
	expect(&r, "unknown 1000 0-100 before kfree\n"
		   "unknown 2000 0-110 before kmem_cache_free");
	assert_false(r.last.birth.known);
	assert_int_equal(r.last.cache, 3);
	assert_int_equal(lt_lifetime_ns(&r.last), 0);
	finish(&r, 200, 0);
	expect(&r, "");
}

/* Slab space is one: any call may free what any other made. */
static void test_cross_kind(void **state)
{
	struct run r = run_new(false);

	(void)state;
	cache_alloc(&r, 0, 100, A, 5);
	kfree(&r, 0, 110, A);
	kmalloc(&r, 0, 120, A, 8, 8);
	cache_free(&r, 0, 130, A, 5);
	bulk_alloc(&r, 0, 140, A, 5);
	kfree(&r, 0, 150, A);
	cache_alloc(&r, 0, 160, A, 5);
	bulk_free(&r, 0, 170, A, 0);
	expect(&r, "cache 1000 100-110 exact kfree\n"
		   "kmalloc 1000 120-130 exact kmem_cache_free\n"
		   "bulk 1000 140-150 exact kfree\n"
		   "cache 1000 160-170 exact bulk_free");
	finish(&r, 200, 0);
}

static void test_cache_sizes(void **state)
{
	struct run r = run_new(false);

	(void)state;
	cache_alloc(&r, 0, 100, A, 5);
	cache_free(&r, 0, 110, A, 5);
	assert_int_equal(r.last.bytes_req, 50);
	assert_int_equal(r.last.bytes_alloc, 56);
	/* A cache that is described only after its first object. */
	r.cache_hidden = true;
	cache_alloc(&r, 0, 120, A, 5);
	r.cache_hidden = false;
	cache_free(&r, 0, 130, A, 5);
	assert_int_equal(r.last.bytes_alloc, 56);
	finish(&r, 200, 0);
}

static void test_pages_apart(void **state)
{
	struct run r = run_new(false);

	(void)state;
	/* A large kmalloc: the same memory in both spaces, equal numbers. */
	page_alloc(&r, 0, 100, A, 2);
	kmalloc(&r, 0, 101, A, 16000, 16384);
	kfree(&r, 0, 200, A);
	page_free(&r, 0, 201, A, 2);
	expect(&r, "kmalloc 1000 101-200 exact kfree\n"
		   "page 1000 100-201 exact page_free");
	assert_int_equal(r.last.bytes_alloc, 16384);
	finish(&r, 300, 0);
}

static void test_reborn(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	kmalloc(&r, 0, 5000, A, 8, 8);
	expect(&r, "");
	/* Time alone decides: no free came within the window. */
	kmalloc(&r, 0, 7000, B, 8, 8);
	expect(&r, "kmalloc 1000 100-5000 bounded reborn");
	assert_false(r.last.death.known);
	kfree(&r, 1, 8000, A);
	expect(&r, "kmalloc 1000 5000-8000 exact kfree");
	finish(&r, 9000, 0);
	expect(&r, "kmalloc 2000 7000-9000 open alive");
}

/* Each birth says that the one before has ended. */
static void test_reborn_often(void **state)
{
	struct run r = run_new(false);

	(void)state;
	for (uint64_t i = 0; i < 300; i++)
		kmalloc(&r, 0, 100 + i, A, 8, 8);
	finish(&r, 1000, 0);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_BOUNDED], 299);
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_OPEN], 1);
}

static void test_gap(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	kmalloc(&r, 0, 150, B, 8, 8);
	r.gap_end = 120;	/* an object born at 120 or later did not live then */
	kfree(&r, 0, 200, A);
	kfree(&r, 0, 210, B);
	kfree(&r, 0, 220, B + 8);
	expect(&r, "kmalloc 1000 100-200 uncertain kfree\n"
		   "kmalloc 2000 150-210 exact kfree\n"
		   "unknown 2008 0-220 uncertain kfree");
	assert_int_equal(stats(&r)->lossy, 2);
	kmalloc(&r, 0, 300, A, 8, 8);
	kmalloc(&r, 0, 310, B, 8, 8);
	kmalloc(&r, 0, 9000, A, 8, 8);
	finish(&r, 20000, 305);
	expect(&r, "kmalloc 1000 300-9000 bounded reborn\n"
		   "kmalloc 2000 310-20000 open alive\n"
		   "kmalloc 1000 9000-20000 open alive");
}

static void test_gap_reborn_and_open(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kmalloc(&r, 0, 100, A, 8, 8);
	kmalloc(&r, 0, 110, B, 8, 8);
	r.gap_end = 150;
	kmalloc(&r, 0, 200, A, 8, 8);
	finish(&r, 5000, 150);
	expect(&r, "kmalloc 1000 100-200 uncertain reborn\n"
		   "kmalloc 2000 110-5000 uncertain alive\n"
		   "kmalloc 1000 200-5000 open alive");
}

/* A gap that never ends: nothing that ends in it is sure. */
static void test_gap_forever(void **state)
{
	struct run r = run_new(false);

	(void)state;
	r.gap_end = UINT64_MAX;
	kmalloc(&r, 0, 100, A, 8, 8);
	kfree(&r, 0, 110, A);
	expect(&r, "kmalloc 1000 100-110 uncertain kfree");
	finish(&r, 200, UINT64_MAX);
}

static void test_nonsense(void **state)
{
	struct run r = run_new(false);

	(void)state;
	kfree(&r, 0, 100, 0);
	kfree(&r, 0, 100, 16);
	kmalloc(&r, 0, 100, 0, 8, 8);
	page_alloc(&r, 0, 100, 1, 1);	/* not aligned */
	page_alloc(&r, 0, 100, 0, 40);
	page_free(&r, 0, 100, UINT64_MAX, 0);
	finish(&r, 200, 0);
	expect(&r, "");
	assert_int_equal(stats(&r)->bad, 6);
}

static void test_failed(void **state)
{
	struct run r = run_new(false);
	struct lt_event ev = { .time = 1, .class = LT_CLASS_ALLOC_FAILED };

	(void)state;
	lt_lifetimes_event(r.lf, &ev, 0);
	finish(&r, 200, 0);
	expect(&r, "");
	assert_int_equal(stats(&r)->failed, 1);
}

/* Many objects, in and out in another order: the table's own housekeeping. */
static void test_many(void **state)
{
	struct run r = run_new(false);
	uint64_t time = 1, x = 88172645463325252ULL;
	enum { N = 20000 };
	static uint64_t born[N];

	(void)state;
	for (int i = 0; i < 400000; i++) {
		uint64_t which;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		which = x % N;
		time++;
		if (!born[which]) {
			kmalloc(&r, 0, time, 0x10000 + which * 32, 8, 32);
			born[which] = time;
			continue;
		}
		kfree(&r, 0, time, 0x10000 + which * 32);
		assert_int_equal(r.last.ptr, 0x10000 + which * 32);
		assert_int_equal(r.last.birth.time, born[which]);
		born[which] = 0;
	}
	assert_int_equal(stats(&r)->certainty[LT_SPACE_SLAB][LT_BEFORE], 0);
	finish(&r, time, 0);
	memset(born, 0, sizeof(born));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_task_identity),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_further),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_cross_kind),
		cmocka_unit_test(test_cache_sizes),
		cmocka_unit_test(test_pages_apart),
		cmocka_unit_test(test_reborn),
		cmocka_unit_test(test_reborn_often),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_gap_reborn_and_open),
		cmocka_unit_test(test_gap_forever),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_failed),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
