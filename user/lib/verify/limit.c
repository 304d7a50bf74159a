// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification of a trace file that the recorder has ended at a limit of its size: what it left
 * out stands in the text STATS, and the sums must close with that.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "format/channel.h"
#include "verify/internal.h"

#define MAX_UNSEEN	4096	/* streams of which all packets were left out */

/* The stream, of which no packet need be there; NULL: it cannot be. */
static struct lt_check_stream *stream(struct lt_checker *c, unsigned int channel, uint32_t cpu)
{
	struct lt_verify_result *v = c->v;
	struct lt_check_stream *s;
	uint32_t number;

	if (!channel || cpu >= LT_MAX_CPU)
		return NULL;
	number = lt_stream_number(channel, cpu);
	if (number < v->n_streams && v->streams[number])
		return v->streams[number];
	if (c->unseen++ >= MAX_UNSEEN)
		return NULL;
	if (number >= v->n_streams)
		v->streams = lt_extend(v->streams, &v->n_streams, number + 1, sizeof(*v->streams));
	s = v->streams[number] = lt_alloc(sizeof(*s));
	s->channel = channel;
	s->cpu = cpu;
	return s;
}

const struct lt_check_stream *lt_check_limited(const struct lt_checker *c, unsigned int channel,
					       uint32_t cpu)
{
	uint32_t number = lt_stream_number(channel, cpu);

	if (cpu >= LT_MAX_CPU || number >= c->v->n_streams || !c->v->streams[number])
		return NULL;
	return c->v->streams[number]->left_out ? c->v->streams[number] : NULL;
}

/* "cpu N class NAME seen N …" */
static bool take_counts(struct lt_checker *c, const char *line)
{
	struct lt_check_stream *s;
	unsigned int cpu;
	uint64_t v[6];
	char name[32];

	if (sscanf(line, "cpu %u class %31s seen %" SCNu64 " lost_full %" SCNu64 " lost_nmi %"
		   SCNu64 " lost_nested %" SCNu64 " lost_nobuf %" SCNu64 " filtered %" SCNu64,
		   &cpu, name, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]) != 8)
		return false;
	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++) {
		if (strcmp(c->v->class_names[i], name))
			continue;
		s = stream(c, LT_CLASS_CHANNEL(i), cpu);
		if (s)
			s->left_out_counts[LT_CLASS_INDEX(i)] =
				(struct lt_class_counts){ v[0], v[1], v[2], v[3], v[4], v[5] };
		return s;
	}
	return false;
}

/* A line of the recorder. Return: false: it cannot be one. */
static bool take_line(struct lt_checker *c, const char *line)
{
	struct lt_check_stream *s;
	unsigned int cpu;
	uint64_t packets;
	char name[32];

	if (lt_line_left_out(line, strlen(line), &c->v->left_out))
		return true;
	if (sscanf(line, "left_out cpu %u %31s %" SCNu64, &cpu, name, &packets) != 3)
		return !strncmp(line, "left_out ", 9) && take_counts(c, line + 9);
	s = stream(c, lt_channel_of_stats_key(name), cpu);
	if (!s || s->left_out)
		return false;
	s->left_out = packets;
	return true;
}

void lt_check_limit(struct lt_checker *c, const char *stats)
{
	uint64_t packets = 0;
	char buf[512];

	while (lt_line_text(&stats, buf, sizeof(buf))) {
		if (strncmp(buf, "limited ", 8) && strncmp(buf, "left_out ", 9))
			continue;
		if (take_line(c, buf))
			continue;
		lt_check_fail(c, LT_CHECK_STATS);
		lt_check_note(c, LT_NO_OFFSET, "what a limit left out: this line of STATS cannot be: %s",
			      buf);
	}
	for (size_t i = 0; i < c->v->n_streams; i++) {
		const struct lt_check_stream *s = c->v->streams[i];

		if (!s)
			continue;
		packets = s->left_out > UINT64_MAX - packets ? UINT64_MAX : packets + s->left_out;
		if (!s->left_out || !s->last)
			continue;
		lt_check_fail(c, LT_CHECK_LAST);
		lt_check_note(c, LT_NO_OFFSET, "cpu %u%s: it has its last packet, and STATS says that "
			      "%" PRIu64 " packets behind it were left out", s->cpu,
			      lt_of_channel(s->channel), s->left_out);
	}
	if (packets == c->v->left_out.packets)
		return;
	lt_check_fail(c, LT_CHECK_STATS);
	lt_check_note(c, LT_NO_OFFSET, "STATS says that a limit left out %" PRIu64 " packets, and of "
		      "the streams %" PRIu64, c->v->left_out.packets, packets);
}
