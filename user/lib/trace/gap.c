// SPDX-License-Identifier: GPL-2.0
/*
 * Gaps: where events are missing, by the loss counters and the numbers of successive
 * packets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/text.h"
#include "trace/internal.h"

static void extend(struct lt_gap_state *g, enum lt_space space, uint64_t end)
{
	if (end > g->end[space])
		g->end[space] = end;
}

/* A gap of a channel whose events are about objects of several spaces. */
static void extend_by_class(struct lt_gap_state *g, const struct lt_gap *gap)
{
	bool all = true;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		if (gap->lost[i])
			all = false;
	}
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		unsigned int class = (unsigned int)LT_CLASS(gap->channel, i);

		if (gap->lost[i] && lt_class_id_name(class))
			extend(g, lt_class_space(class), gap->end);
		else if (gap->lost[i])
			all = true;	/* the objects may be of any space */
	}
	if (all) {
		extend(g, LT_SPACE_SLAB, gap->end);
		extend(g, LT_SPACE_PAGE, gap->end);
	}
}

static void take_effect(struct lt_gap_state *g, const struct lt_gap *gap)
{
	const struct lt_channel *channel = lt_channel_get(gap->channel);

	extend(g, LT_SPACE_NONE, gap->end);
	if (channel->lifetimes)
		extend_by_class(g, gap);
	else
		extend(g, channel->space, gap->end);
}

/* The gaps that have not begun are a heap, with the one that begins next at its top. */
static bool begins_before(const void *x, const void *y, const void *arg)
{
	const struct lt_gap_pending *a = x, *b = y;

	(void)arg;
	return a->begin < b->begin;
}

static void push_pending(struct lt_gap_state *g, size_t gap)
{
	g->pending = lt_grow(g->pending, &g->cap_pending, g->n_pending, sizeof(*g->pending));
	g->pending[g->n_pending] = (struct lt_gap_pending){ g->gaps[gap].begin, gap };
	lt_heap_up(g->pending, sizeof(*g->pending), g->n_pending++, begins_before, NULL);
}

static void pop_pending(struct lt_gap_state *g)
{
	g->pending[0] = g->pending[--g->n_pending];
	if (g->n_pending)
		lt_heap_down(g->pending, g->n_pending, sizeof(*g->pending), 0, begins_before, NULL);
}

static void set_next(struct lt_gap_state *g)
{
	g->next_begin = g->n_pending ? g->pending[0].begin : UINT64_MAX;
}

void lt_gap_begin_pending(struct lt_trace *t)
{
	struct lt_gap_state *g = &t->gap;

	while (g->n_pending && t->now > g->pending[0].begin) {
		take_effect(g, &g->gaps[g->pending[0].gap]);
		pop_pending(g);
	}
	set_next(g);
}

static void add_gap(struct lt_trace *t, const struct lt_gap *gap)
{
	struct lt_gap_state *g = &t->gap;

	g->gaps = lt_grow(g->gaps, &g->cap, g->n, sizeof(*g->gaps));
	g->gaps[g->n] = *gap;
	push_pending(g, g->n++);
	set_next(g);
}

void lt_gap_unknown(struct lt_trace *t, unsigned int channel, uint32_t cpu,
		    uint64_t begin, uint64_t end)
{
	struct lt_gap gap = { .begin = begin, .end = end, .cpu = cpu, .channel = channel };

	add_gap(t, &gap);
}

/*
 * Adds the gap before the end of packet @p, if events are missing; s->prev_* is the
 * previous packet.
 *
 * Events are lost for lack of room or of a buffer only while no packet is open, and so
 * before the beginning of this packet. The other losses may have happened within it.
 */
void lt_gap_packet(struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p)
{
	struct lt_gap gap = { .cpu = p->cpu, .channel = p->channel };
	bool missing = p->seq != (s->started ? s->prev_seq + 1 : 0);
	bool lost = false, within = false, back = false;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		struct lt_class_counts c = lt_packet_counts(p, i);
		const struct lt_class_counts *prev = &s->prev_counts[i];

		if (c.lost_full < prev->lost_full || c.lost_nmi < prev->lost_nmi ||
		    c.lost_nested < prev->lost_nested || c.lost_nobuf < prev->lost_nobuf) {
			back = true;
		} else {
			gap.lost[i] = lt_lost(&c) - lt_lost(prev);
			lost |= gap.lost[i] != 0;
			within |= c.lost_nmi != prev->lost_nmi ||
				  c.lost_nested != prev->lost_nested;
		}
		s->prev_counts[i] = c;
	}
	if (back)
		lt_trace_note(t, LT_NO_OFFSET, "packet %llu of cpu %u%s: its loss counters are "
			      "lower than before; what is missing there is not known",
			      (unsigned long long)p->seq, p->cpu, lt_of_channel(p->channel));
	if (!missing && !lost && !back)
		return;
	gap.begin = s->started ? lt_trace_ns(t, s->prev_end) : 0;
	gap.end = lt_trace_ns(t, within || back ? p->end : p->begin);
	if (missing || back)
		memset(gap.lost, 0, sizeof(gap.lost));
	add_gap(t, &gap);
}

/* Adds a gap if the trace has no packet of the stream. */
static void unseen(struct lt_trace *t, unsigned int channel, uint32_t cpu)
{
	uint32_t number;

	if (cpu >= LT_MAX_CPU || t->gap.n >= LT_MAX_STREAMS)
		return;
	number = lt_stream_number(channel, cpu);
	if (number >= t->n_streams || !t->streams[number])
		lt_gap_unknown(t, channel, cpu, 0, UINT64_MAX);
}

/* A class by its name in the schema; LT_MAX_CLASSES: there is none. */
static unsigned int class_of(const struct lt_trace *t, const char *name)
{
	unsigned int class = 0;

	while (class < LT_MAX_CLASSES && strcmp(t->schema->class_names[class], name))
		class++;
	return class;
}

/* Adds a gap for hits of a probe that the kernel did not deliver: any time, any CPU. */
static void missed(struct lt_trace *t, const char *name, unsigned long long n)
{
	struct lt_gap gap = { .end = UINT64_MAX, .cpu = LT_ANY_CPU };
	unsigned int class = class_of(t, name);
	const struct lt_channel *channel = lt_channel_get(LT_CLASS_CHANNEL(class));

	if (!n || class >= LT_MAX_CLASSES || !channel || !channel->lifetimes)
		return;
	gap.channel = LT_CLASS_CHANNEL(class);
	gap.lost[LT_CLASS_INDEX(class)] = n;
	add_gap(t, &gap);
}

/*
 * Losses that no packet shows: of a CPU whose packets the module has counted, but none of
 * them is in the file; of a CPU that lost every event for lack of a buffer; and events that
 * did not reach the module.
 */
static void unseen_by_stats(struct lt_trace *t, const char *text)
{
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len)) {
		unsigned long long n, lost[4];
		char buf[256], name[64];
		unsigned int cpu, class, channel;

		if (len >= sizeof(buf))
			continue;
		memcpy(buf, line, len);
		buf[len] = 0;
		if (sscanf(buf, "cpu %u %63s %llu", &cpu, name, &n) == 3 && n) {
			channel = lt_channel_of_stats_key(name);
			if (channel)
				unseen(t, channel, cpu);
		}
		if (sscanf(buf, "cpu %u class %63s seen %*u lost_full %llu lost_nmi %llu "
			   "lost_nested %llu lost_nobuf %llu", &cpu, name, &lost[0], &lost[1],
			   &lost[2], &lost[3]) == 6 && (lost[0] | lost[1] | lost[2] | lost[3])) {
			class = class_of(t, name);
			if (class < LT_MAX_CLASSES)
				unseen(t, LT_CLASS_CHANNEL(class), cpu);
		}
		if (sscanf(buf, "missed %63s %llu", name, &n) == 2)
			missed(t, name, n);
	}
}

/*
 * A torn file has no counters. The CPUs of which it has no packet may have lost events;
 * @list names the CPUs that were online, such as "0-3,5".
 */
static void unseen_by_list(struct lt_trace *t, const char *list, const bool *recorded)
{
	while (list && *list) {
		unsigned int first, last;
		int used = 0;

		if (sscanf(list, "%u%n", &first, &used) != 1)
			return;
		list += used;
		last = first;
		if (*list == '-' && sscanf(list, "-%u%n", &last, &used) == 1)
			list += used;
		for (unsigned int cpu = first;
		     cpu <= last && cpu < LT_MAX_CPU && t->gap.n < LT_MAX_STREAMS; cpu++) {
			for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
				if (recorded[channel])
					unseen(t, channel, cpu);
			}
		}
		if (*list != ',')
			return;
		list++;
	}
}

void lt_gap_unseen_cpus(struct lt_trace *t)
{
	const char *stats = lt_trace_stats(t);
	bool recorded[LT_N_CHANNELS + 1];

	for (unsigned int i = 1; i <= LT_N_CHANNELS; i++)
		recorded[i] = lt_channel_get(i)->required || lt_trace_has_channel(t, i);
	if (stats)
		unseen_by_stats(t, stats);
	else if (t->dir.torn)
		unseen_by_list(t, lt_trace_info(t, "cpus_online"), recorded);
}

uint64_t lt_trace_gap_end(const struct lt_trace *t, enum lt_space space)
{
	return t->gap.end[space];
}

size_t lt_trace_gaps(const struct lt_trace *t, const struct lt_gap **gaps)
{
	*gaps = t->gap.gaps;
	return t->gap.n;
}
