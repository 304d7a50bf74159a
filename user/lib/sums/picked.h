/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The objects of a report that its filter wants: a set of addresses. What the filter said at
 * the birth holds until the end, whatever the task that made the object is called by then.
 */
#ifndef LT_SUMS_PICKED_H
#define LT_SUMS_PICKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/pool.h"

struct lt_picked {
	struct lt_map map;
	struct lt_pool pool;	/* of addresses */
	uint64_t seed;
};

void lt_picked_init(struct lt_picked *p);
void lt_picked_destroy(struct lt_picked *p);
void lt_picked_add(struct lt_picked *p, uint64_t ptr);
bool lt_picked_has(const struct lt_picked *p, uint64_t ptr);

/* Return: whether it was in the set. */
bool lt_picked_remove(struct lt_picked *p, uint64_t ptr);

#endif /* LT_SUMS_PICKED_H */
