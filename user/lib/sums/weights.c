// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What births stand for of which only some have their stack.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "sums/weights.h"

#define MOST	(1U << 20)

/**
 * struct lt_weight_address - what was chosen at an address, in a row
 * @row: number of the row
 * @ptr: the address
 * @births: there
 * @bytes: of @births
 */
struct lt_weight_address {
	uint64_t row;
	uint64_t ptr;
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
		.one_in = one_in > 1 ? one_in : 0, .min = number_of(t, "stack_min", UINT64_MAX),
		.seed = lt_hash_seed(), .most = MOST,
	};
	lt_map_init(&w->by_hash);
}

void lt_weights_destroy(struct lt_weights *w)
{
	lt_map_destroy(&w->by_hash);
	free(w->addresses);
	*w = (struct lt_weights){ 0 };
}

static struct lt_weight_address *find(struct lt_weights *w, uint64_t row, uint64_t ptr)
{
	uint32_t hash = (uint32_t)lt_hash64(lt_hash64(ptr, w->seed) + row, w->seed), number;
	struct lt_weight_address *a;

	lt_map_for_each(number, at, &w->by_hash, hash) {
		a = &w->addresses[number - 1];
		if (a->row == row && a->ptr == ptr)
			return a;
	}
	if (w->n >= w->most)
		return &w->addresses[hash % w->n];
	w->addresses = lt_grow(w->addresses, &w->cap, w->n, sizeof(*w->addresses));
	a = &w->addresses[w->n++];
	*a = (struct lt_weight_address){ .row = row, .ptr = ptr };
	lt_map_add(&w->by_hash, hash, (uint32_t)w->n);
	return a;
}

void lt_weights_add(struct lt_weights *w, uint64_t row, uint64_t ptr, uint64_t bytes,
		    double *births, double *squared)
{
	struct lt_weight_address *a = find(w, row, ptr);

	*births = 2 * a->births + 1;
	*squared = (double)bytes * (2 * a->bytes + (double)bytes);
	a->births++;
	a->bytes += (double)bytes;
}
