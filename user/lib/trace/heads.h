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

/* In the rank of a record, above all CPU numbers. */
#define LT_FREES_LAST	(1ULL << 63)

/*
 * The first record of a stream: its time, and its place among those of one time, which no other
 * has.
 */
struct lt_heap_entry {
	uint64_t key;
	uint64_t rank;			/* frees last, then CPU, channel */
	struct lt_stream *s;
};

/*
 * The record behind the first one of a stream: its match, so that it can be played before the
 * stream's memory is there; 0: it is not known. @serial: for the caller: of which record that is
 */
struct lt_heads_behind {
	uint64_t match;
	uint64_t serial;
};

/* Order of streams; for lt_heap_up(), into which it is inlined. */
static inline bool lt_heap_earlier(const void *x, const void *y, const void *arg)
{
	const struct lt_heap_entry *a = x, *b = y;

	(void)arg;
	return a->key != b->key ? a->key < b->key : a->rank < b->rank;
}

/**
 * struct lt_heads - the streams that have a record, the earliest first; { 0 }: none
 * @n: number of them
 * @leaves: one for each, and for some that have left, without @s; by rank, but for LT_FREES_LAST. A
 *	key is kept here if the match does not have it
 * @behind: by leaf
 * @n_leaves, @cap: length and room of @leaves
 * @n_built: how many there were when the tree was built; those behind are not in it
 * @matches: the losers; 0: the winner. Above leaf i is match (i + n_leaves) / 2, above match i is i
 *	/ 2. A match is one number, so that one comparison decides, see lt_heads_match(). LT_LEFT:
 *	the stream has left
 * @base: the earliest key when the tree was built
 * @far: keys so long after @base have no room in a match, which has @far instead
 */
struct lt_heads {
	size_t n;
	struct lt_heap_entry *leaves;
	struct lt_heads_behind *behind;
	size_t n_leaves;
	size_t cap;
	size_t n_built;
	uint64_t *matches;
	uint64_t base;
	uint64_t far;
};

#define LT_LEFT		UINT64_MAX
#define LT_LEAF_BITS	20
#define LT_SINCE_SHIFT	(LT_LEAF_BITS + 1)

/* From above: the key since @base, whether the record is a free, and the leaf. */
static inline uint64_t lt_heads_match(size_t leaf, uint64_t since, bool is_free)
{
	return since << LT_SINCE_SHIFT | (uint64_t)is_free << LT_LEAF_BITS | leaf;
}

static inline size_t lt_heads_leaf(uint64_t match)
{
	return match & (((size_t)1 << LT_LEAF_BITS) - 1);
}

/* The stream with the earliest record, of at least one. */
static inline struct lt_stream *lt_heads_first(const struct lt_heads *h)
{
	return h->leaves[lt_heads_leaf(h->matches[0])].s;
}

/* Its key. A far one is never first: the tree is built anew before. */
static inline uint64_t lt_heads_key(const struct lt_heads *h)
{
	return h->base + (h->matches[0] >> LT_SINCE_SHIFT);
}

/*
 * A leaf, that of the winner before, has another record. No jump depends on which one is earlier.
 */
static inline void lt_heads_play(struct lt_heads *h, size_t leaf, uint64_t winner)
{
	uint64_t *const matches = h->matches;

	for (size_t i = (leaf + h->n_leaves) / 2; i; i /= 2) {
		const uint64_t other = matches[i], later = other < winner ? winner : other;

		winner = other < winner ? other : winner;
		matches[i] = later;
	}
	matches[0] = winner;
}

/*
 * Takes note of the record behind the one that a leaf is about to get. lt_heads_build() forgets it.
 */
static inline void lt_heads_follow(const struct lt_heads *h, size_t leaf, uint64_t key,
				   bool is_free, uint64_t serial)
{
	const uint64_t since = key - h->base;

	h->behind[leaf] = (struct lt_heads_behind){
		.match = since < h->far ? lt_heads_match(leaf, since, is_free) : 0,
		.serial = serial,
	};
}

/* lt_heads_replace() by a key that is before @base or far. */
void lt_heads_replace_far(struct lt_heads *h, uint64_t key, bool is_free);

/* The first stream has another record. */
static inline void lt_heads_replace(struct lt_heads *h, uint64_t key, bool is_free)
{
	const size_t leaf = lt_heads_leaf(h->matches[0]);
	const uint64_t since = key - h->base;

	if (__builtin_expect(since < h->far, 1))
		lt_heads_play(h, leaf, lt_heads_match(leaf, since, is_free));
	else
		lt_heads_replace_far(h, key, is_free);
}

/*
 * Adds a stream, whose ranks differ from one record to another in LT_FREES_LAST only. Before
 * anything else is asked lt_heads_build() must be called.
 */
void lt_heads_add(struct lt_heads *h, struct lt_stream *s, uint64_t key, uint64_t rank);
void lt_heads_build(struct lt_heads *h);

/* Of the only two streams, in the order of their leaves, both have other records. */
void lt_heads_replace_both(struct lt_heads *h, const uint64_t keys[2], const bool are_free[2]);

/* The first stream has no other record. */
void lt_heads_leave(struct lt_heads *h);

void lt_heads_free(struct lt_heads *h);

#endif /* LT_TRACE_HEADS_H */
