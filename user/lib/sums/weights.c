// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What births stand for of which only some were recorded, or have their stack.
 */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "sums/weights.h"

#define MOST	(1U << 20)
#define SHARED	256		/* entries of a row for the addresses above @most */

#define Z	1.959964	/* of 95 % */
/* times their mean: births of a row, of which one is larger, are of many sizes */
#define MIXED	2
#define FEW	100		/* objects that are alive, ... */
#define FEW_MIXED 1.5		/* ... of which one is that much larger than the mean */
/* With fewer addresses a sample shows nothing of the births of a row, ... */
#define LEAST_ADDRESSES 4
#define BAD	0.25		/* ... nor if it is off by so much of all births */

/**
 * struct lt_weight_address - what was chosen at an address, in a row
 * @row: number of the row
 * @ptr: the address; below SHARED: several
 * @weight: of each of @births
 * @births: there
 * @bytes: of @births
 */
struct lt_weight_address {
	uint32_t row;
	uint64_t ptr;
	uint64_t weight;
	double births;
	double bytes;
};

static uint64_t number_of(const struct lt_trace *t, const char *key, uint64_t most)
{
	const char *value = lt_trace_info(t, key);
	uint64_t n;

	return value && lt_number(value, 10, &n) && n <= most ? n : 0;
}

void lt_weights_init(struct lt_weights *w, const struct lt_trace *t)
{
	unsigned int one_in = (unsigned int)number_of(t, "stacks", UINT32_MAX);

	*w = (struct lt_weights){
		.sample = lt_trace_sample(t), .one_in = one_in > 1 ? one_in : 0,
		.min = number_of(t, "stack_min", UINT64_MAX), .seed = lt_hash_seed(), .most = MOST,
	};
	lt_map_init(&w->by_hash);
}

bool lt_weights_by_birth(struct lt_weights *w, const struct lt_trace *t)
{
	w->by_birth = w->sample > 1 && lt_trace_sample_changes(t) ? t : NULL;
	return w->by_birth;
}

struct lt_stands lt_weights_stand(const struct lt_weights *w, const struct lt_lifetime *l)
{
	size_t birth, death;

	if (!w->by_birth)
		return (struct lt_stands){ w->sample, w->sample };
	birth = lt_trace_sample_period(w->by_birth, l->birth.time);
	death = lt_trace_sample_period(w->by_birth, l->death.time);
	return (struct lt_stands){
		lt_trace_sample_over(w->by_birth, birth, birth),
		lt_trace_sample_over(w->by_birth, birth, death > birth ? death : birth),
	};
}

void lt_weights_destroy(struct lt_weights *w)
{
	lt_map_destroy(&w->by_hash);
	free(w->addresses);
	*w = (struct lt_weights){ 0 };
}

static uint32_t hash_of(const struct lt_weights *w, uint32_t row, uint64_t ptr, uint64_t weight)
{
	return (uint32_t)lt_hash64(lt_hash64(ptr, w->seed) + row + (weight << 32), w->seed);
}

/* NULL: there is none. */
static struct lt_weight_address *find(struct lt_weights *w, uint32_t row, uint64_t ptr,
				      uint64_t weight)
{
	uint32_t hash = hash_of(w, row, ptr, weight), number;

	lt_map_for_each(number, at, &w->by_hash, hash) {
		struct lt_weight_address *a = &w->addresses[number - 1];

		if (a->row == row && a->ptr == ptr && a->weight == weight)
			return a;
	}
	return NULL;
}

static struct lt_weight_address *add(struct lt_weights *w, uint32_t row, uint64_t ptr,
				     uint64_t weight)
{
	struct lt_weight_address *a;

	w->addresses = lt_grow(w->addresses, &w->cap, w->n, sizeof(*w->addresses));
	a = &w->addresses[w->n++];
	*a = (struct lt_weight_address){ .row = row, .ptr = ptr, .weight = weight };
	lt_map_add(&w->by_hash, hash_of(w, row, ptr, weight), (uint32_t)w->n);
	return a;
}

void lt_weights_add(struct lt_weights *w, uint32_t row, uint64_t ptr, uint64_t weight,
		    uint64_t bytes)
{
	struct lt_weight_address *a = find(w, row, ptr, weight);

	if (!a && w->n >= w->most) {
		/* An address shares an entry with the same others whatever the weight. */
		ptr = lt_hash64(ptr, w->seed) % SHARED;
		a = find(w, row, ptr, weight);
	}
	if (!a)
		a = add(w, row, ptr, weight);
	a->births++;
	a->bytes += (double)bytes;
}

void lt_weights_renumber(struct lt_weights *w, const uint32_t *to)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->addresses[i].row != LT_WEIGHTS_ALL)
			w->addresses[i].row = to[w->addresses[i].row];
	}
}

/* ------------------------------------------------------------------------
 * Spreads
 */

static int by_row_and_address(const void *a, const void *b)
{
	const struct lt_weight_address *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->ptr != y->ptr)
		return x->ptr < y->ptr ? -1 : 1;
	return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static void add_drawn(struct lt_spread *s, uint64_t weight, double value)
{
	s->drawn += (double)weight * value;
	s->recorded += value;
}

static double both_drawn(uint64_t a, uint64_t b)
{
	return (double)a * (double)b - (double)(a > b ? a : b);
}

/* What the entries of one address in one row come to. */
static void sum_up(const struct lt_weight_address *a, size_t n, struct lt_spread *births,
		   struct lt_spread *bytes)
{
	*births = *bytes = (struct lt_spread){ 0 };
	for (size_t i = 0; i < n; i++) {
		add_drawn(births, a[i].weight, a[i].births);
		add_drawn(bytes, a[i].weight, a[i].bytes);
		bytes->largest = fmax(bytes->largest, a[i].bytes / a[i].births);
		for (size_t j = 0; j < n; j++) {
			double factor = both_drawn(a[i].weight, a[j].weight);

			births->var += factor * a[i].births * a[j].births;
			bytes->var += factor * a[i].bytes * a[j].bytes;
		}
	}
	births->squares = births->var * births->var;
	bytes->squares = bytes->var * bytes->var;
}

/* Sorts the entries, and makes those one that are equal since rows were renumbered. */
static void sort(struct lt_weights *w)
{
	size_t n = 0;

	qsort(w->addresses, w->n, sizeof(*w->addresses), by_row_and_address);
	for (size_t i = 0; i < w->n; i++) {
		struct lt_weight_address *a = &w->addresses[i];

		if (n && !by_row_and_address(&w->addresses[n - 1], a)) {
			w->addresses[n - 1].births += a->births;
			w->addresses[n - 1].bytes += a->bytes;
		} else {
			w->addresses[n++] = *a;
		}
	}
	w->n = n;
}

void lt_weights_each(struct lt_weights *w, lt_weights_fn *fn, void *arg)
{
	struct lt_spread births, bytes;
	size_t n;

	if (!w->n)
		return;
	sort(w);
	for (size_t i = 0; i < w->n; i += n) {
		const struct lt_weight_address *a = &w->addresses[i];

		for (n = 1; i + n < w->n && a[n].row == a->row && a[n].ptr == a->ptr; n++)
			;
		sum_up(a, n, &births, &bytes);
		fn(arg, a->row, &births, &bytes);
	}
	/* They are in another order now. */
	lt_map_destroy(&w->by_hash);
	lt_map_init(&w->by_hash);
	w->n = 0;
}

void lt_spread_add(struct lt_spread *s, uint64_t weight, uint64_t value)
{
	double var = both_drawn(weight, weight) * (double)value * (double)value;

	if (weight <= 1)
		return;
	add_drawn(s, weight, (double)value);
	s->var += var;
	s->squares += var * var;
	s->largest = fmax(s->largest, (double)value);
}

void lt_spread_merge(struct lt_spread *to, const struct lt_spread *from)
{
	to->drawn += from->drawn;
	to->recorded += from->recorded;
	to->var += from->var;
	to->squares += from->squares;
	to->largest = fmax(to->largest, from->largest);
}

static bool is_off(const struct lt_trace *t, const char *key)
{
	const char *value = lt_trace_info(t, key);

	return !value || !strcmp(value, "0");
}

uint64_t lt_births_counted(const struct lt_trace *t, enum lt_space space)
{
	uint64_t sum = 0;

	if (!is_off(t, "min_size") || !is_off(t, "births_filtered"))
		return 0;
	for (unsigned int class = 0; class < LT_MAX_CLASSES; class++) {
		if (lt_class_is_birth(class) && lt_class_space(class) == space)
			sum += lt_trace_counts(t, class).seen;
	}
	return sum;
}

/* Student's t of 95 % by degrees of freedom, from the normal distribution's. */
static double student(double freedom)
{
	double z3 = Z * Z * Z, z5 = z3 * Z * Z;

	return Z + (z3 + Z) / 4 / freedom + (5 * z5 + 16 * z3 + 3 * Z) / 96 / freedom / freedom;
}

static uint64_t whole(double value)
{
	return value < 0 ? 0 : value < 0x1p63 ? (uint64_t)value : 1ULL << 63;
}

struct lt_interval lt_spread_interval(const struct lt_spread *s, uint64_t estimate)
{
	double certain = (double)estimate - s->drawn, per_unit, t, middle, half, low, high;

	if (s->unknown)
		return (struct lt_interval){ 0 };
	if (!(s->var > 0) || !(s->squares > 0) || !(s->drawn > 0))
		return (struct lt_interval){ estimate, estimate, true };
	per_unit = s->var / s->drawn;
	t = student(s->var * s->var / s->squares);
	middle = s->drawn + t * t * per_unit / 2;
	half = t * sqrt(s->var + t * t * per_unit * per_unit / 4);
	low = fmax(fmin(middle - half, s->drawn - s->below), s->recorded);
	high = fmax(middle + half, s->drawn + s->above);
	/* An estimate may be more than can be. */
	if (s->most > 0)
		high = fmax(fmin(high, s->most), s->drawn);
	return (struct lt_interval){ whole(certain + low), whole(certain + high + 1), true };
}

static bool is_mixed(const struct lt_spread *n, const struct lt_spread *bytes, double factor)
{
	return bytes->largest * n->recorded > factor * bytes->recorded;
}

void lt_spread_judge_live(const struct lt_spread *objects, struct lt_spread *bytes)
{
	bytes->unknown = objects->recorded < FEW && is_mixed(objects, bytes, FEW_MIXED);
}

void lt_spread_count(struct lt_spread *births, struct lt_spread *bytes, const struct lt_counted *c,
		     uint64_t n)
{
	double estimate = (double)c->estimate, off = (double)c->births - estimate;
	struct lt_interval in;
	double mean;

	if (!c->births || !c->recorded) {
		births->unknown = bytes->unknown = births->drawn > 0;
		return;
	}
	*(off > 0 ? &births->above : &births->below) = fmin((double)n * LT_HOT / estimate,
							    1) * fabs(off);
	if (c->births > c->recorded)
		births->most = births->recorded + (double)(c->births - c->recorded);
	births->unknown = births->recorded < (double)c->drawn &&
			  (fabs(off) > BAD * (double)c->births || c->addresses < LEAST_ADDRESSES);
	bytes->unknown = births->unknown || is_mixed(births, bytes, MIXED);
	if (bytes->unknown || !(births->recorded > 0))
		return;
	in = lt_spread_interval(births, n);
	mean = bytes->recorded / births->recorded;
	bytes->below = (double)(n - in.low) * mean;
	bytes->above = (double)(in.high - n) * mean;
}
