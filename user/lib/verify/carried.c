// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification of the blocks STATE: what was alive at the begin of a part. No counters stand
 * behind their records, so each rule of the format is checked, and that no event is in them twice.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "lifetimes/lifetime.h"
#include "verify/internal.h"

#define FLAGS	(LT_PACKET_STATE | LT_PACKET_SPLIT)

/* The packets of one channel, CPU and value of the flags. */
struct stream {
	unsigned int channel;
	uint32_t cpu;
	uint16_t flags;
	uint64_t n;
	uint64_t latest;	/* time of the last record */
};

/* An event of an object. */
struct item {
	uint64_t ptr;
	uint64_t time;
	uint64_t offset;	/* of the block */
	uint32_t cpu;
	uint8_t space;
	uint8_t class;
};

/* The blocks of one part. */
struct carried {
	const struct lt_dir_part *part;
	struct stream *streams;
	size_t n_streams;
	size_t cap_streams;
	struct item *items;
	size_t n_items;
	size_t cap_items;
	uint64_t packets;
	uint64_t records;
};

static void bad(struct lt_checker *c, uint64_t offset, const char *text)
{
	lt_check_fail(c, LT_CHECK_STATE);
	lt_check_note(c, offset, "STATE: %s", text);
}

static struct stream *stream_of(struct carried *x, const struct lt_packet *p)
{
	struct stream *s;

	for (size_t i = 0; i < x->n_streams; i++) {
		s = &x->streams[i];
		if (s->channel == p->channel && s->cpu == p->cpu && s->flags == p->flags)
			return s;
	}
	x->streams = lt_grow(x->streams, &x->cap_streams, x->n_streams, sizeof(*x->streams));
	s = &x->streams[x->n_streams++];
	*s = (struct stream){ .channel = p->channel, .cpu = p->cpu, .flags = p->flags };
	return s;
}

/* What the header of a packet has wrong. Return: false: nothing. */
static bool has_wrong_header(const struct lt_checker *c, const struct carried *x,
			     const struct lt_packet *p, struct lt_why *why)
{
	const struct lt_channel *channel = lt_channel_get(p->channel);
	const char *what = c->dir.have_machine ? lt_packet_differs(p, &c->dir.machine) : NULL;

	if (!channel || !channel->lifetimes)
		lt_why_set(why, "expected a channel of allocations, found channel %u", p->channel);
	else if (!(p->flags & LT_PACKET_STATE) || p->flags & 0xff & ~FLAGS ||
		 LT_PACKET_WHY(p->flags) >= LT_N_STATE_WHYS)
		lt_why_set(why, "expected the flags of a packet of STATE, found 0x%x", p->flags);
	else if (what)
		lt_why_set(why, "the packet is of another machine: its %s differs", what);
	else if (c->dir.have_session && p->session != c->dir.session)
		lt_why_set(why, "expected session %" PRIu64 ", found %" PRIu64, c->dir.session,
			   p->session);
	else if (!x->part->have_cut)
		lt_why_set(why, "expected none in a file that begins with the session, found one");
	else if (p->end != x->part->cut)
		lt_why_set(why, "expected what was alive at %" PRIu64 ", the cut by PART, found %"
			   PRIu64, x->part->cut, p->end);
	else
		return false;
	return true;
}

/* Nothing that these packets have was seen, or lost: they repeat what others have. */
static bool has_counters(const struct lt_packet *p, struct lt_why *why)
{
	static const struct lt_class_counts none;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		struct lt_class_counts n = lt_packet_counts(p, i);

		if (!memcmp(&n, &none, sizeof(n)))
			continue;
		lt_why_set(why, "packet %" PRIu64 " of cpu %u%s: expected counters of 0, found seen %"
			   PRIu64 ", lost %" PRIu64 ", filtered %" PRIu64 " of class %u", p->seq,
			   p->cpu, lt_of_channel(p->channel), (uint64_t)n.seen, lt_lost(&n),
			   (uint64_t)n.filtered, i);
		return true;
	}
	if (p->discarded)
		lt_why_set(why, "packet %" PRIu64 " of cpu %u%s: expected 'discarded' 0, found %"
			   PRIu64, p->seq, p->cpu, lt_of_channel(p->channel), p->discarded);
	return p->discarded;
}

static void take_event(struct carried *x, const struct lt_packet *p, const struct lt_record *r,
		       uint64_t offset)
{
	struct lt_event ev;

	lt_decode(p, r, &ev);
	x->items = lt_grow(x->items, &x->cap_items, x->n_items, sizeof(*x->items));
	x->items[x->n_items++] = (struct item){
		.ptr = ev.ptr, .time = r->time, .offset = offset, .cpu = p->cpu,
		.space = (uint8_t)lt_class_space(ev.class), .class = ev.class,
	};
}

static void check_records(struct lt_checker *c, struct carried *x, struct stream *s,
			  const struct lt_packet *p, uint64_t offset)
{
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;
	int ret;

	lt_records_begin(&it, p, c->schema, &c->sites);
	while ((ret = lt_records_next(&it, &r, &why)) > 0 && r.time < x->part->cut) {
		x->records++;
		s->latest = r.time;
		if (r.desc->class != LT_CLASS_NONE && r.desc->class != LT_CLASS_TASK_EXIT)
			take_event(x, p, &r, offset);
	}
	if (ret > 0)
		lt_why_set(&why, "packet %" PRIu64 " of cpu %u%s: expected records from before the cut at %"
			   PRIu64 ", found one of %" PRIu64, p->seq, p->cpu,
			   lt_of_channel(p->channel), x->part->cut, r.time);
	if (ret)
		bad(c, offset, why.text);
}

static void check_block(struct lt_checker *c, struct carried *x, uint64_t offset)
{
	struct lt_packet p;
	struct lt_block b;
	struct lt_why why;
	struct stream *s;

	if (lt_file_block(c->f, offset, &b, &why) != LT_BLOCK_OK ||
	    lt_file_payload(c->f, &b, &c->buf, &c->packed, &why))
		return;		/* check_texts() has reported it */
	x->packets++;
	if (lt_packet_parse(&p, c->buf.data, c->buf.size, &why) ||
	    has_wrong_header(c, x, &p, &why)) {
		bad(c, offset, why.text);
		return;
	}
	s = stream_of(x, &p);
	if (p.seq != s->n) {
		lt_why_set(&why, "cpu %u%s: expected packet %" PRIu64 ", found packet %" PRIu64,
			   p.cpu, lt_of_channel(p.channel), s->n, p.seq);
		bad(c, offset, why.text);
	}
	s->n = p.seq < UINT64_MAX ? p.seq + 1 : 0;
	if (has_counters(&p, &why))
		bad(c, offset, why.text);
	if (p.begin < s->latest) {
		lt_why_set(&why, "packet %" PRIu64 " of cpu %u%s: expected a begin at or after %"
			   PRIu64 ", the record before, found %" PRIu64, p.seq, p.cpu,
			   lt_of_channel(p.channel), s->latest, p.begin);
		bad(c, offset, why.text);
	}
	check_records(c, x, s, &p, offset);
}

static int by_object(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->ptr != y->ptr)
		return x->ptr < y->ptr ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* An address may stand there twice, where it is not decided whose an end was; an event may not. */
static void check_items(struct lt_checker *c, struct carried *x)
{
	struct lt_why why;

	if (x->n_items)
		qsort(x->items, x->n_items, sizeof(*x->items), by_object);
	for (size_t i = 1; i < x->n_items; i++) {
		const struct item *a = &x->items[i - 1], *b = &x->items[i];

		if (a->space != b->space || a->ptr != b->ptr || a->class != b->class ||
		    a->time != b->time || a->cpu != b->cpu)
			continue;
		lt_why_set(&why, "expected each event once, found %s of %s 0x%" PRIx64 " at %"
			   PRIu64 " twice", c->schema->class_names[b->class],
			   lt_space_words((enum lt_space)b->space)->name, b->ptr, b->time);
		bad(c, b->offset, why.text);
	}
}

/* Packets that a recorder had put into earlier parts, by the texts PART of a part. */
static uint64_t packets_before(struct lt_checker *c, const struct lt_dir_part *p)
{
	uint64_t packets = 0;

	for (size_t i = 0; i < c->dir.n_texts; i++) {
		const struct lt_text_ref *ref = &c->dir.texts[i];
		const char *pos, *line;
		char *text;
		size_t len;

		if (ref->type != LT_BLOCK_PART || ref->offset < p->base || ref->offset >= p->end)
			continue;
		text = lt_check_load_text(c, ref);
		for (pos = text; pos && lt_line(&pos, &line, &len);)
			lt_assigned(line, len, "before_packets", &packets);
		free(text);
	}
	return packets;
}

/* Whether anything could be alive at a cut. */
static bool births_are_watched(const struct lt_checker *c)
{
	struct lt_trace *t = lt_trace_open(c->f->path);
	bool watched = !t;

	for (int space = LT_SPACE_SLAB; t && space < LT_N_MEMORY; space++)
		watched |= lt_space_watched(t, (enum lt_space)space);
	lt_trace_close(t);
	return watched;
}

static void check_part(struct lt_checker *c, const struct lt_dir_part *p, struct carried *x)
{
	uint64_t before;

	x->part = p;
	x->n_streams = 0;
	x->n_items = 0;
	x->packets = 0;
	for (size_t i = 0; i < c->dir.n_texts; i++) {
		const struct lt_text_ref *ref = &c->dir.texts[i];

		if (ref->type == LT_BLOCK_STATE && ref->offset >= p->base && ref->offset < p->end)
			check_block(c, x, ref->offset);
	}
	check_items(c, x);
	before = p->have_cut && !x->packets ? packets_before(c, p) : 0;
	if (!before || !births_are_watched(c))
		return;
	lt_check_fail(c, LT_CHECK_STATE);
	lt_check_note(c, p->base, "STATE: expected blocks with what was alive at the cut, %" PRIu64
		      ", found none, though %" PRIu64 " packets came before it: what was allocated "
		      "in these looks older than the recording", p->cut, before);
}

void lt_check_carried(struct lt_checker *c)
{
	struct carried x = { .n_streams = 0 };
	uint64_t packets = 0;
	bool cut = false;

	for (size_t i = 0; i < c->dir.n_parts; i++) {
		check_part(c, &c->dir.parts[i], &x);
		packets += x.packets;
		cut |= c->dir.parts[i].have_cut;
	}
	if (cut || packets)
		lt_check_say(c, LT_CHECK_STATE, "%" PRIu64 " packets, %" PRIu64 " records of what was "
			     "alive at the begin of a part, damaged or missing: %" PRIu64, packets,
			     x.records, c->v->checks[LT_CHECK_STATE].failures);
	free(x.streams);
	free(x.items);
}
