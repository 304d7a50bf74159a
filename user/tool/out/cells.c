// SPDX-License-Identifier: GPL-2.0
/*
 * Rendered names, which are printed often.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "out/cells.h"

#define MAX_CELLS	65536

void lt_cells_init(struct lt_cells *c)
{
	*c = (struct lt_cells){ .seed = lt_hash_seed() };
	lt_map_init(&c->map);
}

static void forget(struct lt_cells *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->cells[i]);
	c->n = 0;
	memset(c->memo, 0, sizeof(c->memo));
}

void lt_cells_destroy(struct lt_cells *c)
{
	forget(c);
	free(c->cells);
	lt_map_destroy(&c->map);
	memset(c, 0, sizeof(*c));
}

const struct lt_cell *lt_cells_lookup(const struct lt_cells *c, uint64_t key)
{
	uint32_t number;

	lt_map_for_each(number, at, &c->map, (uint32_t)lt_hash64(key, c->seed)) {
		if (c->cells[number - 1]->key == key)
			return c->cells[number - 1];
	}
	return NULL;
}

/* Number of characters of UTF-8. */
static uint32_t width(const char *text, size_t len)
{
	uint32_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

const struct lt_cell *lt_cells_add(struct lt_cells *c, uint64_t key, const char *text, size_t len)
{
	struct lt_cell *cell;

	if (c->n == MAX_CELLS) {
		forget(c);
		lt_map_clear(&c->map);
	}
	cell = lt_alloc(sizeof(*cell) + len + LT_PIECE);
	cell->key = key;
	cell->len = (uint32_t)len;
	cell->width = width(text, len);
	memcpy(cell->text, text, len);
	c->cells = lt_grow(c->cells, &c->cap, c->n, sizeof(*c->cells));
	c->cells[c->n++] = cell;
	lt_map_add(&c->map, (uint32_t)lt_hash64(key, c->seed), (uint32_t)c->n);
	return cell;
}
