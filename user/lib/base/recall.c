// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What was found out lately.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/recall.h"

#define MIN		1024
#define HUGE_PAGE	((size_t)2 << 20)	/* lines are in any order, which costs a look into the table of pages */
#define TRIES		8	/* lines that a key may be in */

/* Odd, and otherwise at random. */
const uint64_t lt_recall_factors[LT_RECALL_KEY] = {
	0x9e3779b97f4a7c15ULL, 0xc2b2ae3d27d4eb4fULL, 0xd6e8feb86659fd93ULL, 0xa0761d6478bd642fULL,
	0xe7037ed1a0b428dbULL, 0x8ebc6af09c88c6e3ULL, 0x589965cc75374cc3ULL, 0x1d8e4e27c47d124fULL,
	0xeb44accab455d165ULL, 0x4be98134a5976fd3ULL, 0x3bc0993a5ad19a13ULL, 0x9c6e6877736c46e3ULL,
	0xbea225f9eb34556dULL, 0x94d049bb133111ebULL, 0xbf58476d1ce4e5b9ULL,
};

void lt_recall_destroy(struct lt_recall *m)
{
	free(m->lines);
	*m = (struct lt_recall){ 0 };
}

/* The line of a key, or one that it may take, in which there is nothing or another key. */
static struct lt_recall_line *line_of(const struct lt_recall *m, uint32_t hash,
				      const uint64_t key[LT_RECALL_KEY], bool *found)
{
	struct lt_recall_line *line;

	for (unsigned int i = 0; i < TRIES; i++) {
		line = &m->lines[(hash + i) & (m->n - 1)];
		*found = !memcmp(line->key, key, sizeof(line->key)) && line->taken;
		if (*found || !line->taken)
			return line;
	}
	return &m->lines[hash & (m->n - 1)];
}

static void enlarge(struct lt_recall *m)
{
	struct lt_recall old = *m;
	const size_t n = old.n ? old.n * 2 : MIN, size = n * sizeof(*m->lines);
	const bool huge = size >= HUGE_PAGE;

	*m = (struct lt_recall){ .n = n };
	m->lines = aligned_alloc(huge ? HUGE_PAGE : sizeof(*m->lines), size);
	if (!m->lines)
		lt_fatal("out of memory (%zu bytes)", size);
	/* If that is not possible it is only slower. */
	if (huge)
		madvise(m->lines, size, MADV_HUGEPAGE);
	memset(m->lines, 0, size);
	for (size_t i = 0; i < old.n; i++) {
		const struct lt_recall_line *line = &old.lines[i];

		if (line->taken)
			*lt_recall_find(m, lt_recall_hash(line->key), line->key) = line->number;
	}
	lt_recall_destroy(&old);
}

uint32_t *lt_recall_find(struct lt_recall *m, uint32_t hash, const uint64_t key[LT_RECALL_KEY])
{
	struct lt_recall_line *line;
	bool found;

	if (!m->n)
		enlarge(m);
	line = line_of(m, hash, key, &found);
	if (found)
		return &line->number;
	if (m->used * 2 >= m->n && m->n < LT_RECALL_MAX) {
		enlarge(m);
		line = line_of(m, hash, key, &found);
	}
	m->used += !line->taken;
	line->taken = true;
	memcpy(line->key, key, sizeof(line->key));
	line->number = 0;
	return &line->number;
}
