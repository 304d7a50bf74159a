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
 * struct lt_ahead - the next record of a packet, if it is plain
 * @plain: NULL: there is none, or it is not plain
 * @form: of a short form: its number in struct lt_forms, else 0
 * @time: clock units
 * @ns: that time in ns
 */
struct lt_ahead {
	const struct lt_plain *plain;
	uint32_t form;
	uint64_t time;
	uint64_t ns;
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

/* The address that a record in a short form is about. */
static inline uint64_t lt_plain_ptr(const struct lt_packet *p, const struct lt_plain *q,
				    const uint8_t *rec)
{
	return lt_add_base(p, q->base, lt_load(rec + q->ptr, p->big, q->shift, q->is_signed));
}

static inline unsigned int lt_plain_context(const struct lt_packet *p, const uint8_t *rec)
{
	uint32_t word = lt_get32(rec, p->big);

	return p->big ? word & 3 : word >> 30;
}

/* record.c: parts of what follows */
bool lt_plain_site(struct lt_records *it, const struct lt_plain *q, const uint8_t *rec,
		   struct lt_ahead *ahead);
void lt_plain_payload(const struct lt_packet *p, const struct lt_plain *q, const uint8_t *rec,
		      struct lt_event *ev);

/**
 * lt_records_look() - whether the next record is plain
 * @clock: of the trace
 * Return: ahead->plain is not NULL.
 */
static inline bool lt_records_look(struct lt_records *it, const struct lt_clock *clock,
				   struct lt_ahead *ahead)
{
	const struct lt_packet *p = it->packet;
	const uint8_t *rec = p->data + it->pos;
	/* Behind the last record there is room for it (LT_SLACK). */
	uint32_t word = lt_get32(rec, p->big), low;
	const struct lt_plain *q;
	uint32_t id = p->big ? word >> 26 : word & LT_ID_MASK;

	low = (p->big ? word >> 2 : word >> 6) & LT_TIME_MASK;
	q = &it->plain[id];
	ahead->plain = NULL;
	ahead->form = 0;
	ahead->time = it->time + ((low - (uint32_t)it->time) & LT_TIME_MASK);
	if (!q->desc || q->bytes > p->size - it->pos || ahead->time > p->end ||
	    ahead->time < it->time)
		return false;
	if (q->brief) {
		uint16_t number = lt_get16(rec + q->site, p->big);

		if (number < it->sites->n_ready && it->sites->ready[number].id == id + 1)
			ahead->form = it->sites->ready[number].form;
		else if (!lt_plain_site(it, q, rec, ahead))
			return false;
	} else if (q->desc->has_site && !lt_plain_site(it, q, rec, ahead)) {
		return false;
	}
	ahead->ns = lt_clock_ns(clock, ahead->time);
	ahead->plain = q;
	return true;
}

/**
 * lt_records_pass() - take the record that is ahead
 * @ev: every member is set but @raw, @seq and @task
 */
static inline void lt_records_pass(struct lt_records *it, const struct lt_ahead *ahead,
				   struct lt_event *ev)
{
	const struct lt_plain *q = ahead->plain;
	const struct lt_packet *p = it->packet;
	const uint8_t *rec = p->data + it->pos;

	if (q->brief)
		lt_common_event(&it->sites->forms->all[ahead->form], lt_plain_ptr(p, q, rec), ev);
	else
		lt_plain_payload(p, q, rec, ev);
	ev->cpu = p->cpu;
	ev->context = (uint8_t)lt_plain_context(p, rec);
	ev->time = ahead->ns;
	it->pos += q->bytes;
	it->time = ahead->time;
}

/* lt_records_pass() of a short form, or a record that announces a site; all but @task is set. */
static inline void lt_records_pass_plain(struct lt_records *it, const struct lt_ahead *ahead,
					 struct lt_plain_event *ev)
{
	const struct lt_plain *q = ahead->plain;
	const struct lt_packet *p = it->packet;
	const uint8_t *rec = p->data + it->pos;

	ev->time = ahead->ns;
	ev->ptr = q->brief ? lt_plain_ptr(p, q, rec) : 0;
	ev->form = ahead->form;
	ev->cpu = p->cpu;
	ev->context = (uint8_t)lt_plain_context(p, rec);
	ev->class = q->desc->class;
	it->pos += q->bytes;
	it->time = ahead->time;
}

/* record.c: lt_records_pass() that sets @raw, too, which is valid until the next one of that site. */
void lt_records_pass_whole(struct lt_records *it, const struct lt_ahead *ahead,
			   struct lt_event *ev);

#endif /* LT_FORMAT_PLAIN_H */
