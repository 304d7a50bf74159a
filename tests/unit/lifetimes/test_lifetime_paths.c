// SPDX-License-Identifier: GPL-2.0
/* The lifetime engine: krealloc in place, and pages of bulk allocations. */
#include "lifetime_test.h"

#define PTR	0xffff888000010000ULL
#define PFN	0x12345ULL

static void put(struct run *r, enum lt_class class, uint64_t time, uint64_t ptr, uint64_t bytes)
{
	run_event(r, &(const struct lt_event){
		.time = time, .ptr = ptr, .task = &run_tasks[0], .node = -1,
		.class = (uint8_t)class, .bytes_req = bytes, .bytes_alloc = bytes ? 128 : 0,
	});
}

/* A page by @task; of a bulk allocation with its caller. */
static void page(struct run *r, enum lt_class class, uint64_t time, int task, bool single)
{
	run_event(r, &(const struct lt_event){
		.time = time, .ptr = PFN, .task = &run_tasks[task], .node = -1, .gfp = 0xcc0,
		.class = (uint8_t)class, .single = single,
		.call_site = class == LT_CLASS_PAGE_BULK ? 0xffffffff81000010ULL : 0,
	});
}

/* The last size counts, of the object that has the address now. */
static void test_resize(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	put(&r, LT_CLASS_RESIZE, 50, PTR, 7);	/* older than the trace */
	put(&r, LT_CLASS_KMALLOC, 100, PTR, 65);
	put(&r, LT_CLASS_RESIZE, 110, PTR, 100);
	put(&r, LT_CLASS_RESIZE, 120, PTR, 128);
	put(&r, LT_CLASS_KFREE, 130, PTR, 0);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.ended[0].certainty, LT_EXACT);
	assert_int_equal(r.ended[0].bytes_req, 65);
	assert_true(r.ended[0].resized);
	assert_int_equal(r.ended[0].bytes_last, 128);
	assert_int_equal(lt_lifetime_slack(&r.ended[0]), 0);
	put(&r, LT_CLASS_RESIZE, 140, PTR, 9);	/* nobody has it */
	put(&r, LT_CLASS_KMALLOC, 200, PTR, 66);
	put(&r, LT_CLASS_KFREE, 210, PTR, 0);
	assert_false(r.ended[1].resized);
	assert_int_equal(r.ended[1].bytes_last, 66);
	put(&r, LT_CLASS_KMALLOC, 300, PTR, 67);
	put(&r, LT_CLASS_RESIZE, 310, PTR, 70);
	run_finish(&r, 400);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.ended[2].certainty, LT_OPEN);
	assert_int_equal(r.ended[2].bytes_last, 70);
	assert_int_equal(lt_lifetime_slack(&r.ended[2]), 58);
}

static void resize_area(struct run *r, uint64_t time, uint64_t req, uint64_t alloc)
{
	run_event(r, &(const struct lt_event){
		.time = time, .ptr = PTR, .task = &run_tasks[0], .node = -1,
		.class = LT_CLASS_VRESIZE, .bytes_req = req, .bytes_alloc = alloc,
	});
}

/* As of an object; and one whose making was not seen is none of vmalloc. */
static void test_resize_of_area(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	resize_area(&r, 50, 7, 0);
	put(&r, LT_CLASS_VFREE, 60, PTR, 0);
	assert_int_equal(r.n, 0);
	put(&r, LT_CLASS_VMALLOC, 100, PTR, 65);
	resize_area(&r, 110, 100, 0);
	put(&r, LT_CLASS_RESIZE, 115, PTR, 1);	/* there is no object of the slab */
	resize_area(&r, 120, 40, 0);
	put(&r, LT_CLASS_VFREE, 130, PTR, 0);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.ended[0].certainty, LT_EXACT);
	assert_int_equal(r.ended[0].space, LT_SPACE_VMALLOC);
	assert_int_equal(r.ended[0].bytes_req, 65);
	assert_true(r.ended[0].resized);
	assert_int_equal(r.ended[0].bytes_last, 40);
	assert_int_equal(lt_lifetime_slack(&r.ended[0]), 88);
	put(&r, LT_CLASS_VMALLOC, 200, PTR, 66);
	put(&r, LT_CLASS_VFREE, 230, PTR, 0);
	assert_false(r.ended[1].resized);
	/* Pages were freed; then there were more again than the size needs. */
	put(&r, LT_CLASS_VMALLOC, 300, PTR, 120);
	resize_area(&r, 310, 30, 64);
	resize_area(&r, 320, 20, 0);
	run_finish(&r, 400);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.ended[2].bytes_alloc, 128);
	assert_int_equal(r.ended[2].bytes_last, 20);
	assert_int_equal(lt_lifetime_slack(&r.ended[2]), 44);
}

/* The free of the first one was not seen: each has its own size. */
static void test_resize_reborn(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	put(&r, LT_CLASS_KMALLOC, 100, PTR, 65);
	put(&r, LT_CLASS_RESIZE, 110, PTR, 80);
	put(&r, LT_CLASS_KMALLOC, 200, PTR, 66);
	put(&r, LT_CLASS_RESIZE, 210, PTR, 90);
	put(&r, LT_CLASS_KFREE, 10000000000, PTR, 0);
	run_finish(&r, 20000000000);
	assert_int_equal(r.n, 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_true(r.ended[i].resized);
		assert_int_equal(r.ended[i].bytes_last, r.ended[i].bytes_req == 65 ? 80 : 90);
	}
}

/* One page alone may have two events: it is one page, and the second one has its caller. */
static void test_traced_twice(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	page(&r, LT_CLASS_PAGE_ALLOC, 100, 0, false);
	page(&r, LT_CLASS_PAGE_BULK, 110, 0, true);
	page(&r, LT_CLASS_PAGE_FREE, 120, 0, false);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.ended[0].certainty, LT_EXACT);
	assert_int_equal(r.ended[0].birth.time, 100);
	assert_int_equal(r.ended[0].birth.call_site, 0xffffffff81000010ULL);
	run_finish(&r, 200);
	assert_int_equal(r.stats.births[LT_SPACE_PAGE], 1);
}

/* Not of the same call: one of several, of another task, or behind a gap. */
static void test_two_pages(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct run r;

		run_start_plain(&r, false);
		page(&r, LT_CLASS_PAGE_ALLOC, 100, 0, false);
		if (i == 2)
			r.gap_end[LT_SPACE_PAGE] = 105;
		page(&r, LT_CLASS_PAGE_BULK, 110, i == 1, i != 0);
		page(&r, LT_CLASS_PAGE_FREE, 10000000000, 0, false);
		run_finish(&r, 20000000000);
		assert_int_equal(r.n, 2);
		assert_int_equal(r.stats.births[LT_SPACE_PAGE], 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resize), cmocka_unit_test(test_resize_of_area),
		cmocka_unit_test(test_resize_reborn),
		cmocka_unit_test(test_traced_twice), cmocka_unit_test(test_two_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
