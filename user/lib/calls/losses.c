// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Gaps of the channel call, by CPU and time.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "calls/losses.h"

struct gap {
	uint32_t cpu;
	uint64_t begin;
	uint64_t end;
};

/**
 * struct lt_call_losses - the gaps
 * @gaps: sorted by CPU and begin; on one CPU none lies in another one
 * @begin: before it nothing is in the file
 */
struct lt_call_losses {
	struct gap *gaps;
	size_t n;
	uint64_t begin;
};

static int compare(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

struct lt_call_losses *lt_call_losses_new(const struct lt_trace *t)
{
	struct lt_call_losses *l = lt_alloc(sizeof(*l));
	const struct lt_gap *gaps;
	size_t all = lt_trace_gaps(t, &gaps), n = 0;

	l->begin = lt_trace_cut(t);
	if (lt_trace_overwrites(t) && lt_trace_window_begin(t) > l->begin)
		l->begin = lt_trace_window_begin(t);
	l->gaps = lt_alloc_array(all + 1, sizeof(*l->gaps));
	for (size_t i = 0; i < all; i++) {
		if (gaps[i].channel == LT_CHANNEL_CALL)
			l->gaps[l->n++] = (struct gap){ gaps[i].cpu, gaps[i].begin, gaps[i].end };
	}
	if (!l->n)
		return l;
	qsort(l->gaps, l->n, sizeof(*l->gaps), compare);
	for (size_t i = 1; i < l->n; i++) {
		struct gap *last = &l->gaps[n];

		if (l->gaps[i].cpu == last->cpu && l->gaps[i].begin <= last->end)
			last->end = last->end > l->gaps[i].end ? last->end : l->gaps[i].end;
		else
			l->gaps[++n] = l->gaps[i];
	}
	l->n = n + 1;
	return l;
}

void lt_call_losses_free(struct lt_call_losses *l)
{
	if (!l)
		return;
	free(l->gaps);
	free(l);
}

static bool over(const struct lt_call_losses *l, uint32_t cpu, uint64_t begin, uint64_t end)
{
	const struct gap *g = l->gaps;
	/* The first one that ends behind the begin. */
	size_t low = lt_first_not(l->n, i, g[i].cpu < cpu ||
				  (g[i].cpu == cpu && g[i].end <= begin));

	return low < l->n && l->gaps[low].cpu == cpu && l->gaps[low].begin < end;
}

bool lt_call_losses_over(const struct lt_call_losses *l, uint32_t cpu, uint64_t begin,
			 uint64_t end)
{
	return begin < l->begin || over(l, cpu, begin, end) || over(l, LT_ANY_CPU, begin, end);
}

bool lt_call_node_uncertain(const struct lt_call_losses *l, const struct lt_call_node *node)
{
	uint64_t begin = node->call.begin, end = node->call.end;
	uint32_t last = node->call.cpu;

	if (node->partial || lt_call_losses_over(l, last, begin, end))
		return true;
	for (uint32_t i = 0; i < node->n; i++) {
		uint32_t cpu = node->calls[i]->call.cpu;

		if (cpu != last && over(l, cpu, begin, end))
			return true;
		last = cpu;
	}
	return false;
}
