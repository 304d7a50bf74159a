/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packing of packets: the bytes of a packet in another order, by columns, which compresses
 * better (struct lt_columns_header in lifetrace_file.h). It is reversible: the restored
 * packet has the same bytes.
 */
#ifndef LT_LIB_COLUMNS_H
#define LT_LIB_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/block.h"
#include "format/schema.h"

/* How the records of an event are split over the columns. */
struct lt_pack_form {
	uint16_t size;		/* bytes of payload */
	bool known;
	uint8_t form;		/* enum lt_columns_form; 0: the payload is kept as it is */
};

#define LT_PACK_PARTS	3

/**
 * struct lt_pack - packs the packets of one session
 * @forms: by LT_EV(channel, id)
 * @out: the columns of the last packet
 * @parts: lengths of the parts of @out whose bytes are alike: header, tags and lows;
 *	highs and sites; ptrs and rest. Compressing each part with statistics of its own
 *	saves some percent.
 * @scratch: columns while their lengths are not known
 */
struct lt_pack {
	struct lt_pack_form forms[LT_SCHEMA_IDS];
	struct lt_buf out;
	size_t parts[LT_PACK_PARTS];
	struct lt_buf scratch;
};

/* For packets with a schema. */
struct lt_pack *lt_pack_new(const struct lt_schema *schema);
void lt_pack_free(struct lt_pack *c);

/**
 * lt_pack_packet() - pack a packet
 * Return: true with the columns in @c->out; false: the records of the packet cannot be
 * followed to its end.
 */
bool lt_pack_packet(struct lt_pack *c, const void *packet, size_t size);

/* The largest size of the columns of a packet of @raw_length bytes. */
static inline uint64_t lt_pack_max(uint32_t raw_length)
{
	return 2 * (uint64_t)raw_length + (64U << 10);
}

/**
 * lt_pack_restore() - restore a packet from its columns
 * @columns: @n bytes, not trusted
 * @packet: takes the packet, which must have exactly @size bytes
 * @why: the reason of a failure
 * Return: 0 or -1.
 */
int lt_pack_restore(const uint8_t *columns, size_t n, uint8_t *packet, size_t size,
		    struct lt_why *why);

#endif /* LT_LIB_COLUMNS_H */
