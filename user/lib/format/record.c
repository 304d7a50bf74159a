// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records to events, by the steps that lt_schema_parse() has prepared. The reader spends
 * most of its time here, so nothing is allocated or searched for by name.
 */
#include "base/byteorder.h"
#include "base/mem.h"
#include "format/plain.h"

static int damaged(const struct lt_records *it, struct lt_why *why, const char *what,
		   uint64_t value)
{
	lt_why_set(why, "packet %llu of cpu %u%s, byte %zu: %s (%llu)",
		   (unsigned long long)it->packet->seq, it->packet->cpu,
		   lt_of_channel(it->packet->channel), it->pos, what,
		   (unsigned long long)value);
	return -1;
}

static inline void copy_fields(const struct lt_packet *p, const struct lt_copy *copies,
			       unsigned int n, const uint8_t *from, uint8_t *full)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct lt_copy *c = &copies[i];

		lt_put_uint(full + c->to, c->to_size,
			    lt_add_base(p, c->base,
				     lt_load(from + c->from, p->big, 64 - 8U * c->from_size,
					  c->is_signed)), p->big);
	}
}

static void decode_values(const struct lt_packet *p, const struct lt_event_desc *d,
			  const uint8_t *payload, uint64_t *v)
{
	for (unsigned int i = 0; i < d->n_steps; i++) {
		const struct lt_step *s = &d->steps[i];

		v[s->target] = lt_add_base(p, s->base, lt_load(payload + s->offset, p->big, s->shift,
							 s->is_signed));
	}
}

/* A caller that the site has no room for is the first frame of its stack. */
static void complete_caller(const struct lt_packet *p, const struct lt_site *site,
			    const struct lt_event_desc *full)
{
	for (unsigned int i = 0; i < full->n_steps; i++) {
		const struct lt_step *s = &full->steps[i];

		if (s->target == LT_TO_CALL_SITE && s->base == LT_BASE_NONE && !s->shift &&
		    site->caller && !lt_load(site->fields->common + s->offset, p->big, 0, false))
			lt_put_uint(site->fields->common + s->offset, 8, site->caller, p->big);
	}
}

static inline void set_desc(const struct lt_packet *p, const struct lt_event_desc *d,
			    struct lt_event *ev)
{
	ev->cpu = p->cpu;
	ev->id = d->event;
	ev->channel = d->channel;
	ev->class = d->class;
	ev->raw_size = d->size;
}

/* Whether what all events of a site share was decoded for that form. */
static inline bool is_made(const struct lt_site *site, const struct lt_event_desc *full)
{
	return site->fields && site->fields->full == full;
}

/* Decodes the fields that all events of a site share, once a packet. */
static void make_common(const struct lt_packet *p, struct lt_site *site,
			const struct lt_event_desc *brief)
{
	uint64_t v[LT_N_TARGETS] = { [LT_TO_NODE] = (uint64_t)-1 };
	struct lt_site_fields *fields = site->fields;

	if (!fields)
		fields = site->fields = lt_alloc(sizeof(*fields));
	memset(fields->common, 0, sizeof(fields->common));
	copy_fields(p, brief->copies + brief->n_own, brief->n_copies - brief->n_own,
		    site->payload, fields->common);
	complete_caller(p, site, brief->full);
	decode_values(p, brief->full, fields->common, v);
	fields->full = brief->full;
	fields->event = (struct lt_event){
		.call_site = v[LT_TO_CALL_SITE], .bytes_req = v[LT_TO_BYTES_REQ],
		.bytes_alloc = v[LT_TO_BYTES_ALLOC], .gfp = (uint32_t)v[LT_TO_GFP],
		.node = (int32_t)v[LT_TO_NODE], .cache = (uint16_t)v[LT_TO_CACHE],
		.stack = site->stack,
	};
	set_desc(p, brief->full, &fields->event);
}

/* The number of a recorded stack among all of the trace. */
static uint32_t number_stack(const struct lt_records *it, const struct lt_record *r, uint64_t n)
{
	const struct lt_event_desc *d = r->desc;
	uint64_t frames[LT_STACK_MAX];
	struct lt_stack stack = { .frames = frames, .n = (unsigned int)n };

	for (unsigned int i = 0; i < stack.n; i++)
		frames[i] = lt_field_element(it->packet, d->frames, r->payload, i);
	if (d->stack_flags)
		stack.flags = (uint32_t)lt_field_raw(it->packet, d->stack_flags, r->payload);
	return lt_stacks_number(it->sites->all, &stack);
}

/* All that a stack follows from, as it is recorded. Return: false: it is too much. */
static bool key_of_stack(const struct lt_packet *p, const struct lt_record *r,
			 uint64_t key[LT_RECALL_KEY])
{
	const struct lt_event_desc *d = r->desc;
	const size_t number = sizeof(uint16_t), room = (LT_RECALL_KEY - 2) * sizeof(*key);

	if (d->site || d->size > number + room || lt_field_base(d->frames) == LT_BASE_PTR)
		return false;
	memset(key, 0, LT_RECALL_KEY * sizeof(*key));
	key[0] = (uint64_t)p->big << 31 | d->id;
	key[1] = p->text_base;
	memcpy(key + 2, r->payload + number, d->size - number);
	return true;
}

/* A recorded stack; its number among all of the trace is 0 where they are not kept. */
static struct lt_announced keep_stack(const struct lt_records *it, const struct lt_record *r,
				      uint64_t n)
{
	struct lt_announced a = {
		.caller = lt_field_element(it->packet, r->desc->frames, r->payload, 0),
	};
	struct lt_stacks *all = it->sites->all;
	uint64_t key[LT_RECALL_KEY];
	uint32_t *known;

	if (!all)
		return a;
	if (!key_of_stack(it->packet, r, key)) {
		a.number = number_stack(it, r, n);
		return a;
	}
	known = lt_recall_find(&all->recall, key, all->n);
	if (!*known)
		*known = number_stack(it, r, n);
	a.number = *known;
	return a;
}

/* The record announces a stack. */
static int announce_stack(struct lt_records *it, const struct lt_record *r, uint16_t number,
			  struct lt_why *why)
{
	const struct lt_event_desc *d = r->desc;
	uint64_t n = lt_field_raw(it->packet, d->n_frames, r->payload);

	if (!number)
		return damaged(it, why, "a stack with a number that is not possible", number);
	if (!n || n > d->frames->count || n > LT_STACK_MAX)
		return damaged(it, why, "a stack with frames that it has no room for", n);
	lt_sites_announce_stack(it->sites, number, keep_stack(it, r, n));
	return 0;
}

/* The record announces a site. */
static int announce_site(struct lt_records *it, const struct lt_record *r, uint16_t number,
			 struct lt_why *why)
{
	const struct lt_event_desc *d = r->desc;
	struct lt_announced stack = { 0 };
	struct lt_site *site;
	uint16_t of;

	if (d->has_stack) {
		of = lt_get16(r->payload + d->stack, it->packet->big);
		if (of && !lt_sites_find_stack(it->sites, of, &stack))
			return damaged(it, why, "the packet has not announced the stack", of);
	}
	site = lt_sites_announce(it->sites, number);
	site->payload = r->payload;
	if (site->fields)
		site->fields->full = NULL;
	site->stack = stack.number;
	site->caller = stack.caller;
	return 0;
}

/*
 * The record is in a short form, or announces a site or a stack.
 * Return: 0, or -1, with the reason in @why.
 */
static int use_site(struct lt_records *it, struct lt_record *r, struct lt_why *why)
{
	const struct lt_event_desc *d = r->desc;
	uint16_t number = lt_get16(r->payload + d->site, it->packet->big);

	if (d->frames)
		return announce_stack(it, r, number, why);
	if (!d->full)
		return announce_site(it, r, number, why);
	r->site = lt_sites_find(it->sites, number);
	if (!r->site)
		return damaged(it, why, "the packet has not announced the site", number);
	r->brief = d;
	r->desc = d->full;
	if (!is_made(r->site, d->full))
		make_common(it->packet, r->site, d);
	return 0;
}

int lt_records_next(struct lt_records *it, struct lt_record *r, struct lt_why *why)
{
	const struct lt_packet *p = it->packet;
	const uint8_t *rec = p->data + it->pos;
	size_t left = p->size - it->pos;
	uint32_t word, id, low;
	size_t head = LT_REC_WORD, size;
	uint64_t time;

	if (!left)
		return 0;
	if (left < LT_REC_WORD)
		return damaged(it, why, "the packet ends within a record; bytes left", left);
	word = lt_get32(rec, p->big);
	if (p->big) {
		id = word >> 26;
		r->context = word & 3;
		low = word >> 2 & LT_TIME_MASK;
	} else {
		id = word & LT_ID_MASK;
		r->context = word >> 30;
		low = word >> 6 & LT_TIME_MASK;
	}
	if (id == LT_EV_LONG) {
		head = LT_REC_LONG;
		if (left < LT_REC_LONG)
			return damaged(it, why, "the packet ends within a record; bytes left",
				       left);
		id = lt_get16(rec + LT_LONG_ID, p->big);
		time = lt_get64(rec + LT_LONG_TIME, p->big);
		r->context = p->big ? rec[LT_LONG_CTX] >> 6 : rec[LT_LONG_CTX] & 3;
		if (time < it->time)
			return damaged(it, why, "the time of a record goes back, to", time);
	} else {
		time = it->time + ((low - (uint32_t)it->time) & LT_TIME_MASK);
	}
	if (time > p->end || time < it->time)
		return damaged(it, why, "the time of a record lies after the packet's end", time);
	r->desc = id <= LT_EV_ID(UINT32_MAX) ?
		  lt_schema_event(it->schema, LT_EV(p->channel, id)) : NULL;
	if (!r->desc)
		return damaged(it, why, id ? "an event id that the schema does not have" :
			       "a record that was never completed, id", id);
	if (r->desc->size > left - head)
		return damaged(it, why, "the packet ends within a record; bytes left", left);
	r->payload = rec + head;
	r->time = time;
	r->site = NULL;
	size = r->desc->size;
	if (r->desc->has_site && use_site(it, r, why))
		return -1;
	it->pos += head + size;
	it->time = time;
	return 1;
}

static void decode_payload(const struct lt_packet *p, const struct lt_event_desc *d,
			   const uint8_t *payload, struct lt_event *ev)
{
	uint64_t v[LT_N_TARGETS] = { [LT_TO_NODE] = (uint64_t)-1 };

	decode_values(p, d, payload, v);
	ev->ptr = v[LT_TO_PTR];
	ev->call_site = v[LT_TO_CALL_SITE];
	ev->bytes_req = v[LT_TO_BYTES_REQ];
	ev->bytes_alloc = v[LT_TO_BYTES_ALLOC];
	ev->gfp = (uint32_t)v[LT_TO_GFP];
	ev->node = (int32_t)v[LT_TO_NODE];
	ev->cache = (uint16_t)v[LT_TO_CACHE];
	ev->order = (uint8_t)v[LT_TO_ORDER];
	ev->migratetype = (uint8_t)v[LT_TO_MIGRATETYPE];
	ev->single = (uint8_t)v[LT_TO_SINGLE];
	ev->raw = payload;
}

/*
 * Decodes a short form: some fields are in the record, the others in its site. @bytes: its payload
 * is put together, too.
 */
static inline void decode_brief(const struct lt_packet *p, const struct lt_record *r, bool bytes,
				struct lt_event *ev)
{
	const struct lt_step *s = &r->brief->steps[0];
	bool usual = r->brief->n_steps == 1 && s->target == LT_TO_PTR;
	struct lt_site_fields *fields = r->site->fields;

	if (bytes || !usual)
		copy_fields(p, r->brief->copies, r->brief->n_own, r->payload, fields->common);
	if (!usual) {
		/* A short form that the module of this version does not write. */
		decode_payload(p, r->desc, fields->common, ev);
		return;
	}
	lt_common_event(&fields->event, lt_add_base(p, s->base, lt_load(r->payload + s->offset, p->big, s->shift,
						     s->is_signed)), ev);
	ev->raw = bytes ? fields->common : NULL;
}

static inline void decode(const struct lt_packet *p, const struct lt_record *r, bool bytes,
			  struct lt_event *ev)
{
	if (r->site)
		decode_brief(p, r, bytes, ev);
	else
		decode_payload(p, r->desc, r->payload, ev);
	set_desc(p, r->desc, ev);
	ev->context = (uint8_t)r->context;
	ev->stack = r->site ? r->site->stack : 0;
}

void lt_decode(const struct lt_packet *p, const struct lt_record *r, struct lt_event *ev)
{
	decode(p, r, true, ev);
}

void lt_decode_members(const struct lt_packet *p, const struct lt_record *r, struct lt_event *ev)
{
	decode(p, r, false, ev);
}

uint64_t lt_field_raw(const struct lt_packet *p, const struct lt_field *f,
		      const uint8_t *payload)
{
	return lt_load(payload + f->offset, p->big, 64 - 8 * f->size, f->type == LT_TYPE_SINT);
}

uint64_t lt_field_value(const struct lt_packet *p, const struct lt_field *f,
			const uint8_t *payload)
{
	return lt_add_base(p, lt_field_base(f), lt_field_raw(p, f, payload));
}

uint64_t lt_field_element(const struct lt_packet *p, const struct lt_field *f,
			  const uint8_t *payload, unsigned int i)
{
	return lt_add_base(p, lt_field_base(f),
			lt_load(payload + f->offset + (size_t)i * f->size, p->big, 64 - 8 * f->size,
			     f->type == LT_TYPE_SINT));
}

/* The fields that a site has in common with its events, as they are recorded, one behind the other. */
static bool pack_fields(const struct lt_packet *p, const struct lt_site *site,
			const struct lt_event_desc *brief, uint64_t *words, unsigned int max)
{
	unsigned int n = 0, bits = 64;

	for (unsigned int i = brief->n_own; i < brief->n_copies; i++) {
		const struct lt_copy *c = &brief->copies[i];
		const unsigned int size = 8U * c->from_size;

		if (bits + size > 64) {
			if (n == max)
				return false;
			words[n++] = 0;
			bits = 0;
		}
		words[n - 1] |= lt_load(site->payload + c->from, p->big, 64 - size, false) << bits;
		bits += size;
	}
	return true;
}

/* Whether what the site's events have in common moves with the base of addresses, which packets may have anew. */
static bool moves(const struct lt_event_desc *brief)
{
	const struct lt_event_desc *full = brief->full;

	for (unsigned int i = brief->n_own; i < brief->n_copies; i++) {
		if (brief->copies[i].base == LT_BASE_PTR)
			return true;
	}
	for (unsigned int i = 0; i < full->n_steps; i++) {
		if (full->steps[i].base == LT_BASE_PTR && full->steps[i].target != LT_TO_PTR)
			return true;
	}
	return false;
}

/*
 * All that the events of a site follow from, as it is recorded. The caller follows from the stack,
 * where that has a number. Return: false: it is too much.
 */
static bool key_of_site(const struct lt_packet *p, const struct lt_site *site,
			const struct lt_event_desc *brief, uint64_t key[LT_RECALL_KEY])
{
	if (moves(brief))
		return false;
	memset(key, 0, LT_RECALL_KEY * sizeof(*key));
	key[0] = (uint64_t)site->stack << 32 | (uint64_t)p->big << 31 | brief->id;
	key[1] = p->text_base;
	key[2] = site->stack ? 0 : site->caller;
	return pack_fields(p, site, brief, key + 3, LT_RECALL_KEY - 3);
}

/* The number of the form of a site's events, 0: there are too many. */
static uint32_t form_of(const struct lt_records *it, const struct lt_plain *q, struct lt_site *site)
{
	struct lt_forms *forms = it->sites->forms;
	uint64_t key[LT_RECALL_KEY];
	uint32_t *known = NULL, form;

	if (key_of_site(it->packet, site, q->brief, key))
		known = lt_recall_find(&forms->recall, key, forms->n);
	if (known && *known)
		return *known;
	if (!is_made(site, q->desc))
		make_common(it->packet, site, q->brief);
	form = lt_forms_number(forms, &site->fields->event);
	if (known)
		*known = form;
	return form;
}

/* What records in a short form need of their site; NULL: it was not announced, or too many forms. */
static const struct lt_ready *make_ready(const struct lt_records *it, const struct lt_plain *q,
					 uint16_t number)
{
	struct lt_sites *sites = it->sites;
	struct lt_site *site = sites->forms ? lt_sites_find(sites, number) : NULL;
	uint32_t form;

	if (!site)
		return NULL;
	form = form_of(it, q, site);
	return form ? lt_sites_ready(sites, number, site, LT_EV_ID(q->brief->id), form) : NULL;
}

/*
 * The record announces a site or a stack. @first: no other record is in use, which may be of a site
 * with the same number, or of one that is to be announced again with the stack that had it.
 */
static bool pass_site(struct lt_records *it, const struct lt_plain *q, const uint8_t *rec, bool first)
{
	const struct lt_record r = { .desc = q->desc, .payload = rec + LT_REC_WORD };
	uint16_t number = lt_get16(r.payload + q->desc->site, it->packet->big);
	struct lt_announced stack;
	struct lt_why why;

	if (q->desc->frames)
		return (first || !lt_sites_find_stack(it->sites, number, &stack)) &&
		       !announce_stack(it, &r, number, &why);
	return (first || !lt_sites_find(it->sites, number)) &&
	       !announce_site(it, &r, number, &why);
}

/* So many records are looked at, or fewer. */
#define EXPECTED	16

void lt_records_expect(const struct lt_records *it)
{
	const struct lt_packet *p = it->packet;
	const uint8_t *rec = p->data + it->pos, *const end = p->data + p->size;

	for (size_t n = 0; n < EXPECTED && rec < end; n++) {
		/* Behind the last record there is room for it (LT_SLACK). */
		uint32_t word = lt_get32(rec, p->big);
		const struct lt_plain *q = &it->plain[p->big ? word >> 26 : word & LT_ID_MASK];
		uint16_t number;

		if (!q->desc || q->bytes > (size_t)(end - rec))
			break;
		number = lt_get16(rec + q->site, p->big);
		if (q->brief && number < it->sites->n_ready)
			__builtin_prefetch(&it->sites->ready[number]);
		rec += q->bytes;
	}
}

/* Bytes that follow behind the records that are decoded at once. */
#define FOLLOWING	256

/* lt_records_ahead() for one byte order. */
static inline __attribute__((always_inline)) size_t
pass_ahead(struct lt_records *it, const struct lt_clock *clock, struct lt_ahead *ahead, size_t max,
	   const bool big)
{
	const struct lt_packet *p = it->packet;
	const struct lt_sites *sites = it->sites;
	const uint8_t *rec = p->data + it->pos, *const end = p->data + p->size;
	const uint64_t latest = p->end;
	uint64_t time = it->time;
	size_t n;

	if (time > latest)
		return 0;
	for (n = 0; n < max; n++) {
		struct lt_ahead *a = &ahead[n];
		/* Behind the last record there is room for it (LT_SLACK). */
		uint32_t word = lt_get32(rec, big), id = big ? word >> 26 : word & LT_ID_MASK;
		const struct lt_plain *q = &it->plain[id];
		uint64_t later = ((big ? word >> 2 : word >> 6) - (uint32_t)time) & LT_TIME_MASK;

		if (!q->desc || q->bytes > (size_t)(end - rec) || later > latest - time)
			break;
		if (q->brief) {
			uint16_t number = lt_get16(rec + q->site, big);
			const struct lt_ready *ready = number < sites->n_ready ?
						       &sites->ready[number] : NULL;

			if (!ready || ready->id != id + 1)
				ready = make_ready(it, q, number);
			if (!ready)
				break;
			a->form = ready->form;
			a->place = ready->place;
			a->ptr = lt_add_base(p, q->base, lt_load(rec + q->ptr, big, q->shift,
								 q->is_signed));
		} else {
			if (q->desc->has_site && !pass_site(it, q, rec, !n))
				break;
			a->form = 0;
			a->ptr = 0;
		}
		time += later;
		a->plain = q;
		a->time = time;
		a->ns = lt_clock_ns(clock, time);
		a->pos = (uint32_t)(rec - p->data);
		a->context = big ? word & 3 : word >> 30;
		rec += q->bytes;
	}
	it->pos = (size_t)(rec - p->data);
	it->time = time;
	/* Of many CPUs, those of others come before the next ones of this one. */
	for (size_t k = 0; k < FOLLOWING; k += 64)
		__builtin_prefetch(rec + k);
	return n;
}

size_t lt_records_ahead(struct lt_records *it, const struct lt_clock *clock, struct lt_ahead *ahead,
			size_t max)
{
	return it->packet->big ? pass_ahead(it, clock, ahead, max, true) :
				 pass_ahead(it, clock, ahead, max, false);
}

void lt_plain_payload(const struct lt_packet *p, const struct lt_plain *q, const uint8_t *rec,
		      struct lt_event *ev)
{
	decode_payload(p, q->desc, rec + LT_REC_WORD, ev);
	set_desc(p, q->desc, ev);
	ev->stack = 0;
}

void lt_ahead_whole_event(const struct lt_records *it, const struct lt_ahead *ahead,
			  struct lt_event *ev)
{
	const uint8_t *payload = it->packet->data + ahead->pos + LT_REC_WORD;
	const struct lt_event_desc *brief = ahead->plain->brief;
	struct lt_site *site;

	lt_ahead_event(it, ahead, ev);
	ev->raw = payload;
	if (!brief)
		return;
	site = &it->sites->sites[ahead->place];
	/* Records that are not plain may have made it one of another form. */
	if (!is_made(site, ahead->plain->desc))
		make_common(it->packet, site, brief);
	copy_fields(it->packet, brief->copies, brief->n_own, payload, site->fields->common);
	ev->raw = site->fields->common;
}
