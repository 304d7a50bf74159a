/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which addresses were recorded. Users include "trace/trace.h".
 */
#ifndef LT_TRACE_SAMPLE_H
#define LT_TRACE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"

struct lt_trace;

/*
 * The sample of addresses: of slab objects and pages, those at one address in N were recorded. It
 * may have changed while the trace was recorded. The samples are nested: the smallest one was
 * recorded at all times, so lifetimes at its addresses are whole. The reader takes these, and no
 * others, but for sums of which each birth stands for as many as the sample of its time says:
 * struct lt_lifetime_ops.left.
 *
 * Return: N of the smallest sample; 1: all were recorded. Of a live trace: of those so far. A trace
 * of a file is searched once for changes, if there may be any. Frees the value that lt_trace_info()
 * returned last.
 */
unsigned int lt_trace_sample(const struct lt_trace *t);

/* Whether the sample may have changed. Frees that value, too. */
bool lt_trace_sample_changes(const struct lt_trace *t);

/* Whether it became smaller than INFO says. Frees that value, too. */
bool lt_trace_sample_shrank(const struct lt_trace *t);

/**
 * lt_trace_sample_period() - between which changes of the sample an event was decided
 *
 * Call lt_trace_sample() before.
 * Return: their number; 0: before the first one, or there is none.
 */
size_t lt_trace_sample_period(const struct lt_trace *t, uint64_t time);
/* When a period ends, ns; UINT64_MAX: it does not. */
uint64_t lt_trace_sample_until(const struct lt_trace *t, size_t period);
/* Whether the sample has changed. Call lt_trace_sample() before. */
static inline bool lt_trace_sample_changed(const struct lt_trace *t)
{
	return lt_trace_sample_until(t, 0) != UINT64_MAX;
}

/* Return: N of the smallest sample of these periods and those between them. */
unsigned int lt_trace_sample_over(const struct lt_trace *t, size_t from, size_t to);

/*
 * Whether a sample of one address in @one_in has the object at @ptr, which is a page frame number
 * of LT_SPACE_PAGE.
 */
bool lt_trace_sample_has(const struct lt_trace *t, enum lt_space space, uint64_t ptr,
			 unsigned int one_in);

#endif /* LT_TRACE_SAMPLE_H */
