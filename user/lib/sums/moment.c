// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Moments of a trace, as people name them.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/text.h"
#include "logs/logs.h"
#include "sums/marker.h"
#include "sums/moment.h"

void lt_moments_init(struct lt_moments *m, const struct lt_trace *t, const char *path)
{
	const struct lt_clock *clock = lt_trace_clock(t);
	const struct lt_dir *dir = lt_trace_dir(t);

	*m = (struct lt_moments){
		.path = path, .name = lt_file_name(path), .begin = lt_trace_begin(t),
		.end = lt_trace_end(t),
	};
	if (m->end < m->begin)
		m->end = m->begin;
	m->last = m->end;
	for (size_t i = 0; i < dir->n_streams; i++) {
		const struct lt_stream_dir *d = dir->streams[i];
		uint64_t last = d && d->n ? lt_clock_ns(clock, d->refs[d->n - 1].end) : 0;

		if (last > m->last)
			m->last = last;
	}
	if (lt_clock_has_wall(clock) && !lt_when_init(&m->wall, clock, NULL, LT_LOG_REAL, 0))
		m->wall_begin = lt_clock_realtime(clock, m->begin);
}

void lt_moments_destroy(struct lt_moments *m)
{
	lt_when_destroy(&m->wall);
}

static bool is_within(const struct lt_moments *m, uint64_t time)
{
	return time >= m->begin && time <= m->last;
}

/* "2026-11-30T10:03:21Z" */
static const char *wall_text(uint64_t ns, char buf[32])
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
		strcpy(buf, "?");
	return buf;
}

/* How many moments of the trace a time by the wall clock is, the first of which is @time. */
static unsigned int find(const struct lt_moments *m, const struct lt_log_line *wall, uint64_t *time)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < wall->n_times; i++) {
		struct lt_span spans[LT_SPANS];
		unsigned int n = lt_when_spans(&m->wall, wall->times[i], wall->times[i], spans);

		for (unsigned int at = 0; at < n && at < LT_SPANS; at++) {
			if (!is_within(m, spans[at].from))
				continue;
			if (!found || spans[at].from < *time)
				*time = spans[at].from;
			found++;
		}
	}
	return found;
}

static bool from_wall(const struct lt_moments *m, const char *option, const char *text,
		      const struct lt_log_line *wall, uint64_t *time)
{
	unsigned int found;
	char begin[32];

	if (!m->wall_begin) {
		lt_error("%s: --%s: '%s' is a time by the wall clock, of which the trace has no reading",
			 m->name, option, text);
		return false;
	}
	found = find(m, wall, time);
	if (!found)
		lt_error("%s: --%s: '%s' is not within the trace, which is %.6f seconds long and begins at %s",
			 m->name, option, text, (double)(m->end - m->begin) / 1e9,
			 wall_text(m->wall_begin, begin));
	if (found > 1)
		lt_error("%s: --%s: '%s' is more than one moment of the trace, which begins at %s; give the date and the zone, or '@TIME' if the clock was set",
			 m->name, option, text, wall_text(m->wall_begin, begin));
	return found == 1;
}

bool lt_moments_parse(const struct lt_moments *m, const char *option, const char *text,
		      uint64_t *time)
{
	bool minus = *text == '-', clock = *text == '@', ok;
	uint64_t length = m->end - m->begin, ns;
	struct lt_log_line wall;

	if (!strncmp(text, "marker:", 7))
		return lt_marker_time(m->path, option, text + 7, time);
	if (lt_log_time(text, m->wall_begin, m->wall_begin + length, &wall))
		return from_wall(m, option, text, &wall, time);
	if (!lt_parse_duration(text + (minus || clock), &ns)) {
		lt_error("--%s: expected a time such as 2.5 or 500ms after the beginning, -5s before "
			 "the end, @TIME on the trace's clock, 10:03:21 or 2026-11-30T10:03:21Z by the "
			 "wall clock, or marker:TEXT, found '%s'", option, text);
		return false;
	}
	/* The last 30 s of a trace of 10 s are all of it. */
	if (minus && ns > length && !strcmp(option, "from"))
		ns = length;
	*time = clock ? ns : minus ? m->end - ns : m->begin + ns;
	ok = minus ? ns <= length : is_within(m, *time);
	if (!ok)
		lt_error("%s: --%s: '%s' is not within the trace, which is %.6f seconds long and "
			 "begins at @%.6f", m->name, option, text, (double)length / 1e9,
			 (double)m->begin / 1e9);
	return ok;
}

int lt_moment_of(const struct lt_trace *t, const char *path, const char *option, const char *text,
		 uint64_t *time)
{
	struct lt_moments m;
	bool good;

	lt_moments_init(&m, t, path);
	good = lt_moments_parse(&m, option, text, time);
	lt_moments_destroy(&m);
	return good ? 0 : -1;
}

int lt_moment(const char *path, const char *option, const char *text, uint64_t *time)
{
	struct lt_trace *t = lt_trace_open(path);
	int err;

	if (!t)
		return -1;
	err = lt_moment_of(t, path, option, text, time);
	lt_trace_close(t);
	return err;
}
