// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of packets that use the meaning of their records.
 *
 * The records are found without the reader's code, which would stop where their times are
 * wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "records.h"

#define MAX_RECORDS	1024	/* of a packet; records beyond these are not changed */
#define FIELD(member)	offsetof(struct lt_packet_header, member)

struct record {
	size_t at;
	size_t head;		/* bytes before the payload */
	const struct lt_event_desc *desc;
};

/* A packet and the records that were found in it. */
struct cut {
	struct fuzz_image *p;
	const struct lt_schema *schema;
	bool big;
	unsigned int channel;
	struct record r[MAX_RECORDS];
	size_t n;
	size_t end;		/* end of the last record */
};

static uint64_t get(const struct cut *c, size_t at, unsigned int size)
{
	return at + size <= c->p->size ? fuzz_get(c->p->data + at, size, c->big) : 0;
}

static void put(struct cut *c, size_t at, unsigned int size, uint64_t v)
{
	if (at + size <= c->p->size)
		fuzz_put(c->p->data + at, size, v, c->big);
}

static bool is_long(const struct cut *c, size_t at)
{
	unsigned int first = c->p->data[at];

	return (c->big ? first >> 2 : first & LT_ID_MASK) == LT_EV_LONG;
}

static unsigned int id_of(const struct cut *c, size_t at)
{
	uint32_t word;

	if (is_long(c, at))
		return (unsigned int)get(c, at + LT_LONG_ID, 2);
	word = (uint32_t)get(c, at, 4);
	return c->big ? word >> 26 : word & LT_ID_MASK;
}

/* Return: false: the header of the packet is not valid. */
static bool cut_up(struct cut *c, struct fuzz_image *p, const struct lt_schema *schema)
{
	size_t pos;

	c->p = p;
	c->schema = schema;
	c->n = 0;
	if (p->size < LT_PACKET_MIN)
		return false;
	c->big = fuzz_get(p->data, 4, true) == LT_PACKET_MAGIC;
	c->channel = p->data[FIELD(channel)];
	pos = (size_t)get(c, FIELD(header_size), 2);
	if ((!c->big && fuzz_get(p->data, 4, false) != LT_PACKET_MAGIC) || !c->channel ||
	    c->channel > LT_N_CHANNELS || pos < LT_PACKET_MIN || pos > p->size)
		return false;
	c->end = pos;
	while (c->n < MAX_RECORDS && pos + LT_REC_WORD <= p->size) {
		struct record *r = &c->r[c->n];
		unsigned int id;

		r->at = pos;
		r->head = is_long(c, pos) ? LT_REC_LONG : LT_REC_WORD;
		if (pos + r->head > p->size)
			break;
		id = id_of(c, pos);
		r->desc = id <= LT_EV_ID(UINT32_MAX) ?
			  lt_schema_event(schema, LT_EV(c->channel, id)) : NULL;
		if (!r->desc || r->desc->size > p->size - pos - r->head)
			break;
		pos += r->head + r->desc->size;
		c->end = pos;
		c->n++;
	}
	return true;
}

static size_t record_size(const struct record *r)
{
	return r->head + r->desc->size;
}

/* ------------------------------------------------------------------------
 * Values
 */

/* Copies the value of a field of the same kind of another record, so that references match. */
static bool borrow(const struct cut *c, const struct lt_field *f, bool by_name, uint64_t *v)
{
	size_t start = fuzz_below(c->n);

	for (size_t i = 0; i < c->n; i++) {
		const struct record *r = &c->r[(start + i) % c->n];
		unsigned int first = (unsigned int)fuzz_below(r->desc->n_fields);

		for (unsigned int k = 0; k < r->desc->n_fields; k++) {
			const struct lt_field *g =
				&r->desc->fields[(first + k) % r->desc->n_fields];

			if (g->type == LT_TYPE_CHARS || g->size > 8 ||
			    (by_name ? strcmp(f->name, g->name) : f->kind != g->kind))
				continue;
			*v = get(c, r->at + r->head + g->offset, g->size);
			return true;
		}
	}
	return false;
}

static uint64_t value(const struct cut *c, const struct lt_field *f, uint64_t old)
{
	uint64_t v;

	switch (fuzz_below(12)) {
	case 0: case 1: case 2: case 3:
		if (borrow(c, f, true, &v))
			return v;
		break;
	case 4: case 5: case 6:
		if (borrow(c, f, false, &v))
			return v;
		break;
	case 7:
		return old + 1;
	case 8:
		return old - 1;
	case 9:
		return fuzz_below(20);
	case 10:
		return old ^ 1ULL << fuzz_below(64);
	}
	return fuzz_interesting();
}

static void put_text(struct cut *c, size_t at, size_t size)
{
	static const char *const texts[] = {
		"", "cat", "sh", "kworker/0:1", "dentry", "kmalloc-64", "lifetrace: slab start",
		"lifetrace: slab end", "a,b\"c\\d", "/bin/sh", "%s%n", "S", "\x1b[31m", "\xff\xfe",
		"\xe2\x82", "name (deleted)",
	};
	const char *text = texts[fuzz_below(sizeof(texts) / sizeof(texts[0]))];
	uint8_t *to = c->p->data + at;
	size_t len = strlen(text);

	if (at + size > c->p->size)
		return;
	if (!fuzz_below(4)) {
		/* Up to the end of the field, without a zero. */
		for (size_t i = 0; i < size; i++)
			to[i] = (uint8_t)(fuzz_draw() | 1);
		return;
	}
	memset(to, 0, size);
	memcpy(to, text, len < size ? len : size);
}

static void change_field(struct cut *c, const struct record *r, const struct lt_field *f)
{
	size_t at = r->at + r->head + f->offset;

	if (f->type == LT_TYPE_CHARS)
		put_text(c, at, f->size);
	else
		put(c, at, f->size, value(c, f, get(c, at, f->size)));
}

/* ------------------------------------------------------------------------
 * Records
 */

static void cut_out(struct fuzz_image *p, size_t at, size_t size)
{
	memmove(p->data + at, p->data + at + size, p->size - at - size);
	p->size -= size;
}

static void put_in(struct fuzz_image *p, size_t at, const uint8_t *data, size_t size)
{
	p->data = realloc(p->data, p->size + size + 1);
	if (!p->data)
		abort();
	memmove(p->data + at + size, p->data + at, p->size - at);
	memcpy(p->data + at, data, size);
	p->size += size;
}

/* The begin of a random record, or the end of the last one. */
static size_t border(const struct cut *c)
{
	size_t i = fuzz_below(c->n + 1);

	return i < c->n ? c->r[i].at : c->end;
}

/* The head of a record: mostly compact, sometimes long. Return: its size. */
static size_t make_head(struct cut *c, uint8_t *to, unsigned int id, uint64_t time)
{
	uint32_t low = (uint32_t)time & LT_TIME_MASK, context = (uint32_t)fuzz_below(4);

	if (id < LT_EV_LONG && fuzz_below(8)) {
		fuzz_put(to, 4, c->big ? id << 26 | low << 2 | context :
			 id | low << LT_ID_BITS | context << 30, c->big);
		return LT_REC_WORD;
	}
	memset(to, 0, LT_REC_LONG);
	to[0] = (uint8_t)(c->big ? LT_EV_LONG << 2 : LT_EV_LONG);
	fuzz_put(to + LT_LONG_ID, 2, id, c->big);
	fuzz_put(to + LT_LONG_TIME, 8, time, c->big);
	to[LT_LONG_CTX] = (uint8_t)(c->big ? context << 6 : context);
	return LT_REC_LONG;
}

/* A new record of any event of the channel, with values from other records. */
static void add_record(struct cut *c)
{
	const struct lt_event_desc *d = NULL;
	size_t at = border(c), start = fuzz_below(256);
	struct record r = { .at = at };
	uint8_t *bytes;

	for (unsigned int i = 0; i < 256 && !d; i++)
		d = lt_schema_event(c->schema, LT_EV(c->channel, (start + i) & 255));
	if (!d || c->n == MAX_RECORDS)
		return;
	bytes = calloc(1, LT_REC_LONG + d->size + 1UL);
	r.desc = d;
	r.head = make_head(c, bytes, d->id & 255,
			   get(c, FIELD(timestamp_begin), 8) + fuzz_below(64));
	put_in(c->p, at, bytes, r.head + d->size);
	free(bytes);
	cut_up(c, c->p, c->schema);
	for (unsigned int i = 0; i < d->n_fields; i++)
		change_field(c, &r, &d->fields[i]);
}

static void change_time(struct cut *c, const struct record *r)
{
	uint64_t delta = fuzz_below(2) ? fuzz_below(1000) : fuzz_interesting();
	uint32_t word;

	if (r->head == LT_REC_LONG) {
		put(c, r->at + LT_LONG_TIME, 8, get(c, r->at + LT_LONG_TIME, 8) + delta);
		return;
	}
	word = (uint32_t)get(c, r->at, 4);
	if (c->big)
		word = (word & ~(LT_TIME_MASK << 2)) |
		       (((word >> 2) + (uint32_t)delta) & LT_TIME_MASK) << 2;
	else
		word = (word & ~(LT_TIME_MASK << LT_ID_BITS)) |
		       (((word >> LT_ID_BITS) + (uint32_t)delta) & LT_TIME_MASK) << LT_ID_BITS;
	put(c, r->at, 4, word);
}

static void change_header(struct cut *c)
{
	static const struct {
		size_t at;
		unsigned int size;
	} members[] = {
		{ FIELD(channel), 1 }, { FIELD(version_major), 1 }, { FIELD(version_minor), 1 },
		{ FIELD(page_shift), 1 }, { FIELD(header_size), 2 }, { FIELD(flags), 2 },
		{ FIELD(size_long), 1 }, { FIELD(size_ptr), 1 }, { FIELD(size_pid), 1 },
		{ FIELD(size_gfp), 1 }, { FIELD(cpu), 4 }, { FIELD(n_classes), 4 },
		{ FIELD(seq), 8 }, { FIELD(timestamp_begin), 8 }, { FIELD(timestamp_end), 8 },
		{ FIELD(content_bits), 8 }, { FIELD(packet_bits), 8 }, { FIELD(discarded), 8 },
		{ FIELD(text_base), 8 }, { FIELD(ptr_base), 8 }, { FIELD(session), 8 },
	};
	size_t i = fuzz_below(sizeof(members) / sizeof(members[0]));
	uint64_t v = get(c, members[i].at, members[i].size);

	switch (fuzz_below(4)) {
	case 0:
		v = fuzz_interesting();
		break;
	case 1:
		v ^= 1ULL << fuzz_below(8 * members[i].size);
		break;
	default:
		v += fuzz_below(5) - 2;
	}
	put(c, members[i].at, members[i].size, v);
}

static void change_counts(struct cut *c)
{
	size_t at = LT_PACKET_MIN + fuzz_below(LT_N_CLASSES) * sizeof(struct lt_class_counts) +
		    fuzz_below(6) * 8;

	if (at + 8 <= get(c, FIELD(header_size), 2))
		put(c, at, 8, fuzz_below(3) ? get(c, at, 8) + fuzz_below(4) : fuzz_interesting());
}

/* Changes the record @r, or the records in the @size bytes from it on. */
static void change_records(struct cut *c, const struct record *r, size_t size, size_t max)
{
	struct fuzz_image *p = c->p;

	switch (fuzz_below(12)) {
	case 0:
		if (p->size + size <= max)
			fuzz_copy_range(p, r->at, size, border(c), false);
		return;
	case 1:
		cut_out(p, r->at, size);
		return;
	case 2:
		fuzz_copy_range(p, r->at, size, border(c), true);
		return;
	case 3: case 4:
		change_time(c, r);
		return;
	case 5:
		if (LLVMFuzzerMutate && r->desc->size)
			LLVMFuzzerMutate(p->data + r->at + r->head, r->desc->size, r->desc->size);
		return;
	case 6:
		if (!fuzz_below(4))
			p->size = r->at + fuzz_below(record_size(r));
		return;
	default:
		for (size_t i = fuzz_below(3); r->desc->n_fields && i < 3; i++)
			change_field(c, r, &r->desc->fields[fuzz_below(r->desc->n_fields)]);
	}
}

void fuzz_packet_change(struct fuzz_image *p, const struct lt_schema *schema, size_t max)
{
	static struct cut c;
	const struct record *r, *last;
	size_t from, n;

	if (!cut_up(&c, p, schema)) {
		if (p->size)
			p->data[fuzz_below(p->size)] = (uint8_t)fuzz_interesting();
		return;
	}
	if (!c.n) {
		add_record(&c);
		return;
	}
	switch (fuzz_below(16)) {
	case 0:
		change_header(&c);
		return;
	case 1:
		change_counts(&c);
		return;
	case 2:
		put(&c, FIELD(flags), 2, get(&c, FIELD(flags), 2) ^ LT_PACKET_LAST);
		return;
	case 3: case 4:
		if (p->size < max)
			add_record(&c);
		return;
	}
	from = fuzz_below(c.n);
	n = 1 + fuzz_below(fuzz_below(4) ? 2 : c.n - from);
	n = n < c.n - from ? n : c.n - from;
	r = &c.r[from];
	last = r + n - 1;
	change_records(&c, r, last->at + record_size(last) - r->at, max);
}

void fuzz_packet_cross(struct fuzz_image *p, const struct fuzz_image *from,
		       const struct lt_schema *schema)
{
	static struct cut a, b;
	struct fuzz_image copy = { NULL, 0 };
	size_t first, n;

	fuzz_image_set(&copy, from->data, from->size);
	if (cut_up(&a, p, schema) && cut_up(&b, &copy, schema) && b.n && a.big == b.big &&
	    a.channel == b.channel) {
		first = fuzz_below(b.n);
		n = 1 + fuzz_below(b.n - first);
		put_in(p, border(&a), copy.data + b.r[first].at,
		       b.r[first + n - 1].at + record_size(&b.r[first + n - 1]) - b.r[first].at);
	}
	fuzz_image_free(&copy);
}

/* ------------------------------------------------------------------------
 * Repairs
 */

/* Corrects long times that go back. Return: the time of the last record. */
static uint64_t repair_times(struct cut *c)
{
	uint64_t time = get(c, FIELD(timestamp_begin), 8);

	for (size_t i = 0; i < c->n; i++) {
		size_t at = c->r[i].at;
		uint64_t t;

		if (c->r[i].head == LT_REC_LONG) {
			t = get(c, at + LT_LONG_TIME, 8);
			if (t < time)
				put(c, at + LT_LONG_TIME, 8, time);
			else
				time = t;
			continue;
		}
		t = get(c, at, 4) >> (c->big ? 2 : LT_ID_BITS);
		time += (t - time) & LT_TIME_MASK;
	}
	return time;
}

static void repair_discarded(struct cut *c)
{
	size_t n = (size_t)get(c, FIELD(n_classes), 4);
	uint64_t sum = 0;

	for (size_t i = 0; i < n && i < LT_N_CLASSES; i++) {
		size_t at = LT_PACKET_MIN + i * sizeof(struct lt_class_counts);

		for (unsigned int k = 1; k <= 4; k++)
			sum += get(c, at + 8 * k, 8);
	}
	put(c, FIELD(discarded), 8, sum);
}

void fuzz_packet_repair(struct fuzz_image *p, const struct lt_schema *schema)
{
	static struct cut c;
	uint64_t last;

	if (!cut_up(&c, p, schema))
		return;
	put(&c, FIELD(content_bits), 8, 8 * (uint64_t)p->size);
	put(&c, FIELD(packet_bits), 8, 8 * (uint64_t)p->size);
	p->data[FIELD(version_major)] = LT_VERSION_MAJOR;
	last = repair_times(&c);
	if (get(&c, FIELD(timestamp_end), 8) < last)
		put(&c, FIELD(timestamp_end), 8, last);
	repair_discarded(&c);
}

int fuzz_packet_stream(const struct fuzz_image *p)
{
	bool big;
	uint64_t cpu;

	if (p->size < sizeof(struct lt_packet_header))
		return -1;
	big = fuzz_get(p->data, 4, true) == LT_PACKET_MAGIC;
	cpu = fuzz_get(p->data + FIELD(cpu), 4, big);
	if (cpu >= 4 || !p->data[FIELD(channel)] || p->data[FIELD(channel)] > LT_N_CHANNELS)
		return -1;
	return (int)cpu * LT_N_CHANNELS + p->data[FIELD(channel)] - 1;
}

static void join_counts(struct cut *c, struct fuzz_stream *s)
{
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		size_t at = LT_PACKET_MIN + i * sizeof(struct lt_class_counts);
		uint64_t *known = s->counts[i], sum = s->records[i];

		/* Losses never decrease; seen is the sum of records and losses. */
		for (unsigned int k = 1; k < 6; k++) {
			uint64_t v = get(c, at + 8 * k, 8);

			if (v > known[k] && v - known[k] < 1000)
				known[k] = v;
			put(c, at + 8 * k, 8, known[k]);
			sum += known[k];
		}
		put(c, at, 8, sum);
	}
}

void fuzz_packet_join(struct fuzz_image *p, const struct lt_schema *schema,
		      struct fuzz_stream *s, bool last)
{
	static struct cut c;

	if (!cut_up(&c, p, schema))
		return;
	put(&c, FIELD(header_size), 2, sizeof(struct lt_packet_header));
	put(&c, FIELD(n_classes), 4, LT_N_CLASSES);
	put(&c, FIELD(seq), 8, s->started ? s->seq + 1 : 0);
	s->seq = s->started ? s->seq + 1 : 0;
	if (get(&c, FIELD(timestamp_begin), 8) < s->end)
		put(&c, FIELD(timestamp_begin), 8, s->end);
	put(&c, FIELD(flags), 2, last ? LT_PACKET_LAST : 0);
	s->started = true;
	cut_up(&c, p, schema);
	for (size_t i = 0; i < c.n; i++) {
		if (c.r[i].desc->class != LT_CLASS_NONE)
			s->records[LT_CLASS_INDEX(c.r[i].desc->class)]++;
	}
	join_counts(&c, s);
	fuzz_packet_repair(p, schema);
	s->end = get(&c, FIELD(timestamp_end), 8);
}
