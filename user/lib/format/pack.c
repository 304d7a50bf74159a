// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packing of packets by columns, and restoring them.
 *
 * Both loops run over every record of a trace. They are compiled once for each byte order,
 * so that the order is tested once a packet.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "format/pack.h"
#include "base/mem.h"
#include "format/packet.h"

#define N_IDS		256U	/* LT_EV_ID() is below this */
#define SITE_SIZE	2U
#define PTR_SIZE	5U
#define BRIEF_SIZE	(SITE_SIZE + PTR_SIZE)
#define TIGHT_SIZE	6U
#define TIGHT_SITE	7U	/* bits of the site in the byte that it shares with the address */
#define HIGH_SHIFT	8	/* bits of a time that are its low byte */
#define HIGH_MAX	3	/* bytes of the others: 16 bits, 7 in each */

/* ------------------------------------------------------------------------
 * To columns
 */

/* The forms that go into columns; records of others are copied as a whole. */
static uint8_t form_in_columns(const struct lt_event_desc *d)
{
	const struct lt_field *ptr = lt_schema_field(d, "ptr");

	if (d->is_tight)
		return d->size == TIGHT_SIZE ? LT_COLUMNS_TIGHT : 0;
	return d->full && d->size == BRIEF_SIZE && !d->site && ptr &&
	       ptr->offset == SITE_SIZE && ptr->size == PTR_SIZE ? LT_COLUMNS_SHORT : 0;
}

struct lt_pack *lt_pack_new(const struct lt_schema *schema)
{
	struct lt_pack *c = lt_alloc(sizeof(*c));

	for (unsigned int i = 0; i < LT_SCHEMA_IDS; i++) {
		const struct lt_event_desc *d = lt_schema_event(schema, i);

		if (!d)
			continue;
		c->forms[i] = (struct lt_pack_form){
			.size = (uint16_t)d->size, .known = true, .form = form_in_columns(d),
		};
	}
	return c;
}

void lt_pack_free(struct lt_pack *c)
{
	if (!c)
		return;
	lt_buf_free(&c->out);
	lt_buf_free(&c->scratch);
	free(c);
}

/* The end of each column, where the next bytes go. */
struct cursor {
	uint8_t *tags;
	uint8_t *lows;
	uint8_t *highs;
	uint8_t *sites;
	uint8_t *ptrs;
	uint8_t *rest;
};

static inline uint8_t *put_high(uint8_t *to, uint32_t high)
{
	while (high >= 0x80) {
		*to++ = (uint8_t)(high | 0x80);
		high >>= 7;
	}
	*to++ = (uint8_t)high;
	return to;
}

/* The form of a record; NULL: the event is unknown, or the record reaches behind the end. */
static inline const struct lt_pack_form *
form_of(const struct lt_pack_form *forms, unsigned int id, size_t left, size_t head)
{
	const struct lt_pack_form *f = &forms[id];

	return left >= head && f->known && f->size <= left - head ? f : NULL;
}

/* Site and address of a record; they are kept as those of a short form. */
static inline void split_place(const struct lt_pack_form *f, const uint8_t *p, bool big,
			       struct cursor *c)
{
	if (f->form == LT_COLUMNS_TIGHT) {
		c->sites[big ? 1 : 0] = p[big ? 5 : 0];
		c->sites[big ? 0 : 1] = p[big ? 4 : 1] & TIGHT_SITE;
		c->ptrs[big ? 4 : 0] = p[big ? 4 : 1] & (uint8_t)~TIGHT_SITE;
		memcpy(c->ptrs + !big, p + (big ? 0 : 2), PTR_SIZE - 1);
	} else {
		memcpy(c->sites, p, SITE_SIZE);
		memcpy(c->ptrs, p + SITE_SIZE, PTR_SIZE);
	}
	c->sites += SITE_SIZE;
	c->ptrs += PTR_SIZE;
}

static inline __attribute__((always_inline)) bool
split(const struct lt_pack_form *forms, const uint8_t *p, const uint8_t *end, uint32_t time,
      bool big, struct cursor *to, bool *seen)
{
	struct cursor c = *to;

	while (p < end) {
		const struct lt_pack_form *f;
		size_t left = (size_t)(end - p);
		uint32_t word, id, low, delta;

		if (left < LT_REC_WORD)
			return false;
		word = lt_get32(p, big);
		id = big ? word >> 26 : word & LT_ID_MASK;
		if (id == LT_EV_LONG) {
			id = left >= LT_REC_LONG ? lt_get16(p + LT_LONG_ID, big) : N_IDS;
			f = id < N_IDS ? form_of(forms, id, left, LT_REC_LONG) : NULL;
			if (!f)
				return false;
			seen[id] = true;
			time = (uint32_t)lt_get64(p + LT_LONG_TIME, big);
			*c.tags++ = LT_EV_LONG;
			memcpy(c.rest, p, LT_REC_LONG + (size_t)f->size);
			c.rest += LT_REC_LONG + f->size;
			p += LT_REC_LONG + f->size;
			continue;
		}
		f = form_of(forms, id, left, LT_REC_WORD);
		if (!f)
			return false;
		seen[id] = true;
		low = (big ? word >> 2 : word >> LT_ID_BITS) & LT_TIME_MASK;
		*c.tags++ = (uint8_t)(id | (big ? word & 3 : word >> 30) << LT_ID_BITS);
		delta = (low - time) & LT_TIME_MASK;
		*c.lows++ = (uint8_t)delta;
		c.highs = put_high(c.highs, delta >> HIGH_SHIFT);
		time = low;
		p += LT_REC_WORD;
		if (f->form) {
			split_place(f, p, big, &c);
		} else {
			memcpy(c.rest, p, f->size);
			c.rest += f->size;
		}
		p += f->size;
	}
	*to = c;
	return true;
}

/* Room for each column, as if all records were of the kind that needs most of it. */
static struct cursor make_room(struct lt_buf *scratch, size_t body)
{
	size_t records = body / LT_REC_WORD, brief = body / (LT_REC_WORD + TIGHT_SIZE);
	struct cursor c;

	lt_buf_reserve(scratch, records * (2 + HIGH_MAX) + brief * BRIEF_SIZE + body);
	c.tags = scratch->data;
	c.lows = c.tags + records;
	c.highs = c.lows + records;
	c.sites = c.highs + records * HIGH_MAX;
	c.ptrs = c.sites + brief * SITE_SIZE;
	c.rest = c.ptrs + brief * PTR_SIZE;
	return c;
}

static uint8_t *append(uint8_t *to, const void *from, size_t size)
{
	if (size)
		memcpy(to, from, size);
	return to + size;
}

/* The forms of the events that occur, for a reader that has no schema. */
static uint8_t *append_events(uint8_t *to, const struct lt_pack_form *forms, const bool *seen)
{
	for (unsigned int id = 0; id < N_IDS; id++) {
		struct lt_columns_event e = {
			.id = (uint8_t)id, .form = forms[id].form,
			.size = lt_le16(forms[id].size),
		};

		if (seen[id])
			to = append(to, &e, sizeof(e));
	}
	return to;
}

static void join(struct lt_pack *c, const struct lt_packet *p,
		 const struct lt_pack_form *forms, const bool *seen,
		 const struct cursor *from, const struct cursor *to)
{
	struct lt_columns_header h = {
		.records = lt_le32((uint32_t)(to->tags - from->tags)),
		.lows = lt_le32((uint32_t)(to->lows - from->lows)),
		.highs = lt_le32((uint32_t)(to->highs - from->highs)),
		.shorts = lt_le32((uint32_t)(to->sites - from->sites) / SITE_SIZE),
		.rest = lt_le32((uint32_t)(to->rest - from->rest)),
	};
	uint32_t events = 0;
	uint8_t *out;

	for (unsigned int id = 0; id < N_IDS; id++)
		events += seen[id];
	h.events = lt_le32(events);
	lt_buf_reserve(&c->out, (size_t)lt_pack_max((uint32_t)p->size));
	out = append(c->out.data, p->data, p->header_size);
	out = append(out, &h, sizeof(h));
	out = append_events(out, forms, seen);
	out = append(out, from->tags, (size_t)(to->tags - from->tags));
	out = append(out, from->lows, (size_t)(to->lows - from->lows));
	c->parts[0] = (size_t)(out - c->out.data);
	out = append(out, from->highs, (size_t)(to->highs - from->highs));
	out = append(out, from->sites, (size_t)(to->sites - from->sites));
	c->parts[1] = (size_t)(out - c->out.data) - c->parts[0];
	out = append(out, from->ptrs, (size_t)(to->ptrs - from->ptrs));
	out = append(out, from->rest, (size_t)(to->rest - from->rest));
	c->out.size = (size_t)(out - c->out.data);
	c->parts[2] = c->out.size - c->parts[0] - c->parts[1];
}

bool lt_pack_packet(struct lt_pack *c, const void *packet, size_t size)
{
	const struct lt_pack_form *forms;
	const uint8_t *body, *end;
	bool seen[N_IDS] = { false };
	struct cursor from, to;
	struct lt_packet p;
	struct lt_why why;
	bool whole;

	if (size > LT_BLOCK_MAX || lt_packet_header(&p, packet, size, size, &why) ||
	    !p.channel || p.channel > LT_N_CHANNELS)
		return false;
	forms = &c->forms[LT_EV(p.channel, 0)];
	body = p.data + p.header_size;
	end = p.data + size;
	from = make_room(&c->scratch, (size_t)(end - body));
	to = from;
	if (p.big)
		whole = split(forms, body, end, (uint32_t)p.begin, true, &to, seen);
	else
		whole = split(forms, body, end, (uint32_t)p.begin, false, &to, seen);
	if (whole)
		join(c, &p, forms, seen, &from, &to);
	return whole;
}

/* ------------------------------------------------------------------------
 * From columns
 */

/* The rest of each column. */
struct source {
	const uint8_t *tags, *tags_end;
	const uint8_t *lows, *lows_end;
	const uint8_t *highs, *highs_end;
	const uint8_t *sites, *sites_end;
	const uint8_t *ptrs;	/* as many as there are sites */
	const uint8_t *rest, *rest_end;
};

static int refuse(struct lt_why *why, const char *what, uint64_t expected, uint64_t found)
{
	lt_why_set(why, "columns of a packet: %s: expected %llu, found %llu", what,
		   (unsigned long long)expected, (unsigned long long)found);
	return -1;
}

/* The next time delta, 24 bits; UINT32_MAX: the columns are damaged. */
static inline uint32_t get_time(struct source *s)
{
	uint32_t delta = 0;

	if (s->lows == s->lows_end)
		return UINT32_MAX;
	for (unsigned int shift = 0; shift < 7 * HIGH_MAX && s->highs < s->highs_end; shift += 7) {
		uint8_t byte = *s->highs++;

		delta |= (uint32_t)(byte & 0x7f) << shift;
		if (byte >= 0x80)
			continue;
		delta = delta << HIGH_SHIFT | *s->lows++;
		return delta <= LT_TIME_MASK ? delta : UINT32_MAX;
	}
	return UINT32_MAX;
}

static inline void put_word(uint8_t *to, bool big, uint32_t tag, uint32_t time)
{
	uint32_t id = tag & LT_ID_MASK, context = tag >> LT_ID_BITS;

	time &= LT_TIME_MASK;
	if (big)
		id = htobe32(id << 26 | time << 2 | context);
	else
		id = htole32(id | time << LT_ID_BITS | context << 30);
	memcpy(to, &id, sizeof(id));
}

/* The form of a record with a long beginning, next in the rest; NULL: it is damaged. */
static const struct lt_pack_form *long_form(const struct lt_pack_form *forms,
					    const struct source *s, bool big)
{
	size_t left = (size_t)(s->rest_end - s->rest);
	unsigned int id;

	if (left < LT_REC_LONG)
		return NULL;
	id = lt_get16(s->rest + LT_LONG_ID, big);
	return id < N_IDS ? form_of(forms, id, left, LT_REC_LONG) : NULL;
}

/* Site and address of a record. Return: false: the columns are damaged. */
static inline bool merge_place(const struct lt_pack_form *f, struct source *s, uint8_t *to,
			       bool big)
{
	if (s->sites == s->sites_end)
		return false;
	if (f->form == LT_COLUMNS_TIGHT) {
		uint8_t site = s->sites[big ? 0 : 1], low = s->ptrs[big ? 4 : 0];

		if (site & ~TIGHT_SITE || low & TIGHT_SITE)
			return false;
		to[big ? 5 : 0] = s->sites[big ? 1 : 0];
		to[big ? 4 : 1] = site | low;
		memcpy(to + (big ? 0 : 2), s->ptrs + !big, PTR_SIZE - 1);
	} else {
		memcpy(to, s->sites, SITE_SIZE);
		memcpy(to + SITE_SIZE, s->ptrs, PTR_SIZE);
	}
	s->sites += SITE_SIZE;
	s->ptrs += PTR_SIZE;
	return true;
}

/*
 * Restores the records. Return: their end; NULL: the record of the last tag that was taken
 * is damaged.
 */
static inline __attribute__((always_inline)) uint8_t *
merge(const struct lt_pack_form *forms, struct source *from, uint8_t *to, const uint8_t *end,
      uint32_t time, bool big)
{
	struct source s = *from;

	while (s.tags < s.tags_end) {
		const struct lt_pack_form *f;
		size_t left = (size_t)(end - to), need;
		uint32_t tag = *s.tags++, delta;

		if (tag == LT_EV_LONG) {
			f = long_form(forms, &s, big);
			need = LT_REC_LONG + (f ? f->size : 0U);
			if (!f || need > left)
				goto wrong;
			time = (uint32_t)lt_get64(s.rest + LT_LONG_TIME, big);
			memcpy(to, s.rest, need);
			s.rest += need;
			to += need;
			continue;
		}
		f = form_of(forms, tag & LT_ID_MASK, left, LT_REC_WORD);
		delta = get_time(&s);
		if (!f || delta == UINT32_MAX)
			goto wrong;
		time += delta;
		put_word(to, big, tag, time);
		to += LT_REC_WORD;
		if (f->form) {
			if (!merge_place(f, &s, to, big))
				goto wrong;
		} else {
			if (f->size > (size_t)(s.rest_end - s.rest))
				goto wrong;
			memcpy(to, s.rest, f->size);
			s.rest += f->size;
		}
		to += f->size;
	}
	*from = s;
	return to;
wrong:
	*from = s;
	return NULL;
}

/* The forms of the events. Id 0 and LT_EV_LONG are not possible. */
static int read_events(struct lt_pack_form *forms, const uint8_t *at, uint32_t n,
		       struct lt_why *why)
{
	for (uint32_t i = 0; i < n; i++) {
		struct lt_columns_event e;
		unsigned int size;

		memcpy(&e, at + i * sizeof(e), sizeof(e));
		size = lt_get16(&e.size, false);
		if (!e.id || e.id == LT_EV_LONG || forms[e.id].known)
			return refuse(why, "an event id that is possible, and declared once", 1,
				      e.id);
		if (e.form > LT_COLUMNS_TIGHT)
			return refuse(why, "the form of an event, at most", LT_COLUMNS_TIGHT,
				      e.form);
		if (e.form == LT_COLUMNS_SHORT && size != BRIEF_SIZE)
			return refuse(why, "bytes of a short form", BRIEF_SIZE, size);
		if (e.form == LT_COLUMNS_TIGHT && size != TIGHT_SIZE)
			return refuse(why, "bytes of a tight form", TIGHT_SIZE, size);
		forms[e.id] = (struct lt_pack_form){
			.size = (uint16_t)size, .known = true, .form = e.form,
		};
	}
	return 0;
}

/* Finds the columns in what is behind the packet's header. */
static int read_columns(struct lt_pack_form *forms, struct source *s, const uint8_t *at,
			size_t n, struct lt_why *why)
{
	uint32_t records, lows, highs, shorts, rest, events;
	struct lt_columns_header h;
	uint64_t sum;

	if (n < sizeof(h))
		return refuse(why, "bytes behind the packet's header", sizeof(h), n);
	memcpy(&h, at, sizeof(h));
	records = lt_get32(&h.records, false);
	lows = lt_get32(&h.lows, false);
	highs = lt_get32(&h.highs, false);
	shorts = lt_get32(&h.shorts, false);
	rest = lt_get32(&h.rest, false);
	events = lt_get32(&h.events, false);
	sum = sizeof(h) + (uint64_t)events * sizeof(struct lt_columns_event) + records + lows +
	      highs + (uint64_t)shorts * BRIEF_SIZE + rest;
	if (sum != n)
		return refuse(why, "the sum of their lengths", n, sum);
	at += sizeof(h);
	if (read_events(forms, at, events, why))
		return -1;
	s->tags = at + (size_t)events * sizeof(struct lt_columns_event);
	s->lows = s->tags_end = s->tags + records;
	s->highs = s->lows_end = s->lows + lows;
	s->sites = s->highs_end = s->highs + highs;
	s->ptrs = s->sites_end = s->sites + (size_t)shorts * SITE_SIZE;
	s->rest = s->ptrs + (size_t)shorts * PTR_SIZE;
	s->rest_end = s->rest + rest;
	return 0;
}

int lt_pack_restore(const uint8_t *columns, size_t n, uint8_t *packet, size_t size,
		    struct lt_why *why)
{
	struct lt_pack_form forms[N_IDS] = { { 0 } };
	const uint8_t *tags;
	struct source s;
	uint8_t *to;
	size_t head, left;
	uint32_t time;
	bool big;

	if (n < LT_PACKET_MIN || size < LT_PACKET_MIN)
		return refuse(why, "bytes of a packet's header", LT_PACKET_MIN,
			      n < size ? n : size);
	big = lt_get32(columns, true) == LT_PACKET_MAGIC;
	if (!big && lt_get32(columns, false) != LT_PACKET_MAGIC)
		return refuse(why, "the packet's magic", LT_PACKET_MAGIC,
			      lt_get32(columns, false));
	head = lt_get16(columns + offsetof(struct lt_packet_header, header_size), big);
	if (head < LT_PACKET_MIN || head > n || head > size)
		return refuse(why, "a header_size within the packet, of at least",
			      LT_PACKET_MIN, head);
	if (read_columns(forms, &s, columns + head, n - head, why))
		return -1;
	time = (uint32_t)lt_get64(columns + offsetof(struct lt_packet_header, timestamp_begin),
				  big);
	memcpy(packet, columns, head);
	tags = s.tags;
	if (big)
		to = merge(forms, &s, packet + head, packet + size, time, true);
	else
		to = merge(forms, &s, packet + head, packet + size, time, false);
	if (!to)
		return refuse(why, "records that fit the columns and the packet",
			      (uint64_t)(s.tags_end - tags), (uint64_t)(s.tags - tags) - 1);
	if (to != packet + size)
		return refuse(why, "bytes of the packet", size, (uint64_t)(to - packet));
	left = (size_t)(s.lows_end - s.lows) + (size_t)(s.highs_end - s.highs) +
	       (size_t)(s.sites_end - s.sites) + (size_t)(s.rest_end - s.rest);
	if (left)
		return refuse(why, "bytes that are left over", 0, left);
	return 0;
}
