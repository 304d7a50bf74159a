// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings that are cut at random times: what was alive at a cut is what the part before it comes
 * to, and each part alone has the lifetimes of the whole from its begin on.
 */
#include "cuttest.h"

#define MOST_CUTS	(CUT_PARTS - 1)

/* Those of the whole that end in [from, until), or are alive at the end. */
static void pick(const struct cut_lives *whole, uint64_t from, uint64_t until, struct cut_lives *to)
{
	to->lives = calloc(whole->n + 1, sizeof(*to->lives));
	for (size_t i = 0; i < whole->n; i++) {
		if (whole->lives[i].l.death.time >= from && whole->lives[i].l.death.time < until)
			to->lives[to->n++] = whole->lives[i];
	}
}

static bool has(const struct cut_lives *in, const char *text)
{
	char other[1024];

	for (size_t i = 0; i < in->n; i++) {
		cut_life_text(other, sizeof(other), &in->lives[i]);
		if (!strcmp(text, other))
			return true;
	}
	return false;
}

/* In a part that ends before the release, that is not seen. */
static void forget_confirmed(struct cut_lives *lives)
{
	for (size_t i = 0; i < lives->n; i++)
		lives->lives[i].l.rcu_confirmed = 0;
}

static void check_exact(const struct cut_options *o, const struct cut_lives *part,
			const struct cut_lives *whole, const char *what)
{
	char text[1024];

	for (size_t i = 0; i < part->n; i++) {
		if (part->lives[i].l.certainty != LT_EXACT)
			continue;
		cut_life_text(text, sizeof(text), &part->lives[i]);
		if (!has(whole, text)) {
			for (size_t k = 0; k < whole->n; k++) {
				char other[1024];

				cut_life_text(other, sizeof(other), &whole->lives[k]);
				if (whole->lives[k].l.ptr == part->lives[i].l.ptr)
					print_message("of the whole: %s\n", other);
			}
			fail_msg("seed %u: %s: exact, but not in the whole: %s", o->seed, what,
				 text);
		}
	}
}

static void check_equal(const struct cut_options *o, const struct cut_lives *part,
			const struct cut_lives *whole)
{
	char x[1024], y[1024];

	for (size_t i = 0; i < part->n || i < whole->n; i++) {
		x[0] = y[0] = 0;
		if (i < part->n)
			cut_life_text(x, sizeof(x), &part->lives[i]);
		if (i < whole->n)
			cut_life_text(y, sizeof(y), &whole->lives[i]);
		if (strcmp(x, y))
			fail_msg("seed %u: lifetime %zu\nof the part:  %s\nof the whole: %s",
				 o->seed, i, x, y);
	}
}

static void check_table(const struct cut_options *o, const struct cut_table *a,
			const struct cut_table *b, const char *what)
{
	for (size_t i = 0; i < a->n || i < b->n; i++) {
		const char *x = i < a->n ? a->lines[i] : "nothing";
		const char *y = i < b->n ? b->lines[i] : "nothing";

		if (strcmp(x, y))
			fail_msg("seed %u: %s, object %zu\n%s\n%s", o->seed, what, i, x, y);
	}
}

struct sums {
	uint64_t cuts;
	uint64_t carried;
	uint64_t exact;
	uint64_t old;		/* of these, born before the part */
};

static void check_part(const struct cut_options *o, const struct cut_lives *whole, uint64_t from,
		       uint64_t until, size_t number, bool last, struct cut_table *table,
		       struct sums *sums)
{
	struct cut_lives part = { 0 }, same = { 0 };
	struct cut_table begin = { 0 };
	char name[32];

	snprintf(name, sizeof(name), "part.%zu", number);
	cut_read(test_path(name), &part, &begin, NULL);
	if (number)
		check_table(o, table, &begin, "STATE is not what was alive");
	cut_lives_sort(&part);
	pick(whole, from, until, &same);
	if (last && !o->late_free) {
		check_equal(o, &part, &same);
	} else {
		forget_confirmed(&part);
		forget_confirmed(&same);
	}
	check_exact(o, &part, &same, name);
	sums->carried += begin.n;
	for (size_t i = 0; i < part.n; i++) {
		sums->exact += part.lives[i].l.certainty == LT_EXACT;
		sums->old += part.lives[i].l.certainty == LT_EXACT &&
			     part.lives[i].l.birth.time < from;
	}
	cut_table_free(&begin);
	cut_lives_free(&part);
	cut_lives_free(&same);
}

static uint64_t to_ns(const struct cut_options *o, uint64_t units)
{
	struct lt_trace *t = lt_trace_open(test_path("whole"));
	uint64_t ns = lt_clock_ns(lt_trace_clock(t), units);

	(void)o;
	lt_trace_close(t);
	return ns;
}

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void cut_and_check(const struct cut_options *o, struct sums *sums)
{
	struct cut_table tables[MOST_CUTS] = { { 0 } };
	uint64_t cuts[MOST_CUTS], begin, end;
	struct cut_lives whole = { 0 };
	struct tg *g = cut_make(o, &begin, &end);
	size_t n = 1 + o->seed % MOST_CUTS;

	for (size_t i = 0; i < n; i++)
		cuts[i] = begin + (end - begin) *
			  ((o->seed * 7919ULL + i * 104729) % 1000 + 1) / 1001;
	qsort(cuts, n, sizeof(cuts[0]), by_time);
	assert_int_equal(tg_write(g, test_path("whole"), 0), 0);
	cut_write(g, o, cuts, n, tables);
	cut_read(test_path("whole"), &whole, NULL, NULL);
	cut_lives_sort(&whole);
	for (size_t i = 0; i <= n; i++) {
		uint64_t from = i ? to_ns(o, cuts[i - 1]) : 0;
		uint64_t until = i < n ? to_ns(o, cuts[i]) : UINT64_MAX;

		check_part(o, &whole, from, until, i, i == n, i ? &tables[i - 1] : NULL, sums);
	}
	/* The table after a part is STATE of the next, but for what only that shows to be lost. */
	for (size_t i = 0; i < n && !o->losses && !o->late_free; i++) {
		struct cut_table after = { 0 };
		char name[32];

		snprintf(name, sizeof(name), "part.%zu", i);
		cut_read(test_path(name), NULL, NULL, &after);
		check_table(o, &after, &tables[i],
			    "the table after the part is not STATE of the next");
		cut_table_free(&after);
	}
	sums->cuts += n;
	for (size_t i = 0; i < n; i++)
		cut_table_free(&tables[i]);
	cut_lives_free(&whole);
	tg_free(g);
}

static void run(struct cut_options o, uint32_t first, uint32_t n)
{
	struct sums sums = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		o.seed = first + i;
		o.events = 30 + o.seed * 37 % 400;
		cut_and_check(&o, &sums);
	}
	/* The test is about something. */
	assert_true(sums.carried > sums.cuts * 8);
	assert_true(sums.exact > sums.cuts * 4);
	assert_true(sums.old > sums.cuts / 2);
}

static void test_plain(void **state)
{
	(void)state;
	run((struct cut_options){ 0 }, 1, cut_runs(20));
}

static void test_big(void **state)
{
	(void)state;
	run((struct cut_options){ .big = true, .zstd = true }, 1000000, cut_runs(10));
}

static void test_counter(void **state)
{
	(void)state;
	run((struct cut_options){ .counter = true, .zstd = true, .columns = true }, 2000000,
	    cut_runs(10));
}

static void test_losses(void **state)
{
	(void)state;
	run((struct cut_options){ .losses = true }, 3000000, cut_runs(14));
}

static void test_late(void **state)
{
	(void)state;
	run((struct cut_options){ .late_free = true }, 4000000, cut_runs(14));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_big),
		cmocka_unit_test(test_counter), cmocka_unit_test(test_losses),
		cmocka_unit_test(test_late),
	};

	return cmocka_run_group_tests_name("cut", tests, NULL, NULL);
}
