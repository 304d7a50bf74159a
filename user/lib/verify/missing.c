// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification of a set of which parts are missing. Where they are missing between others, the part
 * behind them says which packet of each stream was the last one before it, and what was counted by
 * then. So the sums must close without the packets that the missing parts had.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "verify/internal.h"

/**
 * struct base - a stream before the first packet that the part behind the missing ones has
 * @seq: its last packet by then
 */
struct base {
	uint64_t seq;
	struct lt_class_counts counts[LT_N_CLASSES];
};

/**
 * struct lt_check_hole - parts that are missing
 * @at: the offset of the part behind them
 * @bases: of each stream, by lt_stream_number(); NULL: it had no packet by then
 */
struct lt_check_hole {
	uint64_t at;
	struct base **bases;
};

static void read_bases(struct lt_checker *c, struct lt_check_hole *hole, const struct lt_trace *t)
{
	hole->bases = lt_alloc_array(c->dir.n_streams, sizeof(*hole->bases));
	for (size_t i = 0; i < c->dir.n_streams; i++) {
		const struct lt_stream_dir *s = c->dir.streams[i];
		struct base b;

		if (s && lt_trace_before(t, s->channel, s->cpu, &b.seq, b.counts)) {
			hole->bases[i] = lt_alloc(sizeof(b));
			*hole->bases[i] = b;
		}
	}
}

/* When the whole set begins, which is 0 of what is printed; a part alone begins later. */
static uint64_t begin_of_set(const struct lt_checker *c)
{
	struct lt_trace *whole = lt_trace_open(c->f->path);
	uint64_t begin = whole ? lt_trace_begin(whole) : 0;

	lt_trace_close(whole);
	return begin;
}

/* The hole between part @i of the directory and the one before it. */
static void add_hole(struct lt_checker *c, size_t i)
{
	const struct lt_dir_part *before = &c->dir.parts[i - 1], *p = &c->dir.parts[i];
	uint64_t at;
	struct lt_trace *t = lt_trace_open(lt_file_place(c->f, p->base, &at));
	uint64_t begin = begin_of_set(c);
	struct lt_verify_result *v = c->v;

	if (!t)
		return;
	v->holes = lt_grow(v->holes, &v->cap_holes, v->n_holes, sizeof(*v->holes));
	v->holes[v->n_holes++] = (struct lt_verify_hole){
		.before = before->number, .behind = p->number,
		.from_ns = lt_clock_ns(lt_trace_clock(t), before->until) - begin,
		.to_ns = lt_clock_ns(lt_trace_clock(t), p->cut) - begin,
	};
	c->holes = lt_grow(c->holes, &c->cap_holes, c->n_holes, sizeof(*c->holes));
	c->holes[c->n_holes] = (struct lt_check_hole){ .at = p->base };
	read_bases(c, &c->holes[c->n_holes++], t);
	lt_trace_close(t);
}

/* Before and behind a snapshot of a flight recorder nothing was kept: nothing is missing. */
static void find_ends(struct lt_checker *c)
{
	const struct lt_dir_part *first = c->dir.parts, *last = first + c->dir.n_parts - 1;
	struct lt_verify_ends *ends = &c->v->ends;
	struct lt_trace *t;

	if (!c->dir.n_parts || !first->is_part || first->is_snapshot)
		return;
	*ends = (struct lt_verify_ends){
		.before = first->number || first->have_cut, .behind = last->have_until,
		.window = first->is_window, .first = first->number, .last = last->number,
	};
	if (!ends->before != !first->have_cut) {
		lt_check_fail(c, LT_CHECK_STATE);
		lt_check_note(c, first->base, "PART: part %" PRIu64 ": expected a cut at its begin, found "
			      "none", first->number);
	}
	t = ends->before || ends->behind ? lt_trace_open(c->f->path) : NULL;
	if (!t)
		return;
	/* As the holes, from the begin of the set; its first packets may begin before its cut. */
	ends->begin_ns = lt_trace_since(t, lt_clock_ns(lt_trace_clock(t), first->cut));
	ends->end_ns = lt_trace_since(t, lt_clock_ns(lt_trace_clock(t), last->until));
	lt_trace_close(t);
}

void lt_check_find_holes(struct lt_checker *c)
{
	for (size_t i = 1; i < c->dir.n_parts; i++) {
		if (lt_dir_missing_between(&c->dir.parts[i - 1], &c->dir.parts[i]))
			add_hole(c, i);
	}
	find_ends(c);
}

void lt_check_free_holes(struct lt_checker *c)
{
	for (size_t i = 0; i < c->n_holes; i++) {
		for (size_t k = 0; k < c->dir.n_streams; k++)
			free(c->holes[i].bases[k]);
		free(c->holes[i].bases);
	}
	free(c->holes);
}

static uint64_t written(const struct lt_class_counts *n)
{
	return n->seen - lt_lost(n) - n->filtered;
}

/* The stream goes on behind its last packet before the part that follows the hole. */
static void cross(struct lt_checker *c, struct lt_check_stream *s, const struct base *b)
{
	uint64_t expected = s->started ? s->prev_seq + 1 : 0;

	/* A packet as long as the hole stands in the parts on both sides. */
	if (!b || b->seq + 1 < expected)
		return;
	s->bridged += b->seq + 1 - expected;
	s->prev_seq = b->seq;
	s->started = true;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		if (lt_check_decreased(&s->counts[i], &b->counts[i])) {
			lt_check_fail(c, LT_CHECK_COUNTERS);
			lt_check_note(c, LT_NO_OFFSET, "cpu %u%s: a counter is lower behind "
				      "parts that are missing than before", s->cpu,
				      lt_of_channel(s->channel));
		}
		s->before[i] += written(&b->counts[i]) - written(&s->counts[i]);
	}
	memcpy(s->counts, b->counts, sizeof(s->counts));
}

void lt_check_bridge(struct lt_checker *c, struct lt_check_stream *s, uint64_t offset)
{
	uint32_t number = lt_stream_number(s->channel, s->cpu);

	for (; s->holes < c->n_holes && offset >= c->holes[s->holes].at; s->holes++)
		cross(c, s, c->holes[s->holes].bases[number]);
}
