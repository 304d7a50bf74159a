/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which stream has the next record of a trace: a tournament of the first records of all streams.
 * Each node of the tree keeps the loser of its match. When the stream of the winner has another
 * record, that meets only the losers on its way from its leaf to the root: which these are does not
 * depend on who wins, so that the processor need not wait for one match to begin the next.
 */
#ifndef LT_TRACE_HEADS_H
#define LT_TRACE_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lt_stream;

/* The first record of a stream: its time, and its place among those of one time, which no other has. */
struct lt_heap_entry {
	uint64_t key;
	uint64_t rank;			/* frees last, then CPU, channel */
	struct lt_stream *s;
};

/* Order of streams; for lt_heap_up(), into which it is inlined. */
static inline bool lt_heap_earlier(const void *x, const void *y, const void *arg)
{
	const struct lt_heap_entry *a = x, *b = y;

	(void)arg;
	return a->key != b->key ? a->key < b->key : a->rank < b->rank;
}

struct lt_match {
	uint64_t key;
	uint32_t leaf;
};

/**
 * struct lt_heads - the streams that have a record, the earliest first; { 0 }: none
 * @n: number of them
 * @leaves: one for each, and for some that have left, without @s
 * @matches: the losers; 0: the winner. Above leaf i is match (i + n_leaves) / 2, above match i is i / 2.
 * @winners: scratch
 */
struct lt_heads {
	size_t n;
	struct lt_heap_entry *leaves;
	size_t n_leaves;
	size_t cap;
	struct lt_match *matches;
	uint32_t *winners;
};

/* The stream with the earliest record, of at least one. */
static inline struct lt_stream *lt_heads_first(const struct lt_heads *h)
{
	return h->leaves[h->matches[0].leaf].s;
}

static inline uint64_t lt_heads_key(const struct lt_heads *h)
{
	return h->matches[0].key;
}

/* lt_heads_replace() of two streams, of which runs of records are taken: mostly the other one is next. */
static inline void lt_heads_replace_of_two(struct lt_heads *h)
{
	struct lt_match first = { h->leaves[h->matches[0].leaf].key, h->matches[0].leaf };
	struct lt_match *other = &h->matches[1];

	if (lt_heap_earlier(&h->leaves[other->leaf], &h->leaves[first.leaf], NULL)) {
		h->matches[0] = *other;
		*other = first;
	} else {
		h->matches[0] = first;
	}
}

/* The first stream has another record. No jump depends on which key is less. */
static inline void lt_heads_replace(struct lt_heads *h, uint64_t key, uint64_t rank)
{
	uint32_t leaf = h->matches[0].leaf;

	h->leaves[leaf].key = key;
	h->leaves[leaf].rank = rank;
	if (h->n_leaves == 2) {
		lt_heads_replace_of_two(h);
		return;
	}
	for (size_t i = (leaf + h->n_leaves) / 2; i; i /= 2) {
		struct lt_match *m = &h->matches[i];
		uint64_t keys = m->key ^ key, wins = m->key < key;
		uint32_t leaves = m->leaf ^ leaf;

		if (__builtin_expect(!keys, 0))
			wins = h->leaves[m->leaf].rank < h->leaves[leaf].rank;
		keys &= -wins;
		leaves &= -(uint32_t)wins;
		m->key ^= keys;
		key ^= keys;
		m->leaf ^= leaves;
		leaf ^= leaves;
	}
	h->matches[0] = (struct lt_match){ key, leaf };
}

/* The key of the record that comes behind those of the first stream; UINT64_MAX: there is none. */
static inline uint64_t lt_heads_second(const struct lt_heads *h)
{
	uint64_t key = UINT64_MAX;

	for (size_t i = (h->matches[0].leaf + h->n_leaves) / 2; i; i /= 2)
		key = h->matches[i].key < key ? h->matches[i].key : key;
	return key;
}

/* Adds a stream. Before anything else is asked lt_heads_build() must be called. */
void lt_heads_add(struct lt_heads *h, struct lt_stream *s, uint64_t key, uint64_t rank);
void lt_heads_build(struct lt_heads *h);

/* The first stream has no other record. */
void lt_heads_leave(struct lt_heads *h);

void lt_heads_free(struct lt_heads *h);

#endif /* LT_TRACE_HEADS_H */
