// SPDX-License-Identifier: GPL-2.0
/*
 * The hash table, the queue, the heap and what is recalled, each against a simple model.
 */
#include "base/hash.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/recall.h"
#include "base/ring.h"
#include "testlib.h"

#define N_KEYS	1000

/* A hash that @bits of the key alone make up: with few bits most keys collide. */
static uint32_t hash_of(uint32_t key, unsigned int bits)
{
	return (uint32_t)lt_hash64(key & ((1U << bits) - 1), 1);
}

static bool is_in(const struct lt_map *map, uint32_t key, unsigned int bits)
{
	uint32_t number;

	lt_map_for_each(number, at, map, hash_of(key, bits)) {
		if (number == key)
			return true;
	}
	return false;
}

static void run_map(unsigned int bits)
{
	bool in[N_KEYS + 1] = { false };
	struct lt_map map;
	size_t n = 0;

	lt_map_init(&map);
	srand(bits);
	for (unsigned int round = 0; round < 20000; round++) {
		uint32_t key = 1 + (uint32_t)rand() % N_KEYS;

		assert_int_equal(is_in(&map, key, bits), in[key]);
		if (in[key])
			lt_map_remove(&map, hash_of(key, bits), key);
		else
			lt_map_add(&map, hash_of(key, bits), key);
		in[key] = !in[key];
		n += in[key] ? 1 : -1;
		assert_int_equal(map.n, n);
	}
	for (uint32_t key = 1; key <= N_KEYS; key++)
		assert_int_equal(is_in(&map, key, bits), in[key]);
	lt_map_clear(&map);
	for (uint32_t key = 1; key <= N_KEYS; key++)
		assert_false(is_in(&map, key, bits));
	lt_map_destroy(&map);
}

static void test_map(void **state)
{
	(void)state;
	run_map(20);
	run_map(5);
	run_map(0);
}

static void test_map_renumber(void **state)
{
	struct lt_map map;
	uint32_t number;

	(void)state;
	lt_map_init(&map);
	lt_map_for_each(number, at, &map, 7)
		fail();
	lt_map_add(&map, 7, 1);
	lt_map_add(&map, 7, 2);
	lt_map_for_each(number, at, &map, 7) {
		if (number == 2)
			lt_map_renumber(&map, at, 3);
	}
	assert_int_equal(map.n, 2);
	lt_map_remove(&map, 7, 3);
	lt_map_remove(&map, 7, 1);
	assert_int_equal(map.n, 0);
	lt_map_destroy(&map);
}

static void test_ring(void **state)
{
	struct lt_ring ring = { 0 };
	uint64_t in = 0, out = 0;

	(void)state;
	srand(1);
	/* More comes than goes: the queue grows while its head is anywhere. */
	for (unsigned int round = 0; round < 20000; round++) {
		if (ring.n && rand() % 5 < 2) {
			assert_int_equal(lt_ring_first(&ring)->what, out);
			assert_int_equal(lt_ring_first(&ring)->stamp, ~out);
			lt_ring_pop(&ring);
			out++;
		} else {
			lt_ring_push(&ring, in, ~in);
			in++;
		}
		assert_int_equal(ring.n, in - out);
	}
	lt_ring_destroy(&ring);
}

static bool is_less(const void *a, const void *b, const void *arg)
{
	(void)arg;
	return *(const uint32_t *)a < *(const uint32_t *)b;
}

static void test_heap(void **state)
{
	uint32_t heap[N_KEYS], last = 0;
	size_t n = 0;

	(void)state;
	srand(2);
	while (n < N_KEYS) {
		heap[n] = (uint32_t)rand() % 300;
		lt_heap_up(heap, sizeof(*heap), n++, is_less, NULL);
	}
	/* An element that is replaced by a later one. */
	heap[0] += 100;
	lt_heap_down(heap, n, sizeof(*heap), 0, is_less, NULL);
	while (n) {
		assert_true(heap[0] >= last);
		last = heap[0];
		heap[0] = heap[--n];
		lt_heap_down(heap, n, sizeof(*heap), 0, is_less, NULL);
	}
}

/*
 * A key that differs from others in one word alone, in another one than the next key; its length.
 */
static size_t make_key(uint32_t i, uint64_t key[LT_RECALL_KEY])
{
	memset(key, 0, LT_RECALL_KEY * sizeof(*key));
	key[i % LT_RECALL_LINE] = i;
	key[0] |= (uint64_t)(i % 3) << 40;
	return LT_RECALL_KEY - i % 3 * LT_RECALL_LINE;
}

/* What a key has is its own number or none, and most keys have it, until there are too many. */
static void test_recall(void **state)
{
	struct lt_recall r = { 0 };
	uint64_t key[LT_RECALL_KEY];
	size_t n, known = 0;

	(void)state;
	for (unsigned int round = 0; round < 3; round++) {
		for (uint32_t i = 1; i <= LT_RECALL_MAX; i++) {
			uint32_t hash, number;

			n = make_key(i, key);
			hash = lt_recall_hash(key, n);
			lt_recall_expect(&r, hash);
			lt_recall_seek(&r, hash);
			number = lt_recall_find(&r, hash, key, n);
			if (number)
				assert_int_equal(number, 1 + i / 2);
			else if (round < 2)
				lt_recall_keep(&r, hash, key, n, 1 + i / 2);
			known += round == 2 && number;
		}
	}
	assert_true(known > LT_RECALL_MAX / 4);
	assert_true(r.used <= LT_RECALL_MAX);
	assert_true(r.n_lines <= r.cap);
	assert_true(r.n <= 2 * LT_RECALL_MAX);
	lt_recall_destroy(&r);
	assert_null(r.slots);
	assert_null(r.lines);
}

/* As long as the keys are few, none is forgotten, also when the table grows. */
static void test_recall_few(void **state)
{
	struct lt_recall r = { 0 };
	uint64_t key[LT_RECALL_KEY];

	(void)state;
	for (uint32_t n = 1; n <= 3000; n++) {
		for (uint32_t i = n > 20 ? n - 20 : 1; i <= n; i++) {
			size_t len = make_key(i, key);
			uint32_t hash = lt_recall_hash(key, len);

			assert_int_equal(lt_recall_find(&r, hash, key, len), i < n ? i : 0);
			if (i == n)
				lt_recall_keep(&r, hash, key, len, i);
		}
	}
	assert_int_equal(r.used, 3000);
	lt_recall_destroy(&r);
}

/* Of keys with one hash the last one is known. */
static void test_recall_full(void **state)
{
	struct lt_recall r = { 0 };
	uint64_t key[LT_RECALL_KEY] = { 0 };

	(void)state;
	for (uint32_t n = 1; n <= 20; n++) {
		key[0] = n;
		assert_int_equal(lt_recall_find(&r, 77, key, LT_RECALL_LINE), 0);
		lt_recall_keep(&r, 77, key, LT_RECALL_LINE, n);
		assert_int_equal(lt_recall_find(&r, 77, key, LT_RECALL_LINE), n);
		key[4] = 1;
		assert_int_equal(lt_recall_find(&r, 77, key, LT_RECALL_LINE), 0);
		key[4] = 0;
	}
	lt_recall_destroy(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_map_renumber),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_recall),
		cmocka_unit_test(test_recall_few),
		cmocka_unit_test(test_recall_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
