// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parts of a recording that are not among the files: the gap that packets of a stream make which
 * stood in them.
 */
#include <string.h>

#include "trace/internal.h"
#include "trace/part_lines.h"

void lt_set_clip_gap(const struct lt_trace *t, uint64_t *begin, uint64_t *end)
{
	uint64_t first = UINT64_MAX, last = 0;

	/* What is missing may have stood in a file that is damaged. */
	if (!t->n_missing || t->damaged)
		return;
	for (size_t i = 0; i < t->n_missing; i++) {
		const struct lt_missing *m = &t->missing[i];

		if (m->from >= *end || m->to <= *begin)
			continue;
		first = m->from < first ? m->from : first;
		last = m->to > last ? m->to : last;
	}
	if (first > last)
		return;
	*begin = first > *begin ? first : *begin;
	*end = last < *end ? last : *end;
}

/* The latest missing parts before the end of a packet; NULL: there are none. */
static const struct lt_missing *missing_by(const struct lt_trace *t, uint64_t units)
{
	for (size_t i = t->n_missing; i--;) {
		if (t->dir.parts[t->missing[i].part].cut <= units)
			return &t->missing[i];
	}
	return NULL;
}

/* What a part says of the packet of a stream before its first one. */
struct base {
	const struct lt_stream *s;
	struct lt_mark mark;
};

static void read_base(struct lt_trace *t, const char *line, void *arg)
{
	struct base *b = arg;
	struct lt_part_mark m;

	if (lt_part_parse_stream(line, &m)) {
		if (m.channel != b->s->channel || m.cpu != b->s->cpu)
			return;
		b->mark.any = true;
		b->mark.seq = m.seq;
		b->mark.end = m.end;
	} else if (lt_part_parse_counts(t, line, &m)) {
		if (m.channel == b->s->channel && m.cpu == b->s->cpu)
			b->mark.counts[m.class] = m.counts;
	}
}

bool lt_set_go_on(struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p, uint64_t *end)
{
	const struct lt_missing *m = missing_by(t, p->end);
	struct base b = { .s = s };

	if (!m)
		return false;
	lt_part_each_line(t, m->part, m->part, read_base, &b);
	if (!b.mark.any || b.mark.seq + 1 != p->seq || (s->started && b.mark.seq <= s->prev_seq))
		return false;
	/* Some of the packets may have stood in a file that is damaged. */
	*end = t->damaged ? m->to : 0;
	s->started = true;
	s->prev_seq = b.mark.seq;
	s->prev_end = b.mark.end;
	memcpy(s->prev_counts, b.mark.counts, sizeof(s->prev_counts));
	return true;
}
