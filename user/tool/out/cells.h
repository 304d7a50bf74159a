/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of call sites, caches and flags, rendered once and printed often.
 */
#ifndef LT_OUT_CELLS_H
#define LT_OUT_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "out/piece.h"

#define LT_CELLS_MEMO	256

/**
 * struct lt_cell - a rendered name
 * @key: what it is the name of
 * @len: bytes of @text
 * @width: characters of @text
 * @text: not zero-terminated; LT_PIECE bytes behind it may be read
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
 * @memo: cells that were looked up lately, by a part of the key; NULL: none
 */
struct lt_cells {
	struct lt_map map;
	struct lt_cell **cells;
	size_t n;
	size_t cap;
	uint64_t seed;
	const struct lt_cell *memo[LT_CELLS_MEMO];
};

void lt_cells_init(struct lt_cells *c);
void lt_cells_destroy(struct lt_cells *c);

/* lt_cells_find() without its memo. */
const struct lt_cell *lt_cells_lookup(const struct lt_cells *c, uint64_t key);

/* The cell of a key; NULL: not yet rendered. Valid until the next lt_cells_add(). */
static inline const struct lt_cell *lt_cells_find(struct lt_cells *c, uint64_t key)
{
	const struct lt_cell **memo =
		&c->memo[key * 0x9e3779b97f4a7c15ULL >> 32 & (LT_CELLS_MEMO - 1)];

	if (!*memo || (*memo)->key != key)
		*memo = lt_cells_lookup(c, key);
	return *memo;
}

/*
 * Adds the cell of a key that has none. At 65,536 cells all are dropped, so that memory does
 * not grow with the number of keys.
 */
const struct lt_cell *lt_cells_add(struct lt_cells *c, uint64_t key, const char *text, size_t len);

/* Copies the text of a cell, and up to LT_PIECE bytes behind it. Return: the end of the text. */
static inline char *lt_cell_put(char *p, const struct lt_cell *cell)
{
	return lt_piece_copy(p, cell->text, cell->len);
}

#endif /* LT_OUT_CELLS_H */
