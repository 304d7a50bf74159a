// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bytes of a Parquet file in the making.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "parquet/bytes.h"

#define GROUP	8	/* values that are packed together */

void lt_bytes_free(struct lt_bytes *b)
{
	free(b->data);
	*b = (struct lt_bytes){ .n = 0 };
}

uint8_t *lt_bytes_room(struct lt_bytes *b, size_t n)
{
	if (b->cap - b->n < n) {
		b->cap = b->cap * 2 > b->n + n ? b->cap * 2 : b->n + n;
		b->data = lt_realloc(b->data, b->cap);
	}
	return b->data + b->n;
}

void lt_bytes_add(struct lt_bytes *b, const void *data, size_t n)
{
	if (!n)
		return;
	memcpy(lt_bytes_room(b, n), data, n);
	b->n += n;
}

void lt_bytes_varint(struct lt_bytes *b, uint64_t v)
{
	uint8_t *p = lt_bytes_room(b, 10), *start = p;

	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	b->n += (size_t)(p - start);
}

static void little(struct lt_bytes *b, uint64_t v, unsigned int size)
{
	uint8_t *p = lt_bytes_room(b, size);

	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * i);
	b->n += size;
}

void lt_bytes_u32(struct lt_bytes *b, uint32_t v)
{
	little(b, v, sizeof(v));
}

void lt_bytes_u64(struct lt_bytes *b, uint64_t v)
{
	little(b, v, sizeof(v));
}

/* How many values from the first one on are equal to it, at most @most. */
static size_t run_length(const uint32_t *values, size_t n, size_t most)
{
	size_t len = 1;

	while (len < n && len < most && values[len] == values[0])
		len++;
	return len;
}

/* @n values as whole groups; zeros fill the last one. */
static void put_packed(struct lt_bytes *b, const uint32_t *values, size_t n, unsigned int width)
{
	size_t groups = (n + GROUP - 1) / GROUP;
	unsigned int bits = 0;
	uint64_t part = 0;

	lt_bytes_varint(b, (uint64_t)groups << 1 | 1);
	for (size_t i = 0; i < groups * GROUP; i++) {
		part |= (uint64_t)(i < n ? values[i] : 0) << bits;
		for (bits += width; bits >= 8; bits -= 8) {
			*lt_bytes_room(b, 1) = (uint8_t)part;
			b->n++;
			part >>= 8;
		}
	}
}

void lt_bytes_hybrid(struct lt_bytes *b, const uint32_t *values, size_t n, unsigned int width)
{
	size_t i = 0, start;

	while (i < n) {
		size_t run = run_length(&values[i], n - i, n);

		if (run >= GROUP) {
			lt_bytes_varint(b, (uint64_t)run << 1);
			little(b, values[i], (width + 7) / 8);
			i += run;
			continue;
		}
		/* Groups are whole but for the last one, so that a run begins where one ends. */
		start = i;
		do
			i = n - i > GROUP ? i + GROUP : n;
		while (i < n && run_length(&values[i], n - i, GROUP) < GROUP);
		put_packed(b, &values[start], i - start, width);
	}
}
