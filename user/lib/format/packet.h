/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets: the header, checked, and the records, one after the other.
 */
#ifndef LT_LIB_PACKET_H
#define LT_LIB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"
#include "format/block.h"
#include "format/schema.h"

#define LT_PACKET_MIN	96U		/* bytes before counts[] */
#define LT_MAX_CPU	65536U		/* cpu numbers are below this */

/**
 * struct lt_packet - a packet's header in this machine's byte order
 * @data: the packet, @size bytes, LT_SLACK more readable
 * @big: byte order
 * @channel: 1 to LT_N_CHANNELS, or one that this version does not know
 * @n_counts: classes whose counters are there and known, at most LT_N_CLASSES
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
 * lt_packet_header() - check and read a packet's header
 * @data: at least the first LT_PACKET_MIN bytes
 * @avail: bytes at @data
 * @size: bytes of the whole packet
 * Return: 0, or -1 with @why filled in.
 */
int lt_packet_header(struct lt_packet *p, const void *data, size_t avail, size_t size,
		     struct lt_why *why);

/* The same of a whole packet in memory, LT_SLACK bytes behind it readable. */
int lt_packet_parse(struct lt_packet *p, const void *data, size_t size, struct lt_why *why);

/* Length in bytes of the packet at the start of @data, 0: that is no packet. */
size_t lt_packet_length(const void *data, size_t avail);

/* @i: of the channel's own: the counters are those of the class LT_CLASS(channel, i). */
struct lt_class_counts lt_packet_counts(const struct lt_packet *p, unsigned int i);

/* For messages, behind the number of a CPU. */
static inline const char *lt_of_channel(unsigned int channel)
{
	return channel == LT_CHANNEL_PID ? " of channel pid" : "";
}

static inline uint64_t lt_lost(const struct lt_class_counts *c)
{
	return c->lost_full + c->lost_nmi + c->lost_nested + c->lost_nobuf;
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

/**
 * struct lt_site - what the events of one place have in common
 * @payload: of its record, in the packet
 * @full: the form that the rest was made for, NULL: none yet
 * @common: a payload of that form, in the packet's byte order
 * Then the members of struct lt_event of that name.
 */
struct lt_site {
	const uint8_t *payload;
	const struct lt_event_desc *full;
	uint64_t call_site;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint32_t gfp;
	int32_t node;
	uint16_t cache;
	uint8_t common[LT_FULL_MAX + LT_SLACK];
};

/* A site's number, and where it is among those that were told. */
struct lt_site_slot {
	uint16_t number;
	uint16_t used;
	uint32_t site;
};

/**
 * struct lt_sites - the sites that a packet has told so far
 * @slots: by number, open addressing; a power of two
 *
 * All zero at first; lt_sites_free() when done. There are no more than the packets
 * that were read have records.
 */
struct lt_sites {
	struct lt_site *sites;
	size_t n;
	size_t cap;
	struct lt_site_slot *slots;
	size_t n_slots;
};

void lt_sites_begin(struct lt_sites *s);
void lt_sites_free(struct lt_sites *s);

/* The site with that number; a new one, if it was not told yet. */
struct lt_site *lt_sites_tell(struct lt_sites *s, uint16_t number);

/* The site with that number, NULL: it was not told. */
static inline struct lt_site *lt_sites_find(const struct lt_sites *s, uint16_t number)
{
	const struct lt_site_slot *slot;

	for (size_t i = number; s->n; i++) {
		slot = &s->slots[i & (s->n_slots - 1)];
		if (!slot->used)
			break;
		if (slot->number == number)
			return &s->sites[slot->site];
	}
	return NULL;
}

/**
 * struct lt_records - walks over the records of a packet
 * @sites: those of this packet; the caller's, one for each walk at a time
 * @pos: offset of the next record
 * @time: of the last record, in clock units
 */
struct lt_records {
	const struct lt_packet *packet;
	const struct lt_schema *schema;
	struct lt_sites *sites;
	size_t pos;
	uint64_t time;
};

/**
 * struct lt_record - a record
 * @desc: its event; of a short form that of the full one
 * @payload: of the form that was written
 * @site, @brief: of a short form, else NULL
 */
struct lt_record {
	const struct lt_event_desc *desc;
	const struct lt_event_desc *brief;
	struct lt_site *site;
	const uint8_t *payload;
	uint64_t time;		/* clock units */
	unsigned int context;
};

static inline void lt_records_begin(struct lt_records *it, const struct lt_packet *p,
				    const struct lt_schema *schema, struct lt_sites *sites)
{
	it->packet = p;
	it->schema = schema;
	it->sites = sites;
	lt_sites_begin(sites);
	it->pos = p->header_size;
	it->time = p->begin;
}

/**
 * lt_records_next() - the next record
 * Return: 1, 0 at the end, -1 when the packet is damaged from here on, with
 * @why filled in.
 */
int lt_records_next(struct lt_records *it, struct lt_record *r, struct lt_why *why);

/* Decodes the payload: every member of @ev but time, seq and task. */
void lt_decode(const struct lt_packet *p, const struct lt_record *r, struct lt_event *ev);

/* An integer field's value, as it stands there, and with its base added. */
uint64_t lt_field_raw(const struct lt_packet *p, const struct lt_field *f,
		      const uint8_t *payload);
uint64_t lt_field_value(const struct lt_packet *p, const struct lt_field *f,
			const uint8_t *payload);

#endif /* LT_LIB_PACKET_H */
