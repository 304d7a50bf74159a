/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The packets of the last seconds, in memory: a queue in the order in which they were read.
 *
 * Their room is allocated at the beginning; parts of it can be given back, and taken again. A
 * packet that must not be lost although there is no room for it gets memory of its own, which is
 * counted.
 */
#ifndef LT_FLIGHT_KEPT_H
#define LT_FLIGHT_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "format/packet.h"
#include "format/schema.h"

/* How the bytes of a packet are stored. */
enum lt_kept_form {
	LT_KEPT_PLAIN,
	LT_KEPT_ZSTD,
	LT_KEPT_COLUMNS,	/* compressed, by columns */
};

/**
 * struct lt_kept_packet - a packet in memory
 * @data: @stored bytes, as @form says
 * @size: bytes of the packet
 * @cpu, @channel, @seq, @begin, @end: as in its header
 * @own: @data was allocated for this packet
 * @passed: for the owner of the queue: it has handed the packet on
 */
struct lt_kept_packet {
	uint8_t *data;
	uint32_t stored;
	uint32_t size;
	uint32_t cpu;
	uint8_t channel;
	uint8_t form;
	bool own;
	bool passed;
	uint64_t seq;
	uint64_t begin;
	uint64_t end;
};

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;
struct lt_pack;

/**
 * struct lt_kept - the queue
 * @room: addresses for the packets, @size bytes
 * @limit: packets go below this offset
 * @backed: the room has memory up to this offset, which is @limit or more
 * @tail: where the next packet goes
 * @top: behind the last packet before the first one, where the circle begins anew
 * @in_room: packets in @room
 * @packets: ring of @cap entries, a power of two
 * @first: number of the oldest one
 * @n: packets in the queue
 * @bytes: bytes of them in @room
 * @own_bytes, @own_max: bytes beside @room, now and at most
 * @cctx, @dctx: NULL: packets are stored as they are
 * @pack: of the schema
 * @packed, @columns, @plain: scratch
 */
struct lt_kept {
	uint8_t *room;
	size_t size;
	size_t limit;
	size_t backed;
	size_t tail;
	size_t top;
	size_t in_room;
	struct lt_kept_packet *packets;
	size_t cap;
	size_t first;
	size_t n;
	size_t bytes;
	size_t own_bytes;
	size_t own_max;
	struct ZSTD_CCtx_s *cctx;
	struct ZSTD_DCtx_s *dctx;
	struct lt_pack *pack;
	struct lt_buf packed;
	struct lt_buf columns;
	struct lt_buf plain;
};

/**
 * lt_kept_init() - an empty queue
 * @size: bytes of its room
 * @schema: of the packets, which are compressed; NULL: they are not
 * Return: 0, or -1 if there is no such memory.
 */
int lt_kept_init(struct lt_kept *k, size_t size, const struct lt_schema *schema);
void lt_kept_destroy(struct lt_kept *k);

/**
 * lt_kept_limit() - change how much of the room is used
 * @limit: bytes, at most what lt_kept_init() was given, which is whole pages; rounded down to a
 *	64th of that. One that is less than two of these above the present one changes nothing.
 *
 * Memory that is not used any more is given back when no packet is in it, at one of the calls that
 * follow. An eighth is taken at a time, since that takes some milliseconds; where memory for more
 * cannot be had, the limit stays as it is.
 */
void lt_kept_limit(struct lt_kept *k, size_t limit);

/* Compresses a packet. Return: the entry that lt_kept_put() adds; the packet stays the caller's. */
struct lt_kept_packet lt_kept_pack(struct lt_kept *k, const struct lt_packet *p);

/**
 * lt_kept_put() - add a packet
 * @entry: of lt_kept_pack(), which was the last call but for removals
 * @must: use memory beside the room, if that is full
 * Return: false: there is no room.
 */
bool lt_kept_put(struct lt_kept *k, const struct lt_kept_packet *entry, bool must);

/* The packet number @i, 0 the oldest; valid until the next lt_kept_put(). */
static inline struct lt_kept_packet *lt_kept_at(const struct lt_kept *k, size_t i)
{
	return &k->packets[(k->first + i) & (k->cap - 1)];
}

/* Removes the oldest one. */
void lt_kept_pop(struct lt_kept *k);

/* The bytes of a packet, and LT_SLACK more; valid until the next call. NULL: they are damaged. */
const uint8_t *lt_kept_bytes(struct lt_kept *k, const struct lt_kept_packet *e);

#endif /* LT_FLIGHT_KEPT_H */
