// SPDX-License-Identifier: GPL-2.0
/*
 * A queue by age.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "lifetimes/age.h"

#define SIZE_AT_FIRST	64

void lt_age_destroy(struct lt_age_queue *q)
{
	free(q->ring);
}

void lt_age_push(struct lt_age_queue *q, uint64_t what, uint64_t stamp)
{
	if (q->n == q->size) {
		size_t size = q->size ? q->size * 2 : SIZE_AT_FIRST;
		struct lt_aged *ring = lt_alloc_array(size, sizeof(*ring));

		for (size_t i = 0; i < q->n; i++)
			ring[i] = q->ring[(q->head + i) & (q->size - 1)];
		free(q->ring);
		q->ring = ring;
		q->size = size;
		q->head = 0;
	}
	q->ring[(q->head + q->n++) & (q->size - 1)] = (struct lt_aged){ what, stamp };
}
