// SPDX-License-Identifier: GPL-2.0
/*
 * Rendered names, which are printed often.
 */
#include <stdlib.h>
#include <string.h>

#include "print/cells.h"
#include "base/mem.h"
#include "base/hash.h"

#define SLOTS_AT_FIRST	256
#define MAX_CELLS	65536

void lt_cells_init(struct lt_cells *c)
{
	c->n = 0;
	c->n_slots = SLOTS_AT_FIRST;
	c->slots = lt_alloc_array(c->n_slots, sizeof(*c->slots));
	c->seed = lt_hash_seed();
}

static void forget(struct lt_cells *c)
{
	for (size_t i = 0; i < c->n_slots; i++)
		free(c->slots[i].cell);
	free(c->slots);
}

void lt_cells_destroy(struct lt_cells *c)
{
	forget(c);
	memset(c, 0, sizeof(*c));
}

static struct lt_cells_slot *find_slot(const struct lt_cells *c, uint64_t key)
{
	size_t mask = c->n_slots - 1;
	size_t i = lt_hash64(key, c->seed) & mask;

	while (c->slots[i].cell && c->slots[i].key != key)
		i = (i + 1) & mask;
	return &c->slots[i];
}

const struct lt_cell *lt_cells_find(const struct lt_cells *c, uint64_t key)
{
	return find_slot(c, key)->cell;
}

static void grow(struct lt_cells *c)
{
	struct lt_cells_slot *old = c->slots;
	size_t n_old = c->n_slots;

	c->n_slots *= 2;
	c->slots = lt_alloc_array(c->n_slots, sizeof(*c->slots));
	for (size_t i = 0; i < n_old; i++) {
		if (old[i].cell)
			*find_slot(c, old[i].key) = old[i];
	}
	free(old);
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
	struct lt_cells_slot *slot;

	if (c->n == MAX_CELLS) {
		forget(c);
		lt_cells_init(c);
	}
	if ((c->n + 1) * 2 > c->n_slots)
		grow(c);
	slot = find_slot(c, key);
	slot->key = key;
	slot->cell = lt_alloc(sizeof(*slot->cell) + len);
	slot->cell->len = (uint32_t)len;
	slot->cell->width = width(text, len);
	memcpy(slot->cell->text, text, len);
	c->n++;
	return slot->cell;
}
