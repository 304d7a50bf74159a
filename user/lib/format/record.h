/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of a packet, one after the other, and the events that they stand for.
 */
#ifndef LT_FORMAT_RECORD_H
#define LT_FORMAT_RECORD_H

#include "format/event.h"
#include "format/packet.h"
#include "format/schema.h"
#include "format/site.h"

/**
 * struct lt_records - a walk over the records of a packet
 * @plain: of the channel, by id
 * @sites: of this packet; the caller's, used by one walk at a time
 * @pos: offset of the next record
 * @time: of the last record, clock units
 * @forms_only: lt_records_ahead() passes announcements of sites and stacks without a word, and
 *	finds the form of each record that can have one
 * @announced: it passes those that mean the same at any time alone, and says where they are
 * @n_silent: how many announcements it has passed without a word
 */
struct lt_records {
	const struct lt_packet *packet;
	const struct lt_schema *schema;
	const struct lt_plain *plain;
	struct lt_sites *sites;
	size_t pos;
	uint64_t time;
	bool forms_only;
	bool announced;
	uint32_t n_silent;
};

/**
 * struct lt_record - a record
 * @desc: its event, in the full form
 * @payload: as recorded
 * @site: of a short form, else NULL
 * @brief: the short form in which it was recorded, else NULL. Where that has the number of a task
 *	there is no @site: @payload is that of the record that announced the task, where this one
 *	says that it runs again, else completed, in @sites of the walk until its next record
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
	it->plain = schema->plain[p->channel - 1];
	it->sites = sites;
	lt_sites_begin(sites);
	it->pos = p->header_size;
	it->time = p->begin;
	it->forms_only = false;
	it->announced = false;
	it->n_silent = 0;
}

/**
 * lt_records_next() - the next record
 * Return: 1; 0 at the end; -1 if the packet is damaged from here on, with the reason in
 * @why.
 */
int lt_records_next(struct lt_records *it, struct lt_record *r, struct lt_why *why);

/**
 * lt_packet_tally() - count the records of a packet, without decoding them
 * @n: by the number of the class within its channel; records of no class are not counted
 * Return: false if the packet is damaged; @n has the records before that place.
 */
bool lt_packet_tally(const struct lt_packet *p, const struct lt_schema *schema,
		     uint64_t n[LT_N_CLASSES]);

/**
 * struct lt_found - records of a packet that were looked for
 * @marks: by LT_EV(): which records
 * @list: where they are: offset in the packet, time (clock units), and index among all records
 * @records: how many records the packet has
 */
struct lt_found {
	const bool *marks;
	struct lt_found_record {
		size_t pos;
		uint64_t time;
		uint64_t index;
	} *list;
	size_t n;
	size_t cap;
	uint64_t records;
};

/* lt_packet_tally() that looks for records, too. */
bool lt_packet_find(const struct lt_packet *p, const struct lt_schema *schema,
		    uint64_t n[LT_N_CLASSES], struct lt_found *found);

/* Goes to a record that was found; lt_records_next() takes it. It may need no site. */
static inline void lt_records_go_to(struct lt_records *it, const struct lt_found_record *r)
{
	it->pos = r->pos;
	it->time = r->time;
}

/* Decodes a record: sets every member of @ev but time, seq and task. */
void lt_decode(const struct lt_packet *p, const struct lt_record *r, struct lt_event *ev);
/* As that, but @raw of a short form may be NULL: it takes time to put that together. */
void lt_decode_members(const struct lt_packet *p, const struct lt_record *r, struct lt_event *ev);

/* field.c */

/* The value of an integer field: as recorded, and with its base added. */
uint64_t lt_field_raw(const struct lt_packet *p, const struct lt_field *f,
		      const uint8_t *payload);
uint64_t lt_field_value(const struct lt_packet *p, const struct lt_field *f,
			const uint8_t *payload);

/* The value of element @i, below its count, of a field; lt_field_value() is that of the first. */
uint64_t lt_field_element(const struct lt_packet *p, const struct lt_field *f,
			  const uint8_t *payload, unsigned int i);

#endif /* LT_FORMAT_RECORD_H */
