// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A file that is a part of a recording: which events it is about, and what was before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/ahead.h"
#include "trace/internal.h"
#include "trace/part.h"
#include "trace/part_lines.h"

/* ------------------------------------------------------------------------
 * Reading
 */

static void read_cut(struct lt_trace *t, const char *line, void *arg)
{
	(void)arg;
	t->part.have_cut |= lt_assigned(line, strlen(line), "cut", &t->part.cut);
}

static void read_until(struct lt_trace *t, const char *line, void *arg)
{
	(void)arg;
	t->part.have_until |= lt_assigned(line, strlen(line), "until", &t->part.until);
}

void lt_part_read(struct lt_trace *t)
{
	lt_part_each_line(t, 0, 0, read_cut, NULL);
	lt_part_each_line(t, lt_part_last(t), lt_part_last(t), read_until, NULL);
	if (t->part.have_cut && t->part.have_until && t->part.until < t->part.cut) {
		lt_trace_note(t, LT_NO_OFFSET, "PART: the part ends at %" PRIu64 ", before its begin "
			      "at %" PRIu64 "; its end is taken for not known", t->part.until,
			      t->part.cut);
		t->part.have_until = false;
	}
	t->carried = !t->part.have_cut;
}

static void read_mark(struct lt_trace *t, const char *line, void *arg)
{
	struct lt_part_mark m;
	struct lt_stream *s;

	(void)arg;
	if (lt_part_parse_stream(line, &m)) {
		s = lt_stream_get(t, m.channel, m.cpu);
		s->base.any = true;
		s->base.seq = m.seq;
		s->base.end = m.end;
	} else if (lt_part_parse_counts(t, line, &m)) {
		lt_stream_get(t, m.channel, m.cpu)->base.counts[m.class] = m.counts;
	}
}

static void read_lost(struct lt_trace *t, const char *line, void *arg)
{
	uint64_t to;
	enum lt_space space = lt_part_parse_lost(line, &to);

	(void)arg;
	if (space != LT_SPACE_NONE)
		lt_gap_before(t, space, lt_trace_ns(t, to));
}

static void read_gap(struct lt_trace *t, const char *line, void *arg)
{
	uint64_t from, to;

	(void)arg;
	if (!lt_part_parse_gap(line, &from, &to))
		return;
	for (unsigned int i = 1; i <= LT_N_CHANNELS; i++)
		lt_gap_unknown(t, i, LT_ANY_CPU, lt_trace_ns(t, from), lt_trace_ns(t, to));
}

static void read_unseen(struct lt_trace *t, const char *line, void *arg)
{
	struct lt_part_mark m;

	(void)arg;
	if (lt_part_parse_unseen(line, &m))
		lt_gap_unknown(t, m.channel, m.cpu, lt_trace_ns(t, m.end), UINT64_MAX);
}

/* The packet before the first one of the file. */
static void begin_stream(struct lt_stream *s)
{
	if (!s->base.any)
		return;
	s->started = true;
	s->prev_seq = s->base.seq;
	s->prev_end = s->base.end;
	memcpy(s->prev_counts, s->base.counts, sizeof(s->prev_counts));
	if (s->dir)
		return;
	s->latest_end = s->base.end;
	memcpy(s->latest, s->base.counts, sizeof(s->latest));
}

void lt_part_begin(struct lt_trace *t)
{
	if (t->part.have_cut) {
		lt_part_each_line(t, 0, 0, read_mark, NULL);
		for (size_t i = 0; i < t->n_streams; i++) {
			if (t->streams[i])
				begin_stream(t->streams[i]);
		}
		lt_trace_bounds(t, t->part.cut, t->part.cut);
		t->begin = lt_trace_ns(t, t->part.cut);
	}
	if (t->part.have_until) {
		lt_trace_bounds(t, t->part.until, t->part.until);
		t->end = lt_trace_ns(t, t->part.until);
		/* What follows a part that is not the last one shows it. */
		lt_part_each_line(t, lt_part_last(t), lt_part_last(t), read_unseen, NULL);
	}
	lt_part_each_line(t, 0, 0, read_lost, NULL);
	lt_part_each_line(t, 0, lt_part_last(t), read_gap, NULL);
}

void lt_trace_live_part(struct lt_trace *t)
{
	lt_part_read(t);
	lt_part_begin(t);
}

size_t lt_trace_n_known(const struct lt_trace *t)
{
	lt_trace_hold(t);
	return t->entities.tasks.used + lt_stacks_n(&t->stacks);
}

uint64_t lt_trace_cut(const struct lt_trace *t)
{
	return t->part.have_cut ? lt_trace_ns(t, t->part.cut) : 0;
}

bool lt_trace_before(const struct lt_trace *t, unsigned int channel, uint32_t cpu, uint64_t *seq,
		     struct lt_class_counts counts[LT_N_CLASSES])
{
	uint32_t number = lt_stream_number(channel, cpu);
	const struct lt_stream *s = number < t->n_streams ? t->streams[number] : NULL;

	if (!s || !s->base.any)
		return false;
	*seq = s->base.seq;
	memcpy(counts, s->base.counts, sizeof(s->base.counts));
	return true;
}

/* ------------------------------------------------------------------------
 * Writing
 */

uint64_t lt_trace_units(const struct lt_trace *t, uint64_t ns, uint64_t near)
{
	uint64_t low = near, high, step = 1;

	if (ns == UINT64_MAX || t->clock.identity)
		return ns;
	if (lt_clock_peek(&t->clock, low) >= ns)
		low = 0;
	/* The wanted number is above low, and at most high. */
	for (high = low; lt_clock_peek(&t->clock, high) < ns; step *= 2) {
		low = high;
		if (high > UINT64_MAX - 1 - step)
			return UINT64_MAX - 1;
		high += step;
	}
	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2;

		if (lt_clock_peek(&t->clock, mid) < ns)
			low = mid;
		else
			high = mid;
	}
	return high;
}

uint64_t lt_trace_cut_before(const struct lt_trace *t, uint64_t units)
{
	while (units && lt_clock_peek(&t->clock, units - 1) == lt_clock_peek(&t->clock, units))
		units--;
	return units;
}

const struct lt_packet *lt_trace_machine(const struct lt_trace *t)
{
	return t->dir.have_machine ? &t->dir.machine : NULL;
}

const struct lt_schema *lt_trace_schema(const struct lt_trace *t)
{
	return t->schema;
}

const struct lt_file *lt_trace_file(const struct lt_trace *t)
{
	return t->file;
}

struct lt_stack lt_trace_whole_stack(const struct lt_trace *t, uint32_t number)
{
	return lt_stacks_get(&t->stacks, number);
}

static void copy_set(struct lt_trace *t, const char *line, void *arg)
{
	struct lt_str *text = arg;

	(void)t;
	if (!text->n && !strncmp(line, "set=", 4))
		lt_str_add(text, "%s\n", line);
}

void lt_trace_describe_set(struct lt_str *text, const struct lt_trace *t)
{
	struct lt_str found = { .n = 0 };
	const char *session = lt_trace_info(t, "session"), *id;
	char boot[17] = "0000000000000000";
	uint64_t number = 0;
	size_t n = 0;

	/* Texts are loaded, which is no change of the trace. */
	lt_part_each_line((struct lt_trace *)(uintptr_t)t, 0, 0, copy_set, &found);
	if (found.n) {
		lt_str_add(text, "%s", found.s);
		free(found.s);
		return;
	}
	if (session)
		lt_number(session, 10, &number);
	for (id = lt_trace_info(t, "boot_id"); id && *id && n < 16; id++) {
		if (*id != '-')
			boot[n++] = *id;
	}
	lt_str_add(text, "set=%016" PRIx64 "%s\n", number, boot);
}

static void write_stream(struct lt_str *text, const struct lt_trace *t, const struct lt_stream *s,
			 const struct lt_mark *m)
{
	const char *channel = lt_channel_name(s->channel);

	lt_str_add(text, "stream=%s %u %" PRIu64 " %" PRIu64 "\n", channel, s->cpu, m->seq,
		   m->end);
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		const struct lt_class_counts *c = &m->counts[i];
		const uint64_t v[] = { c->seen, c->lost_full, c->lost_nmi, c->lost_nested,
				       c->lost_nobuf, c->filtered };

		if (c->seen || lt_lost(c) || c->filtered)
			lt_str_add(text, "counts=%s %u %s %" PRIu64 " %" PRIu64 " %" PRIu64
				   " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", channel, s->cpu,
				   t->schema->class_names[LT_CLASS(s->channel, i)],
				   v[0], v[1], v[2], v[3], v[4], v[5]);
	}
}

void lt_trace_describe_cut(struct lt_str *text, const struct lt_trace *t, uint64_t cut)
{
	for (size_t i = 0; i < t->n_streams; i++) {
		const struct lt_stream *s = t->streams[i];
		struct lt_mark m;

		if (!s || !s->started)
			continue;
		m = (struct lt_mark){ true, s->prev_seq, s->prev_end, { { 0 } } };
		memcpy(m.counts, s->prev_counts, sizeof(m.counts));
		/* What ends at the cut or behind it stands in the new part. */
		for (size_t k = 0; k < LT_MARKS && m.any && m.end >= cut; k++)
			m = s->before[k];
		if (m.any && m.end < cut)
			write_stream(text, t, s, &m);
	}
	for (int i = LT_SPACE_SLAB; i < LT_N_SPACES; i++) {
		if (t->gap.end[i])
			lt_str_add(text, "lost=%s %" PRIu64 "\n", lt_part_space((enum lt_space)i),
				   lt_trace_units(t, t->gap.end[i], cut));
	}
}

/* Lines to be written, of the gaps in a time. */
struct gap_lines {
	struct lt_str *text;
	uint64_t from;
	uint64_t until;
};

static void add_gap_line(struct lt_trace *t, const char *line, void *arg)
{
	const struct gap_lines *lines = arg;
	uint64_t from, to;

	(void)t;
	if (lt_part_parse_gap(line, &from, &to) && from < lines->until && to >= lines->from)
		lt_str_add(lines->text, "%s\n", line);
}

void lt_trace_describe_gaps(struct lt_str *text, const struct lt_trace *t, uint64_t from,
			    uint64_t until)
{
	struct gap_lines lines = { .text = text, .from = from, .until = until };

	/* Texts are loaded, which is no change of the trace. */
	lt_part_each_line((struct lt_trace *)(uintptr_t)t, 0, lt_part_last(t), add_gap_line,
			  &lines);
}

void lt_trace_describe_unseen(struct lt_str *text, const struct lt_trace *t, uint64_t until)
{
	uint64_t end = lt_trace_ns(t, until);

	for (size_t i = 0; i < t->gap.n; i++) {
		const struct lt_gap *gap = &t->gap.gaps[i];

		if (gap->end == UINT64_MAX && gap->begin < end && gap->cpu != LT_ANY_CPU)
			lt_str_add(text, "unseen=%s %u %" PRIu64 "\n",
				   lt_channel_name(gap->channel), gap->cpu,
				   lt_trace_units(t, gap->begin, 0));
	}
}
