// SPDX-License-Identifier: GPL-2.0
/*
 * CTF: packets without short forms. CTF cannot express that one record defines the fields of
 * others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "export/ctf_packet.h"
#include "base/mem.h"

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

/*
 * The beginning of a record, with another id. Time and context stay, so that the times of the
 * following records, which are relative, stay right.
 */
static void append_head(struct lt_ctf_packet *c, const struct lt_packet *p,
			const struct lt_record *r, const uint8_t *head, unsigned int id)
{
	bool was_long = r->payload - head == LT_REC_LONG;
	uint8_t out[LT_REC_LONG];
	uint32_t word;

	if (!was_long && id < LT_EV_LONG) {
		word = lt_get32(head, p->big);
		word = p->big ? (word & ~(LT_ID_MASK << 26)) | id << 26 : (word & ~LT_ID_MASK) | id;
		put(out, LT_REC_WORD, word, p->big);
		append(c, out, LT_REC_WORD);
		return;
	}
	out[0] = p->big ? LT_EV_LONG << 2 : LT_EV_LONG;
	put(out + LT_LONG_ID, 2, id, p->big);
	put(out + LT_LONG_TIME, 8, r->time, p->big);
	out[LT_LONG_CTX] = (uint8_t)(p->big ? r->context << 6 : r->context);
	append(c, out, LT_REC_LONG);
}

/* A record of a short form, with all its fields. */
static void append_full(struct lt_ctf_packet *c, const struct lt_packet *p,
			const struct lt_record *r, const uint8_t *head)
{
	struct lt_event ev;

	lt_decode(p, r, &ev);
	append_head(c, p, r, head, LT_EV_ID(r->desc->id));
	append(c, ev.raw, ev.raw_size);
}

int lt_ctf_packet_complete(struct lt_ctf_packet *c, const struct lt_schema *s,
			   const struct lt_packet *p, struct lt_why *why)
{
	size_t copied = 0, from;
	struct lt_records it;
	struct lt_record r;
	int ret;

	c->size = 0;
	lt_records_begin(&it, p, s, &c->sites);
	from = it.pos;
	while ((ret = lt_records_next(&it, &r, why)) > 0) {
		if (r.site) {
			append(c, p->data + copied, from - copied);
			append_full(c, p, &r, p->data + from);
			copied = it.pos;
		}
		from = it.pos;
	}
	if (ret)
		return -1;
	append(c, p->data + copied, p->size - copied);
	put(c->data + offsetof(struct lt_packet_header, content_bits), 8, 8 * (uint64_t)c->size,
	    p->big);
	put(c->data + offsetof(struct lt_packet_header, packet_bits), 8, 8 * (uint64_t)c->size,
	    p->big);
	return 0;
}

void lt_ctf_packet_destroy(struct lt_ctf_packet *c)
{
	lt_sites_free(&c->sites);
	free(c->data);
	memset(c, 0, sizeof(*c));
}
