// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of Protocol Buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/pb.h"

#define WIRE_VARINT	0
#define WIRE_BYTES	2

void lt_pb_free(struct lt_pb *m)
{
	free(m->data);
	*m = (struct lt_pb){ .n = 0 };
}

static uint8_t *room(struct lt_pb *m, size_t n)
{
	if (m->cap - m->n < n) {
		m->cap = m->cap * 2 > m->n + n ? m->cap * 2 : m->n + n;
		m->data = lt_realloc(m->data, m->cap);
	}
	return m->data + m->n;
}

void lt_pb_varint(struct lt_pb *m, uint64_t v)
{
	uint8_t *p = room(m, 10), *begin = p;

	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)v | 0x80;
	*p++ = (uint8_t)v;
	m->n += (size_t)(p - begin);
}

void lt_pb_number(struct lt_pb *m, unsigned int field, uint64_t v)
{
	lt_pb_varint(m, field << 3 | WIRE_VARINT);
	lt_pb_varint(m, v);
}

void lt_pb_uint(struct lt_pb *m, unsigned int field, uint64_t v)
{
	if (v)
		lt_pb_number(m, field, v);
}

void lt_pb_bytes(struct lt_pb *m, unsigned int field, const void *data, size_t n)
{
	lt_pb_varint(m, field << 3 | WIRE_BYTES);
	lt_pb_varint(m, n);
	if (n)
		memcpy(room(m, n), data, n);
	m->n += n;
}

void lt_pb_message(struct lt_pb *m, unsigned int field, struct lt_pb *part)
{
	lt_pb_bytes(m, field, part->data, part->n);
	part->n = 0;
}

void lt_pb_join(struct lt_pb *m, struct lt_pb *part)
{
	if (part->n)
		memcpy(room(m, part->n), part->data, part->n);
	m->n += part->n;
	part->n = 0;
}
