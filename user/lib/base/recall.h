/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was found out lately: the numbers of keys that come again and again. A small table, most of
 * which is in the processor's cache, has hashes of the keys and where these are. Where there are
 * too many keys, all are forgotten, and their numbers found out again.
 */
#ifndef LT_BASE_RECALL_H
#define LT_BASE_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_RECALL_KEY	24	/* words of a key at the most */
#define LT_RECALL_MAX	(1U << 16)	/* keys */
#define LT_RECALL_BITS	16	/* of a number */

/**
 * struct lt_recall_slot - where a key is
 * @tag: its hash
 * @at: its first line; 0: there is none
 */
struct lt_recall_slot {
	uint32_t tag;
	uint32_t at;
};

#define LT_RECALL_LINE	8	/* words: one of the processor's cache */

/**
 * struct lt_recall - the keys
 * @slots: @n of them, a power of two, or none
 * @used: keys
 * @lines: @cap of them, of which keys take @n_lines; the number of a key is in the upper bits of
 *	its first word
 *
 * { 0 } at first.
 */
struct lt_recall {
	struct lt_recall_slot *slots;
	size_t n;
	size_t used;
	struct lt_recall_line {
		uint64_t words[LT_RECALL_LINE];
	} *lines;
	size_t n_lines;
	size_t cap;
};

void lt_recall_destroy(struct lt_recall *m);

extern const uint64_t lt_recall_factors[LT_RECALL_KEY];

/*
 * The hash of a key: the upper half of the sum of products of its words with factors. None of them
 * waits for another one.
 */
static inline __attribute__((always_inline)) uint32_t lt_recall_hash(const uint64_t *key, size_t n)
{
	uint64_t sum = 0;

	for (size_t line = 0; line < n; line += LT_RECALL_LINE) {
#pragma GCC unroll 8
		for (unsigned int i = 0; i < LT_RECALL_LINE; i++)
			sum += key[line + i] * lt_recall_factors[line + i];
	}
	return (uint32_t)(sum >> 32);
}

/*
 * The first two slots that a key may be in are looked at at once: the first, unless another key has
 * it. Not where @n is 0.
 */
static inline const struct lt_recall_slot *lt_recall_slot(const struct lt_recall *m, uint32_t hash)
{
	const struct lt_recall_slot *first = &m->slots[hash & (m->n - 1)];
	const struct lt_recall_slot *second = &m->slots[(hash + 1) & (m->n - 1)];

	return first->tag == hash ? first : second;
}

/* A hint that lt_recall_seek() will be called. */
static inline void lt_recall_expect(const struct lt_recall *m, uint32_t hash)
{
	if (m->n)
		__builtin_prefetch(&m->slots[hash & (m->n - 1)]);
}

/* A hint that lt_recall_find() will be called. */
static inline void lt_recall_seek(const struct lt_recall *m, uint32_t hash)
{
	if (m->n)
		__builtin_prefetch(&m->lines[lt_recall_slot(m, hash)->at]);
}

/* Loads what lt_recall_find() will look at. Return: something of it. */
static inline uint64_t lt_recall_load(const struct lt_recall *m, uint32_t hash)
{
	return m->n ? m->lines[lt_recall_slot(m, hash)->at].words[0] : 0;
}

static inline bool lt_recall_is_line(const uint64_t *kept, const uint64_t *key)
{
	uint64_t differ = (kept[0] ^ key[0]) << LT_RECALL_BITS;

#pragma GCC unroll 8
	for (unsigned int i = 1; i < LT_RECALL_LINE; i++)
		differ |= kept[i] ^ key[i];
	return !differ;
}

uint32_t lt_recall_find_far(const struct lt_recall *m, uint32_t hash, const uint64_t *key,
			    size_t n);

/*
 * The number of a key of @n words; 0: it is not known. Keys are whole lines; the first word has
 * 64 - LT_RECALL_BITS bits, and keys with the same one have the same length.
 */
static inline uint32_t lt_recall_find(const struct lt_recall *m, uint32_t hash, const uint64_t *key,
				      size_t n)
{
	const struct lt_recall_slot *slot = m->n ? lt_recall_slot(m, hash) : NULL;

	/* Nearly all are one line, and in one of their first slots. */
	if (slot && slot->at && slot->tag == hash && n == LT_RECALL_LINE &&
	    lt_recall_is_line(m->lines[slot->at].words, key))
		return (uint32_t)(m->lines[slot->at].words[0] >> (64 - LT_RECALL_BITS));
	return lt_recall_find_far(m, hash, key, n);
}

/*
 * Keeps the number of a key that is not known. Who chooses keys that need one slot gains nothing
 * but time.
 */
void lt_recall_keep(struct lt_recall *m, uint32_t hash, const uint64_t *key, size_t n,
		    uint32_t number);

#endif /* LT_BASE_RECALL_H */
