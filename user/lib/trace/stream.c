// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A stream, the packets of one CPU and channel, as a sequence of records.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "trace/ahead.h"
#include "trace/counted.h"
#include "trace/loader.h"

void lt_trace_bounds(struct lt_trace *t, uint64_t begin, uint64_t end)
{
	begin = lt_trace_ns(t, begin);
	end = lt_trace_ns(t, end);
	if (!t->have_bounds || begin < t->begin)
		t->begin = begin;
	if (!t->have_bounds || end > t->end)
		t->end = end;
	t->have_bounds = true;
}

struct lt_stream *lt_stream_get(struct lt_trace *t, unsigned int channel, uint32_t cpu)
{
	uint32_t number = lt_stream_number(channel, cpu);
	struct lt_stream *s;

	if (number >= t->n_streams)
		t->streams = lt_extend(t->streams, &t->n_streams, (size_t)number + 1,
				       sizeof(*t->streams));
	s = t->streams[number];
	if (s)
		return s;
	s = lt_alloc(sizeof(*s));
	s->ahead.next = s->ahead.end = s->ahead.records;
	s->cpu = cpu;
	s->channel = channel;
	s->tail = &s->head;
	s->sites.all = &t->stacks;
	s->sites.forms = &t->forms;
	t->streams[number] = s;
	return s;
}

void lt_stream_free(struct lt_stream *s)
{
	if (!s)
		return;
	while (s->head) {
		struct lt_queued *next = s->head->next;

		free(s->head);
		s->head = next;
	}
	free(s->current);
	lt_buf_free(&s->buf);
	lt_sites_free(&s->sites);
	free(s->found.list);
	free(s);
}

/*
 * Where a gap ends that a packet makes whose records, or whose end, cannot be believed: where
 * the next one begins.
 */
static uint64_t end_of_doubt(const struct lt_trace *t, const struct lt_stream *s)
{
	if (s->packet.flags & LT_PACKET_LAST || !s->dir)
		return lt_trace_ns(t, s->packet.end);
	if (s->next_ref == s->dir->n)
		return UINT64_MAX;
	return lt_trace_ns(t, s->dir->refs[s->next_ref].begin);
}

static void start_packet(struct lt_trace *t, struct lt_stream *s)
{
	const struct lt_packet *p = &s->packet;

	s->gap_from = s->started ? s->prev_end : 0;
	memmove(&s->before[1], &s->before[0], (LT_MARKS - 1) * sizeof(s->before[0]));
	s->before[0] = (struct lt_mark){
		.any = s->started, .seq = s->prev_seq, .end = s->prev_end,
	};
	memcpy(s->before[0].counts, s->prev_counts, sizeof(s->before[0].counts));
	if (s->last)
		lt_gap_unknown(t, s->channel, s->cpu, lt_trace_ns(t, s->gap_from),
			       lt_trace_ns(t, p->begin));
	s->doubtful = lt_gap_packet(t, s, p, end_of_doubt(t, s));
	s->started = true;
	s->prev_seq = p->seq;
	s->prev_end = p->end;
	s->last = p->flags & LT_PACKET_LAST;
	s->task = NULL;
	s->have_packet = true;
	/*
	 * The file does not contain the time at which the probes were detached. That was before
	 * this packet was closed, and frees since then may be missing. (Detaching takes some
	 * 0.1 s. A packet could be filled meanwhile, which would concern the previous packet as
	 * well; that is unlikely, but possible.)
	 */
	if (s->last && t->stop_unknown && lt_channel_get(s->channel)->lifetimes)
		lt_gap_unknown(t, s->channel, s->cpu, lt_trace_ns(t, p->begin), UINT64_MAX);
	lt_records_begin(&s->it, p, t->schema, &s->sites);
	s->plain = !t->raw_order && !s->skims && !s->doubtful && (!t->narrowed || t->narrowed->all);
	s->clipped = !lt_part_has(&t->part, p->begin) || !lt_part_has(&t->part, p->end) ||
		     (t->narrowed && lt_trace_ns(t, p->begin) < t->narrowed->from);
}

/* Return: as lt_dir_load() */
static int load(struct lt_trace *t, struct lt_stream *s, const struct lt_packet_ref *ref,
		struct lt_why *why)
{
	int ret;

	if (s->loaded) {
		s->loaded = false;
		return 0;
	}
	if (!t->loads && !t->raw_order && (t->narrowed || lt_trace_is_wide(t))) {
		t->loads = true;
		t->loader = lt_loader_new(t);
	}
	if (t->loader && lt_loader_take(t->loader, s, ref, why, &ret))
		return ret;
	/* Not longer: a thread of the loader may get the buffer. */
	s->buf.arena = lt_trace_is_wide(t) ? &t->packets : NULL;
	ret = lt_dir_load(&t->dir, t->file, s->dir, ref, &s->buf, &t->packed, &s->packet, why);
	s->buf.arena = NULL;
	return ret;
}

static bool next_from_file(struct lt_trace *t, struct lt_stream *s)
{
	while (s->dir && s->next_ref < s->dir->n) {
		const struct lt_packet_ref *ref = &s->dir->refs[s->next_ref];
		struct lt_why why;

		if (t->narrowed && lt_trace_ns(t, ref->begin) >= t->narrowed->to)
			return false;
		s->next_ref++;
		lt_progress(++t->packets_read, t->dir.packets);
		if (load(t, s, ref, &why)) {
			lt_trace_note(t, ref->offset, "%s; the packet is left out", why.text);
			s->unread = true;
			continue;
		}
		/* That parts are missing must not be taken for the reason why these packets are. */
		if (ref->hole || (s->unread && t->n_missing))
			lt_gap_unknown(t, s->channel, s->cpu,
				       s->started ? lt_trace_ns(t, s->prev_end) : 0,
				       lt_trace_ns(t, ref->begin));
		s->unread = false;
		start_packet(t, s);
		return true;
	}
	return false;
}

static bool next_from_queue(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_why why;

	free(s->current);
	s->current = s->head;
	if (!s->current)
		return false;
	s->head = s->current->next;
	if (!s->head)
		s->tail = &s->head;
	/* The packet was checked when it was pushed. */
	if (lt_packet_parse(&s->packet, s->current->data, s->current->size, &why))
		return false;
	start_packet(t, s);
	return true;
}

/* No packet is left: without the flag LAST, events are missing behind the last packet. */
static void finish(struct lt_trace *t, struct lt_stream *s)
{
	if (s->finished)
		return;
	if (!t->file && !(t->have_watermark && t->watermark == UINT64_MAX))
		return;		/* more may be pushed */
	s->finished = true;
	/* A part has all packets of before the next one, if they can be read. */
	if (!s->last && (!t->part.have_until || s->unread))
		lt_gap_unknown(t, s->channel, s->cpu, s->started ? lt_trace_ns(t, s->prev_end) : 0,
			       UINT64_MAX);
}

/* lt_records_next() of a packet of which only some records are taken. */
static int next_found(struct lt_stream *s, struct lt_why *why)
{
	const struct lt_found_record *r;

	if (s->next_found == s->found.n) {
		s->n_records = s->skimmed_from + s->found.records;
		return 0;
	}
	r = &s->found.list[s->next_found++];
	s->n_records = s->skimmed_from + r->index;
	lt_records_go_to(&s->it, r);
	return lt_records_next(&s->it, &s->rec, why);
}

/* Whether the record is neither handed out nor describes anything. */
static bool is_unwanted(const struct lt_trace *t, const struct lt_stream *s)
{
	const struct lt_event_desc *d = s->rec.desc;

	return t->narrowed && lt_part_has(&t->part, s->rec.time) && !t->narrowed->before[d->id] &&
	       !lt_narrowed_has(t->narrowed, s);
}

void lt_stream_unpack(struct lt_stream *s)
{
	struct lt_why why;

	if (!lt_stream_ahead(s))
		return;
	lt_records_go_back(&s->it, s->ahead.next);
	s->ahead.next = s->ahead.end;
	/* It was looked at, so nothing is wrong with it. */
	lt_records_next(&s->it, &s->rec, &why);
}

/*
 * Passes over plain records that are not of the part, or before what is wanted: nothing follows
 * from them. Those that are wanted stand together. Return: whether any is.
 */
static bool clip(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_ahead *a = &s->ahead;
	const struct lt_passed *end;

	for (; a->next < a->end; a->next++) {
		bool in_part = lt_part_has(&t->part, a->next->time);

		if (in_part && (!t->narrowed || a->next->ev.time >= t->narrowed->from))
			break;
		/* In a file that is a part of a recording others have no number. */
		s->n_records += in_part;
		t->records[a->next->ev.class]++;
	}
	for (end = a->next; end < a->end && lt_part_has(&t->part, end->time); end++)
		;
	if (end < a->end && end > a->next) {
		lt_records_go_back(&s->it, end);
		a->end = end;
	}
	return lt_stream_ahead(s);
}

/*
 * Of a live trace another reading of the clock may come before the next record is taken, and bend
 * the times behind those that were converted; not where units are ns.
 */
static inline size_t most_ahead(const struct lt_trace *t)
{
	return t->file || t->clock.identity ? LT_AHEAD : 1;
}

bool lt_stream_look(struct lt_trace *t, struct lt_stream *s)
{
	if (lt_stream_ahead(s))
		return true;
	if (!s->plain)
		return false;
	s->it.forms_only = t->forms_only && !s->clipped;
	s->it.announced = t->announced;
	do {
		lt_records_ahead(&s->it, &t->clock, s->task, &s->ahead, most_ahead(t));
		s->n_records += s->it.n_silent;
		s->it.n_silent = 0;
	} while (lt_stream_ahead(s) && s->clipped && !clip(t, s));
	return lt_stream_ahead(s);
}

/* Whether all records of the packet were taken, and there is another packet. */
static bool is_at_next(const struct lt_stream *s)
{
	return s->have_packet && !lt_stream_ahead(s) && s->it.pos == s->packet.size && !s->unread &&
	       s->dir && s->next_ref < s->dir->n && !s->dir->refs[s->next_ref].hole;
}

/* Makes s->rec the next record, if it is about a task. */
static bool pass_task(struct lt_trace *t, struct lt_stream *s)
{
	const struct lt_packet *p = &s->packet;
	const struct lt_records before = s->it;
	const struct lt_event_desc *desc;
	struct lt_why why;
	uint32_t word;

	if (!s->plain || p->size - s->it.pos < LT_REC_WORD)
		return false;
	word = lt_get32(p->data + s->it.pos, p->big);
	desc = lt_schema_event(t->schema,
			       LT_EV(p->channel, p->big ? word >> 26 : word & LT_ID_MASK));
	if (!desc || !lt_is_about_task(desc->event))
		return false;
	if (lt_records_next(&s->it, &s->rec, &why) <= 0) {
		s->it = before;
		return false;
	}
	s->rec_ns = lt_trace_ns(t, s->rec.time);
	s->key = s->rec_ns;
	s->rank = lt_stream_rank(s, s->rec.desc->class);
	return true;
}

/* The next record of the packet, if it is plain or about a task. */
static bool pass_next(struct lt_trace *t, struct lt_stream *s)
{
	if (!lt_stream_look(t, s))
		return pass_task(t, s);
	lt_stream_set_ahead(s);
	return true;
}

bool lt_stream_go_on(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_why why;

	if (t->narrowed || t->raw_order || !s->have_packet)
		return false;
	if (!is_at_next(s))
		return pass_next(t, s);
	s->have_packet = false;
	if (load(t, s, &s->dir->refs[s->next_ref], &why))
		return false;
	s->loaded = true;
	/* The end of a stream is a gap where it is not known when the session was stopped. */
	if ((s->packet.flags & LT_PACKET_LAST && t->stop_unknown) ||
	    !lt_stream_follows(t, s, &s->packet))
		return false;
	s->loaded = false;
	s->next_ref++;
	t->packets_read++;
	start_packet(t, s);
	return pass_next(t, s);
}

bool lt_stream_leave(const struct lt_trace *t, struct lt_stream *s)
{
	if (t->narrowed || t->raw_order || !s->have_packet || lt_stream_ahead(s) ||
	    s->it.pos != s->packet.size || !s->last || !s->dir || s->next_ref < s->dir->n)
		return false;
	s->have_packet = false;
	s->finished = true;
	return true;
}

bool lt_stream_fill(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_why why;
	int ret;

	for (;;) {
		if (!s->have_packet) {
			if (!(t->file ? next_from_file(t, s) : next_from_queue(t, s))) {
				finish(t, s);
				return false;
			}
		}
		if (lt_stream_look(t, s)) {
			lt_stream_set_ahead(s);
			return true;
		}
		ret = s->skims ? next_found(s, &why) : lt_records_next(&s->it, &s->rec, &why);
		if (ret > 0) {
			s->rec_ns = lt_trace_ns(t, s->rec.time);
			if (is_unwanted(t, s)) {
				s->n_records++;
				continue;
			}
			s->key = t->raw_order ? 0 : s->rec_ns;
			s->rank = lt_stream_rank(s, t->raw_order ? LT_CLASS_NONE :
							       s->rec.desc->class);
			return true;
		}
		s->have_packet = false;
		if (!ret)
			continue;
		lt_trace_note(t, LT_NO_OFFSET, "%s; the rest of the packet is left out", why.text);
		/* What came before the damage need not be right, either. */
		if (!s->doubtful)
			lt_gap_unknown(t, s->channel, s->cpu, lt_trace_ns(t, s->gap_from),
				       end_of_doubt(t, s));
	}
}
