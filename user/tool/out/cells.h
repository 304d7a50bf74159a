/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of call sites, caches and flags, rendered once and printed often.
 */
#ifndef LT_OUT_CELLS_H
#define LT_OUT_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/**
 * struct lt_cell - a rendered name
 * @key: what it is the name of
 * @len: bytes of @text
 * @width: characters of @text
 * @text: not zero-terminated
 */
struct lt_cell {
	uint64_t key;
	uint32_t len;
	uint32_t width;
	char text[];
};

/**
 * struct lt_cells - rendered names by key
 * @map: numbers of cells by the hash of their key
 * @cells: cell N is at N - 1
 * @n: number of cells
 * @cap: room in @cells
 * @seed: of the hash
 */
struct lt_cells {
	struct lt_map map;
	struct lt_cell **cells;
	size_t n;
	size_t cap;
	uint64_t seed;
};

void lt_cells_init(struct lt_cells *c);
void lt_cells_destroy(struct lt_cells *c);

/* The cell of a key; NULL: not yet rendered. Valid until the next lt_cells_add(). */
const struct lt_cell *lt_cells_find(const struct lt_cells *c, uint64_t key);

/*
 * Adds the cell of a key that has none. At 65,536 cells all are dropped, so that memory does
 * not grow with the number of keys.
 */
const struct lt_cell *lt_cells_add(struct lt_cells *c, uint64_t key, const char *text, size_t len);

#endif /* LT_OUT_CELLS_H */
