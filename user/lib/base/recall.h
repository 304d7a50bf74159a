/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was found out lately: the numbers of keys that come again and again. Each key has one place,
 * which other keys may take, and which is one line of the processor's cache. A number that was
 * forgotten is found out again.
 */
#ifndef LT_BASE_RECALL_H
#define LT_BASE_RECALL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LT_RECALL_KEY	7

/**
 * struct lt_recall_line - a key and its number
 * @number: 0: not known
 */
struct lt_recall_line {
	uint64_t key[LT_RECALL_KEY];
	uint32_t number;
} __attribute__((aligned(64)));

/**
 * struct lt_recall - the keys
 * @lines: @n of them, a power of two, or none
 *
 * { 0 } at first.
 */
struct lt_recall {
	struct lt_recall_line *lines;
	size_t n;
};

void lt_recall_destroy(struct lt_recall *m);

/* Makes room for so many different keys; all are forgotten. */
void lt_recall_enlarge(struct lt_recall *m, size_t keys);

#define LT_RECALL_MAX	(1U << 16)	/* lines: 4 MB */

/*
 * The place of the number of a key, which the caller sets if it is 0; until the next call. @keys: how
 * many different ones there are, about. Who chooses keys with one place gains nothing but time.
 */
static inline uint32_t *lt_recall_find(struct lt_recall *m, const uint64_t key[LT_RECALL_KEY], size_t keys)
{
	struct lt_recall_line *line;
	uint64_t h = 0, differs = 0;

	if (m->n <= 2 * keys && m->n < LT_RECALL_MAX)
		lt_recall_enlarge(m, keys);
	for (unsigned int i = 0; i < LT_RECALL_KEY; i++)
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15ULL;
	line = &m->lines[h >> 32 & (m->n - 1)];
	for (unsigned int i = 0; i < LT_RECALL_KEY; i++)
		differs |= line->key[i] ^ key[i];
	if (differs) {
		memcpy(line->key, key, sizeof(line->key));
		line->number = 0;
	}
	return &line->number;
}

#endif /* LT_BASE_RECALL_H */
