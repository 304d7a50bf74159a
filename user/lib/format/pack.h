/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet's bytes in another order, which packs better: struct lt_columns_header
 * in lifetrace_file.h says in which. Nothing is lost: the bytes come back as they
 * were. Of the records only what the order needs is looked at.
 */
#ifndef LT_LIB_COLUMNS_H
#define LT_LIB_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/block.h"
#include "format/schema.h"

/* How the records of an event are cut. */
struct lt_pack_form {
	uint16_t size;		/* bytes of payload */
	bool known;
	bool brief;		/* payload is a u16 and five bytes: site and pointer */
};

#define LT_PACK_PARTS	3

/**
 * struct lt_pack - cuts packets of one session into columns
 * @forms: by LT_EV(channel, id)
 * @out: the last packet's columns
 * @parts: lengths of the parts of @out whose bytes are alike: header, tags and lows;
 *	highs and sites; ptrs and rest. To pack each with statistics of its own saves
 *	some percent.
 * @scratch: columns while their lengths are not known
 */
struct lt_pack {
	struct lt_pack_form forms[LT_SCHEMA_IDS];
	struct lt_buf out;
	size_t parts[LT_PACK_PARTS];
	struct lt_buf scratch;
};

/* For packets with that schema. */
struct lt_pack *lt_pack_new(const struct lt_schema *schema);
void lt_pack_free(struct lt_pack *c);

/**
 * lt_pack_packet() - cut a packet into columns
 * Return: true, and they are in @c->out; false: the packet is not one that can be
 * walked over to its end.
 */
bool lt_pack_packet(struct lt_pack *c, const void *packet, size_t size);

/* Bytes that the columns of a packet of @raw_length may have. */
static inline uint64_t lt_pack_max(uint32_t raw_length)
{
	return 2 * (uint64_t)raw_length + (64U << 10);
}

/**
 * lt_pack_restore() - a packet from its columns
 * @columns: @n bytes, not trusted
 * @packet: room for @size bytes, which is what the packet must have
 * Return: 0, or -1 with @why filled in.
 */
int lt_pack_restore(const uint8_t *columns, size_t n, uint8_t *packet, size_t size,
		      struct lt_why *why);

#endif /* LT_LIB_COLUMNS_H */
