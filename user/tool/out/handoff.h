/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work in two threads: one makes elements, the other takes them in the order of making, many
 * at a time. An element is a line of the processor's cache; what needs more has further memory.
 * What an element points to must not change until the element was taken.
 */
#ifndef LT_OUT_HANDOFF_H
#define LT_OUT_HANDOFF_H

#include <stdbool.h>
#include <stddef.h>

#define LT_HANDOFF_ELEMENT	64	/* bytes, and what they are aligned to */

struct lt_handoff;

/**
 * typedef lt_handoff_fn - take elements
 * @elements: @n of them, one behind the other
 * @further: what lt_handoff_further() returned for them, one behind the other
 *
 * Return: false: all further elements are dropped.
 */
typedef bool lt_handoff_fn(void *arg, const void *elements, size_t n, const void *further);

/**
 * lt_handoff_new() - start a handoff
 * @further: bytes of further memory
 * @thread: call @take in a second thread if the machine has two CPUs; otherwise @take is
 *	called for each element as soon as it was made
 */
struct lt_handoff *lt_handoff_new(size_t further, bool thread, lt_handoff_fn *take, void *arg);

struct lt_handoff_batch {
	char *elements;
	char *further;
	size_t n;
	size_t n_further;
};

/* Private; defined here for the inline functions below. */
struct lt_handoff {
	size_t further;
	struct lt_handoff_batch *filling;
	size_t batch;			/* elements of a batch */
	bool threaded;
	struct lt_handoff_more *more;
};

void lt_handoff_submit(struct lt_handoff *h);

/* Further memory of the next element, aligned as malloc() does. */
static inline void *lt_handoff_further(struct lt_handoff *h)
{
	return h->filling->further + h->filling->n_further++ * h->further;
}

/* The memory of the next element. */
static inline void *lt_handoff_next(struct lt_handoff *h)
{
	return h->filling->elements + h->filling->n * LT_HANDOFF_ELEMENT;
}

/* Whether another thread reads elements, so that they are better written past the cache. */
static inline bool lt_handoff_leaves(const struct lt_handoff *h)
{
	return h->threaded;
}

/* Hands over the element that was made in lt_handoff_next(). */
static inline void lt_handoff_push(struct lt_handoff *h)
{
	if (++h->filling->n == h->batch)
		lt_handoff_submit(h);
}

/* Whether take() has returned false. */
bool lt_handoff_refused(const struct lt_handoff *h);

/* Waits until all elements were taken, and frees @h. */
void lt_handoff_finish(struct lt_handoff *h);

#endif /* LT_OUT_HANDOFF_H */
