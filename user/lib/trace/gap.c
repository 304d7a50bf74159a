// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Gaps: where events are missing, by the loss counters and the numbers of successive
 * packets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/text.h"
#include "format/record.h"
#include "trace/counted.h"

#define MANY_GAPS	1024	/* are kept although they may be forgotten */

static void extend(struct lt_trace *t, enum lt_space space, size_t gap)
{
	struct lt_gap_state *g = &t->gap;

	if (g->gaps[gap].end <= g->end[space])
		return;
	g->end[space] = g->gaps[gap].end;
	if (g->forgets)
		return;
	g->latest[space] = lt_grow(g->latest[space], &g->cap_latest[space], g->n_latest[space],
				   sizeof(*g->latest[space]));
	g->latest[space][g->n_latest[space]++] = (struct lt_gap_effect){ t->now, gap };
}

/* A gap of a channel whose events are about objects of several spaces. */
static void extend_by_class(struct lt_trace *t, size_t index)
{
	const struct lt_gap *gap = &t->gap.gaps[index];
	const struct lt_channel *channel = lt_channel_get(gap->channel);
	bool all = true;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		if (gap->lost[i])
			all = false;
	}
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		unsigned int class = (unsigned int)LT_CLASS(gap->channel, i);

		if (gap->lost[i] && lt_class_id_name(class))
			extend(t, lt_class_space(class), index);
		else if (gap->lost[i])
			all = true;	/* the objects may be of any space */
	}
	for (int space = channel->space; all && space <= (int)channel->last_space; space++)
		extend(t, (enum lt_space)space, index);
}

static void take_effect(struct lt_trace *t, size_t index)
{
	const struct lt_channel *channel = lt_channel_get(t->gap.gaps[index].channel);

	extend(t, LT_SPACE_NONE, index);
	if (channel->lifetimes)
		extend_by_class(t, index);
	else
		extend(t, channel->space, index);
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
	g->next_begin = g->n_pending && !g->closed ? g->pending[0].begin : UINT64_MAX;
}

void lt_gap_close(struct lt_trace *t, uint64_t end)
{
	if (t->gap.closed)
		return;
	if (end > t->now)
		t->now = end;
	lt_gap_advance(t);
	t->gap.closed = true;
	t->gap.next_begin = UINT64_MAX;
}

void lt_gap_begin_pending(struct lt_trace *t)
{
	struct lt_gap_state *g = &t->gap;

	while (g->n_pending && t->now > g->pending[0].begin) {
		take_effect(t, g->pending[0].gap);
		pop_pending(g);
	}
	set_next(g);
}

static bool has_use(const struct lt_gap_state *g, size_t gap, bool pending)
{
	/* What a probe has missed is asked for at the end; there are few such gaps. */
	return pending || (g->takes && gap >= g->taken) || g->gaps[gap].cpu == LT_ANY_CPU;
}

/* Leaves out gaps that have no use any more; the others stay in their order. */
static void forget(struct lt_gap_state *g)
{
	size_t *to, n = 0, taken = 0;

	if (g->n < MANY_GAPS || g->n < g->forget_at)
		return;
	to = lt_alloc_array(g->n, sizeof(*to));
	for (size_t i = 0; i < g->n_pending; i++)
		to[g->pending[i].gap] = 1;
	for (size_t i = 0; i < g->n; i++) {
		if (!has_use(g, i, to[i]))
			continue;
		taken += i < g->taken;
		to[i] = n;
		g->gaps[n++] = g->gaps[i];
	}
	for (size_t i = 0; i < g->n_pending; i++)
		g->pending[i].gap = to[g->pending[i].gap];
	free(to);
	g->n = n;
	g->taken = taken;
	g->forget_at = 2 * n;
}

void lt_trace_forget_gaps(struct lt_trace *t)
{
	t->gap.forgets = true;
}

static void add_gap(struct lt_trace *t, const struct lt_gap *gap)
{
	struct lt_gap_state *g = &t->gap;

	if (g->forgets)
		forget(g);
	g->gaps = lt_grow(g->gaps, &g->cap, g->n, sizeof(*g->gaps));
	g->gaps[g->n] = *gap;
	g->found++;
	push_pending(g, g->n++);
	set_next(g);
}

void lt_gap_unknown(struct lt_trace *t, unsigned int channel, uint32_t cpu,
		    uint64_t begin, uint64_t end)
{
	struct lt_gap gap = { .begin = begin, .end = end, .cpu = cpu, .channel = channel };

	add_gap(t, &gap);
}

void lt_gap_before(struct lt_trace *t, enum lt_space space, uint64_t end)
{
	struct lt_gap_state *g = &t->gap;

	g->gaps = lt_grow(g->gaps, &g->cap, g->n, sizeof(*g->gaps));
	g->gaps[g->n] = (struct lt_gap){
		.end = end, .cpu = LT_ANY_CPU, .channel = lt_channel_of_space(space),
	};
	g->found++;
	extend(t, LT_SPACE_NONE, g->n);
	extend(t, space, g->n++);
}

/* Whether no packet is missing before @p, but for those whose gap is known. */
static bool follows(struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p)
{
	uint64_t begin, end;

	if (p->seq == (s->started ? s->prev_seq + 1 : 0))
		return true;
	/* It changes @s. */
	begin = s->started ? lt_trace_ns(t, s->prev_end) : 0;
	if (!lt_set_go_on(t, s, p, &end))
		return false;
	if (end)
		lt_gap_unknown(t, p->channel, p->cpu, begin, end);
	return true;
}

/*
 * Adds the gap before the end of packet @p, if events are missing; s->prev_* is the
 * previous packet. @end: where that gap ends if the packet itself is in doubt.
 *
 * Events are lost for lack of room or of a buffer only while no packet is open, and so
 * before the beginning of this packet, unless its flags say that this is not known. The other
 * losses may have happened within it.
 */
bool lt_gap_packet(struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p,
		   uint64_t end)
{
	struct lt_gap gap = { .cpu = p->cpu, .channel = p->channel };
	bool missing = !follows(t, s, p);
	bool lost = false, within = false, back = false;
	bool odd = !lt_stream_adds_up(t, s, p, missing);
	uint64_t sum = 0;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		struct lt_class_counts c = lt_packet_counts(p, i);
		const struct lt_class_counts *prev = &s->prev_counts[i];

		sum += lt_lost(&c);
		if (lt_counts_lower(&c, prev)) {
			back = true;
		} else {
			gap.lost[i] = lt_lost(&c) - lt_lost(prev);
			gap.nested += c.lost_nested - prev->lost_nested;
			lost |= gap.lost[i] != 0;
			within |= c.lost_nmi != prev->lost_nmi ||
				  c.lost_nested != prev->lost_nested ||
				  (gap.lost[i] && p->flags & LT_PACKET_WITHIN);
		}
		s->prev_counts[i] = c;
	}
	back |= sum != p->discarded;
	if (back)
		lt_trace_note(t, LT_NO_OFFSET, "packet %llu of cpu %u%s: its counters are lower "
			      "than before, or those of losses do not add up to 'discarded'; what "
			      "is missing there is not known",
			      (unsigned long long)p->seq, p->cpu, lt_of_channel(p->channel));
	odd |= back;
	if (!missing && !lost && !odd)
		return false;
	gap.begin = s->started ? lt_trace_ns(t, s->prev_end) : 0;
	gap.end = odd ? end : lt_trace_ns(t, within ? p->end : p->begin);
	if (missing || odd) {
		memset(gap.lost, 0, sizeof(gap.lost));
		gap.nested = 0;
	}
	if (missing && !odd && !within)
		lt_set_clip_gap(t, &gap.begin, &gap.end);
	add_gap(t, &gap);
	return odd;
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

/* The class of the events of a probe: of its name, or of the event that it records, too. */
static unsigned int class_of_probe(const struct lt_trace *t, const char *name)
{
	static const struct {
		const char *probe;
		const char *class;
	} others[] = {
		{ "kmalloc_nolock", "kmalloc" }, { "kfree_nolock", "kfree" },
		{ "page_contig", "page_bulk" }, { "page_isolate", "page_bulk" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(name, others[i].probe))
			name = others[i].class;
	}
	return class_of(t, name);
}

/* Adds a gap for hits of a probe that the kernel did not deliver: any time, any CPU. */
static void missed(struct lt_trace *t, const char *name, unsigned long long n)
{
	struct lt_gap gap = { .end = UINT64_MAX, .cpu = LT_ANY_CPU };
	unsigned int class = class_of_probe(t, name);
	const struct lt_channel *channel = lt_channel_get(LT_CLASS_CHANNEL(class));

	if (!n || class >= LT_MAX_CLASSES || !channel || !channel->lifetimes)
		return;
	gap.channel = LT_CLASS_CHANNEL(class);
	gap.lost[LT_CLASS_INDEX(class)] = n;
	add_gap(t, &gap);
}

/*
 * A stream that was ended in order, but the counters of the module are not those of its last
 * packet: one of them is wrong; what is missing, and where, is not known.
 */
static void contradict(struct lt_trace *t, const struct lt_stream *s, const char *line)
{
	if (t->gap.n >= LT_MAX_STREAMS)
		return;
	lt_trace_note(t, LT_NO_OFFSET, "STATS and the last packet of cpu %u%s differ: %s", s->cpu,
		      lt_of_channel(s->channel), line);
	lt_gap_unknown(t, s->channel, s->cpu, 0, UINT64_MAX);
}

/* The stream of a file whose last packet is there; NULL: there is none. */
static const struct lt_stream *ended(const struct lt_trace *t, unsigned int channel, uint32_t cpu)
{
	uint32_t number;

	if (cpu >= LT_MAX_CPU)
		return NULL;
	number = lt_stream_number(channel, cpu);
	if (number >= t->n_streams || !t->streams[number] || !t->streams[number]->ends)
		return NULL;
	return t->streams[number];
}

/*
 * A word from *@pos on, which goes on behind the space that follows. STATS of many CPUs have
 * thousands of lines.
 */
static bool take_word(const char **pos, char word[64])
{
	size_t len = strlen(*pos);

	return lt_word(pos, &len, word, 64);
}

static bool take_number(const char **pos, uint64_t *n)
{
	char word[64];

	return take_word(pos, word) && lt_number(word, 10, n);
}

/* "packets M" of a CPU, @pos being behind the word */
static void unseen_by_packets(struct lt_trace *t, const char *line, uint32_t cpu,
			      unsigned int channel, const char *pos)
{
	const struct lt_stream *s;
	uint64_t n;

	if (!channel || !take_number(&pos, &n))
		return;
	s = ended(t, channel, cpu);
	if (s && s->final + 1 != n)
		contradict(t, s, line);
	else if (n && !t->part.have_until)
		unseen(t, channel, cpu);
}

/* A part ends while a CPU loses events, which only its packets in the next part would show. */
static void lost_at_end(struct lt_trace *t, unsigned int class, uint32_t cpu,
			const struct lt_class_counts *c)
{
	unsigned int channel = LT_CLASS_CHANNEL(class);
	uint32_t number;
	struct lt_stream *s;

	if (cpu >= LT_MAX_CPU)
		return;
	number = lt_stream_number(channel, cpu);
	s = number < t->n_streams ? t->streams[number] : NULL;
	if (s && lt_lost(c) > lt_lost(&s->latest[LT_CLASS_INDEX(class)]))
		lt_gap_unknown(t, channel, cpu, lt_trace_ns(t, s->latest_end), UINT64_MAX);
	else if (!s && lt_lost(c))
		lt_gap_unknown(t, channel, cpu, 0, UINT64_MAX);
}

/* "NAME seen N lost_full N …" of a CPU */
static void unseen_by_class(struct lt_trace *t, const char *line, uint32_t cpu, const char *pos)
{
	static const char *const keys[] = {
		"seen", "lost_full", "lost_nmi", "lost_nested", "lost_nobuf", "filtered",
	};
	struct lt_class_counts c = { 0 };
	const struct lt_stream *s;
	char name[64], key[64];
	unsigned int class;
	uint64_t v[6];

	if (!take_word(&pos, name))
		return;
	for (unsigned int i = 0; i < 6; i++) {
		if (!take_word(&pos, key) || strcmp(key, keys[i]) || !take_number(&pos, &v[i]))
			return;
	}
	class = class_of(t, name);
	if (class >= LT_MAX_CLASSES)
		return;
	c = (struct lt_class_counts){ v[0], v[1], v[2], v[3], v[4], v[5] };
	if (t->part.have_until) {
		lost_at_end(t, class, cpu, &c);
		return;
	}
	s = ended(t, LT_CLASS_CHANNEL(class), cpu);
	if (s && memcmp(&c, &s->latest[LT_CLASS_INDEX(class)], sizeof(c)))
		contradict(t, s, line);
	else if (lt_lost(&c))
		unseen(t, LT_CLASS_CHANNEL(class), cpu);
}

/*
 * Losses that no packet shows: of a CPU whose packets the module has counted, but none of
 * them is in the file; of a CPU that lost every event for lack of a buffer; events that
 * did not reach the module; and what packets and counters contradict each other about.
 */
static void unseen_by_stats(struct lt_trace *t, const char *text)
{
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len)) {
		char buf[256], word[64];
		const char *pos = buf;
		uint64_t n;

		if (len >= sizeof(buf))
			continue;
		memcpy(buf, line, len);
		buf[len] = 0;
		if (!take_word(&pos, word))
			continue;
		if (!strcmp(word, "missed") && take_word(&pos, word) && take_number(&pos, &n))
			missed(t, word, n);
		if (strcmp(word, "cpu") || !take_number(&pos, &n) || n >= LT_MAX_CPU ||
		    !take_word(&pos, word))
			continue;
		if (!strcmp(word, "class"))
			unseen_by_class(t, buf, (uint32_t)n, pos);
		else
			unseen_by_packets(t, buf, (uint32_t)n, lt_channel_of_stats_key(word), pos);
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

const uint64_t *lt_trace_gap_table(const struct lt_trace *t)
{
	return t->gap.end;
}

void lt_trace_gap_ends(const struct lt_trace *t, uint64_t end[LT_N_MEMORY])
{
	memcpy(end, t->gap.end, LT_N_MEMORY * sizeof(*end));
}

const struct lt_gap *lt_trace_gap_over(const struct lt_trace *t, enum lt_space space,
				       uint64_t begin, uint64_t end)
{
	const struct lt_gap_effect *e = t->gap.latest[space];
	size_t low = lt_first_not(t->gap.n_latest[space], i, e[i].time <= end);

	/* A death may have been decided later than it happened. */
	if (low && t->gap.gaps[e[low - 1].gap].end > begin)
		return &t->gap.gaps[e[low - 1].gap];
	return low < t->gap.n_latest[space] ? &t->gap.gaps[e[low].gap] : NULL;
}

size_t lt_trace_gaps(const struct lt_trace *t, const struct lt_gap **gaps)
{
	*gaps = t->gap.gaps;
	return t->gap.n;
}

size_t lt_trace_new_gaps(struct lt_trace *t, const struct lt_gap **gaps)
{
	struct lt_gap_state *g = &t->gap;
	size_t n = g->n - g->taken;

	*gaps = n ? &g->gaps[g->taken] : NULL;
	g->takes = true;
	g->taken = g->n;
	return n;
}

uint64_t lt_trace_n_gaps(const struct lt_trace *t)
{
	return t->gap.found;
}
