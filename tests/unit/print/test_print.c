// SPDX-License-Identifier: GPL-2.0
/*
 * What makes output fast: digits without printf, which must look as printf's; names
 * and pieces of lines that are kept; two threads.
 */
#include "base/out.h"
#include "out/cells.h"
#include "out/handoff.h"
#include "out/memo.h"
#include "out/units.h"
#include "testlib.h"

static uint64_t rng = 7;

/* All magnitudes, and what is rounded either way. */
static uint64_t number(unsigned int i)
{
	static const uint64_t steps[] = { 1, 1, 50, 512, 50000, 524288, 500000000 };
	uint64_t v;

	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	v = i < 20000 ? i : rng >> (rng % 64);
	return v / steps[i % 7] * steps[i % 7] - (i % 11 == 0);
}

static void old_bytes(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes;
	unsigned int i = 0;

	while (v >= 1024 && i < 6) {
		v /= 1024;
		i++;
	}
	snprintf(buf, size, i ? "%.1f %s" : "%.0f %s", v, units[i]);
}

static void old_ns(uint64_t ns, char *buf, size_t size)
{
	if (ns < 1000)
		snprintf(buf, size, "%llu ns", (unsigned long long)ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, size, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(buf, size, "%.3f s", (double)ns / 1e9);
}

static void test_digits(void **state)
{
	char a[64], b[64];

	(void)state;
	for (unsigned int i = 0; i < 300000; i++) {
		unsigned long long v = number(i);

		snprintf(a, sizeof(a), "%llu", v);
		*lt_put_u64(b, v) = 0;
		assert_string_equal(a, b);
		snprintf(a, sizeof(a), "%lld", (long long)v);
		*lt_put_s64(b, (int64_t)v) = 0;
		assert_string_equal(a, b);
		snprintf(a, sizeof(a), "0x%llx", v);
		*lt_put_hex(b, v) = 0;
		assert_string_equal(a, b);
		snprintf(a, sizeof(a), "%llu.%09llu", v / 1000000000, v % 1000000000);
		*lt_put_time(b, v) = 0;
		assert_string_equal(a, b);
	}
}

static void test_human_numbers(void **state)
{
	char a[64], b[64];

	(void)state;
	for (unsigned int i = 0; i < 300000; i++) {
		uint64_t v = number(i);

		old_bytes(v, a, sizeof(a));
		assert_string_equal(a, lt_human_bytes(v, b, sizeof(b)));
		old_ns(v, a, sizeof(a));
		assert_string_equal(a, lt_human_ns(v, b, sizeof(b)));
	}
	assert_string_equal(lt_human_ns(123456, b, 4), "123");
	assert_string_equal(lt_human_count(1, b, 1), "");
}

static void test_cells(void **state)
{
	struct lt_cells c;
	char text[32];

	(void)state;
	lt_cells_init(&c);
	assert_null(lt_cells_find(&c, 0));
	/* So many that the first are forgotten. */
	for (uint64_t i = 0; i < 70000; i++) {
		const struct lt_cell *cell;
		size_t len = (size_t)snprintf(text, sizeof(text), "\xc3\xa4%llu",
					      (unsigned long long)i);

		assert_null(lt_cells_find(&c, i));
		lt_cells_add(&c, i, text, len);
		cell = lt_cells_find(&c, i);
		assert_non_null(cell);
		assert_int_equal(cell->len, len);
		assert_int_equal(cell->width, len - 1);
		assert_memory_equal(cell->text, text, len);
	}
	assert_null(lt_cells_find(&c, 0));
	lt_cells_destroy(&c);
}

/* Whether the piece of these words is known; it is kept then. @len: of its text */
static bool is_known(const struct lt_memo *m, const uint64_t words[2], size_t len)
{
	struct lt_memo_text *t = lt_memo_find(m, words, 2);
	char text[LT_MEMO_TEXT + 1], copy[LT_MEMO_TEXT + LT_PIECE];

	memset(text, (int)('a' + (words[0] + words[1]) % 26), sizeof(text));
	if (!t->len) {
		assert_ptr_equal(lt_memo_keep(t, text, text + len), text + len);
		return false;
	}
	assert_ptr_equal(lt_memo_put(copy, t), copy + len);
	assert_memory_equal(copy, text, len);
	return true;
}

static void test_memo(void **state)
{
	static const size_t lengths[] = { 1, LT_PIECE, LT_PIECE + 1, LT_MEMO_TEXT };
	const uint64_t zero[2] = { 0 };
	struct lt_memo m;

	(void)state;
	lt_memo_init(&m, 16);
	assert_false(is_known(&m, zero, 1));
	for (uint64_t i = 1; i < 1000; i++) {
		const uint64_t words[2] = { i / 7, i }, other[2] = { i / 7 + 1, i };
		size_t len = lengths[i % 4];

		assert_false(is_known(&m, words, len));
		assert_true(is_known(&m, words, len));
		assert_false(is_known(&m, other, 1));
		lt_memo_clear(&m);
		assert_false(is_known(&m, words, len));
	}
	/* A piece that is too long is not kept, and takes the place of no other one. */
	assert_false(is_known(&m, zero, LT_MEMO_TEXT + 1));
	assert_false(is_known(&m, zero, 5));
	assert_true(is_known(&m, zero, 5));
	lt_memo_destroy(&m);
}

/* A name is a key with each of its bytes, and with the number beside it. */
static void test_memo_name(void **state)
{
	char name[17] = "abcdefghijklmnop";
	uint64_t words[3], others[3];

	(void)state;
	lt_memo_name(words, name, 5);
	for (size_t i = 0; i < sizeof(name); i++) {
		name[i] ^= 1;
		lt_memo_name(others, name, 5);
		assert_memory_not_equal(words, others, sizeof(words));
		name[i] ^= 1;
	}
	lt_memo_name(others, name, 1ULL << 40 | 5);
	assert_memory_not_equal(words, others, sizeof(words));
}

/* Takes numbers, which must come in order, up to a limit. */
struct taker {
	uint64_t next;
	uint64_t limit;
	size_t n_further;
};

/* Each seventh element has further memory. */
static bool take(void *arg, const void *elements, size_t n, const void *further)
{
	const uint64_t *more = further;
	struct taker *t = arg;

	assert_int_equal((uintptr_t)elements % LT_HANDOFF_ELEMENT, 0);
	for (size_t i = 0; i < n; i++) {
		const uint64_t *v = (const void *)((const char *)elements + i * LT_HANDOFF_ELEMENT);

		assert_int_equal(*v, t->next);
		if (t->next++ % 7)
			continue;
		assert_int_equal(*more++, ~*v);
		t->n_further++;
	}
	return t->next < t->limit;
}

static void hand_over(bool thread, uint64_t n, uint64_t limit)
{
	struct taker t = { .limit = limit };
	struct lt_handoff *h = lt_handoff_new(sizeof(uint64_t), thread, take, &t);

	for (uint64_t i = 0; i < n; i++) {
		*(uint64_t *)lt_handoff_next(h) = i;
		if (i % 7 == 0)
			*(uint64_t *)lt_handoff_further(h) = ~i;
		lt_handoff_push(h);
	}
	if (!thread)
		assert_int_equal(lt_handoff_refused(h), n >= limit);
	lt_handoff_finish(h);
	if (limit > n)
		assert_int_equal(t.next, n);
	else
		assert_true(t.next >= limit && t.next < limit + 10000);
	assert_int_equal(t.n_further, (t.next + 6) / 7);
}

static void test_handoff(void **state)
{
	(void)state;
	for (int thread = 0; thread < 2; thread++) {
		for (uint64_t n = 0; n < 20; n++)
			hand_over(thread, n, UINT64_MAX);
		hand_over(thread, 255, UINT64_MAX);
		hand_over(thread, 256, UINT64_MAX);
		hand_over(thread, 2048, UINT64_MAX);
		hand_over(thread, 300001, UINT64_MAX);
		hand_over(thread, 300001, 1000);
	}
	lt_handoff_finish(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digits), cmocka_unit_test(test_human_numbers),
		cmocka_unit_test(test_cells), cmocka_unit_test(test_memo),
		cmocka_unit_test(test_memo_name), cmocka_unit_test(test_handoff),
	};

	return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
