/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is decided by the passing of time, the oldest first.
 */
#ifndef LT_LIB_LIFETIMES_AGE_H
#define LT_LIB_LIFETIMES_AGE_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct lt_aged - an entry
 * @what: what is to be decided, as a number
 * @stamp: distinguishes it from what takes the number @what later
 */
struct lt_aged {
	uint64_t what;
	uint64_t stamp;
};

/* A ring that grows. All is private but @n, the number of entries. Zeroed, it is empty. */
struct lt_age_queue {
	struct lt_aged *ring;
	size_t size;		/* a power of two, or 0 */
	size_t head;
	size_t n;
};

void lt_age_destroy(struct lt_age_queue *q);
void lt_age_push(struct lt_age_queue *q, uint64_t what, uint64_t stamp);

/* The oldest entry; there must be one. */
static inline const struct lt_aged *lt_age_head(const struct lt_age_queue *q)
{
	return &q->ring[q->head];
}

static inline void lt_age_pop(struct lt_age_queue *q)
{
	q->head = (q->head + 1) & (q->size - 1);
	q->n--;
}

#endif /* LT_LIB_LIFETIMES_AGE_H */
