/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers by the traits of objects, or by who made them, for those who take plain steps: what a row
 * is about is found once for all objects that have these in common.
 */
#ifndef LT_SUMS_PLAIN_NUMBERS_H
#define LT_SUMS_PLAIN_NUMBERS_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lifetimes/lifetime.h"

/**
 * struct lt_plain_numbers - a table of numbers; all zeros: an empty one
 * @of: by lt_plain_step.traits, or by lt_plain_step.actor: a number, plus 1; 0: it is not known
 * @n: length of @of
 * @renewals: as of the steps for which @of was filled in
 */
struct lt_plain_numbers {
	uint32_t *of;
	size_t n;
	uint32_t renewals;
};

/* For these steps. @want: steps->n_traits, or steps->n_actors */
static inline void lt_plain_numbers_prepare(struct lt_plain_numbers *x,
					    const struct lt_plain_steps *steps, size_t want)
{
	if (x->renewals != steps->renewals && x->n)
		memset(x->of, 0, x->n * sizeof(*x->of));
	x->renewals = steps->renewals;
	if (want > x->n)
		x->of = lt_extend(x->of, &x->n, want, sizeof(*x->of));
}

#endif /* LT_SUMS_PLAIN_NUMBERS_H */
