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
		h->matches = lt_realloc_array(h->matches, 2 * h->cap, sizeof(*h->matches));
		h->behind = lt_realloc_array(h->behind, h->cap, sizeof(*h->behind));
	}
	h->leaves[h->n_leaves++] = (struct lt_heap_entry){ .key = key, .rank = rank, .s = s };
	h->n++;
}

/* Takes the first records of the streams from the matches. */
static void take_keys(struct lt_heads *h)
{
	for (size_t i = 0; i < h->n_built; i++) {
		struct lt_heap_entry *e;

		if (h->matches[i] == LT_LEFT)
			continue;
		e = &h->leaves[lt_heads_leaf(h->matches[i])];
		if (h->matches[i] >> LT_SINCE_SHIFT < h->far)
			e->key = h->base + (h->matches[i] >> LT_SINCE_SHIFT);
		e->rank &= ~LT_FREES_LAST;
		if (h->matches[i] >> LT_LEAF_BITS & 1)
			e->rank |= LT_FREES_LAST;
	}
}

static int by_rank(const void *x, const void *y)
{
	const struct lt_heap_entry *a = x, *b = y;
	const uint64_t rank = a->rank & ~LT_FREES_LAST, other = b->rank & ~LT_FREES_LAST;

	return (rank > other) - (rank < other);
}

/* Forgets the streams that have left, and brings the others into their order. */
static void compact(struct lt_heads *h)
{
	bool in_order = true;
	size_t n = 0;

	for (size_t i = 0; i < h->n_leaves; i++) {
		if (!h->leaves[i].s)
			continue;
		in_order &= !n || by_rank(&h->leaves[n - 1], &h->leaves[i]) < 0;
		h->leaves[n++] = h->leaves[i];
	}
	h->n_leaves = h->n_built = n;
	if (!in_order)
		qsort(h->leaves, n, sizeof(*h->leaves), by_rank);
}

static void choose_base(struct lt_heads *h)
{
	h->base = UINT64_MAX;
	for (size_t i = 0; i < h->n; i++) {
		if (h->leaves[i].key < h->base)
			h->base = h->leaves[i].key;
	}
	/* Less by one, so that a match that has it is not LT_LEFT. */
	h->far = (UINT64_MAX >> LT_SINCE_SHIFT) - 1;
	/* A difference to an earlier key, which goes round, is far. */
	if (h->far > UINT64_MAX - h->base)
		h->far = UINT64_MAX - h->base;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a < b ? b : a;
}

void lt_heads_build(struct lt_heads *h)
{
	/* By number of the match, of leaf i by i + n. */
	uint64_t *winners = h->matches;

	take_keys(h);
	compact(h);
	if (!h->n)
		return;
	choose_base(h);
	for (size_t i = 0; i < h->n; i++) {
		const struct lt_heap_entry *e = &h->leaves[i];
		const uint64_t since = e->key - h->base;

		/* It was of another base, or leaf. */
		h->behind[i].match = 0;
		winners[h->n + i] = lt_heads_match(i, since < h->far ? since : h->far,
						   e->rank & LT_FREES_LAST);
	}
	for (size_t i = h->n - 1; i; i--)
		winners[i] = earlier(winners[2 * i], winners[2 * i + 1]);
	/* The only one, where there is no match, is winners[1], too. */
	h->matches[0] = winners[1];
	/* The winner of a match is not needed below it. */
	for (size_t i = 1; i < h->n; i++)
		h->matches[i] = later(winners[2 * i], winners[2 * i + 1]);
}

/* Another one of the first stream was played, or none. */
static void check_first(struct lt_heads *h)
{
	if (h->matches[0] >> LT_SINCE_SHIFT == h->far)
		lt_heads_build(h);
}

void lt_heads_replace_far(struct lt_heads *h, uint64_t key, bool is_free)
{
	const size_t leaf = lt_heads_leaf(h->matches[0]);
	const uint64_t match = lt_heads_match(leaf, h->far, is_free);

	h->leaves[leaf].key = key;
	if (key < h->base) {
		h->matches[0] = match;
		lt_heads_build(h);
	} else {
		lt_heads_play(h, leaf, match);
		check_first(h);
	}
}

void lt_heads_replace_both(struct lt_heads *h, const uint64_t keys[2], const bool are_free[2])
{
	for (size_t i = 0; i < 2; i++) {
		h->leaves[i].key = keys[i];
		h->leaves[i].rank &= ~LT_FREES_LAST;
		h->leaves[i].rank |= are_free[i] ? LT_FREES_LAST : 0;
	}
	/* Not the keys of the matches. */
	h->n_built = 0;
	lt_heads_build(h);
}

void lt_heads_leave(struct lt_heads *h)
{
	const size_t leaf = lt_heads_leaf(h->matches[0]);

	h->leaves[leaf].s = NULL;
	h->n--;
	if (2 * h->n <= h->n_leaves) {
		h->matches[0] = LT_LEFT;
		lt_heads_build(h);
	} else {
		lt_heads_play(h, leaf, LT_LEFT);
		check_first(h);
	}
}

void lt_heads_free(struct lt_heads *h)
{
	free(h->leaves);
	free(h->behind);
	free(h->matches);
	memset(h, 0, sizeof(*h));
}
