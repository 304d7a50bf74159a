// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events that are in no packet of a trace because their packets were overwritten: those
 * before the first packet that is left of each stream. Its header counts all events until its
 * end; those that are neither in it nor lost or left out were in the packets before.
 */
#include "base/mem.h"
#include "format/record.h"
#include "trace/internal.h"

static void add_stream(struct lt_trace *t, struct lt_stream *s)
{
	uint64_t n[LT_N_CLASSES] = { 0 };
	struct lt_packet p;
	struct lt_why why;

	if (!s->dir->refs[0].seq ||
	    lt_dir_load(&t->dir, t->file, s->dir, &s->dir->refs[0], &s->buf, &t->packed, &p,
			&why) ||
	    !lt_packet_tally(&p, t->schema, n))
		return;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		struct lt_class_counts c = lt_packet_counts(&p, i);
		uint64_t written = c.seen - lt_lost(&c) - c.filtered;

		if (written > n[i])
			t->overwritten[LT_CLASS(s->channel, i)] += written - n[i];
	}
}

void lt_trace_find_overwritten(struct lt_trace *t)
{
	if (!t->flight)
		return;
	t->overwritten = lt_alloc_array(LT_MAX_CLASSES, sizeof(*t->overwritten));
	for (size_t i = 0; i < t->n_streams; i++) {
		if (t->streams[i] && t->streams[i]->dir)
			add_stream(t, t->streams[i]);
	}
}

bool lt_trace_overwrites(const struct lt_trace *t)
{
	return t->flight;
}

uint64_t lt_trace_overwritten(const struct lt_trace *t, unsigned int class)
{
	return t->overwritten && class < LT_MAX_CLASSES ? t->overwritten[class] : 0;
}

uint64_t lt_trace_window_begin(const struct lt_trace *t)
{
	uint64_t begin = t->begin;

	for (size_t i = 0; t->flight && i < t->n_streams; i++) {
		const struct lt_stream *s = t->streams[i];
		uint64_t first;

		if (!s || !s->dir || !s->dir->refs[0].seq)
			continue;
		first = lt_trace_ns(t, s->dir->refs[0].begin);
		begin = first > begin ? first : begin;
	}
	return begin;
}
