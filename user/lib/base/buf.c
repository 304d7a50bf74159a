// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers of bytes whose content may be read a little beyond its end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define PAGE		((size_t)4 << 10)
#define CHUNK		((size_t)8 << 20)
/* bytes: smaller buffers have memory of their own */
#define LARGE		((size_t)64 << 10)
/* the next packets of a stream may be a little larger */
#define STEP		((size_t)16 << 10)

/* Memory that was not touched yet; NULL: so much at once cannot be had. */
static uint8_t *lend(struct lt_arena *a, size_t size)
{
	uint8_t *at;

	if (a->left < size) {
		const size_t chunk = size > CHUNK ? (size + PAGE - 1) & ~(PAGE - 1) : CHUNK;

		/*
		 * Huge pages are not asked for: a third of the page faults, but no faster, and at
		 * times half as fast.
		 */
		at = aligned_alloc(PAGE, chunk);
		if (!at)
			return NULL;
		a->at = at;
		a->left = chunk;
		a->chunks = lt_grow(a->chunks, &a->cap, a->n, sizeof(*a->chunks));
		a->chunks[a->n++] = a->at;
	}
	at = a->at;
	a->at += size;
	a->left -= size;
	return at;
}

void lt_arena_free(struct lt_arena *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->chunks[i]);
	free(a->chunks);
	memset(a, 0, sizeof(*a));
}

static void release(const struct lt_buf *b)
{
	if (!b->lent)
		free(b->data);
}

/* All memory that a buffer has left in an arena is less than twice what it has at last. */
static bool is_to_borrow(const struct lt_buf *b, size_t size)
{
	return b->arena && size >= LARGE && size / 2 >= b->cap;
}

/* Gives it other memory, which is not touched: something is to be read or unpacked into it. */
static void replace(struct lt_buf *b, size_t size)
{
	const size_t step = (size + STEP - 1) & ~(STEP - 1);

	b->data = is_to_borrow(b, size) ? lend(b->arena, step + LT_SLACK) : NULL;
	b->lent = b->data;
	if (b->lent)
		size = step;
	else
		b->data = lt_realloc(NULL, size + LT_SLACK);
	memset(b->data + size, 0, LT_SLACK);
	b->cap = size;
}

void lt_buf_reserve(struct lt_buf *b, size_t size)
{
	if (b->cap >= size && b->data)
		return;
	release(b);
	replace(b, size);
}

void lt_buf_extend(struct lt_buf *b, size_t size)
{
	const struct lt_buf old = *b;

	if (b->cap >= size && b->data)
		return;
	replace(b, size);
	if (old.size)
		memcpy(b->data, old.data, old.size);
	release(&old);
}

void lt_buf_free(struct lt_buf *b)
{
	release(b);
	memset(b, 0, sizeof(*b));
}
