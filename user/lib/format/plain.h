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
 * @site: of a short form, else NULL
 * @time: clock units
 * @ns: that time in ns
 */
struct lt_ahead {
	const struct lt_plain *plain;
	struct lt_site *site;
	uint64_t time;
	uint64_t ns;
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

/* What all events of a site have in common: every member but time, seq, task and context. */
static inline void lt_site_event(const struct lt_site *site, uint64_t ptr, struct lt_event *ev)
{
	const size_t from = offsetof(struct lt_event, ptr);

	memcpy((char *)ev + from, (const char *)&site->event + from, sizeof(*ev) - from);
	ev->ptr = ptr;
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

	low = (p->big ? word >> 2 : word >> 6) & LT_TIME_MASK;
	q = &it->plain[p->big ? word >> 26 : word & LT_ID_MASK];
	ahead->plain = NULL;
	ahead->site = NULL;
	ahead->time = it->time + ((low - (uint32_t)it->time) & LT_TIME_MASK);
	if (!q->desc || q->bytes > p->size - it->pos || ahead->time > p->end ||
	    ahead->time < it->time)
		return false;
	if (q->brief) {
		ahead->site = lt_sites_find(it->sites, lt_get16(rec + q->site, p->big));
		if (!ahead->site || ahead->site->full != q->desc) {
			if (!lt_plain_site(it, q, rec, ahead))
				return false;
		}
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
	uint32_t word = lt_get32(rec, p->big);

	if (q->brief)
		lt_site_event(ahead->site,
			      lt_add_base(p, q->base, lt_load(rec + q->ptr, p->big, q->shift,
							      q->is_signed)), ev);
	else
		lt_plain_payload(p, q, rec, ev);
	ev->context = p->big ? word & 3 : word >> 30;
	ev->time = ahead->ns;
	it->pos += q->bytes;
	it->time = ahead->time;
}

/* record.c: lt_records_pass() that sets @raw, too, which is valid until the next one of that site. */
void lt_records_pass_whole(struct lt_records *it, const struct lt_ahead *ahead,
			   struct lt_event *ev);

#endif /* LT_FORMAT_PLAIN_H */
