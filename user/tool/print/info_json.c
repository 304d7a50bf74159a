// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace holds, as JSON.
 */
#include <string.h>

#include "base/text.h"
#include "forms/table.h"
#include "print/info.h"
#include "print/parts.h"
#include "print/snapshot.h"

uint64_t lt_info_deviation(const struct lt_trace *t)
{
	return lt_trace_unordered_until(t) ? UINT64_MAX : lt_clock_deviation(lt_trace_clock(t));
}

static void put_time(struct lt_json *j, const struct lt_times *times, const char *name,
		     uint64_t time)
{
	lt_json_s64(j, name, lt_times_ns(times, time));
}

static void put_info(struct lt_json *j, const struct lt_trace *t)
{
	const char *pos = lt_trace_text(t, LT_BLOCK_INFO, 0), *line;
	size_t len;

	lt_json_object(j, "info");
	while (pos && lt_line(&pos, &line, &len)) {
		const char *eq = memchr(line, '=', len);

		if (!eq)
			continue;
		lt_json_name(j, line, (size_t)(eq - line));
		lt_json_text(j, NULL, eq + 1, len - (size_t)(eq + 1 - line));
	}
	lt_json_end(j);
}

static void put_clock(struct lt_json *j, const struct lt_trace *t, const struct lt_times *times)
{
	const struct lt_clock *c = lt_trace_clock(t);
	uint64_t deviation = lt_info_deviation(t);
	struct lt_clock_change change = { 0 };

	lt_json_u64(j, "clock_readings", c->n_points);
	if (c->n_points)
		put_time(j, times, "clock_until_ns", c->points[c->n_points - 1].ns);
	else
		lt_json_null(j, "clock_until_ns");
	lt_json_u64_if(j, "clock_deviation_ns", deviation != UINT64_MAX, deviation);
	lt_json_array(j, "clock_changes");
	while (lt_clock_next_change(c, &change)) {
		lt_json_object(j, NULL);
		put_time(j, times, "after_ns", c->points[change.point - 1].ns);
		put_time(j, times, "before_ns", c->points[change.point].ns);
		lt_json_s64(j, "set_ns", change.set);
		lt_json_u64(j, "slept_ns", change.slept);
		lt_json_end(j);
	}
	lt_json_end(j);
}

static void put_streams(struct lt_json *j, const struct lt_trace *t, const struct lt_times *times)
{
	const struct lt_clock *c = lt_trace_clock(t);
	const struct lt_dir *dir = lt_trace_dir(t);

	lt_json_array(j, "streams");
	for (size_t i = 0; i < dir->n_streams; i++) {
		const struct lt_stream_dir *d = dir->streams[i];

		if (!d || !d->n)
			continue;
		lt_json_object(j, NULL);
		lt_json_u64(j, "cpu", d->cpu);
		lt_json_str(j, "channel", lt_channel_name(d->channel));
		lt_json_u64(j, "packets", d->n);
		put_time(j, times, "begin_ns", lt_clock_ns(c, d->refs[0].begin));
		put_time(j, times, "end_ns", lt_clock_ns(c, d->refs[d->n - 1].end));
		lt_json_end(j);
	}
	lt_json_end(j);
}

static void put_loss(struct lt_json *j, const struct lt_trace *t)
{
	lt_json_array(j, "classes");
	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++) {
		struct lt_class_counts c = lt_trace_counts(t, i);
		const char *name = lt_trace_class_name(t, i);

		if (!name)
			continue;
		lt_json_object(j, NULL);
		lt_json_str(j, "class", name);
		lt_json_u64(j, "seen", c.seen);
		lt_json_u64(j, "lost_full", c.lost_full);
		lt_json_u64(j, "lost_nmi", c.lost_nmi);
		lt_json_u64(j, "lost_nested", c.lost_nested);
		lt_json_u64(j, "lost_nobuf", c.lost_nobuf);
		lt_json_u64(j, "filtered", c.filtered);
		if (lt_trace_overwrites(t))
			lt_json_u64(j, "overwritten", lt_trace_overwritten(t, i));
		lt_json_end(j);
	}
	lt_json_end(j);
}

void lt_info_json(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times)
{
	struct lt_json j = LT_JSON_INIT(o);

	lt_json_object(&j, NULL);
	lt_json_str(&j, "file", lt_trace_path(t));
	lt_json_u64(&j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_u64(&j, "bytes", lt_trace_size(t));
	lt_json_u64(&j, "packets", lt_trace_dir(t)->packets);
	lt_json_u64(&j, "packet_bytes", lt_trace_dir(t)->packet_bytes);
	lt_json_bool(&j, "complete", !lt_trace_dir(t)->torn);
	put_time(&j, times, "begin_ns", lt_trace_begin(t));
	put_time(&j, times, "end_ns", lt_trace_end(t));
	lt_json_u64(&j, "clock_begin_ns", lt_trace_begin(t));
	if (lt_trace_overwrites(t))
		put_time(&j, times, "window_begin_ns", lt_trace_window_begin(t));
	lt_json_u64(&j, "begin_realtime_ns", lt_trace_realtime(t, lt_trace_begin(t)));
	put_clock(&j, t, times);
	lt_json_u64(&j, "left_out_packets", lt_trace_left_out(t).packets);
	lt_json_u64(&j, "left_out_bytes", lt_trace_left_out(t).bytes);
	lt_json_u64(&j, "max_size_bytes", lt_trace_left_out(t).max_size);
	put_info(&j, t);
	put_streams(&j, t, times);
	lt_info_events_json(&j, t);
	put_loss(&j, t);
	lt_parts_json(&j, t, times);
	lt_snapshot_json(&j, t, times);
	lt_json_line(&j);
}
