/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffers of bytes whose content may be read a little beyond its end.
 */
#ifndef LT_BASE_BUF_H
#define LT_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

/*
 * Readable bytes behind the content of every buffer that records are decoded from. The
 * decoder loads each integer as 8 bytes and shifts the surplus out.
 */
#define LT_SLACK	16

/**
 * struct lt_buf - a buffer, with LT_SLACK zero bytes behind @cap; { 0 } is an empty one
 * @size: bytes in use; set by the owner
 * @cap: room
 */
struct lt_buf {
	uint8_t *data;
	size_t size;
	size_t cap;
};

/* Makes room for @size bytes. The content is lost when the buffer has to be replaced. */
void lt_buf_reserve(struct lt_buf *b, size_t size);

void lt_buf_free(struct lt_buf *b);

#endif /* LT_BASE_BUF_H */
