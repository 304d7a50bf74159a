// SPDX-License-Identifier: GPL-2.0
/*
 * Records of several rings, in the order of their times.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bpf/merge.h"

void lt_bpf_merge_keep(void *arg, const struct lt_raw *raw)
{
	struct lt_bpf_merge *m = arg;
	size_t n = lt_raw_size(raw) / sizeof(*m->words);

	if (m->cpu >= m->n_last)
		m->last = lt_extend(m->last, &m->n_last, m->cpu + 1, sizeof(*m->last));
	m->last[m->cpu] = raw->time;
	while (m->cap_words - m->n_words < n)
		m->words = lt_grow(m->words, &m->cap_words, m->cap_words, sizeof(*m->words));
	m->rows = lt_grow(m->rows, &m->cap, m->n, sizeof(*m->rows));
	m->rows[m->n++] = (struct lt_bpf_merge_row){ raw->time, m->n_words, m->cpu };
	memcpy(m->words + m->n_words, raw, n * sizeof(*m->words));
	m->n_words += n;
}

uint64_t lt_bpf_merge_until(const struct lt_bpf_merge *m, uint32_t cpu, uint64_t until)
{
	uint64_t last = cpu < m->n_last ? m->last[cpu] : 0;

	return last < until ? last : until;
}

uint64_t lt_bpf_merge_clock(uint64_t until, uint64_t merged, uint64_t before)
{
	if (until < before && before - until > LT_BPF_HELD_NS)
		until = before - LT_BPF_HELD_NS;
	if (until > before)
		until = before;
	return until > merged ? until : merged;
}

/* Those of one time stay in the order in which they were read. */
static int compare_times(const void *a, const void *b)
{
	const struct lt_bpf_merge_row *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The first @n rows are given: the others wait, in order. */
static void drop(struct lt_bpf_merge *m, size_t n)
{
	struct lt_bpf_merge old = *m;

	m->n = m->cap = m->n_words = m->cap_words = 0;
	m->rows = NULL;
	m->words = NULL;
	for (size_t i = n; i < old.n; i++) {
		m->cpu = old.rows[i].cpu;
		lt_bpf_merge_keep(m, (const struct lt_raw *)(old.words + old.rows[i].at));
	}
	free(old.rows);
	free(old.words);
}

void lt_bpf_merge_give(struct lt_bpf_merge *m, uint64_t until,
		       void (*take)(void *arg, uint32_t cpu, const struct lt_raw *raw), void *arg)
{
	size_t n = 0;

	if (!m->n)
		return;
	qsort(m->rows, m->n, sizeof(*m->rows), compare_times);
	while (n < m->n && (m->rows[n].time < until || until == UINT64_MAX)) {
		take(arg, m->rows[n].cpu, (const struct lt_raw *)(m->words + m->rows[n].at));
		n++;
	}
	if (n)
		drop(m, n);
}

void lt_bpf_merge_free(struct lt_bpf_merge *m)
{
	free(m->rows);
	free(m->words);
	free(m->last);
}
