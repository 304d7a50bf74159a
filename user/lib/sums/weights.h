/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where only some births have their stack, how many a stack stands for, and how far the sums
 * of such births may be from those of all.
 *
 * The births of objects that have their stack are those at one address in N, chosen by a hash
 * of the address. Each of them counts N times in the row of its stack, and the others do not count:
 * this expects the true sum. Births at one address are chosen together, so an address, not a
 * birth, is what is drawn: with y its sum in a row, the variance of N * (sum of y) is
 * estimated by N * (N - 1) * (sum of y squared).
 */
#ifndef LT_SUMS_WEIGHTS_H
#define LT_SUMS_WEIGHTS_H

#include "base/map.h"
#include "lifetimes/objtable.h"
#include "trace/trace.h"

struct lt_weight_address;

/**
 * struct lt_weights - what the births of a trace stand for in a report by stack
 * @one_in: N; 0: each birth stands for itself
 * @min: births of so many bytes or more have their stack besides, and stand for themselves
 * @seed: of the hashes in @by_hash
 * @by_hash: numbers of @addresses, counted from 1
 * @addresses: sums of what was chosen, by row and address
 * @n: length of @addresses
 * @cap: its room
 * @most: above so many addresses several are one, which makes errors too large, never too
 *	small, and memory bounded
 */
struct lt_weights {
	unsigned int one_in;
	uint64_t min;
	uint64_t seed;
	struct lt_map by_hash;
	struct lt_weight_address *addresses;
	size_t n;
	size_t cap;
	size_t most;
};

/* The options of a trace as numbers: "stacks" of its INFO, or 0. */
void lt_weights_init(struct lt_weights *w, const struct lt_trace *t);
void lt_weights_destroy(struct lt_weights *w);

/* Return: how many births this one stands for: 1, N, or none. */
static inline unsigned int lt_weight(const struct lt_weights *w, const struct lt_obj *o)
{
	if (!w->one_in || o->kind == LT_CLASS_BULK_ALLOC || o->kind == LT_CLASS_PAGE_ALLOC ||
	    o->kind == LT_CLASS_PAGE_BULK ||
	    (w->min && o->bytes_req >= w->min))
		return 1;
	return LT_STACK_HASH(o->ptr) < (1ULL << 32) / w->one_in ? w->one_in : 0;
}

/**
 * lt_weights_add() - add a birth to the sums of its address in a row
 * @row: any number of the row
 * @ptr: the address
 * @bytes: of the birth
 * @births: result: the square of the births' sum grew by this
 * @squared: result: the square of the bytes' sum grew by this
 */
void lt_weights_add(struct lt_weights *w, uint64_t row, uint64_t ptr, uint64_t bytes,
		    double *births, double *squared);

#endif /* LT_SUMS_WEIGHTS_H */
