// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: what is in them stays or may go as they grow, on the heap and in an arena.
 */
#include <string.h>

#include "base/buf.h"
#include "testlib.h"

#define LARGE	(256U << 10)
#define N	40

/* It has room for @size bytes, and zeros behind what it has room for. */
static void check_room(const struct lt_buf *b, size_t size)
{
	static const uint8_t zeros[LT_SLACK];

	assert_true(b->cap >= size);
	assert_memory_equal(b->data + b->cap, zeros, LT_SLACK);
	memset(b->data, 0xff, b->cap);
	memset(b->data + b->cap, 0, LT_SLACK);
}

static void test_heap(void **state)
{
	struct lt_buf b = { 0 };
	uint8_t *at;

	(void)state;
	lt_buf_reserve(&b, 0);
	assert_non_null(b.data);
	lt_buf_reserve(&b, LARGE);
	check_room(&b, LARGE);
	assert_false(b.lent);
	at = b.data;
	lt_buf_reserve(&b, 100);
	assert_ptr_equal(b.data, at);
	lt_buf_free(&b);
	assert_null(b.data);
	assert_int_equal(b.cap, 0);
}

static void test_extend(void **state)
{
	struct lt_buf b = { 0 };

	(void)state;
	for (size_t size = 1; size < LARGE; size *= 3) {
		lt_buf_extend(&b, size);
		assert_true(b.cap >= size);
		for (size_t i = 0; i < b.size; i++)
			assert_int_equal(b.data[i], (uint8_t)(i * 7));
		for (b.size = 0; b.size < size; b.size++)
			b.data[b.size] = (uint8_t)(b.size * 7);
	}
	lt_buf_free(&b);
}

/* More than a chunk of them. None overlaps another one. */
static void test_arena(void **state)
{
	struct lt_arena arena = { 0 };
	struct lt_buf b[N] = { { 0 } };

	(void)state;
	for (size_t i = 0; i < N; i++) {
		b[i].arena = &arena;
		lt_buf_reserve(&b[i], LARGE - i * 100);
		assert_true(b[i].lent);
		check_room(&b[i], LARGE - i * 100);
		memset(b[i].data, (int)i, b[i].cap);
	}
	assert_true(arena.n > 1);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(b[i].data[0], i);
		assert_memory_equal(b[i].data, b[i].data + 1, b[i].cap - 1);
	}
	for (size_t i = 0; i < N; i++)
		lt_buf_free(&b[i]);
	lt_arena_free(&arena);
}

/* By little or much: all that it leaves in the arena is less than twice what it has. */
static void test_grows(void **state)
{
	struct lt_arena arena = { 0 };
	struct lt_buf b = { .arena = &arena };
	size_t lent = 0;

	(void)state;
	lt_buf_reserve(&b, 1000);
	assert_false(b.lent);
	for (size_t size = 1000, i = 1; size < 64 * LARGE; size += i++ % 30 ? 30000 : size) {
		const bool was_lent = b.lent;
		const size_t cap = b.cap;

		lt_buf_reserve(&b, size);
		check_room(&b, size);
		if (was_lent && b.cap != cap)
			lent += cap;
		assert_true(lent < 2 * b.cap);
	}
	/* Without an arena, as where another thread has it, it goes on. */
	b.arena = NULL;
	lt_buf_reserve(&b, 80 * LARGE);
	assert_false(b.lent);
	check_room(&b, 80 * LARGE);
	lt_buf_free(&b);
	lt_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heap), cmocka_unit_test(test_extend),
		cmocka_unit_test(test_arena), cmocka_unit_test(test_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
