/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plain records: those of a short form that have nothing but an address of their own, and others
 * that need no care. Nearly all records are; the merge of the streams decodes them in its own loop.
 * All others, and whatever seems to be damaged, are left to lt_records_next(), which may also take
 * plain ones.
 */
#ifndef LT_FORMAT_PLAIN_H
#define LT_FORMAT_PLAIN_H

#include <stddef.h>

#include "base/byteorder.h"
#include "format/clock.h"
#include "format/record.h"

/* So many records of a stream are decoded at once. */
#define LT_AHEAD	16

/**
 * struct lt_ahead - a plain record that the walk over its packet has passed
 * @plain: what all with its id have in common
 * @time: clock units
 * @ns: that time in ns
 * @ptr: of a short form: the address
 * @form: of a short form: its number in struct lt_forms, else 0
 * @pos: where it is in the packet
 * @place: of a short form: of its site in lt_sites.sites
 * @context: enum lt_context
 */
struct lt_ahead {
	const struct lt_plain *plain;
	uint64_t time;
	uint64_t ns;
	uint64_t ptr;
	uint32_t form;
	uint32_t pos;
	uint16_t place;
	uint8_t context;
};

/**
 * struct lt_plain_event - an event in a short form, or one that is about nothing
 * @time, @ptr, @task, @cpu, @context, @class: as in struct lt_event
 * @form: what else struct lt_event has, see struct lt_forms; 0: the event announces a site
 */
struct lt_plain_event {
	uint64_t time;
	uint64_t ptr;
	const struct lt_task *task;
	uint32_t form;
	uint32_t cpu;
	uint8_t context;
	uint8_t class;
};

/*
 * All integers are loaded as 8 bytes and shifted; LT_SLACK makes that safe at the end of a
 * packet.
 */
static inline uint64_t lt_load(const uint8_t *at, bool big, unsigned int shift, bool is_signed)
{
	uint64_t v = lt_get64(at, big);

	if (!big)
		v <<= shift;
	if (is_signed)
		return (uint64_t)((int64_t)v >> shift);
	return v >> shift;
}

static inline uint64_t lt_add_base(const struct lt_packet *p, unsigned int base, uint64_t v)
{
	switch (base) {
	case LT_BASE_PTR:
		return v + p->ptr_base;
	case LT_BASE_TEXT:
		return v ? v + p->text_base : 0;
	default:
		return v;
	}
}

/* What the events of a site or form have in common: every member but time, seq, task and context. */
static inline void lt_common_event(const struct lt_event *common, uint64_t ptr, struct lt_event *ev)
{
	const size_t from = offsetof(struct lt_event, ptr);

	memcpy((char *)ev + from, (const char *)common + from, sizeof(*ev) - from);
	ev->ptr = ptr;
}

/* record.c */

/**
 * lt_records_ahead() - pass the next records, as far as they are plain
 * @clock: of the trace
 * @ahead: room for @max of them, LT_AHEAD at the most
 * Return: their number. While one of them is in use, no other records of the packet may be passed.
 */
size_t lt_records_ahead(struct lt_records *it, const struct lt_clock *clock, struct lt_ahead *ahead,
			size_t max);

/*
 * Brings what is known of the sites of the next records into the processor's cache: that of many CPUs
 * does not fit.
 */
void lt_records_expect(const struct lt_records *it);

/* Goes back to before a record that was passed. */
static inline void lt_records_go_back(struct lt_records *it, const struct lt_ahead *ahead)
{
	it->pos = ahead->pos;
	it->time = ahead->time;
}

void lt_plain_payload(const struct lt_packet *p, const struct lt_plain *q, const uint8_t *rec,
		      struct lt_event *ev);

/**
 * lt_ahead_event() - the event of a record that was passed
 * @ev: every member is set but @raw, @seq and @task
 */
static inline void lt_ahead_event(const struct lt_records *it, const struct lt_ahead *ahead,
				  struct lt_event *ev)
{
	const struct lt_packet *p = it->packet;

	if (ahead->form)
		lt_common_event(&it->sites->forms->all[ahead->form], ahead->ptr, ev);
	else
		lt_plain_payload(p, ahead->plain, p->data + ahead->pos, ev);
	ev->cpu = p->cpu;
	ev->context = ahead->context;
	ev->time = ahead->ns;
}

/* lt_ahead_event() that sets @raw, too, which is valid until the next one of that site. */
void lt_ahead_whole_event(const struct lt_records *it, const struct lt_ahead *ahead,
			  struct lt_event *ev);

#endif /* LT_FORMAT_PLAIN_H */
