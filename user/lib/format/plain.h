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

/**
 * struct lt_plain_event - an event in a short form, or one that is about nothing
 * @time, @ptr, @task, @cpu, @context, @class: as in struct lt_event
 * @form: what else struct lt_event has, see struct lt_forms; 0: the event announces a site or a
 *	stack; with
 *	@announced of struct lt_records @ptr is where its record is then
 */
struct lt_plain_event {
	uint64_t time;
	uint64_t ptr;
	const struct lt_task *task;
	uint32_t form;
	uint16_t cpu;
	uint8_t context;
	uint8_t class;
};

/* So many records of a stream are decoded at once. */
#define LT_AHEAD	32

/**
 * struct lt_passed - a plain record that the walk over its packet has passed
 * @ev: what it stands for; with a form 0 it has only @time, @task, @cpu, @context and @class
 * @time: clock units
 * @rec: where it is in the packet
 */
struct lt_passed {
	struct lt_plain_event ev;
	uint64_t time;
	const uint8_t *rec;
};

/**
 * struct lt_ahead - plain records that were passed
 * @next, @end: those that are not taken yet, in @records; equal at first
 */
struct lt_ahead {
	const struct lt_passed *next;
	const struct lt_passed *end;
	struct lt_passed records[LT_AHEAD];
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

/*
 * What the events of a site or form have in common: every member but time, seq, task and context.
 */
static inline void lt_common_event(const struct lt_event *common, uint64_t ptr, struct lt_event *ev)
{
	const size_t from = offsetof(struct lt_event, ptr);

	memcpy((char *)ev + from, (const char *)common + from, sizeof(*ev) - from);
	ev->ptr = ptr;
}

/* record.c */

/**
 * lt_records_ahead() - pass the next records, as far as they are plain
 * @it: the walk; nothing is wrong with the heads of the packet's records, see lt_packet_tally()
 * @clock: of the trace
 * @task: that the events get
 * @ahead: filled in anew; perhaps with none, although announcements were passed
 * @max: at most so many, up to LT_AHEAD
 *
 * While one of them is in use, no other records of the packet may be passed.
 */
void lt_records_ahead(struct lt_records *it, const struct lt_clock *clock,
		      const struct lt_task *task, struct lt_ahead *ahead, size_t max);

/*
 * Brings what is known of the sites of the next records into the processor's cache: that of many
 * CPUs does not fit.
 */
void lt_records_expect(const struct lt_records *it);

/* Goes back to before a record that was passed. */
static inline void lt_records_go_back(struct lt_records *it, const struct lt_passed *passed)
{
	it->pos = (size_t)(passed->rec - it->packet->data);
	it->time = passed->time;
}

/* What all records with the id of one have in common. @plain: by id; @word: its first one */
static inline const struct lt_plain *lt_plain_of(const struct lt_plain *plain, uint32_t word,
						 bool big)
{
	return &plain[big ? word >> 26 : word & LT_ID_MASK];
}

/* The number of the site that a record in a short form has. */
static inline uint16_t lt_plain_site(const struct lt_plain *q, const uint8_t *rec, bool big)
{
	return lt_get16(rec + (big ? q->site_big : q->site), big) & q->site_mask;
}

/* lt_plain_of() of a record in the packet. */
static inline const struct lt_plain *lt_plain_at(const struct lt_records *it, const uint8_t *rec)
{
	const bool big = it->packet->big;

	return lt_plain_of(it->plain, lt_get32(rec, big), big);
}

static inline const struct lt_plain *lt_passed_plain(const struct lt_records *it,
						     const struct lt_passed *passed)
{
	return lt_plain_at(it, passed->rec);
}

/* Its event, in the full form. */
static inline const struct lt_event_desc *lt_passed_desc(const struct lt_records *it,
							 const struct lt_passed *passed)
{
	const struct lt_plain *q = lt_passed_plain(it, passed);

	return q->desc ? q->desc : q->each;
}

/* The site of a record that was passed; NULL: it is not in a short form. */
static inline struct lt_site *lt_passed_site(const struct lt_records *it,
					     const struct lt_passed *passed)
{
	const struct lt_plain *q = lt_passed_plain(it, passed);

	return !q->brief ? NULL :
	       lt_sites_find(it->sites, lt_site_number(q->brief, passed->rec + LT_REC_WORD,
						       it->packet->big));
}

void lt_plain_payload(const struct lt_packet *p, const struct lt_plain *q, const uint8_t *rec,
		      struct lt_event *ev);

/**
 * lt_passed_event() - the event of a record that was passed
 * @ev: every member is set but @raw and @seq
 */
static inline void lt_passed_event(const struct lt_records *it, const struct lt_passed *passed,
				   struct lt_event *ev)
{
	const struct lt_plain_event *from = &passed->ev;

	if (from->form)
		lt_common_event(&it->sites->forms->all[from->form], from->ptr, ev);
	else
		lt_plain_payload(it->packet, lt_passed_plain(it, passed), passed->rec, ev);
	ev->cpu = from->cpu;
	ev->context = from->context;
	ev->time = from->time;
	ev->task = from->task;
}

/* lt_passed_event() that sets @raw, too, which is valid until the next one of that site. */
void lt_passed_whole_event(const struct lt_records *it, const struct lt_passed *passed,
			   struct lt_event *ev);

#endif /* LT_FORMAT_PLAIN_H */
