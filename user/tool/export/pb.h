/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of Protocol Buffers, written by hand: fields of the wire types 0 (varint) and 2
 * (bytes, texts, packed numbers and other messages).
 */
#ifndef LT_EXPORT_PB_H
#define LT_EXPORT_PB_H

#include <stddef.h>
#include <stdint.h>

/* A message in the making; starts as zero. */
struct lt_pb {
	uint8_t *data;
	size_t n;
	size_t cap;
};

void lt_pb_free(struct lt_pb *m);

/* A number for a field that is signed. */
static inline uint64_t lt_pb_limited(uint64_t v)
{
	return v < INT64_MAX ? v : INT64_MAX;
}

/* A number without a field, for packed ones. */
void lt_pb_varint(struct lt_pb *m, uint64_t v);

/* A field; the value 0 is the default, and left out. */
void lt_pb_uint(struct lt_pb *m, unsigned int field, uint64_t v);

/* A field that is written also if it is 0, where no field means something else. */
void lt_pb_number(struct lt_pb *m, unsigned int field, uint64_t v);

/* A field of bytes, also of none. */
void lt_pb_bytes(struct lt_pb *m, unsigned int field, const void *data, size_t n);

/* All fields of @part; @part is empty then. */
void lt_pb_join(struct lt_pb *m, struct lt_pb *part);

/* A field that is a message; @part is empty then, for the next one. */
void lt_pb_message(struct lt_pb *m, unsigned int field, struct lt_pb *part);

#endif /* LT_EXPORT_PB_H */
