// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of records that announce sites and stacks. With stacks there are nearly as many as of
 * events, and packets announce the same ones again and again. So what follows the number in a line
 * is kept, and found again by the bytes of the record.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/recall.h"
#include "format/key.h"
#include "format/record.h"
#include "print/dump.h"
#include "trace/pass.h"

#define TEXTS		(1U << LT_RECALL_BITS)	/* numbers of texts are below it */
#define TEXT_MAX	16384			/* a longer one is made for each line */
#define EXPECTED	(6 * LT_LINE)	/* what most texts take */

/* What is seldom called must not take registers of what is called for each line. */
#define SELDOM	__attribute__((noinline))

/**
 * struct lt_dump_text - what is printed of records that differ in numbers alone
 * @id: of the cache that was printed; 0: none
 * @cache: that cache, and @stamp lt_trace_cache_changes() then
 * @head: bytes of @text that stand before the number of the record
 * @len: bytes of @text, behind which LT_PIECE may be read
 */
struct lt_dump_text {
	uint64_t id;
	uint64_t stamp;
	const struct lt_cache *cache;
	uint32_t head;
	uint32_t len;
	char text[];
};

/**
 * struct lt_dump_record - an announcement of a batch
 * @payload, @desc, @packet: see lt_trace_announced()
 * @time: of its event
 * @number: of its text; 0: not known
 * @key: @n_key words by which it is found, with their @hash; none: nothing is kept
 */
struct lt_dump_record {
	const uint8_t *payload;
	const struct lt_event_desc *desc;
	const struct lt_packet *packet;
	uint64_t time;
	uint32_t number;
	uint32_t hash;
	uint32_t n_key;
	uint64_t key[LT_RECALL_KEY];
};

/**
 * struct lt_dump_announced - texts of announcements
 * @recall: their numbers, from 1 on
 * @texts: by number; @n: length
 * @records: those of a batch, of which @n_printed were printed
 */
struct lt_dump_announced {
	struct lt_recall recall;
	struct lt_dump_text **texts;
	size_t n;
	size_t cap;
	size_t n_printed;
	struct lt_dump_record records[LT_PASS_MAX];
};

static void forget(struct lt_dump_announced *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->texts[i]);
	a->n = 0;
	lt_recall_destroy(&a->recall);
}

void lt_dump_announced_init(struct lt_dump *d)
{
	d->announced = lt_alloc(sizeof(*d->announced));
}

void lt_dump_announced_destroy(struct lt_dump *d)
{
	forget(d->announced);
	free(d->announced->texts);
	free(d->announced);
}

/* ------------------------------------------------------------------------
 * Keys
 */

static void set_key(struct lt_dump *d, struct lt_dump_record *r)
{
	uint64_t *to = r->key, tail;

	r->n_key = 0;
	if (!lt_dump_plan_of(d, r->desc)->is_kept)
		return;
	*to++ = r->desc->id | (uint64_t)r->packet->big << 32;
	*to++ = r->packet->text_base;
	*to++ = r->packet->ptr_base;
	tail = lt_key_take(&to, r->desc, r->payload);
	*to++ = tail;
	r->n_key = lt_key_end(to, r->key);
	r->hash = lt_recall_hash(r->key, r->n_key);
	lt_recall_expect(&d->announced->recall, r->hash);
}

static uint32_t number_of(const struct lt_dump_announced *a, const struct lt_dump_record *r)
{
	return r->n_key ? lt_recall_find(&a->recall, r->hash, r->key, r->n_key) : 0;
}

static void expect_text(const struct lt_dump_text *text)
{
	for (size_t at = 0; at < EXPECTED; at += LT_LINE)
		__builtin_prefetch((const char *)text + at);
}

size_t lt_dump_expect(struct lt_dump *d, const struct lt_plain_event *evs, size_t n)
{
	struct lt_dump_announced *a = d->announced;
	size_t n_records = 0;

	a->n_printed = 0;
	if (a->n + n >= TEXTS)
		forget(a);
	for (const struct lt_plain_event *ev = evs; ev < evs + n; ev++) {
		struct lt_dump_record *r = &a->records[n_records];

		if (ev->form)
			continue;
		r->time = ev->time;
		r->packet = lt_trace_announced(d->t, ev, &r->desc, &r->payload);
		set_key(d, r);
		n_records++;
	}
	for (size_t i = 0; i < n_records; i++)
		lt_recall_seek(&a->recall, a->records[i].hash);
	for (size_t i = 0; i < n_records; i++) {
		struct lt_dump_record *r = &a->records[i];

		r->number = number_of(a, r);
		if (r->number)
			expect_text(a->texts[r->number]);
	}
	return n_records;
}

/* ------------------------------------------------------------------------
 * Texts
 */

/* The field of a cache, if there is one and it has a value. */
static void note_cache(const struct lt_dump *d, const struct lt_dump_record *r,
		       struct lt_dump_text *text)
{
	for (unsigned int i = 0; i < r->desc->n_fields; i++) {
		const struct lt_field *f = &r->desc->fields[i];

		if (f->kind != LT_KIND_CACHE)
			continue;
		text->id = lt_field_value(r->packet, f, r->payload);
		text->cache = lt_trace_cache_at(d->t, text->id, r->time);
		text->stamp = lt_trace_cache_changes(d->t);
	}
}

/* Whether the cache is called now as it was when the text was made. */
static inline bool is_current(const struct lt_dump *d, const struct lt_dump_record *r,
			      const struct lt_dump_text *text)
{
	return !text->id || (text->stamp == lt_trace_cache_changes(d->t) &&
			     lt_trace_cache_at(d->t, text->id, r->time) == text->cache);
}

/*
 * The line without the numbers, in d->line. Return: how much of it stands before the first number.
 */
static size_t render(struct lt_dump *d, const struct lt_dump_record *r)
{
	const struct lt_dump_plan *plan = lt_dump_plan_of(d, r->desc);
	const unsigned int last = lt_dump_key_end(r->desc);
	struct lt_out *o = d->o, *line = &d->line;
	size_t head;

	line->used = 0;
	d->o = line;
	lt_dump_put_key(line, &plan->name);
	lt_dump_put_key(line, &plan->keys[0]);
	head = line->used;
	lt_dump_out_fields(d, plan, r->desc, r->packet, r->payload, r->time, 1, last);
	if (r->desc->has_stack)
		lt_dump_put_key(line, &plan->keys[last]);
	d->o = o;
	return head;
}

/* Makes the text of a record in place of one that it has. NULL: it is not kept. */
static SELDOM struct lt_dump_text *make_text(struct lt_dump *d, const struct lt_dump_record *r,
					     uint32_t number)
{
	struct lt_dump_announced *a = d->announced;
	const size_t head = render(d, r), len = d->line.used;
	struct lt_dump_text *text;

	if (len > TEXT_MAX)
		return NULL;
	if (!number) {
		/* Nothing has the number 0. */
		a->n += !a->n;
		number = (uint32_t)a->n;
		a->texts = lt_grow(a->texts, &a->cap, a->n, sizeof(*a->texts));
		a->texts[0] = a->texts[a->n++] = NULL;
		lt_recall_keep(&a->recall, r->hash, r->key, r->n_key, number);
	}
	text = lt_alloc(sizeof(*text) + len + LT_PIECE);
	text->head = (uint32_t)head;
	text->len = (uint32_t)len;
	memcpy(text->text, d->line.buf, len);
	note_cache(d, r, text);
	free(a->texts[number]);
	a->texts[number] = text;
	return text;
}

/* NULL: the line is to be made for itself. */
static inline const struct lt_dump_text *text_of(struct lt_dump *d, const struct lt_dump_record *r)
{
	const struct lt_dump_announced *a = d->announced;
	/* Another record of the batch may have made it. */
	const uint32_t number = r->number ? r->number : number_of(a, r);

	if (number && is_current(d, r, a->texts[number]))
		return a->texts[number];
	return r->n_key ? make_text(d, r, number) : NULL;
}

/* ------------------------------------------------------------------------
 * Lines
 */

static SELDOM void out_line(struct lt_dump *d, const struct lt_dump_record *r)
{
	const struct lt_dump_plan *plan = lt_dump_plan_of(d, r->desc);

	lt_dump_put_key(d->o, &plan->name);
	lt_dump_out_fields(d, plan, r->desc, r->packet, r->payload, r->time, 0, r->desc->n_fields);
	lt_out_char(d->o, '\n');
}

void lt_dump_announced(struct lt_dump *d)
{
	const struct lt_dump_record *r = &d->announced->records[d->announced->n_printed++];
	const struct lt_dump_text *text = text_of(d, r);
	const bool big = r->packet->big;
	char *p;

	if (!text) {
		out_line(d, r);
		return;
	}
	p = lt_out_room(d->o, text->len + 4 * LT_PIECE + 2 * LT_DIGITS);
	p = lt_piece_copy(p, text->text, text->head);
	p = lt_put_u64(p, lt_get16(r->payload + r->desc->site, big));
	p = lt_piece_copy(p, text->text + text->head, text->len - text->head);
	if (r->desc->has_stack)
		p = lt_put_u64(p, lt_get16(r->payload + r->desc->stack, big));
	*p++ = '\n';
	lt_out_done(d->o, p);
}
