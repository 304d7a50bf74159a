/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work in two halves: one thread makes elements, another takes them, in the same
 * order, many at a time. What an element refers to must not change meanwhile.
 */
#ifndef LT_LIB_HANDOFF_H
#define LT_LIB_HANDOFF_H

#include <stdbool.h>
#include <stddef.h>

struct lt_handoff;

/* Takes elements. False: no more are wanted; those that follow are dropped. */
typedef bool lt_handoff_fn(void *arg, const void *elements, size_t n);

/**
 * lt_handoff_new() - begin
 * @size: of an element
 * @thread: take them in a thread of its own, if the machine has a second CPU for
 *	it; otherwise each is taken where it is made, at once
 */
struct lt_handoff *lt_handoff_new(size_t size, bool thread, lt_handoff_fn *take, void *arg);

struct lt_handoff_batch {
	char *elements;
	size_t n;
};

/* Private; here for the two functions below. */
struct lt_handoff {
	size_t size;
	struct lt_handoff_batch *filling;
	size_t batch;			/* elements of one */
	struct lt_handoff_more *more;
};

void lt_handoff_submit(struct lt_handoff *h);

/* Where the next element is to be made. */
static inline void *lt_handoff_next(struct lt_handoff *h)
{
	return h->filling->elements + h->filling->n * h->size;
}

/* It is made. */
static inline void lt_handoff_push(struct lt_handoff *h)
{
	if (++h->filling->n == h->batch)
		lt_handoff_submit(h);
}

/* Whether take() has returned false. */
bool lt_handoff_refused(const struct lt_handoff *h);

/* All have been taken when it returns. Frees it. */
void lt_handoff_finish(struct lt_handoff *h);

#endif /* LT_LIB_HANDOFF_H */
