// SPDX-License-Identifier: GPL-2.0
/*
 * Intervals of a sample, of loads that were recorded without one: of the births of each trace 100
 * samples are drawn, and what each says of the whole is compared with the whole.
 *
 * The traces are the golden ones, and those in the variable LT_SAMPLED_TRACES.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "lifetimes/read.h"
#include "sums/own.h"
#include "sums/weights.h"
#include "testlib.h"

#define SEEDS	100
#define LEAST	93	/* of 100 intervals that hold the true number */
#define LARGE	10	/* so many call sites with most births are looked at by themselves */

enum { N_BIRTHS, N_BYTES, N_LIVE, N_LIVE_BYTES, N_SUMS };
static const char *const sum_names[N_SUMS] = { "births", "bytes", "live", "live bytes" };

struct object {
	uint32_t row;
	bool live;
	uint64_t ptr;
	uint64_t bytes;
};

struct row {
	uint64_t sums[N_SUMS];
	struct lt_spread off[N_SUMS];
};

struct load {
	struct object *objects;
	size_t n;
	size_t cap;
	struct lt_intern sites;
	struct row *truth;	/* one for each site, then that of all */
	uint32_t n_rows;
	struct lt_own *own;
};

static void collect(void *arg, const struct lt_lifetime *l)
{
	struct load *load = arg;

	if (l->space != LT_SPACE_SLAB || !l->birth.known || l->older || lt_own_lifetime(load->own, l))
		return;
	load->objects = lt_grow(load->objects, &load->cap, load->n, sizeof(*load->objects));
	load->objects[load->n++] = (struct object){
		.row = lt_intern_number(&load->sites, l->birth.call_site),
		.live = l->certainty == LT_OPEN, .ptr = l->ptr, .bytes = lt_lifetime_bytes(l),
	};
}

static void add(struct row *row, const struct object *o, uint64_t weight)
{
	row->sums[N_BIRTHS] += weight;
	row->sums[N_BYTES] += weight * o->bytes;
	row->sums[N_LIVE] += o->live ? weight : 0;
	row->sums[N_LIVE_BYTES] += o->live ? weight * o->bytes : 0;
	if (!o->live)
		return;
	lt_spread_add(&row->off[N_LIVE], weight, 1);
	lt_spread_add(&row->off[N_LIVE_BYTES], weight, o->bytes);
}

static struct load *load_of(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct load *load = lt_alloc(sizeof(*load));

	assert_non_null(t);
	*load = (struct load){ 0 };
	lt_intern_init(&load->sites);
	load->own = lt_own_new(t);
	lt_lifetimes_read(t, &(struct lt_lifetime_ops){ .ended = collect, .arg = load });
	lt_own_free(load->own);
	lt_trace_close(t);
	for (size_t i = 0; i < load->n; i++)
		load->n_rows = load->objects[i].row >= load->n_rows ? load->objects[i].row + 1 : load->n_rows;
	load->truth = lt_alloc_array(load->n_rows + 1, sizeof(*load->truth));
	memset(load->truth, 0, (load->n_rows + 1) * sizeof(*load->truth));
	for (size_t i = 0; i < load->n; i++) {
		add(&load->truth[load->objects[i].row], &load->objects[i], 1);
		add(&load->truth[load->n_rows], &load->objects[i], 1);
	}
	return load;
}

static void free_load(struct load *load)
{
	lt_intern_destroy(&load->sites);
	free(load->objects);
	free(load->truth);
	free(load);
}

/* Which addresses a sample has; each seed gives another one. */
static bool drawn(uint64_t ptr, unsigned int one_in, uint64_t seed)
{
	return (uint32_t)lt_hash64(ptr, seed * 0x9e3779b97f4a7c15ULL + 1) < UINT32_MAX / one_in;
}

struct vary {
	struct row *rows;
	uint32_t n_rows;
};

static void vary(void *arg, uint32_t number, const struct lt_spread *births,
		 const struct lt_spread *bytes)
{
	struct vary *v = arg;
	struct row *row = &v->rows[number == LT_WEIGHTS_ALL ? v->n_rows : number];

	lt_spread_merge(&row->off[N_BIRTHS], births);
	lt_spread_merge(&row->off[N_BYTES], bytes);
}

/* What a report of one sample would have. @rows: one for each site, then that of all */
static void sample(const struct load *load, unsigned int one_in, uint64_t seed, struct row *rows)
{
	struct lt_weights w = { .seed = 1, .most = 1 << 20 };
	struct lt_counted c = { .births = load->n };
	struct vary v = { rows, load->n_rows };

	memset(rows, 0, (load->n_rows + 1) * sizeof(*rows));
	lt_map_init(&w.by_hash);
	for (size_t i = 0; i < load->n; i++) {
		const struct object *o = &load->objects[i];

		if (!drawn(o->ptr, one_in, seed))
			continue;
		lt_counted_add(&c, one_in);
		add(&rows[o->row], o, one_in);
		add(&rows[load->n_rows], o, one_in);
		lt_weights_add(&w, o->row, o->ptr, one_in, o->bytes);
		lt_weights_add(&w, LT_WEIGHTS_ALL, o->ptr, one_in, o->bytes);
	}
	lt_weights_each(&w, vary, &v);
	c.addresses = lt_spread_addresses(&rows[load->n_rows].off[N_BIRTHS]);
	for (uint32_t i = 0; i <= load->n_rows; i++)
		lt_spread_count(&rows[i].off[N_BIRTHS], &rows[i].off[N_BYTES], &c,
				rows[i].sums[N_BIRTHS]);
	for (uint32_t i = 0; i <= load->n_rows; i++)
		lt_spread_judge_live(&rows[i].off[N_LIVE], &rows[i].off[N_LIVE_BYTES]);
	lt_weights_destroy(&w);
}

/*
 * Of intervals: how many hold the true sum, how many there are, and of how many sums there is none.
 */
struct tally {
	unsigned int held;
	unsigned int unknown;
	unsigned int n;
};

static void judge(struct tally *t, const struct row *row, unsigned int sum, uint64_t truth)
{
	struct lt_interval in = lt_spread_interval(&row->off[sum], row->sums[sum]);

	if (!in.known) {
		t->unknown++;
		return;
	}
	assert_true(in.low <= row->sums[sum] && row->sums[sum] <= in.high);
	t->held += in.low <= truth && truth <= in.high;
	t->n++;
}

/* Whether a row is one of those with most births. */
static bool is_large(const struct load *load, uint32_t row)
{
	unsigned int larger = 0;

	for (uint32_t i = 0; i < load->n_rows; i++)
		larger += load->truth[i].sums[N_BIRTHS] > load->truth[row].sums[N_BIRTHS];
	return larger < LARGE;
}

/*
 * A sum that has not one object in the sample has no estimate, so no interval that could be wrong.
 */
static void judge_all(const struct load *load, const struct row *rows, struct tally all[N_SUMS],
		      struct tally large[N_SUMS], struct tally *each, const bool *larges)
{
	for (uint32_t i = 0; i <= load->n_rows; i++) {
		for (unsigned int k = 0; k < N_SUMS; k++) {
			if (!rows[i].sums[k])
				continue;
			judge(i == load->n_rows ? &all[k] : &each[k], &rows[i], k,
			      load->truth[i].sums[k]);
			if (i < load->n_rows && larges[i])
				judge(&large[k], &rows[i], k, load->truth[i].sums[k]);
		}
	}
}

/* Return: how many sums have too few. */
static unsigned int check(const char *what, const struct tally t[N_SUMS])
{
	unsigned int bad = 0;

	for (unsigned int k = 0; k < N_SUMS; k++) {
		double percent = t[k].n ? 100.0 * t[k].held / t[k].n : 100;

		print_message("  %-26s %-10s %6u of %6u hold it, %.1f %%; %u have none\n",
			      what, sum_names[k], t[k].held, t[k].n, percent, t[k].unknown);
		/*
		 * Where few samples have an interval, it is the number of wrong ones that counts.
		 */
		if (t[k].n < (t[k].n + t[k].unknown) / 5)
			bad += t[k].n - t[k].held > (100 - LEAST) * (t[k].n + t[k].unknown) / 100;
		else
			bad += percent < LEAST;
	}
	return bad;
}

static void one_trace(const char *path, const unsigned int *one_in)
{
	struct load *load = load_of(path);
	struct row *rows = lt_alloc_array(load->n_rows + 1, sizeof(*rows));
	bool *larges = lt_alloc_array(load->n_rows, sizeof(*larges));
	unsigned int bad = 0;

	for (uint32_t i = 0; i < load->n_rows; i++)
		larges[i] = is_large(load, i);
	for (; *one_in; one_in++) {
		struct tally all[N_SUMS] = { 0 }, large[N_SUMS] = { 0 }, each[N_SUMS] = { 0 };

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			sample(load, *one_in, seed, rows);
			judge_all(load, rows, all, large, each, larges);
		}
		print_message("%s: %zu births at %u call sites, 1 in %u\n", path, load->n, load->n_rows,
			      *one_in);
		bad += check("the whole trace", all);
		bad += check("sites with most births", large);
		bad += check("all sites", each);
	}
	free(larges);
	free(rows);
	free_load(load);
	assert_int_equal(bad, 0);
}

/* Traces of few hundred births have little in a sample that is smaller. */
static void test_golden_traces(void **state)
{
	static const char *const names[] = { "x86_64", "arm64", "armhf", "i386", "s390x", "ppc32" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "../tests/golden/%s.lt", names[i]);
		one_trace(path, (const unsigned int[]){ 2, 4, 8, 0 });
	}
}

static void test_given_traces(void **state)
{
	char *paths = getenv("LT_SAMPLED_TRACES"), *save = NULL;

	(void)state;
	if (!paths)
		skip();
	paths = lt_strdup(paths);
	for (char *p = strtok_r(paths, " ", &save); p; p = strtok_r(NULL, " ", &save))
		one_trace(p, (const unsigned int[]){ 4, 16, 64, 0 });
	free(paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_traces),
		cmocka_unit_test(test_given_traces),
	};

	return cmocka_run_group_tests_name("sample_real", tests, NULL, NULL);
}
