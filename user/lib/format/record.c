// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records to events, by the steps that lt_schema_parse() has prepared. The reader spends
 * most of its time here, so nothing is allocated or searched for by name.
 */
#include "base/byteorder.h"
#include "base/foresee.h"
#include "format/announce.h"
#include "format/decode.h"
#include "format/site_make.h"

/*
 * The record is in a short form, or announces a site or a stack.
 * Return: 0, or -1, with the reason in @why.
 */
static int use_site(struct lt_records *it, struct lt_record *r, struct lt_why *why)
{
	const struct lt_event_desc *d = r->desc;
	uint16_t number = lt_site_number(d, r->payload, it->packet->big);

	if (d->frames)
		return lt_announce_stack(it, r, number, why);
	if (!d->full)
		return lt_announce_site(it, r, number, why);
	r->site = lt_sites_find(it->sites, number);
	if (!r->site)
		return lt_record_damaged(it, why, "the packet has not announced the site", number);
	r->brief = d;
	r->desc = d->full;
	if (!lt_site_is_made(r->site, d->full))
		lt_site_make(it->packet, it->sites, r->site, d);
	return 0;
}

/* The record has the number of a task in place of its identity. */
static void complete_by_task(const struct lt_records *it, struct lt_record *r,
			     const struct lt_numbered_task *task)
{
	const struct lt_event_desc *d = r->brief;
	uint8_t *to = it->sites->completed, whole[LT_FULL_MAX + LT_SLACK];

	memset(to, 0, sizeof(it->sites->completed));
	lt_copy_fields(it->packet, d->copies, d->n_own, r->payload, to);
	lt_copy_fields(it->packet, d->copies + d->n_own, d->n_copies - d->n_own,
		       lt_widen(it->packet, task->desc, task->payload, whole), to);
	r->desc = d->full;
	r->payload = to;
}

/*
 * The record announces a task, or has the number of one that was announced.
 * Return: 0, or -1, with the reason in @why.
 */
static int use_task(struct lt_records *it, struct lt_record *r, struct lt_why *why)
{
	const uint8_t number = r->payload[r->desc->site];
	struct lt_numbered_task *task = &it->sites->tasks[number];

	if (!r->desc->full) {
		*task = (struct lt_numbered_task){ .payload = r->payload, .desc = r->desc };
		return 0;
	}
	if (!task->desc)
		return lt_record_damaged(it, why, "the packet has not announced the task", number);
	r->brief = r->desc;
	if (lt_event_announces_task(r->desc->event)) {
		r->desc = task->desc;
		r->payload = task->payload;
	} else {
		complete_by_task(it, r, task);
	}
	return 0;
}

static int ends_within(struct lt_records *it, struct lt_why *why, size_t left)
{
	return lt_record_damaged(it, why, "the packet ends within a record; bytes left", left);
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
		return ends_within(it, why, left);
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
			return lt_record_damaged(it, why, "the packet ends within a record; bytes left",
				       left);
		id = lt_get16(rec + LT_LONG_ID, p->big);
		time = lt_get64(rec + LT_LONG_TIME, p->big);
		r->context = p->big ? rec[LT_LONG_CTX] >> 6 : rec[LT_LONG_CTX] & 3;
		if (time < it->time)
			return lt_record_damaged(it, why, "the time of a record goes back, to",
						 time);
	} else {
		time = it->time + ((low - (uint32_t)it->time) & LT_TIME_MASK);
	}
	if (time > p->end || time < it->time)
		return lt_record_damaged(it, why,
					 "the time of a record lies after the packet's end", time);
	r->desc = id <= LT_EV_ID(UINT32_MAX) ?
		  lt_schema_event(it->schema, LT_EV(p->channel, id)) : NULL;
	if (!r->desc)
		return lt_record_damaged(it, why, id ? "an event id that the schema does not have" :
			       "a record that was never completed, id", id);
	if (r->desc->size > left - head)
		return ends_within(it, why, left);
	r->payload = rec + head;
	r->time = time;
	r->site = NULL;
	r->brief = NULL;
	size = r->desc->size;
	if (r->desc->has_site && use_site(it, r, why))
		return -1;
	if (r->desc->has_task && use_task(it, r, why))
		return -1;
	it->pos += head + size;
	it->time = time;
	return 1;
}

static void decode_payload(const struct lt_packet *p, const struct lt_event_desc *d,
			   const uint8_t *payload, struct lt_event *ev)
{
	uint64_t v[LT_N_TARGETS] = { [LT_TO_NODE] = (uint64_t)-1 };

	lt_decode_values(p, d, payload, v);
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
	uint64_t ptr;

	if (bytes || !usual)
		lt_copy_fields(p, r->brief->copies, r->brief->n_own, r->payload, fields->common);
	if (!usual) {
		/* A short form that the module of this version does not write. */
		decode_payload(p, r->desc, fields->common, ev);
		return;
	}
	ptr = lt_load(r->payload + (p->big ? r->brief->ptr_big : s->offset), p->big, s->shift,
		      s->is_signed) & r->brief->ptr_mask;
	lt_common_event(&fields->event, lt_add_base(p, s->base, ptr), ev);
	ev->raw = bytes ? fields->common : NULL;
}

static inline void decode(const struct lt_packet *p, const struct lt_record *r, bool bytes,
			  struct lt_event *ev)
{
	if (r->site)
		decode_brief(p, r, bytes, ev);
	else
		decode_payload(p, r->desc, r->payload, ev);
	lt_set_desc(p, r->desc, ev);
	ev->context = (uint8_t)r->context;
	ev->stack = r->site ? r->site->stack.number : 0;
}

void lt_decode(const struct lt_packet *p, const struct lt_record *r, struct lt_event *ev)
{
	decode(p, r, true, ev);
}

void lt_decode_members(const struct lt_packet *p, const struct lt_record *r, struct lt_event *ev)
{
	decode(p, r, false, ev);
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
		const struct lt_plain *q = lt_plain_of(it->plain, word, p->big);
		uint16_t number;

		if (!q->desc || q->bytes > (size_t)(end - rec))
			break;
		number = lt_plain_site(q, rec, p->big);
		if (q->brief && number < it->sites->n_ready)
			__builtin_prefetch(&it->sites->ready[number]);
		rec += q->bytes;
	}
}

/* Bytes that follow behind the records that are decoded at once. */
#define FOLLOWING	448

/*
 * A record whose form follows from itself, and from its site if it has one. Return: false: it has
 * none, or is not plain.
 */
static bool pass_each(struct lt_records *it, const struct lt_plain *q, const uint8_t *rec,
		      struct lt_plain_event *ev)
{
	const struct lt_packet *p = it->packet;
	struct lt_record r = { .desc = q->each, .brief = q->brief, .payload = rec + LT_REC_WORD };
	struct lt_event event;

	if (q->brief) {
		r.site = lt_sites_find(it->sites, lt_site_number(q->brief, r.payload, p->big));
		if (!r.site)
			return false;
		if (!lt_site_is_made(r.site, r.desc))
			lt_site_make(p, it->sites, r.site, q->brief);
	}
	lt_decode_members(p, &r, &event);
	ev->ptr = event.ptr;
	ev->class = event.class;
	ev->form = lt_plain_form(it->sites->forms, &event);
	return ev->form;
}

/*
 * As pass_each(), of a record of pages without a site. Its form is kept by the bytes that follow
 * the page.
 */
static bool pass_pages(struct lt_records *it, const struct lt_plain *q, const uint8_t *rec,
		       struct lt_plain_event *ev)
{
	const bool big = it->packet->big;
	const uint64_t key = (uint64_t)(LT_EV_ID(q->each->id) + 1) << 57 | (uint64_t)big << 56 |
			     (lt_get64(rec + q->rest, false) & q->rest_mask);
	struct lt_page_form *known =
		&it->sites->page_forms[key * 0x9e3779b97f4a7c15ULL >> 32 & (LT_PAGE_FORMS - 1)];

	if (known->key != key) {
		pass_each(it, q, rec, ev);
		*known = (struct lt_page_form){ .key = key, .form = ev->form };
	}
	ev->ptr = lt_load(rec + q->ptr, big, q->shift, false);
	ev->class = q->each->class;
	ev->form = known->form;
	return ev->form;
}

/*
 * A record of whose site nothing is ready, or one that is not of a short form; @at: how many were
 * passed before it. Return: false: it is not plain.
 */
static bool pass_other(struct lt_records *it, const struct lt_plain *q, const uint8_t *rec,
		       size_t at, struct lt_asked *asked, struct lt_plain_event *ev)
{
	const bool big = it->packet->big;

	if (q->each && it->forms_only)
		return q->rest ? pass_pages(it, q, rec, ev) : pass_each(it, q, rec, ev);
	if (!q->desc)
		return false;
	ev->ptr = it->announced ? (uintptr_t)rec : 0;
	ev->form = 0;
	ev->class = q->desc->class;
	if (!q->brief)
		return !q->desc->has_site || lt_announce_ahead(it, q, rec, !at);
	ev->ptr = lt_add_base(it->packet, q->base, lt_load(rec + (big ? q->ptr_big : q->ptr), big,
							   q->shift, false) & q->mask);
	return lt_ask_form(it, q, lt_site_number(q->brief, rec + LT_REC_WORD, big), at, asked);
}

/* The times of a packet in ns: its units; a straight line of them; what lt_clock_ns() says. */
enum scale { SAME, STRAIGHT, ANY };

/* The time of the record that begins with a word, from that of the one before it. */
static inline uint64_t time_at(uint64_t time, uint32_t word, const bool big)
{
	return time + (((big ? word >> 2 : word >> 6) - (uint32_t)time) & LT_TIME_MASK);
}

/* The time of the record before @event, of one or two from @rec on. */
static inline uint64_t time_before(uint64_t time, const struct lt_records *it, const uint8_t *rec,
				   const uint8_t *event, const bool big)
{
	const uint32_t word = lt_get32(rec, big);
	const uint8_t *const next = rec + lt_plain_of(it->plain, word, big)->bytes;

	time = time_at(time, word, big);
	return next < event ? time_at(time, lt_get32(next, big), big) : time;
}

/* The address that a plain record in a short form has. */
static inline uint64_t address_at(const struct lt_plain *q, const uint8_t *rec,
				  const uint64_t *bases, const bool big)
{
	const uint64_t ptr = lt_get64(rec + (big ? q->ptr_big : q->ptr), big);

	return ((big ? ptr >> q->shift : ptr) & q->mask) + bases[q->base];
}

static inline void set_passed(struct lt_passed *to, const uint8_t *rec, uint64_t time,
			      const struct lt_task *task, uint16_t cpu)
{
	to->rec = rec;
	to->time = time;
	to->ev.task = task;
	to->ev.cpu = cpu;
}

/* Of many CPUs, records of others come before the next ones of this one. */
static inline void expect_following(const uint8_t *rec)
{
	for (size_t k = 0; k < FOLLOWING; k += 64)
		__builtin_prefetch(rec + k);
}

/* lt_records_ahead() for one byte order. @line: of STRAIGHT. */
static inline __attribute__((always_inline)) void
pass_ahead(struct lt_records *it, const struct lt_clock *clock, const struct lt_clock_line *line,
	   const struct lt_task *task, struct lt_ahead *ahead, size_t max, const enum scale scale,
	   const bool big)
{
	const struct lt_packet *p = it->packet;
	const struct lt_plain *plain = it->plain;
	const struct lt_sites *sites = it->sites;
	const bool whole = it->forms_only && !it->announced && sites->forms;
	const uint64_t bases[] = { [LT_BASE_NONE] = 0, [LT_BASE_PTR] = p->ptr_base };
	const uint8_t *rec = p->data + it->pos, *const end = p->data + p->size;
	struct lt_passed *to = ahead->records, *const room = to + max;
	struct lt_asked asked;
	uint64_t time = it->time;
	size_t bytes = 0;

	asked.n = 0;
	while (to < room && rec < end) {
		uint32_t word = lt_get32(rec, big), id = big ? word >> 26 : word & LT_ID_MASK;
		const struct lt_plain *q = &plain[id];
		const uint16_t number = lt_plain_site(q, rec, big);
		const size_t at = (size_t)(to - ahead->records);
		const uint8_t *event = q->announces && whole ?
				       lt_announce_whole(it, q, rec, at, &asked) : NULL;

		if (event) {
			time = time_before(time, it, rec, event, big);
			rec = event;
			word = lt_get32(rec, big);
			q = lt_plain_of(plain, word, big);
			to->ev.ptr = address_at(q, rec, bases, big);
			to->ev.class = q->desc->class;
		/* Only of short forms there are ready sites. */
		} else if (number < sites->n_ready && sites->ready[number].id == id + 1) {
			to->ev.ptr = address_at(q, rec, bases, big);
			to->ev.form = sites->ready[number].form;
			to->ev.class = sites->ready[number].class;
		} else if (!pass_other(it, q, rec, at, &asked, &to->ev)) {
			break;
		} else if (to->ev.class == LT_CLASS_NONE && it->forms_only) {
			time = time_at(time, word, big);
			rec += q->bytes;
			continue;
		}
		time = time_at(time, word, big);
		to->ev.time = scale == STRAIGHT ? lt_clock_line_ns(line, time) :
			      scale == SAME ? time : lt_clock_ns(clock, time);
		set_passed(to, rec, time, task, (uint16_t)p->cpu);
		to->ev.context = big ? word & 3 : word >> 30;
		bytes = lt_foresee(bytes, q->bytes);
		rec += bytes;
		to++;
	}
	it->pos = (size_t)(rec - p->data);
	it->time = time;
	ahead->end = to;
	expect_following(rec);
	if (asked.n)
		lt_answer_forms(it, &asked, ahead);
}

void lt_records_ahead(struct lt_records *it, const struct lt_clock *clock,
		      const struct lt_task *task, struct lt_ahead *ahead, size_t max)
{
	const struct lt_packet *p = it->packet;
	struct lt_clock_line line;

	ahead->next = ahead->records;
	if (p->big)
		pass_ahead(it, clock, NULL, task, ahead, max, ANY, true);
	else if (clock->identity)
		pass_ahead(it, clock, NULL, task, ahead, max, SAME, false);
	else if (lt_clock_straight(clock, it->time, p->end, &line))
		pass_ahead(it, clock, &line, task, ahead, max, STRAIGHT, false);
	else
		pass_ahead(it, clock, NULL, task, ahead, max, ANY, false);
}

void lt_plain_payload(const struct lt_packet *p, const struct lt_plain *q, const uint8_t *rec,
		      struct lt_event *ev)
{
	decode_payload(p, q->desc, rec + LT_REC_WORD, ev);
	lt_set_desc(p, q->desc, ev);
	ev->stack = 0;
}

void lt_passed_whole_event(const struct lt_records *it, const struct lt_passed *passed,
			   struct lt_event *ev)
{
	const struct lt_packet *p = it->packet;
	const struct lt_plain *q = lt_passed_plain(it, passed);
	const uint8_t *payload = passed->rec + LT_REC_WORD;
	struct lt_site *site;

	lt_passed_event(it, passed, ev);
	ev->raw = payload;
	if (!q->brief)
		return;
	site = lt_passed_site(it, passed);
	/* Records that are not plain may have made it one of another form. */
	if (!lt_site_is_made(site, lt_passed_desc(it, passed)))
		lt_site_make(p, it->sites, site, q->brief);
	lt_copy_fields(p, q->brief->copies, q->brief->n_own, payload, site->fields->common);
	ev->raw = site->fields->common;
}
