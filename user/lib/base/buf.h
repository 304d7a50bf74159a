/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffers of bytes whose content may be read a little beyond its end.
 */
#ifndef LT_BASE_BUF_H
#define LT_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Readable bytes behind the content of every buffer that records are decoded from. The
 * decoder loads each integer as 8 bytes and shifts the surplus out.
 */
#define LT_SLACK	16

/**
 * struct lt_arena - memory of many large buffers; { 0 } is an empty one
 * @chunks: what was allocated, @n of them with room for @cap
 * @at: what follows was not lent yet, @left bytes
 */
struct lt_arena {
	void **chunks;
	size_t n;
	size_t cap;
	uint8_t *at;
	size_t left;
};

/* No buffer with memory of it is used any more. */
void lt_arena_free(struct lt_arena *a);

/**
 * struct lt_buf - a buffer, with LT_SLACK zero bytes behind @cap; { 0 } is an empty one
 * @size: bytes in use; set by the owner
 * @cap: room
 * @arena: set by the owner: where it may take its memory from, if it needs much; NULL: from the
 *	heap
 * @lent: its memory is that of an arena
 */
struct lt_buf {
	uint8_t *data;
	size_t size;
	size_t cap;
	struct lt_arena *arena;
	bool lent;
};

/* Makes room for @size bytes. The content is lost when the buffer has to be replaced. */
void lt_buf_reserve(struct lt_buf *b, size_t size);

/* As lt_buf_reserve(), but the bytes in use stay. */
void lt_buf_extend(struct lt_buf *b, size_t size);

void lt_buf_free(struct lt_buf *b);

#endif /* LT_BASE_BUF_H */
