// SPDX-License-Identifier: GPL-2.0
/* The lifetime engine: vmalloc areas, per-CPU memory and coherent memory of devices. */
#include "lifetime_test.h"

#define AREA	0xffffc90000010000ULL
#define PART	0x607fc3602100ULL

static void put(struct run *r, enum lt_class class, uint64_t time, uint64_t ptr, uint64_t bytes)
{
	run_event(r, &(const struct lt_event){
		.time = time, .ptr = ptr, .task = &run_tasks[0], .node = -1,
		.class = (uint8_t)class, .bytes_req = bytes, .bytes_alloc = (bytes + 4095) & ~4095ULL,
	});
}

static void expect(const struct lt_lifetime *l, enum lt_space space, enum lt_certainty certainty,
		   enum lt_ending ending, uint64_t ptr, uint64_t bytes)
{
	assert_int_equal(l->space, space);
	assert_int_equal(l->certainty, certainty);
	assert_int_equal(l->ending, ending);
	assert_int_equal(l->ptr, ptr);
	assert_int_equal(l->bytes_req, bytes);
}

/* Each kind has its own addresses, and its own sizes. */
static void test_kinds(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	put(&r, LT_CLASS_VMALLOC, 100, AREA, 5000);
	put(&r, LT_CLASS_PERCPU_ALLOC, 110, AREA, 64);
	run_kmalloc(&r, 0, 120, AREA);
	put(&r, LT_CLASS_PERCPU_FREE, 200, AREA, 0);
	expect(&r.ended[0], LT_SPACE_PERCPU, LT_EXACT, LT_END_PERCPU, AREA, 64);
	put(&r, LT_CLASS_VFREE, 210, AREA, 0);
	expect(&r.ended[1], LT_SPACE_VMALLOC, LT_EXACT, LT_END_VFREE, AREA, 5000);
	assert_int_equal(r.ended[1].bytes_alloc, 8192);
	run_kfree(&r, 0, 220, AREA);
	assert_int_equal(r.ended[2].space, LT_SPACE_SLAB);
	assert_int_equal(r.n, 3);
	run_finish(&r, 300);
	assert_int_equal(r.n, 3);
}

/* What vmap made ends in the same way: an address that is not known is no area of vmalloc. */
static void test_unknown(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	put(&r, LT_CLASS_VFREE, 100, AREA, 0);
	assert_int_equal(r.n, 0);
	put(&r, LT_CLASS_PERCPU_FREE, 110, PART, 0);
	expect(&r.ended[0], LT_SPACE_PERCPU, LT_BEFORE, LT_END_PERCPU, PART, 0);
	run_finish(&r, 200);
	assert_int_equal(r.n, 1);
}

/* A free that was not seen, a loss, and what is alive at the end. */
static void test_rest(void **state)
{
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	put(&r, LT_CLASS_VMALLOC, 100, AREA, 4096);
	put(&r, LT_CLASS_VMALLOC, 9000, AREA, 8192);
	put(&r, LT_CLASS_PERCPU_ALLOC, 9100, PART, 8);
	r.gap_end[LT_SPACE_PERCPU] = 9200;
	put(&r, LT_CLASS_VMALLOC, 30000, AREA + 65536, 100);
	expect(&r.ended[0], LT_SPACE_VMALLOC, LT_BOUNDED, LT_END_REBORN, AREA, 4096);
	put(&r, LT_CLASS_PERCPU_FREE, 30100, PART, 0);
	expect(&r.ended[1], LT_SPACE_PERCPU, LT_UNCERTAIN, LT_END_PERCPU, PART, 8);
	put(&r, LT_CLASS_VFREE, 30200, AREA, 0);
	expect(&r.ended[2], LT_SPACE_VMALLOC, LT_EXACT, LT_END_VFREE, AREA, 8192);
	run_finish(&r, 40000);
	expect(&r.ended[3], LT_SPACE_VMALLOC, LT_OPEN, LT_END_ALIVE, AREA + 65536, 100);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.stats.live[LT_SPACE_VMALLOC], 1);
}

/* Coherent memory is of a device, in the place of a cache, and of a space of its own. */
static void test_dma(void **state)
{
	const uint32_t device = 65536 + 3;
	struct run r;

	(void)state;
	run_start_plain(&r, false);
	run_event(&r, &(const struct lt_event){
		.time = 100, .ptr = AREA, .task = &run_tasks[0], .node = -1, .cache = device,
		.class = LT_CLASS_DMA_ALLOC, .bytes_req = 5000, .bytes_alloc = 8192,
	});
	put(&r, LT_CLASS_VMALLOC, 110, AREA, 64);
	put(&r, LT_CLASS_DMA_ALLOC, 120, AREA + 65536, 100);
	put(&r, LT_CLASS_DMA_FREE, 200, AREA, 0);
	expect(&r.ended[0], LT_SPACE_DMA, LT_EXACT, LT_END_DMA, AREA, 5000);
	assert_int_equal(r.ended[0].cache, device);
	assert_int_equal(r.ended[0].bytes_alloc, 8192);
	assert_int_equal(r.ended[0].node, -1);
	/* From before the trace: nothing is known of it but its end. */
	put(&r, LT_CLASS_DMA_FREE, 210, PART, 0);
	expect(&r.ended[1], LT_SPACE_DMA, LT_BEFORE, LT_END_DMA, PART, 0);
	assert_int_equal(r.ended[1].cache, 0);
	run_finish(&r, 300);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.stats.live[LT_SPACE_DMA], 1);
	assert_int_equal(r.stats.live[LT_SPACE_VMALLOC], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_rest), cmocka_unit_test(test_dma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
