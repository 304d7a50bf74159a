// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parts of a recording that are not among the files. What happened in their time is lost; what was
 * alive behind it, and what had been lost by then, the part behind them says.
 */
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "trace/internal.h"
#include "trace/part_lines.h"

/* ------------------------------------------------------------------------
 * What is missing
 */

static bool has_packet(const struct lt_stream_dir *d, uint64_t seq)
{
	size_t first;

	if (!d)
		return false;
	first = lt_first_not(d->n, i, d->refs[i].seq < seq);
	return first < d->n && d->refs[first].seq == seq;
}

/* Whether a packet is known to have stood before the first file, or in earlier missing parts. */
static bool was_before(const struct lt_stream *s, uint64_t seq)
{
	return (s->base.any && seq == s->base.seq) || (s->behind && seq == s->behind_seq);
}

/* The last packet of a stream before part @arg. */
static void note_last(struct lt_trace *t, const char *line, void *arg)
{
	struct lt_part_mark m;
	struct lt_stream *s;

	if (!lt_part_parse_stream(line, &m))
		return;
	s = lt_stream_get(t, m.channel, m.cpu);
	s->lacks = !was_before(s, m.seq) && !has_packet(s->dir, m.seq);
	s->behind = *(size_t *)arg;
	s->behind_seq = m.seq;
}

/* Whether packets of a stream stood in the parts before part @i that are missing. */
static bool lacks_packets(const struct lt_trace *t, const struct lt_stream *s, size_t i)
{
	if (s->behind == i)
		return s->lacks;
	/* The part names no packet before its own ones; but there was one, so it does not say. */
	return s->dir && s->dir->refs[0].end < t->dir.parts[i].cut;
}

/* The first event of the missing time may be lost: the events are complete up to the one before. */
static uint64_t before(uint64_t ns)
{
	return ns ? ns - 1 : 0;
}

/* Whether a part has STATE, as it was written. */
static bool has_state(const struct lt_trace *t, size_t part)
{
	struct lt_part_texts texts = lt_part_texts(t, part, part);

	for (size_t i = texts.begin; t->dir.parts[part].whole && i < texts.end; i++) {
		if (t->texts[i].type == LT_BLOCK_STATE)
			return true;
	}
	return false;
}

static void add_missing(struct lt_trace *t, size_t i)
{
	struct lt_missing *m;

	t->missing = lt_grow(t->missing, &t->cap_missing, t->n_missing, sizeof(*t->missing));
	m = &t->missing[t->n_missing++];
	*m = (struct lt_missing){
		.from = lt_trace_ns(t, t->dir.parts[i - 1].until),
		.to = lt_trace_ns(t, t->dir.parts[i].cut), .part = i,
	};
	lt_part_each_line(t, i, i, note_last, &i);
	for (size_t k = 0; k < t->n_streams; k++) {
		const struct lt_stream *s = t->streams[k];

		if (!s || !lacks_packets(t, s, i))
			continue;
		lt_gap_unknown(t, s->channel, s->cpu, before(m->from), m->to);
		m->lost[s->channel] = true;
		m->healed |= lt_channel_get(s->channel)->lifetimes;
	}
	m->healed &= has_state(t, i);
}

static void note_unwritten(struct lt_trace *t, const char *line, void *arg)
{
	uint64_t from, to;

	if (!lt_part_parse_gap(line, &from, &to))
		return;
	t->unwritten = lt_grow(t->unwritten, &t->cap_unwritten, t->n_unwritten,
			       sizeof(*t->unwritten));
	t->unwritten[t->n_unwritten++] = (struct lt_unwritten){
		.part = *(size_t *)arg, .from = from, .end = lt_trace_ns(t, to),
	};
}

void lt_missing_begin(struct lt_trace *t)
{
	t->damaged = false;
	for (size_t i = 0; i < t->dir.n_parts; i++) {
		t->damaged |= !t->dir.parts[i].whole;
		if (i && lt_dir_missing_between(&t->dir.parts[i - 1], &t->dir.parts[i]))
			add_missing(t, i);
	}
	for (size_t i = 0; t->n_missing && i < t->dir.n_parts; i++)
		lt_part_each_line(t, i, i, note_unwritten, &i);
}

/* ------------------------------------------------------------------------
 * The state behind it
 */

static void find_lost(struct lt_trace *t, const char *line, void *arg)
{
	uint64_t *end = arg, to;
	enum lt_space space = lt_part_parse_lost(line, &to);

	if (space == LT_SPACE_NONE || (int)space >= LT_N_MEMORY)
		return;
	to = lt_trace_ns(t, to);
	end[space] = to > end[space] ? to : end[space];
}

/* What a part, or one behind it, has left out: the latest end of what began before the part, ns. */
static uint64_t end_of_unwritten(const struct lt_trace *t, size_t part)
{
	uint64_t end = 0;

	for (size_t i = t->n_unwritten; i-- && t->unwritten[i].part >= part;) {
		if (t->unwritten[i].from < t->dir.parts[part].cut && t->unwritten[i].end > end)
			end = t->unwritten[i].end;
	}
	return end;
}

/* Raises @end, by space, to when events had been lost by a part and those behind it. */
static void find_losses(struct lt_trace *t, size_t part, uint64_t end[LT_N_MEMORY])
{
	uint64_t unwritten = end_of_unwritten(t, part);

	lt_part_each_line(t, part, part, find_lost, end);
	for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++)
		end[i] = unwritten > end[i] ? unwritten : end[i];
}

const struct lt_missing *lt_trace_missing_parts(const struct lt_trace *t, uint64_t time)
{
	size_t low = lt_first_not(t->n_missing, i, t->missing[i].to <= time);

	while (low < t->n_missing && !t->missing[low].healed)
		low++;
	return low < t->n_missing ? &t->missing[low] : NULL;
}

void lt_trace_state_begin(struct lt_trace *t, const struct lt_missing *m)
{
	uint64_t *end = t->gap.end;

	t->healing = (struct lt_healing){ .missing = m };
	memcpy(t->healing.gap_end, end, sizeof(t->healing.gap_end));
	/* A gap that reaches beyond the begin of the part is one that STATE knows nothing of. */
	for (int i = LT_SPACE_SLAB; i < LT_N_MEMORY; i++)
		end[i] = end[i] > m->to ? end[i] : 0;
	find_losses(t, m->part, end);
	lt_state_of_part(t, m->part);
}

bool lt_trace_state_end(struct lt_trace *t)
{
	bool failed = t->healing.failed;

	if (failed)
		memcpy(t->gap.end, t->healing.gap_end, sizeof(t->healing.gap_end));
	t->healing = (struct lt_healing){ .missing = NULL };
	return !failed;
}
