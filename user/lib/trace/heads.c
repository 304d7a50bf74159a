// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which stream has the next record of a trace: streams come and go.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/heads.h"

void lt_heads_add(struct lt_heads *h, struct lt_stream *s, uint64_t key, uint64_t rank)
{
	size_t cap = h->cap;

	h->leaves = lt_grow(h->leaves, &h->cap, h->n_leaves, sizeof(*h->leaves));
	if (h->cap != cap) {
		h->matches = lt_realloc_array(h->matches, h->cap, sizeof(*h->matches));
		h->winners = lt_realloc_array(h->winners, 2 * h->cap, sizeof(*h->winners));
	}
	h->leaves[h->n_leaves++] = (struct lt_heap_entry){ .key = key, .rank = rank, .s = s };
	h->n++;
}

/* Forgets the streams that have left. */
static void compact(struct lt_heads *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n_leaves; i++) {
		if (h->leaves[i].s)
			h->leaves[n++] = h->leaves[i];
	}
	h->n_leaves = n;
}

void lt_heads_build(struct lt_heads *h)
{
	uint32_t *winners = h->winners;

	compact(h);
	if (!h->n)
		return;
	for (size_t i = 0; i < h->n; i++)
		winners[h->n + i] = (uint32_t)i;
	for (size_t i = h->n - 1; i; i--) {
		uint32_t winner = winners[2 * i], loser = winners[2 * i + 1];

		if (lt_heap_earlier(&h->leaves[loser], &h->leaves[winner], NULL)) {
			winner = loser;
			loser = winners[2 * i];
		}
		winners[i] = winner;
		h->matches[i] = (struct lt_match){ h->leaves[loser].key, loser };
	}
	/* The only one, where there is no match, is winners[1], too. */
	h->matches[0] = (struct lt_match){ h->leaves[winners[1]].key, winners[1] };
}

void lt_heads_leave(struct lt_heads *h)
{
	h->leaves[h->matches[0].leaf].s = NULL;
	h->n--;
	if (2 * h->n <= h->n_leaves)
		lt_heads_build(h);
	else
		lt_heads_replace(h, UINT64_MAX, UINT64_MAX);
}

void lt_heads_free(struct lt_heads *h)
{
	free(h->leaves);
	free(h->matches);
	free(h->winners);
	memset(h, 0, sizeof(*h));
}
