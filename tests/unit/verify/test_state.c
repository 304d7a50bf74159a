// SPDX-License-Identifier: GPL-2.0
/*
 * The proof of a recording that was cut: it holds for what is cut as the recorder cuts, and fails
 * where STATE or the packets are others.
 */
#include "base/mem.h"
#include "format/block.h"
#include "base/text.h"
#include "format/set.h"
#include "verify/state.h"
#include "cuttest.h"
#include "goldentest.h"

#define CUTS	3

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Writes the parts "part.0" and so on. */
static void write_parts(const struct cut_options *o)
{
	struct cut_table tables[CUTS] = { { 0 } };
	uint64_t cuts[CUTS], begin, end;
	struct tg *g = cut_make(o, &begin, &end);

	for (size_t i = 0; i < CUTS; i++)
		cuts[i] = begin + (end - begin) * ((o->seed * 7919ULL + i * 104729) % 1000 + 1) / 1001;
	qsort(cuts, CUTS, sizeof(cuts[0]), by_time);
	cut_write(g, o, cuts, CUTS, tables);
	for (size_t i = 0; i < CUTS; i++)
		cut_table_free(&tables[i]);
	tg_free(g);
}

/* The name of the set of these parts; a bit of @parts for each. */
static const char *set_of(unsigned int parts)
{
	char *paths[CUTS + 1];
	const char *name;
	char file[32];
	size_t n = 0;

	for (unsigned int i = 0; i <= CUTS; i++) {
		snprintf(file, sizeof(file), "part.%u", i);
		if (parts & 1U << i)
			paths[n++] = lt_strdup(test_path(file));
	}
	name = lt_set_name((const char *const *)paths, n);
	assert_non_null(name);
	while (n)
		free(paths[--n]);
	return name;
}

static void prove(unsigned int parts, struct lt_state_proofs *v)
{
	assert_int_equal(lt_verify_state(set_of(parts), v), 0);
}

/* The part says that another number of events had been seen by its begin. */
static void change_counts(const char *name)
{
	char *path = lt_strdup(test_path(name)), *at;
	size_t size, next;
	uint8_t *data = (uint8_t *)lt_read_text_file(path, 1 << 24, &size);

	assert_non_null(data);
	for (next = FIRST; get_le(data + next + 4, 2) != LT_BLOCK_PART;
	     next += HEADER + get_le(data + next + 8, 4))
		assert_true(next < size);
	at = memmem(data + next, HEADER + get_le(data + next + 8, 4), "\ncounts=", 8);
	assert_non_null(at);
	/* Behind the channel, the CPU and the class. */
	for (int i = 0; i < 3; i++)
		at = strchr(at, ' ') + 1;
	*at = *at == '9' ? '8' : (char)(*at + 1);
	fix_block(data + next);
	assert_int_equal(tg_save(path, data, size), 0);
	free(data);
	free(path);
}

/* All other invariants hold for the set, for its end, and for each part alone. */
static void verified(const struct cut_options *o)
{
	const char *failed = broken(set_of(15));

	if (*failed)
		fail_msg("seed %u: the set: %s", o->seed, failed);
	failed = broken(set_of(12));
	if (*failed)
		fail_msg("seed %u: the last two parts: %s", o->seed, failed);
	for (unsigned int i = 0; i <= CUTS; i++) {
		char file[32];

		snprintf(file, sizeof(file), "part.%u", i);
		failed = broken(test_path(file));
		if (*failed)
			fail_msg("seed %u: part %u: %s", o->seed, i, failed);
	}
}

static void holds(struct cut_options o, uint32_t first, unsigned int n)
{
	uint64_t objects = 0;

	n = cut_runs(n);
	for (unsigned int i = 0; i < n; i++) {
		struct lt_state_proofs v;

		o.seed = first + i;
		o.events = 30 + o.seed * 37 % 400;
		write_parts(&o);
		prove(15, &v);
		verified(&o);
		assert_int_equal(v.n, CUTS);
		for (size_t k = 0; k < v.n; k++) {
			objects += v.rows[k].objects;
			if (v.rows[k].alone || v.rows[k].joined)
				fail_msg("seed %u, part %u: alone %u, joined %u of %u: %s", o.seed,
					 (unsigned int)v.rows[k].part, (unsigned int)v.rows[k].alone,
					 (unsigned int)v.rows[k].joined,
					 (unsigned int)v.rows[k].objects, v.rows[k].first);
		}
		lt_state_proofs_destroy(&v);
	}
	assert_true(objects > n * CUTS * 4);
}

static void test_plain(void **state)
{
	(void)state;
	holds((struct cut_options){ 0 }, 1, 8);
}

static void test_big(void **state)
{
	(void)state;
	holds((struct cut_options){ .big = true, .zstd = true }, 1000, 4);
}

static void test_counter(void **state)
{
	(void)state;
	holds((struct cut_options){ .counter = true, .zstd = true, .columns = true }, 2000, 4);
}

static void test_losses(void **state)
{
	(void)state;
	holds((struct cut_options){ .losses = true }, 3000, 5);
}

static void test_late(void **state)
{
	(void)state;
	holds((struct cut_options){ .late_free = true }, 4000, 10);
}

/* Without part 2 nothing is proven across it; what follows it is proven from there on. */
static void test_missing(void **state)
{
	struct cut_options o = { .seed = 7, .events = 300 };
	struct lt_state_proofs v;

	(void)state;
	write_parts(&o);
	prove(13, &v);
	assert_int_equal(v.n, 1);
	assert_int_equal(v.rows[0].part, 3);
	assert_true(lt_state_proofs_good(&v));
	lt_state_proofs_destroy(&v);
	prove(5, &v);
	assert_int_equal(v.n, 0);
	assert_true(v.none);
	lt_state_proofs_destroy(&v);
}

/*
 * The part behind the one that is missing says what was counted by then: all sums close, unless
 * what it says, or a packet of it, is another.
 */
static void test_hole(void **state)
{
	unsigned int tried = 0, failed = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct cut_options o = { .seed = seed, .events = 300, .losses = seed % 2 };
		struct lt_verify_result *v;
		const char *wrong;
		uint64_t bridged = 0;

		write_parts(&o);
		v = lt_verify(set_of(13));
		assert_non_null(v);
		assert_true(lt_verify_result_good(v));
		assert_int_equal(v->n_holes, 1);
		assert_int_equal(v->holes[0].before, 0);
		assert_int_equal(v->holes[0].behind, 2);
		assert_true(v->holes[0].from_ns < v->holes[0].to_ns);
		for (size_t i = 0; i < v->n_streams; i++)
			bridged += v->streams[i] ? v->streams[i]->bridged : 0;
		lt_verify_result_free(v);
		if (!bridged)
			continue;
		tried++;
		change_counts("part.2");
		wrong = broken(set_of(13));
		failed += strstr(wrong, "conservation") || strstr(wrong, "counters");
	}
	assert_true(tried >= 6);
	assert_int_equal(failed, tried);
}

/* Another bit in a record of a STATE, with checksums that fit: the object is named. */
static void test_planted(void **state)
{
	unsigned int failed = 0, named = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 12; seed++) {
		struct cut_options o = { .seed = seed, .events = 300 };
		struct lt_state_proofs v;
		size_t size, at = 0, length;
		char *path;
		uint8_t *data;

		write_parts(&o);
		path = lt_strdup(test_path("part.2"));
		data = (uint8_t *)lt_read_text_file(path, 1 << 24, &size);
		assert_non_null(data);
		/* The last block STATE. */
		for (size_t next = FIRST; next < size; next += HEADER + get_le(data + next + 8, 4)) {
			if (get_le(data + next + 4, 2) == LT_BLOCK_STATE)
				at = next;
		}
		assert_true(at);
		length = get_le(data + at + 8, 4);
		/* In the address of its last record, if that is in the short form. */
		data[at + HEADER + length - 4] ^= 0x10;
		fix_block(data + at);
		assert_int_equal(tg_save(path, data, size), 0);
		test_stderr_begin();
		prove(15, &v);
		test_stderr_end();
		assert_int_equal(v.n, CUTS);
		assert_false(v.rows[0].alone || v.rows[0].joined);
		if (v.rows[1].alone && v.rows[1].joined) {
			failed++;
			named += strstr(v.rows[1].first, "0x") && strstr(v.rows[1].first, " s: ") &&
				 !strstr(v.rows[1].first, "clock");
		}
		lt_state_proofs_destroy(&v);
		free(data);
		free(path);
	}
	assert_true(failed >= 6);
	assert_true(named == failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_big),
		cmocka_unit_test(test_counter), cmocka_unit_test(test_losses),
		cmocka_unit_test(test_late), cmocka_unit_test(test_missing),
		cmocka_unit_test(test_hole), cmocka_unit_test(test_planted),
	};

	return cmocka_run_group_tests_name("the proof of a cut", tests, NULL, NULL);
}
