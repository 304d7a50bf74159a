// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What was found out lately.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/recall.h"

#define MIN	1024
#define TRIES	8	/* slots that a key may be in */
/* lines are in any order, which costs a look into the table of pages */
#define HUGE_PAGE	((size_t)2 << 20)
#define NUMBER_SHIFT	(64 - LT_RECALL_BITS)

/* Odd, and otherwise at random. */
const uint64_t lt_recall_factors[LT_RECALL_KEY] = {
	0x9e3779b97f4a7c15ULL, 0xc2b2ae3d27d4eb4fULL, 0xd6e8feb86659fd93ULL, 0xa0761d6478bd642fULL,
	0xe7037ed1a0b428dbULL, 0x8ebc6af09c88c6e3ULL, 0x589965cc75374cc3ULL, 0x1d8e4e27c47d124fULL,
	0xeb44accab455d165ULL, 0x4be98134a5976fd3ULL, 0x3bc0993a5ad19a13ULL, 0x9c6e6877736c46e3ULL,
	0xbea225f9eb34556dULL, 0x94d049bb133111ebULL, 0xbf58476d1ce4e5b9ULL, 0xda942042e4dd58b5ULL,
	0xff51afd7ed558ccdULL, 0xc4ceb9fe1a85ec53ULL, 0x87c37b91114253d5ULL, 0xcf5ad432745937f9ULL,
	0x52dce729da3ed6a7ULL, 0x38495ab5b3f4a8d1ULL, 0xf1357aea2e62a9c5ULL, 0xd1342543de82ef95ULL,
};

void lt_recall_destroy(struct lt_recall *m)
{
	free(m->slots);
	free(m->lines);
	*m = (struct lt_recall){ 0 };
}

static bool is_key(const uint64_t *kept, const uint64_t *key, size_t n)
{
	return lt_recall_is_line(kept, key) &&
	       !memcmp(kept + LT_RECALL_LINE, key + LT_RECALL_LINE,
		       (n - LT_RECALL_LINE) * sizeof(*key));
}

uint32_t lt_recall_find_far(const struct lt_recall *m, uint32_t hash, const uint64_t *key, size_t n)
{
	for (unsigned int i = 0; i < TRIES && m->n; i++) {
		const struct lt_recall_slot *slot = &m->slots[(hash + i) & (m->n - 1)];

		if (!slot->at)
			break;
		if (slot->tag == hash && is_key(m->lines[slot->at].words, key, n))
			return (uint32_t)(m->lines[slot->at].words[0] >> NUMBER_SHIFT);
	}
	return 0;
}

/* Where there is no empty slot, another key is forgotten. */
static void take_slot(struct lt_recall *m, struct lt_recall_slot taken)
{
	struct lt_recall_slot *slot = &m->slots[taken.tag & (m->n - 1)];

	for (unsigned int i = 0; i < TRIES && slot->at; i++)
		slot = &m->slots[(taken.tag + i) & (m->n - 1)];
	*slot = taken;
}

/* Slots for twice as many keys. */
static void enlarge(struct lt_recall *m)
{
	struct lt_recall_slot *old = m->slots;
	const size_t n = m->n;

	m->n = n ? n * 2 : MIN;
	m->slots = lt_alloc_array(m->n, sizeof(*m->slots));
	for (size_t i = 0; i < n; i++) {
		if (old[i].at)
			take_slot(m, old[i]);
	}
	free(old);
}

static void enlarge_lines(struct lt_recall *m)
{
	const size_t cap = m->cap ? m->cap * 2 : MIN, size = cap * sizeof(*m->lines);
	const bool huge = size >= HUGE_PAGE;
	struct lt_recall_line *lines = aligned_alloc(huge ? HUGE_PAGE : sizeof(*lines), size);

	if (!lines)
		lt_fatal("out of memory (%zu bytes)", size);
	/* If that is not possible it is only slower. */
	if (huge)
		madvise(lines, size, MADV_HUGEPAGE);
	if (m->lines)
		memcpy(lines, m->lines, m->n_lines * sizeof(*lines));
	else
		lines[0] = (struct lt_recall_line){ { 0 } };
	free(m->lines);
	m->lines = lines;
	m->cap = cap;
}

void lt_recall_keep(struct lt_recall *m, uint32_t hash, const uint64_t *key, size_t n,
		    uint32_t number)
{
	uint64_t *words;

	if (m->used == LT_RECALL_MAX) {
		memset(m->slots, 0, m->n * sizeof(*m->slots));
		m->used = m->n_lines = 0;
	}
	if (m->used * 2 >= m->n)
		enlarge(m);
	/* The first line is none. */
	m->n_lines += !m->n_lines;
	if (m->n_lines + LT_RECALL_KEY / LT_RECALL_LINE > m->cap)
		enlarge_lines(m);
	take_slot(m, (struct lt_recall_slot){ hash, (uint32_t)m->n_lines });
	m->used++;
	words = m->lines[m->n_lines].words;
	m->n_lines += n / LT_RECALL_LINE;
	memcpy(words, key, n * sizeof(*key));
	words[0] |= (uint64_t)number << NUMBER_SHIFT;
}
