/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pieces of output that are made once and printed often: the name of a call
 * site, of a cache, of flags.
 */
#ifndef LT_LIB_CELLS_H
#define LT_LIB_CELLS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct lt_cell - a piece of output
 * @len: bytes of @text
 * @width: characters
 * @text: not terminated
 */
struct lt_cell {
	uint32_t len;
	uint32_t width;
	char text[];
};

struct lt_cells {
	struct lt_cells_slot {
		uint64_t key;
		struct lt_cell *cell;	/* NULL: free */
	} *slots;
	size_t n_slots;			/* a power of two */
	size_t n;
	uint64_t seed;
};

void lt_cells_init(struct lt_cells *c);
void lt_cells_destroy(struct lt_cells *c);

/* The cell of a key, NULL: there is none yet. Valid until the next lt_cells_add(). */
const struct lt_cell *lt_cells_find(const struct lt_cells *c, uint64_t key);

/*
 * A cell for a key that has none. Cells are forgotten when there are too many,
 * so that memory does not grow with the number of keys.
 */
const struct lt_cell *lt_cells_add(struct lt_cells *c, uint64_t key, const char *text, size_t len);

#endif /* LT_LIB_CELLS_H */
