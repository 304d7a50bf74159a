/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was found out lately: the numbers of keys that come again and again. A key and its number are
 * two lines of the processor's cache side by side. Where there are too many keys, later ones take the place
 * of earlier ones, whose number is found out again.
 */
#ifndef LT_BASE_RECALL_H
#define LT_BASE_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_RECALL_KEY	15

/**
 * struct lt_recall_line - a key and its number
 * @number: 0: not known
 * @taken: the line has a key
 */
struct lt_recall_line {
	uint64_t key[LT_RECALL_KEY];
	uint32_t number;
	bool taken;
} __attribute__((aligned(128)));

/**
 * struct lt_recall - the keys
 * @lines: @n of them, a power of two, or none
 * @used: how many are taken
 *
 * { 0 } at first.
 */
struct lt_recall {
	struct lt_recall_line *lines;
	size_t n;
	size_t used;
};

void lt_recall_destroy(struct lt_recall *m);

#define LT_RECALL_MAX	(1U << 16)	/* lines: 8 MB */

extern const uint64_t lt_recall_factors[LT_RECALL_KEY];

/* The sum of products has in its upper half what is needed, and none of them waits for another one. */
static inline uint32_t lt_recall_hash(const uint64_t key[LT_RECALL_KEY])
{
	uint64_t h = 0;

#pragma GCC unroll 15
	for (unsigned int i = 0; i < LT_RECALL_KEY; i++)
		h += key[i] * lt_recall_factors[i];
	return (uint32_t)(h >> 32);
}

/* A hint that lt_recall_find() will be called. */
static inline void lt_recall_expect(const struct lt_recall *m, uint32_t hash)
{
	if (!m->n)
		return;
	__builtin_prefetch(&m->lines[hash & (m->n - 1)]);
	__builtin_prefetch(&m->lines[hash & (m->n - 1)].number);
}

/*
 * The place of the number of a key, which the caller sets if it is 0; until the next call. Who chooses
 * keys that need one place gains nothing but time.
 */
uint32_t *lt_recall_find(struct lt_recall *m, uint32_t hash, const uint64_t key[LT_RECALL_KEY]);

#endif /* LT_BASE_RECALL_H */
