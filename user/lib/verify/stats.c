// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification of a trace file: the module's own counters, in the text STATS, against those in
 * the packets.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "verify/internal.h"

static const struct lt_check_stream *find_stream(const struct lt_checker *c,
						 unsigned int channel, uint32_t cpu)
{
	uint32_t number = lt_stream_number(channel, cpu);

	if (cpu >= LT_MAX_CPU || number >= c->v->n_streams || !c->v->streams[number] ||
	    !c->v->streams[number]->present)
		return NULL;
	return c->v->streams[number];
}

static bool check_packets_made(struct lt_checker *c, unsigned int channel, uint32_t cpu,
			       unsigned long long packets)
{
	const struct lt_check_stream *s = find_stream(c, channel, cpu);
	const struct lt_check_stream *limited = lt_check_limited(c, channel, cpu);
	uint64_t left_out = limited ? limited->left_out : 0;

	char text[64] = "";

	if ((s ? s->prev_seq + 1 : 0) + left_out == packets)
		return true;
	if (left_out)
		snprintf(text, sizeof(text), ", and %" PRIu64 " were left out", left_out);
	lt_check_note(c, LT_NO_OFFSET, "cpu %u%s: the module made %llu packets, the file ends with "
		      "packet number %" PRId64 "%s", cpu, lt_of_channel(channel), packets,
		      s ? (int64_t)s->prev_seq : -1, text);
	return false;
}

/* The last counts of a stream: those of its last packet, and what was left out behind it. */
static struct lt_class_counts last_counts(const struct lt_checker *c, unsigned int class,
					  uint32_t cpu)
{
	const struct lt_check_stream *s = find_stream(c, LT_CLASS_CHANNEL(class), cpu);
	const struct lt_check_stream *limited = lt_check_limited(c, LT_CLASS_CHANNEL(class), cpu);
	struct lt_class_counts sum = { 0 };

	if (s)
		sum = s->counts[LT_CLASS_INDEX(class)];
	if (limited)
		lt_add_counts(&sum, &limited->left_out_counts[LT_CLASS_INDEX(class)]);
	return sum;
}

static bool check_class_counts(struct lt_checker *c, uint32_t cpu, const char *name,
			       const struct lt_class_counts *a)
{
	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++) {
		struct lt_class_counts b;

		if (strcmp(c->v->class_names[i], name))
			continue;
		b = last_counts(c, i, cpu);
		if (!memcmp(a, &b, sizeof(b)))
			return true;
		lt_check_note(c, LT_NO_OFFSET, "cpu %u, %s: the module counted %" PRIu64 " seen, %"
			      PRIu64 " lost, the last packet says %" PRIu64 " seen, %" PRIu64
			      " lost", cpu, name, (uint64_t)a->seen, lt_lost(a), (uint64_t)b.seen,
			      lt_lost(&b));
		return false;
	}
	return true;
}

uint64_t lt_check_seen(const struct lt_checker *c, unsigned int class)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->v->n_streams; i++) {
		const struct lt_check_stream *s = c->v->streams[i];

		if (s && s->channel == LT_CLASS_CHANNEL(class))
			sum += last_counts(c, class, s->cpu).seen;
	}
	return sum;
}

/*
 * Each system call that began, or whose end came without a begin, has returned or has not. Calls
 * may begin on one CPU and end on another, so the sum is that of all.
 */
static bool check_calls(struct lt_checker *c, const uint64_t v[5])
{
	uint64_t returned = lt_check_seen(c, LT_CLASS_SYS);
	uint64_t open = lt_check_seen(c, LT_CLASS_SYS_OPEN);

	if (v[0] + v[1] + v[4] == returned + open + v[3])
		return true;
	lt_check_note(c, LT_NO_OFFSET, "system calls: %" PRIu64 " entered, %" PRIu64 " without a begin "
		      "and %" PRIu64 " left out, but %" PRIu64 " returned, %" PRIu64 " did not, %"
		      PRIu64 " of lost places", v[0], v[1], v[4], returned, open, v[3]);
	return false;
}

/* Compares one line of STATS. Return: false: it differs from the packets. */
static bool check_stats_line(struct lt_checker *c, const char *line, uint64_t *compared)
{
	unsigned long long packets;
	struct lt_class_counts a;
	uint64_t v[6];
	unsigned int cpu, channel;
	char name[32];

	channel = sscanf(line, "cpu %u %31s %llu", &cpu, name, &packets) == 3 ?
		  lt_channel_of_stats_key(name) : 0;
	if (channel) {
		(*compared)++;
		return check_packets_made(c, channel, cpu, packets);
	}
	v[4] = 0;	/* there was no filter at first */
	if (sscanf(line, "syscalls entered %" SCNu64 " unentered %" SCNu64 " unslotted %" SCNu64
		   " lost_slot %" SCNu64 " dropped %" SCNu64,
		   &v[0], &v[1], &v[2], &v[3], &v[4]) >= 4) {
		(*compared)++;
		return check_calls(c, v);
	}
	if (sscanf(line, "cpu %u class %31s seen %" SCNu64 " lost_full %" SCNu64 " lost_nmi %"
		   SCNu64 " lost_nested %" SCNu64 " lost_nobuf %" SCNu64 " filtered %" SCNu64,
		   &cpu, name, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]) != 8)
		return true;
	a = (struct lt_class_counts){ v[0], v[1], v[2], v[3], v[4], v[5] };
	(*compared)++;
	return check_class_counts(c, cpu, name, &a);
}

/*
 * Hits that the kernel left out reached no probe: they are in no other sum. The lines "missed"
 * of @stats are kept.
 */
static void check_missed(struct lt_checker *c, const char *stats)
{
	struct lt_str missed = { .n = 0 };
	const char *line;
	size_t len;

	while (lt_line(&stats, &line, &len)) {
		char buf[128], name[64];
		uint64_t n;

		if (len < 7 || memcmp(line, "missed ", 7))
			continue;
		snprintf(buf, sizeof(buf), "%.*s", (int)(len < 120 ? len : 120), line);
		lt_str_add(&missed, "%s\n", buf);
		if (sscanf(buf, "missed %63s %" SCNu64, name, &n) != 2 || !n)
			continue;
		lt_check_fail(c, LT_CHECK_CONSERVATION);
		c->missed_probes++;
		c->missed_hits += n;
	}
	c->v->missed = missed.s;
}

/* The latest end of the packets that are marked as the last of their streams; 0: there are none. */
static uint64_t latest_end(const struct lt_checker *c)
{
	uint64_t end = 0;

	for (size_t i = 0; i < c->v->n_streams; i++) {
		const struct lt_check_stream *s = c->v->streams[i];

		if (s && s->last && s->prev_end > end)
			end = s->prev_end;
	}
	return end;
}

static void bad_stop(struct lt_checker *c, const struct lt_text_ref *ref, const char *what,
		     uint64_t expected, uint64_t found)
{
	lt_check_fail(c, LT_CHECK_STATS);
	lt_check_note(c, ref->offset, "STATS: 'stopped', up to which the trace is complete: expected %s %"
		      PRIu64 ", found %" PRIu64, what, expected, found);
}

/* Each copy of the counters has the same time, and the last packets are closed behind it. */
static void check_stopped(struct lt_checker *c)
{
	uint64_t first = 0, end = latest_end(c), clock;

	for (size_t i = 0; i < c->dir.n_texts; i++) {
		const struct lt_text_ref *ref = &c->dir.texts[i];
		char *text = ref->type == LT_BLOCK_STATS ? lt_check_load_text(c, ref) : NULL;

		if (text && lt_stats_stopped(text, &clock)) {
			if (first && clock != first)
				bad_stop(c, ref, "that of the STATS before,", first, clock);
			else if (end && clock > end)
				bad_stop(c, ref, "no later than the last packets,", end, clock);
			first = first ? first : clock;
		}
		free(text);
	}
}

/* Names what is missing for want of an id or a place. It is counted, so nothing fails. */
static void name_incomplete(struct lt_checker *c, const char *stats)
{
	unsigned int i = 0;
	char buf[160];

	while (lt_stats_incomplete(stats, &i, buf, sizeof(buf)))
		lt_check_note(c, LT_NO_OFFSET, "incomplete: %s", buf);
}

void lt_check_stats(struct lt_checker *c)
{
	char *stats = lt_check_read_text(c, LT_BLOCK_STATS);
	uint64_t compared = 0;
	const char *pos = stats, *line;
	size_t len;

	if (!stats && !c->v->packets) {
		lt_check_fail(c, LT_CHECK_STATS);
		lt_check_say(c, LT_CHECK_STATS, "neither these counters nor a packet is in the file: "
			     "nothing shows what was recorded");
		return;
	}
	if (!stats) {
		c->v->checks[LT_CHECK_STATS].absent = true;
		lt_check_say(c, LT_CHECK_STATS, "not in the file: only the packets' own counters "
			     "are checked");
		return;
	}
	lt_check_limit(c, stats);
	while (lt_line(&pos, &line, &len)) {
		char buf[512];

		snprintf(buf, sizeof(buf), "%.*s", (int)(len < 500 ? len : 500), line);
		if (!check_stats_line(c, buf, &compared))
			lt_check_fail(c, LT_CHECK_STATS);
	}
	check_missed(c, stats);
	check_stopped(c);
	name_incomplete(c, stats);
	free(stats);
	if (!compared) {
		c->v->checks[LT_CHECK_STATS].absent = true;
		lt_check_say(c, LT_CHECK_STATS, "no CPU's counters are in it: only the packets' "
			     "own counters are checked");
		return;
	}
	lt_check_say(c, LT_CHECK_STATS, "%" PRIu64 " lines of the module's own counters compared "
		     "with the last packets, %" PRIu64 " differ", compared,
		     c->v->checks[LT_CHECK_STATS].failures);
}
