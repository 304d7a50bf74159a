// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings of which parts are missing: behind them STATE says what lived on, and what was born
 * meanwhile; what it lacks has ended. Here of made-up recordings; see test_missing_cases.c.
 */
#include "cuttest.h"
#include "base/str.h"
#include "format/set.h"
#include "lifetimes/read.h"

#define TEXT_SIZE	1024

/* ------------------------------------------------------------------------
 * What the callbacks say
 */

struct said {
	uint64_t alive[400];	/* address and space */
	size_t n;
	size_t open;
};

static uint64_t key_of(enum lt_space space, uint64_t ptr)
{
	return ptr << 3 | space;
}

static void add_alive(struct said *said, uint64_t key)
{
	for (size_t i = 0; i < said->n; i++)
		assert_int_not_equal(said->alive[i], key);
	assert_true(said->n < sizeof(said->alive) / sizeof(said->alive[0]));
	said->alive[said->n++] = key;
}

static void remove_alive(struct said *said, uint64_t key)
{
	size_t i = 0;

	while (i < said->n && said->alive[i] != key)
		i++;
	assert_true(i < said->n);
	said->alive[i] = said->alive[--said->n];
}

static void said_born(void *arg, enum lt_space space, const struct lt_obj *obj)
{
	add_alive(arg, key_of(space, obj->ptr));
}

static void said_gone(void *arg, enum lt_space space, const struct lt_obj *obj,
		      enum lt_ending ending, uint64_t time)
{
	(void)ending;
	(void)time;
	if (obj->kind != LT_CLASS_NONE)
		remove_alive(arg, key_of(space, obj->ptr));
}

static void said_halved(void *arg, const struct lt_obj *obj)
{
	add_alive(arg, key_of(LT_SPACE_PAGE, obj->ptr + (1ULL << (obj->order - 1))));
}

static void said_ended(void *arg, const struct lt_lifetime *l)
{
	((struct said *)arg)->open += l->ending == LT_END_ALIVE;
}

/* Each object is born before it is gone, and gone once; what is not gone is alive at the end. */
static void check_said(const char *path)
{
	struct said said = { .n = 0 };
	const struct lt_lifetime_ops ops = {
		.ended = said_ended, .born = said_born, .gone = said_gone, .halved = said_halved,
		.arg = &said,
	};
	struct lt_trace *t = lt_trace_open(path);

	lt_lifetimes_read(t, &ops);
	assert_int_equal(said.n, said.open);
	lt_trace_close(t);
}

/* ------------------------------------------------------------------------
 * Made-up recordings
 */

struct sums {
	uint64_t lived_on;	/* over missing parts, and are certain */
	uint64_t ended;		/* meanwhile */
	uint64_t uncertain;
};

static uint64_t ns_of(uint64_t units)
{
	struct lt_trace *t = lt_trace_open(test_path("whole"));
	uint64_t ns = lt_clock_ns(lt_trace_clock(t), units);

	lt_trace_close(t);
	return ns;
}

static bool is_in(const struct cut_lives *in, const struct cut_life *life)
{
	struct cut_life x = *life, y;
	char a[TEXT_SIZE], b[TEXT_SIZE];

	/* Where the release is missing, the lifetime is certain all the same. */
	x.l.rcu_confirmed = 0;
	cut_life_text(a, sizeof(a), &x);
	for (size_t i = 0; i < in->n; i++) {
		y = in->lives[i];
		y.l.rcu_confirmed = 0;
		cut_life_text(b, sizeof(b), &y);
		if (!strcmp(a, b))
			return true;
	}
	return false;
}

static void check_ended(uint32_t seed, const struct cut_life *x, const struct cut_lives *whole,
			const struct cut_lives *tail, uint64_t from, struct sums *sums)
{
	char text[TEXT_SIZE];

	cut_life_text(text, sizeof(text), x);
	if (x->l.certainty == LT_EXACT && !is_in(whole, x))
		fail_msg("seed %u: exact, but not in the whole: %s", seed, text);
	if (x->l.ending == LT_END_ALIVE || x->l.certainty == LT_OPEN)
		fail_msg("seed %u: alive: %s", seed, text);
	for (size_t i = 0; x->l.birth.known && i < tail->n; i++) {
		const struct lt_lifetime *y = &tail->lives[i].l;

		if (x->l.space == y->space && x->l.ptr == y->ptr && y->birth.known &&
		    x->l.birth.time == y->birth.time && x->l.birth.cpu == y->birth.cpu &&
		    x->l.order == y->order && x->l.death.time > x->l.birth.time)
			fail_msg("seed %u: ended, but alive behind the gap: %s", seed, text);
	}
	sums->ended += x->l.birth.known && x->l.birth.time < from && x->l.ending == LT_END_LOST;
}

/*
 * What ends behind @cut is what the tail says; what ended before is no more certain than it can be.
 */
static void check_lives(uint32_t seed, struct cut_lives *set, const struct cut_lives *whole,
			const struct cut_lives *tail, uint64_t from, uint64_t cut, struct sums *sums)
{
	size_t k = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct cut_life *x = &set->lives[i];
		char a[TEXT_SIZE], b[TEXT_SIZE] = "nothing";

		if (x->l.death.time < cut) {
			if (x->l.death.time >= from)
				check_ended(seed, x, whole, tail, from, sums);
			continue;
		}
		cut_life_text(a, sizeof(a), x);
		/* It ended in the missing parts at the latest. */
		if (x->l.ending == LT_END_LOST) {
			check_ended(seed, x, whole, tail, from, sums);
			assert_int_equal(x->l.certainty, LT_UNCERTAIN);
			assert_int_equal(x->l.death.time, cut);
			continue;
		}
		if (k < tail->n)
			cut_life_text(b, sizeof(b), &tail->lives[k]);
		k++;
		if (strcmp(a, b))
			fail_msg("seed %u\nthe set:  %s\nthe tail: %s", seed, a, b);
		if (x->l.birth.known && x->l.birth.time < from) {
			sums->lived_on += x->l.certainty == LT_EXACT || x->l.certainty == LT_OPEN;
			sums->uncertain += x->l.certainty == LT_UNCERTAIN;
		}
	}
	assert_int_equal(k, tail->n);
}

static void check_table(uint32_t seed, const struct cut_table *a, const struct cut_table *b)
{
	for (size_t i = 0; i < a->n || i < b->n; i++) {
		const char *x = i < a->n ? a->lines[i] : "nothing";
		const char *y = i < b->n ? b->lines[i] : "nothing";

		if (strcmp(x, y))
			fail_msg("seed %u\nthe set:  %s\nthe tail: %s", seed, x, y);
	}
}

/* Whether events follow; without one a reader learns what was alive only when it finishes. */
static bool has_events(const struct cut_lives *tail, uint64_t cut)
{
	for (size_t i = 0; i < tail->n; i++) {
		const struct lt_lifetime *l = &tail->lives[i].l;

		if ((l->birth.known && l->birth.time >= cut) ||
		    (l->death.known && l->death.time >= cut))
			return true;
	}
	return false;
}

/* Whether packets are missing before the part that begins at @cut. */
static bool lacks_packets(const char *path, uint64_t cut)
{
	struct lt_trace *t = lt_trace_open(path);
	const struct lt_missing *m = lt_trace_missing_parts(t, cut - 1);
	bool lacks = m && m->to == cut;

	lt_trace_close(t);
	return lacks;
}

/* The parts in @kept; the last gap is before part @behind. */
static void check_set(const struct cut_options *o, unsigned int kept, unsigned int behind,
		      const struct cut_lives *whole, const uint64_t *cuts, struct sums *sums)
{
	struct cut_lives set = { 0 }, tail = { 0 };
	struct cut_table set_end = { 0 }, tail_end = { 0 };
	unsigned int before = behind - 1;
	uint64_t cut = ns_of(cuts[behind - 1]);
	const char *path;

	while (!(kept & 1U << before))
		before--;
	path = cut_set(kept & ~((1U << behind) - 1), "tail");
	cut_read(path, &tail, NULL, &tail_end);
	path = cut_set(kept, "set");
	cut_read(path, &set, NULL, &set_end);
	check_said(path);
	cut_lives_sort(&set);
	cut_lives_sort(&tail);
	if (has_events(&tail, cut) && (!o->late_free || lacks_packets(path, cut)))
		check_table(o->seed, &set_end, &tail_end);
	/* Where frees are late, who knows the time before knows more of them. */
	if (!o->late_free || lacks_packets(path, cut))
		check_lives(o->seed, &set, whole, &tail, ns_of(cuts[before]), cut, sums);
	cut_table_free(&set_end);
	cut_table_free(&tail_end);
	cut_lives_free(&set);
	cut_lives_free(&tail);
}

static int by_time(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void make_and_check(const struct cut_options *o, struct sums *sums)
{
	static const struct {
		unsigned int kept;
		unsigned int behind;
	} sets[] = {
		{ 075, 2 },	/* without the second */
		{ 061, 4 },	/* three in a row */
		{ 053, 5 },	/* two gaps */
		{ 013, 3 },	/* and the last parts are missing, too */
		{ 054, 5 },	/* and the first ones are */
	};
	struct cut_table tables[CUT_SET_PARTS] = { { 0 } };
	struct cut_lives whole = { 0 };
	uint64_t cuts[CUT_SET_PARTS], begin, end;
	struct tg *g = cut_make(o, &begin, &end);

	for (size_t i = 0; i < CUT_SET_PARTS - 1; i++)
		cuts[i] = begin + (end - begin) *
			  ((o->seed * 7919ULL + i * 104729) % 1000 + 1) / 1001;
	qsort(cuts, CUT_SET_PARTS - 1, sizeof(cuts[0]), by_time);
	assert_int_equal(tg_write(g, test_path("whole"), 0), 0);
	cut_write(g, o, cuts, CUT_SET_PARTS - 1, tables);
	cut_read(test_path("whole"), &whole, NULL, NULL);
	cut_lives_sort(&whole);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		check_set(o, sets[i].kept, sets[i].behind, &whole, cuts, sums);
	for (size_t i = 0; i < CUT_SET_PARTS; i++)
		cut_table_free(&tables[i]);
	cut_remove(CUT_SET_PARTS);
	cut_lives_free(&whole);
	tg_free(g);
}

static void run(struct cut_options o, uint32_t first, uint32_t n)
{
	struct sums sums = { 0 };

	n = cut_runs(n);
	for (uint32_t i = 0; i < n; i++) {
		o.seed = first + i;
		o.events = 60 + o.seed * 37 % 400;
		make_and_check(&o, &sums);
	}
	/* The test is about something. */
	assert_true(sums.lived_on > n * 8);
	assert_true(sums.ended > n);
	if (o.losses)
		assert_true(sums.uncertain > n);
}

static void test_plain(void **state)
{
	(void)state;
	run((struct cut_options){ 0 }, 1, 8);
}

static void test_big(void **state)
{
	(void)state;
	run((struct cut_options){ .big = true, .zstd = true }, 1000000, 4);
}

static void test_counter(void **state)
{
	(void)state;
	run((struct cut_options){ .counter = true, .zstd = true, .columns = true }, 2000000, 4);
}

static void test_losses(void **state)
{
	(void)state;
	run((struct cut_options){ .losses = true }, 3000000, 9);
}

static void test_late(void **state)
{
	(void)state;
	run((struct cut_options){ .late_free = true }, 4000000, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_big),
		cmocka_unit_test(test_counter), cmocka_unit_test(test_losses),
		cmocka_unit_test(test_late),
	};

	return cmocka_run_group_tests_name("missing", tests, NULL, NULL);
}
