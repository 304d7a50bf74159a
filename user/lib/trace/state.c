// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a part of a recording carries of what was alive at its begin: blocks STATE, each a packet,
 * which make streams of their own, one for each channel, CPU and reason of doubt.
 */
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/mem.h"
#include "trace/caches.h"
#include "trace/internal.h"
#include "trace/part.h"
#include "trace/part_lines.h"

#define KNOWN_FLAGS	(LT_PACKET_LAST | LT_PACKET_STATE | LT_PACKET_SPLIT)

/* A packet: where it is in the file, or, of a live trace, the packet itself. */
struct ref {
	uint64_t offset;
	struct lt_queued *packet;
};

struct carried_stream {
	struct lt_stream s;
	uint16_t flags;
	uint64_t latest;	/* time of the last record, clock units */
	struct ref *refs;
	size_t n;
	size_t cap;
	size_t next;
};

/* @part: index of the part; @cut: its begin, clock units. */
struct lt_state {
	size_t part;
	uint64_t cut;
	struct carried_stream **streams;
	size_t n;
	size_t cap;
	struct lt_heap_entry *heap;
	size_t n_heap;
	struct carried_stream *taken;
};

void lt_state_free(struct lt_state *state)
{
	if (!state)
		return;
	for (size_t i = 0; i < state->n; i++) {
		for (size_t k = 0; k < state->streams[i]->n; k++)
			free(state->streams[i]->refs[k].packet);
		lt_buf_free(&state->streams[i]->s.buf);
		lt_sites_free(&state->streams[i]->s.sites);
		free(state->streams[i]->refs);
		free(state->streams[i]);
	}
	free(state->streams);
	free(state->heap);
	free(state);
}

/* A part of what was alive is not known: nothing that was alive is certain. */
static void lose(struct lt_trace *t, uint64_t offset, const char *why)
{
	if (t->healing.missing) {
		if (!t->healing.failed)
			lt_trace_note(t, offset, "%s; the state behind the missing part is not "
				      "known, and no lifetime over its time is certain", why);
		t->healing.failed = true;
		return;
	}
	lt_trace_note(t, offset, "%s; the rest of the block STATE is left out, and nothing that was "
		      "alive at the begin is certain", why);
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++)
		lt_gap_before(t, (enum lt_space)space, lt_trace_cut(t));
}

static struct lt_state *new_state(size_t part, uint64_t cut)
{
	struct lt_state *state = lt_alloc(sizeof(*state));

	state->part = part;
	state->cut = cut;
	return state;
}

void lt_state_of_part(struct lt_trace *t, size_t part)
{
	lt_state_free(t->state);
	t->state = new_state(part, t->dir.parts[part].cut);
	t->carried = false;
}

/* ------------------------------------------------------------------------
 * Packets
 */

static bool load(struct lt_trace *t, const struct ref *ref, struct lt_buf *buf,
		 struct lt_packet *p, struct lt_why *why)
{
	struct lt_block b;

	if (ref->packet)
		return !lt_packet_parse(p, ref->packet->data, ref->packet->size, why);
	return lt_file_block(t->file, ref->offset, &b, why) == LT_BLOCK_OK &&
	       !lt_file_payload(t->file, &b, buf, &t->packed, why) &&
	       !lt_packet_parse(p, buf->data, buf->size, why);
}

static bool check(struct lt_trace *t, const struct lt_packet *p, struct lt_why *why)
{
	const char *what = t->dir.have_machine ? lt_packet_differs(p, &t->dir.machine) : NULL;
	const struct lt_channel *channel = lt_channel_get(p->channel);

	if (!channel || !channel->lifetimes)
		lt_why_set(why, "STATE: expected a channel of allocations, found channel %u",
			   p->channel);
	else if (!(p->flags & LT_PACKET_STATE) || (p->flags & 0xff & ~KNOWN_FLAGS) ||
		 LT_PACKET_WHY(p->flags) >= LT_N_STATE_WHYS)
		lt_why_set(why, "STATE: the flags 0x%x of the packet are unknown to this version",
			   p->flags);
	else if (t->dir.have_session && p->session != t->dir.session)
		lt_why_set(why, "STATE: expected session %llu, found %llu",
			   (unsigned long long)t->dir.session, (unsigned long long)p->session);
	else if (p->end != t->state->cut)
		lt_why_set(why, "STATE: expected what was alive at %llu, by PART, found %llu",
			   (unsigned long long)t->state->cut, (unsigned long long)p->end);
	else if (what)
		lt_why_set(why, "STATE: the packet is of another machine: its %s differs", what);
	else
		return true;
	return false;
}

static struct carried_stream *stream_of(struct lt_trace *t, const struct lt_packet *p)
{
	struct lt_state *state = t->state;
	uint16_t flags = p->flags & (uint16_t)~LT_PACKET_LAST;
	struct carried_stream *new;

	for (size_t i = 0; i < state->n; i++) {
		struct carried_stream *s = state->streams[i];

		if (s->s.channel == p->channel && s->s.cpu == p->cpu && s->flags == flags)
			return s;
	}
	if (state->n == LT_MAX_STREAMS)
		return NULL;
	new = lt_alloc(sizeof(*new));
	new->s.channel = p->channel;
	new->s.cpu = p->cpu;
	new->s.sites.all = &t->stacks;
	new->flags = flags;
	state->streams = lt_grow(state->streams, &state->cap, state->n,
				 sizeof(struct carried_stream *));
	state->streams[state->n++] = new;
	return new;
}

static bool add_packet(struct lt_trace *t, struct ref ref, struct lt_buf *buf)
{
	struct carried_stream *s = NULL;
	struct lt_packet p;
	struct lt_why why;

	if (!load(t, &ref, buf, &p, &why) || !check(t, &p, &why)) {
		lose(t, ref.offset, why.text);
		return false;
	}
	if (!t->dir.have_machine) {
		t->dir.machine = p;
		t->dir.machine.data = NULL;
		t->dir.have_machine = true;
	}
	s = stream_of(t, &p);
	if (!s || p.seq != s->n) {
		lt_why_set(&why, "STATE: expected packet %zu of cpu %u%s, found packet %llu",
			   s ? s->n : 0, p.cpu, lt_of_channel(p.channel),
			   (unsigned long long)p.seq);
		lose(t, ref.offset, why.text);
		return false;
	}
	s->refs = lt_grow(s->refs, &s->cap, s->n, sizeof(*s->refs));
	s->refs[s->n++] = ref;
	return true;
}

void lt_trace_push_state(struct lt_trace *t, const void *packet, size_t size)
{
	struct lt_queued *q = lt_alloc(sizeof(*q) + size + LT_SLACK);

	q->size = size;
	memcpy(q->data, packet, size);
	if (!t->state)
		t->state = new_state(0, t->part.cut);
	if (!add_packet(t, (struct ref){ LT_NO_OFFSET, q }, NULL))
		free(q);
}

/* ------------------------------------------------------------------------
 * Records
 */

static bool next_packet(struct lt_trace *t, struct carried_stream *s)
{
	const struct ref *ref;
	struct lt_why why;

	if (s->next == s->n)
		return false;
	ref = &s->refs[s->next++];
	if (!load(t, ref, &s->s.buf, &s->s.packet, &why)) {
		lose(t, ref->offset, why.text);
		return false;
	}
	if (s->s.packet.begin < s->latest) {
		lose(t, ref->offset, "STATE: a packet begins before the end of the one before it");
		return false;
	}
	s->s.task = NULL;
	lt_records_begin(&s->s.it, &s->s.packet, t->schema, &s->s.sites);
	s->s.have_packet = true;
	return true;
}

/* The next record of a stream. */
static bool fill(struct lt_trace *t, struct carried_stream *s)
{
	struct lt_why why;
	int ret;

	for (;;) {
		if (!s->s.have_packet && !next_packet(t, s))
			return false;
		ret = lt_records_next(&s->s.it, &s->s.rec, &why);
		if (ret > 0 && s->s.rec.time >= t->state->cut) {
			lt_why_set(&why, "STATE: a record is not older than the cut");
			ret = -1;
		}
		if (ret > 0) {
			s->latest = s->s.rec.time;
			s->s.rec_ns = lt_trace_ns(t, s->s.rec.time);
			s->s.key = s->s.rec_ns;
			s->s.rank = lt_stream_rank(&s->s, s->s.rec.desc->class);
			return true;
		}
		s->s.have_packet = false;
		if (ret < 0) {
			lose(t, s->refs[s->next - 1].offset, why.text);
			return false;
		}
	}
}

static void push(struct lt_state *state, struct carried_stream *s)
{
	state->heap[state->n_heap] = (struct lt_heap_entry){ s->s.key, s->s.rank, &s->s };
	lt_heap_up(state->heap, sizeof(*state->heap), state->n_heap++, lt_heap_earlier, NULL);
}

static void begin(struct lt_trace *t)
{
	struct lt_part_texts texts;
	struct lt_buf buf = { 0 };

	if (!t->state)
		t->state = new_state(0, t->part.cut);
	texts = lt_part_texts(t, t->state->part, t->state->part);
	for (size_t i = texts.begin; t->file && i < texts.end; i++) {
		if (t->texts[i].type == LT_BLOCK_STATE)
			add_packet(t, (struct ref){ t->texts[i].offset, NULL }, &buf);
	}
	lt_buf_free(&buf);
	t->state->heap = lt_alloc_array(t->state->n + 1, sizeof(*t->state->heap));
	for (size_t i = 0; i < t->state->n; i++) {
		if (fill(t, t->state->streams[i]))
			push(t->state, t->state->streams[i]);
	}
}

static void advance(struct lt_trace *t)
{
	struct lt_state *state = t->state;
	struct lt_heap_entry *first = &state->heap[0];

	if (fill(t, state->taken)) {
		first->key = state->taken->s.key;
		first->rank = state->taken->s.rank;
	} else {
		*first = state->heap[--state->n_heap];
	}
	state->taken = NULL;
	if (state->n_heap)
		lt_heap_down(state->heap, state->n_heap, sizeof(*state->heap), 0, lt_heap_earlier,
			     NULL);
}

int lt_trace_carried(struct lt_trace *t, struct lt_event *ev, struct lt_trace_carried *carried)
{
	struct carried_stream *s;

	if (t->carried)
		return 0;
	if (!t->state || !t->state->heap)
		begin(t);
	if (t->state->taken)
		advance(t);
	if (!t->state->n_heap) {
		t->carried = true;
		lt_state_free(t->state);
		t->state = NULL;
		return 0;
	}
	/* The stream is the first member. */
	s = (struct carried_stream *)t->state->heap[0].s;
	t->state->taken = s;
	lt_decode(&s->s.packet, &s->s.rec, ev);
	ev->time = s->s.rec_ns;
	ev->seq = 0;
	if (t->entities.fields[s->s.rec.desc->id])
		lt_entities_record(t, &s->s, ev);
	ev->task = s->s.task;
	lt_trace_sites(t, ev, s->s.rec.time);
	if (ev->cache && t->cache_ids_again)
		ev->cache = lt_entities_cache_at(t, ev->cache, ev->time);
	if (ev->class == LT_CLASS_PAGE_ALLOC && s->s.rec.site)
		ev->call_site = lt_page_caller(t, ev);
	carried->why = (uint8_t)LT_PACKET_WHY(s->flags);
	carried->split = s->flags & LT_PACKET_SPLIT;
	return 1;
}
