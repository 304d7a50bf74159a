/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The headers of packets: read in either byte order, and checked.
 */
#ifndef LT_LIB_PACKET_H
#define LT_LIB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"
#include "format/channel.h"
#include "uapi/lifetrace.h"

#define LT_PACKET_MIN	96U		/* bytes before counts[] */
#define LT_MAX_CPU	65536U		/* cpu numbers are below this */

/**
 * struct lt_packet - the header of a packet, in the byte order of this machine
 * @data: the packet, @size bytes, LT_SLACK more readable
 * @big: byte order
 * @channel: 1 to LT_N_CHANNELS, or one that this version does not know
 * @n_counts: classes whose counters the header has, at most LT_N_CLASSES
 */
struct lt_packet {
	const uint8_t *data;
	size_t size;
	bool big;
	uint8_t version_minor;
	uint8_t channel;
	uint8_t size_long;
	uint8_t size_ptr;
	uint8_t size_pid;
	uint8_t size_gfp;
	uint8_t page_shift;
	uint16_t header_size;
	uint16_t flags;
	uint32_t cpu;
	uint32_t n_counts;
	uint64_t seq;
	uint64_t begin;
	uint64_t end;
	uint64_t content_bits;
	uint64_t discarded;
	uint64_t text_base;
	uint64_t ptr_base;
	uint64_t session;
};

/**
 * lt_packet_header() - check and read the header of a packet
 * @p: filled in
 * @data: at least the first LT_PACKET_MIN bytes
 * @avail: bytes at @data
 * @size: bytes of the whole packet
 * Return: 0, or -1 with @why filled in.
 */
int lt_packet_header(struct lt_packet *p, const void *data, size_t avail, size_t size,
		     struct lt_why *why);

/* lt_packet_header() of a whole packet in memory, with LT_SLACK readable bytes behind it. */
int lt_packet_parse(struct lt_packet *p, const void *data, size_t size, struct lt_why *why);

/*
 * The first member of a header in which two packets of one session may not differ, but do:
 * byte order, versions, sizes, bases. NULL: there is none.
 */
const char *lt_packet_differs(const struct lt_packet *a, const struct lt_packet *b);

/* Length in bytes of the packet at the start of @data; 0: there is no packet. */
size_t lt_packet_length(const void *data, size_t avail);

/* The counters of the class LT_CLASS(p->channel, i); zero if the header has none. */
struct lt_class_counts lt_packet_counts(const struct lt_packet *p, unsigned int i);

static inline uint64_t lt_lost(const struct lt_class_counts *c)
{
	return c->lost_full + c->lost_nmi + c->lost_nested + c->lost_nobuf;
}

static inline uint64_t lt_written(const struct lt_class_counts *c)
{
	return c->seen - lt_lost(c) - c->filtered;
}

static inline void lt_add_counts(struct lt_class_counts *sum,
				 const struct lt_class_counts *c)
{
	sum->seen += c->seen;
	sum->lost_full += c->lost_full;
	sum->lost_nmi += c->lost_nmi;
	sum->lost_nested += c->lost_nested;
	sum->lost_nobuf += c->lost_nobuf;
	sum->filtered += c->filtered;
}

#endif /* LT_LIB_PACKET_H */
