// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting out what some tasks did: packets with some of their records, see cut_keep.h.
 *
 * A record that is taken needs the one that has announced its task, its site and the stack of that.
 * Records are copied as they are. But one whose time is too far from that of the record before it
 * gets a long beginning, which has the whole time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "format/clock.h"
#include "format/dir.h"
#include "format/record.h"
#include "lifetimes/lifetime.h"
#include "state/cut_keep.h"
#include "trace/part.h"

#define N_NUMBERS	65536U	/* of sites, and of stacks, in a packet */
#define NONE		UINT32_MAX

/* A record. @needs: NONE, or the record without which it means nothing. */
struct item {
	size_t at;
	size_t payload;
	size_t end;
	uint64_t time;
	uint32_t needs;
	uint32_t task;
	uint16_t id;
	uint8_t context;
	uint8_t class;
	bool kept;
};

/**
 * struct lt_keep - the work
 * @items: records of the packet
 * @site_at, @stack_at, @task_at: which record has announced a number; NONE
 * @task: the record that has announced the running task; @tid, @start: of that
 * @left_out: by stream, how many records of each class; @n_left_out: streams
 */
struct lt_keep {
	const struct lt_trace *t;
	const struct lt_chosen *chosen;
	struct lt_sites sites;
	struct lt_buf out;
	struct item *items;
	size_t n;
	size_t cap;
	uint32_t *site_at;
	uint32_t *stack_at;
	uint32_t task_at[LT_TASK_NUMBERS];
	uint32_t task;
	uint32_t tid;
	uint64_t start;
	uint64_t (*left_out)[LT_N_CLASSES];
	size_t n_left_out;
};

struct lt_keep *lt_keep_new(const struct lt_trace *t, const struct lt_chosen *chosen)
{
	struct lt_keep *k = lt_alloc(sizeof(*k));

	k->t = t;
	k->chosen = chosen;
	k->site_at = lt_alloc_array(N_NUMBERS, sizeof(*k->site_at));
	k->stack_at = lt_alloc_array(N_NUMBERS, sizeof(*k->stack_at));
	return k;
}

void lt_keep_free(struct lt_keep *k)
{
	if (!k)
		return;
	lt_sites_free(&k->sites);
	lt_buf_free(&k->out);
	free(k->items);
	free(k->site_at);
	free(k->stack_at);
	free(k->left_out);
	free(k);
}

/* ------------------------------------------------------------------------
 * Which records are taken
 */

/* The task that a record names. Return: false: it names none. */
static bool read_task(const struct lt_packet *p, const struct lt_record *r, uint32_t *tid,
		      uint64_t *start)
{
	const struct lt_field *id = lt_schema_field(r->desc, "tid");
	const struct lt_field *since = lt_schema_field(r->desc, "start");

	if (!id || r->site)
		return false;
	*tid = (uint32_t)lt_field_value(p, id, r->payload);
	*start = since ? lt_field_value(p, since, r->payload) : 0;
	return true;
}

static bool is_of_task(const struct lt_keep *k, const struct lt_packet *p,
		       const struct lt_record *r)
{
	uint64_t start;
	uint32_t tid;

	if (k->task != NONE && lt_chosen_task(k->chosen, k->tid, k->start))
		return true;
	return read_task(p, r, &tid, &start) && lt_chosen_task(k->chosen, tid, start);
}

static bool is_taken(const struct lt_keep *k, const struct lt_packet *p, const struct lt_record *r)
{
	struct lt_event ev;

	if (p->channel != LT_CHANNEL_KMEM && p->channel != LT_CHANNEL_AREA)
		return is_of_task(k, p, r);
	lt_decode_members(p, r, &ev);
	if (lt_event_space(&ev) && !lt_chosen_is_object(&ev))
		return is_of_task(k, p, r);
	return lt_chosen_object(k->chosen, &ev, lt_clock_peek(lt_trace_clock(k->t), r->time));
}

static void look_at_task(struct lt_keep *k, const struct lt_packet *p, const struct lt_record *r,
			 struct item *x)
{
	uint32_t *announced = &k->task_at[r->desc->has_task ? r->payload[r->desc->site] : 0];

	if (r->brief)
		x->needs = *announced;
	else if (r->desc->has_task)
		*announced = (uint32_t)k->n;
	k->task = read_task(p, r, &k->tid, &k->start) ? (uint32_t)k->n : NONE;
	x->kept = k->task == NONE || lt_chosen_names(k->chosen, k->tid, k->start);
}

/* A site or a stack; it is taken where a record needs it. */
static void look_at_place(struct lt_keep *k, const struct lt_packet *p, const struct lt_record *r,
			  struct item *x)
{
	const struct lt_event_desc *d = r->desc;
	uint16_t number = lt_site_number(d, r->payload, p->big);

	if (d->frames) {
		k->stack_at[number] = (uint32_t)k->n;
		return;
	}
	k->site_at[number] = (uint32_t)k->n;
	if (d->has_stack)
		x->needs = k->stack_at[lt_get16(r->payload + d->stack, p->big)];
}

static void look_at(struct lt_keep *k, const struct lt_packet *p, const struct lt_record *r,
		    struct item *x)
{
	x->needs = NONE;
	if (lt_event_announces_task(r->desc->event)) {
		look_at_task(k, p, r, x);
		return;
	}
	x->task = k->task;
	if (r->desc->has_site && !r->site) {
		look_at_place(k, p, r, x);
		return;
	}
	if (r->brief && r->brief->has_task)
		x->needs = k->task_at[p->data[x->payload + r->brief->site]];
	else if (r->site)
		x->needs = k->site_at[lt_site_number(r->brief, r->payload, p->big)];
	x->kept = is_taken(k, p, r);
}

/* Return: false: the packet is damaged. */
static bool look_at_all(struct lt_keep *k, const struct lt_packet *p)
{
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;
	int ret;

	k->n = 0;
	k->task = NONE;
	memset(k->site_at, 0xff, N_NUMBERS * sizeof(*k->site_at));
	memset(k->stack_at, 0xff, N_NUMBERS * sizeof(*k->stack_at));
	memset(k->task_at, 0xff, sizeof(k->task_at));
	lt_records_begin(&it, p, lt_trace_schema(k->t), &k->sites);
	for (;; k->n++) {
		const struct lt_event_desc *d;
		size_t at = it.pos;
		struct item *x;

		ret = lt_records_next(&it, &r, &why);
		if (ret <= 0)
			return !ret;
		k->items = lt_grow(k->items, &k->cap, k->n, sizeof(*k->items));
		x = &k->items[k->n];
		d = r.brief ? r.brief : r.desc;
		*x = (struct item){
			.at = at, .payload = it.pos - d->size, .end = it.pos,
			.time = r.time, .task = NONE, .id = d->id,
			.context = (uint8_t)r.context, .class = r.desc->class,
		};
		look_at(k, p, &r, x);
	}
}

/* What others need comes before them. */
static void take_needed(struct lt_keep *k)
{
	for (size_t i = k->n; i--;) {
		const struct item *x = &k->items[i];

		if (!x->kept)
			continue;
		if (x->needs != NONE)
			k->items[x->needs].kept = true;
		if (x->task != NONE)
			k->items[x->task].kept = true;
	}
}

/* ------------------------------------------------------------------------
 * The packet
 */

static void put(struct lt_buf *out, const void *bytes, size_t n)
{
	memcpy(out->data + out->size, bytes, n);
	out->size += n;
}

static void put_long(struct lt_buf *out, const struct lt_packet *p, const struct item *x)
{
	uint8_t head[LT_REC_LONG];

	head[0] = p->big ? LT_EV_LONG << 2 : LT_EV_LONG;
	lt_put_uint(head + LT_LONG_ID, 2, LT_EV_ID(x->id), p->big);
	lt_put_uint(head + LT_LONG_TIME, 8, x->time, p->big);
	head[LT_LONG_CTX] = p->big ? (uint8_t)(x->context << 6) : x->context;
	put(out, head, sizeof(head));
}

static void put_records(struct lt_keep *k, const struct lt_packet *p)
{
	uint64_t last = p->begin;

	put(&k->out, p->data, p->header_size);
	for (size_t i = 0; i < k->n; i++) {
		const struct item *x = &k->items[i];

		if (!x->kept)
			continue;
		if ((x->time - last) >> LT_TIME_BITS && x->payload - x->at != LT_REC_LONG) {
			put_long(&k->out, p, x);
			put(&k->out, p->data + x->payload, x->end - x->payload);
		} else {
			put(&k->out, p->data + x->at, x->end - x->at);
		}
		last = x->time;
	}
}

static void count_left_out(struct lt_keep *k, const struct lt_packet *p)
{
	uint32_t number = lt_stream_number(p->channel, p->cpu);
	uint64_t *n;

	if (number >= k->n_left_out)
		k->left_out = lt_extend(k->left_out, &k->n_left_out, number + 1,
					sizeof(*k->left_out));
	n = k->left_out[number];
	for (size_t i = 0; i < k->n; i++) {
		if (!k->items[i].kept && k->items[i].class != LT_CLASS_NONE)
			n[LT_CLASS_INDEX(k->items[i].class)]++;
	}
}

/* Adds what was left out to the counters of a header. */
static void put_counts(const struct lt_keep *k, const struct lt_packet *p, uint8_t *data)
{
	const uint64_t *n = k->left_out[lt_stream_number(p->channel, p->cpu)];

	for (unsigned int i = 0; i < p->n_counts; i++) {
		uint8_t *at = data + LT_PACKET_MIN + i * sizeof(struct lt_class_counts) +
			      offsetof(struct lt_class_counts, filtered);

		lt_put_uint(at, 8, lt_get64(at, p->big) + n[i], p->big);
	}
}

size_t lt_keep_packet(struct lt_keep *k, struct lt_buf *buf, size_t size, bool count)
{
	struct lt_packet p;
	struct lt_why why;

	if (lt_packet_parse(&p, buf->data, size, &why) || p.channel == LT_CHANNEL_PID)
		return size;
	k->out.size = 0;
	if (!look_at_all(k, &p)) {
		/* All of it is as it was, so that the damage is. */
		for (size_t i = 0; i < k->n; i++)
			k->items[i].kept = true;
		lt_buf_reserve(&k->out, size);
		put(&k->out, p.data, size);
	} else {
		take_needed(k);
		lt_buf_reserve(&k->out, size + k->n * LT_REC_LONG);
		put_records(k, &p);
	}
	if (count) {
		count_left_out(k, &p);
		put_counts(k, &p, k->out.data);
	}
	size = k->out.size;
	lt_put_uint(k->out.data + offsetof(struct lt_packet_header, content_bits), 8, 8 * size,
		    p.big);
	lt_put_uint(k->out.data + offsetof(struct lt_packet_header, packet_bits), 8, 8 * size,
		    p.big);
	lt_buf_reserve(buf, size);
	memcpy(buf->data, k->out.data, size);
	memset(buf->data + size, 0, LT_SLACK);
	return size;
}

uint64_t lt_keep_left_out(const struct lt_keep *k, unsigned int class, uint32_t cpu)
{
	uint32_t number = lt_stream_number(LT_CLASS_CHANNEL(class), cpu);

	return number < k->n_left_out ? k->left_out[number][LT_CLASS_INDEX(class)] : 0;
}
