// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: packets without short forms, as CTF cannot express that one record defines the fields of
 * others, and without the records that announce sites for them; with the counters of the header in
 * an event, as viewers print the header with every event; with labels of callers and caches in
 * place of their numbers, see names.h; and with function calls as events of their functions, see
 * calls.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "export/ctf/packet.h"

/* Room for @size bytes more. */
static uint8_t *room(struct lt_ctf_packet *c, size_t size)
{
	uint8_t *data;

	if (c->cap - c->size < size) {
		c->cap = 2 * c->cap + size;
		data = lt_alloc(c->cap);
		if (c->size)
			memcpy(data, c->data, c->size);
		free(c->data);
		c->data = data;
	}
	return c->data + c->size;
}

static void append(struct lt_ctf_packet *c, const void *from, size_t size)
{
	memcpy(room(c, size), from, size);
	c->size += size;
}

static void put(uint8_t *at, unsigned int size, uint64_t v, bool big)
{
	for (unsigned int i = 0; i < size; i++)
		at[i] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

static void append_text(struct lt_ctf_packet *c, const char *text)
{
	append(c, text, strlen(text) + 1);
}

static void append_long_head(struct lt_ctf_packet *c, const struct lt_packet *p, unsigned int id,
			     uint64_t time)
{
	uint8_t out[LT_LONG_CTX];

	out[0] = p->big ? LT_EV_LONG << 2 : LT_EV_LONG;
	put(out + LT_LONG_ID, 2, id, p->big);
	put(out + LT_LONG_TIME, 8, time, p->big);
	append(c, out, sizeof(out));
}

/*
 * The beginning of a record, with another id, and the name of its context. It is a long one also
 * where the low bits of the time do not say how much later it is than the record before, which may
 * be another one than was recorded.
 */
static void append_head(struct lt_ctf_packet *c, const struct lt_packet *p,
			const struct lt_record *r, const uint8_t *head, unsigned int id)
{
	bool was_long = *head == (p->big ? LT_EV_LONG << 2 : LT_EV_LONG);
	uint8_t out[LT_REC_WORD];
	uint32_t word;

	if (!was_long && id < LT_EV_LONG && r->time - c->time <= LT_TIME_MASK) {
		word = lt_get32(head, p->big);
		word = p->big ? (word & ~(LT_ID_MASK << 26)) | id << 26 : (word & ~LT_ID_MASK) | id;
		put(out, LT_REC_WORD, word, p->big);
		append(c, out, LT_REC_WORD);
	} else {
		append_long_head(c, p, id, r->time);
	}
	append_text(c, lt_context_name(r->context));
	c->time = r->time;
}

static void append_stack(struct lt_ctf_packet *c, struct lt_ctf_machine *m,
			 const struct lt_packet *p, uint32_t number)
{
	put(room(c, sizeof(number)), sizeof(number), number, p->big);
	c->size += sizeof(number);
	lt_ctf_names_stack(&m->names, number);
}

/* The payload of a record, with labels of callers and caches. */
static void append_payload(struct lt_ctf_packet *c, struct lt_ctf_machine *m,
			   const struct lt_packet *p, const struct lt_event_desc *d,
			   const uint8_t *payload, size_t size)
{
	size_t at = 0;

	for (unsigned int i = 0; i < d->n_fields; i++) {
		const struct lt_field *f = &d->fields[i];

		if (!lt_ctf_is_label(&m->names, f))
			continue;
		append(c, payload + at, f->offset - at);
		for (unsigned int k = 0; k < f->count; k++)
			append_text(c, lt_ctf_label(&m->names, p, f, payload, k));
		at = f->offset + lt_field_bytes(f);
	}
	append(c, payload + at, size - at);
}

/* A record of a short form, with all its fields. */
static void append_full(struct lt_ctf_packet *c, struct lt_ctf_machine *m,
			const struct lt_packet *p, const struct lt_record *r, const uint8_t *head)
{
	struct lt_event ev;

	lt_decode(p, r, &ev);
	append_head(c, p, r, head, LT_EV_ID(r->desc->id));
	append_payload(c, m, p, r->desc, ev.raw, ev.raw_size);
	if (m->stacks)
		append_stack(c, m, p, ev.stack);
}

/* A function call, as an event of its function. */
static void append_call(struct lt_ctf_packet *c, struct lt_ctf_machine *m,
			const struct lt_packet *p, const struct lt_record *r, const uint8_t *head)
{
	unsigned int id = lt_ctf_calls_event(&m->calls, p, r);

	append_head(c, p, r, head, id);
	append(c, m->calls.payload.s, m->calls.payload.n);
}

#define AT(member)	offsetof(struct lt_packet_header, member)

/*
 * Where the two lengths stand in the exported header. Viewers print its fields with every
 * event, so it has only what a reader needs to begin a packet: what stands in the recorded one
 * up to version_major, cpu, and from seq to events_discarded.
 */
#define CONTENT_BITS	(AT(version_major) + sizeof(__u32) + AT(content_bits) - AT(seq))
#define PACKET_BITS	(CONTENT_BITS + sizeof(__u64))

static void append_header(struct lt_ctf_packet *c, const struct lt_packet *p)
{
	append(c, p->data, AT(version_major));
	append(c, p->data + AT(cpu), sizeof(__u32));
	append(c, p->data + AT(seq), AT(text_base) - AT(seq));
}

/* All else that the recorded header has, in its order, as the last event. */
static void append_counters(struct lt_ctf_packet *c, const struct lt_packet *p)
{
	append_long_head(c, p, LT_CTF_COUNTERS, p->end);
	append_text(c, lt_context_name(0));
	append(c, p->data + AT(version_major), AT(cpu) - AT(version_major));
	append(c, p->data + AT(n_classes), sizeof(__u32));
	append(c, p->data + AT(text_base), p->header_size - AT(text_base));
}

/* A record that was recorded in the full form, or of a task that runs again. */
static void append_whole(struct lt_ctf_packet *c, struct lt_ctf_machine *m,
			 const struct lt_packet *p, const struct lt_record *r, const uint8_t *head)
{
	lt_ctf_calls_task(&m->calls, p, r);
	append_head(c, p, r, head, LT_EV_ID(r->desc->id));
	append_payload(c, m, p, r->desc, r->payload, r->desc->size);
	if (m->stacked[r->desc->id])
		append_stack(c, m, p, 0);
}

static void take_record(struct lt_ctf_packet *c, struct lt_ctf_machine *m,
			const struct lt_packet *p, const struct lt_record *r, const uint8_t *head)
{
	if (r->desc->event == LT_EV_SITE)
		return;
	if (r->site)
		append_full(c, m, p, r, head);
	else if (m->calls.calls && lt_ctf_is_call(r->desc))
		append_call(c, m, p, r, head);
	else
		append_whole(c, m, p, r, head);
}

void lt_ctf_packet_look(struct lt_ctf_packet *c, const struct lt_schema *s,
			struct lt_ctf_machine *m, const struct lt_packet *p)
{
	uint64_t counts[LT_N_CLASSES] = { 0 };
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;

	c->found.marks = m->caches;
	lt_packet_find(p, s, counts, &c->found);
	lt_records_begin(&it, p, s, &c->sites);
	for (size_t i = 0; i < c->found.n; i++) {
		lt_records_go_to(&it, &c->found.list[i]);
		if (lt_records_next(&it, &r, &why) > 0)
			lt_ctf_names_record(&m->names, p, r.desc, r.payload);
	}
}

int lt_ctf_packet_complete(struct lt_ctf_packet *c, const struct lt_schema *s,
			   struct lt_ctf_machine *m, const struct lt_packet *p, struct lt_why *why)
{
	size_t from;
	struct lt_records it;
	struct lt_record r;
	int ret;

	c->size = 0;
	append_header(c, p);
	lt_ctf_calls_packet(&m->calls);
	lt_records_begin(&it, p, s, &c->sites);
	from = it.pos;
	c->time = p->begin;
	while ((ret = lt_records_next(&it, &r, why)) > 0) {
		take_record(c, m, p, &r, p->data + from);
		from = it.pos;
	}
	if (ret)
		return -1;
	append_counters(c, p);
	put(c->data + CONTENT_BITS, 8, 8 * (uint64_t)c->size, p->big);
	put(c->data + PACKET_BITS, 8, 8 * (uint64_t)c->size, p->big);
	return 0;
}

void lt_ctf_packet_destroy(struct lt_ctf_packet *c)
{
	lt_sites_free(&c->sites);
	free(c->found.list);
	free(c->data);
	memset(c, 0, sizeof(*c));
}
