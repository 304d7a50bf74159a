// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace holds, as text for people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/units.h"
#include "print/class_table.h"
#include "print/info.h"
#include "print/parts.h"
#include "print/snapshot.h"

static const char *info(const struct lt_trace *t, const char *key)
{
	const char *value = lt_trace_info(t, key);

	return value ? value : "?";
}

static void row(struct lt_out *o, const char *name, const char *value)
{
	size_t len = strlen(name);

	lt_out_str(o, "  ");
	lt_out_str(o, name);
	while (len++ < 18)
		lt_out_char(o, ' ');
	lt_out_text(o, value, strlen(value));
	lt_out_char(o, '\n');
}

/* "+3600.000000001" */
static const char *signed_seconds(int64_t ns, char *buf, size_t size)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	snprintf(buf, size, "%c%" PRIu64 ".%06" PRIu64 " s", ns < 0 ? '-' : '+', n / 1000000000,
		 n % 1000000000 / 1000);
	return buf;
}

/* When and why the module stopped to read the CPU's counter. */
static void text_left_counter(struct lt_out *o, const struct lt_trace *t,
			      const struct lt_times *times)
{
	const char *stats = lt_trace_text(t, LT_BLOCK_STATS, SIZE_MAX);
	char text[192], why[32], at[LT_TIME_TEXT];
	uint64_t when;

	if (!stats || !lt_clock_left(stats, &when, why))
		return;
	lt_times_text(times, lt_clock_ns(lt_trace_clock(t), when), 6, at);
	snprintf(text, sizeof(text), "%s, at %s%s", why, at, lt_trace_unordered_until(t) ?
		 "; times of different CPUs before that may be apart" : "");
	row(o, "counter given up", text);
}

/* A clock of the kernel went forward by @ns between reading @point and the one before. */
static void text_step(struct lt_out *o, const struct lt_times *times, const struct lt_clock *c,
		      size_t point, const char *what, int64_t ns)
{
	char buf[256], number[64], from[LT_TIME_TEXT], to[LT_TIME_TEXT];

	signed_seconds(ns, number, sizeof(number));
	snprintf(buf, sizeof(buf), "%s, between %s and %s", number,
		 lt_times_text(times, c->points[point - 1].ns, 6, from),
		 lt_times_text(times, c->points[point].ns, 6, to));
	row(o, what, buf);
}

/* How exact times are, and where wall-clock time has a step. */
static void text_clock(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times)
{
	const struct lt_clock *c = lt_trace_clock(t);
	uint64_t deviation = lt_info_deviation(t), end = lt_trace_end(t), behind;
	struct lt_clock_change change = { 0 };
	char buf[192], number[64];

	/* A file that is cut off has times of which nothing says how fast the counter was. */
	behind = c->counter && c->n_points && end > c->points[c->n_points - 1].ns ?
		end - c->points[c->n_points - 1].ns : 0;
	if (c->counter && deviation != UINT64_MAX)
		snprintf(buf, sizeof(buf), "%zu; times are within %" PRIu64 " ns of the monotonic "
			 "clock%s%s%s", c->n_points, deviation,
			 behind ? ", but for those of the " : "",
			 behind ? lt_human_ns(behind, number, sizeof(number)) : "",
			 behind ? " behind the last one" : "");
	else
		snprintf(buf, sizeof(buf), "%zu", c->n_points);
	row(o, "clock readings", buf);
	text_left_counter(o, t, times);
	while (lt_clock_next_change(c, &change)) {
		if (change.set)
			text_step(o, times, c, change.point, "wall clock set", change.set);
		if (change.slept)
			text_step(o, times, c, change.point, "machine slept",
				  (int64_t)change.slept);
	}
}

static void text_machine(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times)
{
	static const char *const keys[][2] = {
		{ "host", "hostname" }, { "kernel", "kernel_release" }, { "machine", "machine" },
		{ "byte order", "byte_order" }, { "pointer bytes", "size_ptr" },
		{ "page shift", "page_shift" }, { "CPUs online", "cpus_online" },
		{ "command", "command" }, { "recorded by", "tool_version" },
		{ "clock", "clock" }, { "clock units/s", "clock_freq" },
		{ "mode", "mode" }, { "sub-buffers", "n_subbufs" },
		{ "sub-buffer bytes", "subbuf_size" }, { "min_size", "min_size" },
		{ "sample", "sample" },
	};
	/* Filters that older modules do not have: such a trace has no line about them. */
	static const char *const filter_keys[][2] = {
		{ "max_size", "max_size" },
		{ "only caches", "only_caches" }, { "only callers", "only_code" },
		{ "only process", "only_pid" }, { "only cgroup", "only_cgroup" },
	};
	static const char *const pid_keys[][2] = {
		{ "channels", "channels" }, { "pid: sub-buffers", "pid_n_subbufs" },
		{ "pid: bytes", "pid_subbuf_size" }, { "numbers exact", "pid_gen_exact" },
	};
	static const char *const stack_keys[][2] = {
		{ "stacks: one in", "stacks" }, { "stacks: min bytes", "stack_min" },
		{ "stacks: frames", "stack_depth" }, { "stacks: of frees", "stacks_free" },
		{ "stacks: of pages", "page_stacks" },
	};
	uint64_t begin = lt_trace_begin(t), end = lt_trace_end(t);
	char buf[64];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		row(o, keys[i][0], info(t, keys[i][1]));
	/* The module's traces have none. */
	if (lt_trace_info(t, "engine"))
		row(o, "engine", info(t, "engine"));
	for (size_t i = 0; i < sizeof(filter_keys) / sizeof(filter_keys[0]); i++) {
		if (lt_trace_info(t, filter_keys[i][1]))
			row(o, filter_keys[i][0], info(t, filter_keys[i][1]));
	}
	row(o, "session", info(t, "session"));
	for (size_t i = 0;
	     i < sizeof(stack_keys) / sizeof(stack_keys[0]) && lt_trace_has_stacks(t); i++)
		row(o, stack_keys[i][0], info(t, stack_keys[i][1]));
	for (size_t i = 0; i < sizeof(pid_keys) / sizeof(pid_keys[0]); i++) {
		if (lt_trace_has_channel(t, LT_CHANNEL_PID))
			row(o, pid_keys[i][0], info(t, pid_keys[i][1]));
	}
	text_clock(o, t, times);
	if (lt_clock_has_wall(lt_trace_clock(t)))
		row(o, "begin", lt_human_wall(lt_trace_realtime(t, begin), buf, sizeof(buf)));
	row(o, "time span", lt_human_ns(end - begin, buf, sizeof(buf)));
	begin = lt_trace_window_begin(t);
	if (lt_trace_overwrites(t))
		row(o, "not overwritten", lt_human_ns(end > begin ? end - begin : 0,
						      buf, sizeof(buf)));
}

static void text_streams(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times)
{
	const struct lt_dir *dir = lt_trace_dir(t);
	unsigned int width = lt_times_width(times, 6) + 4;
	char line[192], cpu[16], from[LT_TIME_TEXT], to[LT_TIME_TEXT];
	uint32_t no_cpu = lt_trace_no_cpu(t);

	snprintf(line, sizeof(line), "\n  CPU channel     packets %*s[%s] %*s[%s]\n",
		 (int)(width - 2 - strlen(lt_times_unit(times))), "begin ", lt_times_unit(times),
		 (int)(width - 2 - strlen(lt_times_unit(times))), "end ", lt_times_unit(times));
	lt_out_str(o, line);
	for (size_t i = 0; i < dir->n_streams; i++) {
		const struct lt_stream_dir *d = dir->streams[i];
		uint64_t begin, end;

		if (!d || !d->n)
			continue;
		begin = lt_clock_ns(lt_trace_clock(t), d->refs[0].begin);
		end = lt_clock_ns(lt_trace_clock(t), d->refs[d->n - 1].end);
		snprintf(cpu, sizeof(cpu), "%u", d->cpu);
		snprintf(line, sizeof(line), "  %3s %-7s %11zu %*s %*s\n",
			 d->cpu == no_cpu ? "-" : cpu, lt_channel_name(d->channel), d->n,
			 (int)width, lt_times_text(times, begin, 6, from),
			 (int)width, lt_times_text(times, end, 6, to));
		lt_out_str(o, line);
	}
}

static void text_loss(struct lt_out *o, const struct lt_trace *t)
{
	struct lt_class_row rows[LT_MAX_CLASSES];
	unsigned int shown = 1U << LT_CLASS_SEEN | 1U << LT_CLASS_FULL | 1U << LT_CLASS_NMI |
			     1U << LT_CLASS_NESTED | 1U << LT_CLASS_NOBUF | 1U << LT_CLASS_FILTERED;
	size_t n = 0;

	if (lt_trace_overwrites(t))
		shown |= 1U << LT_CLASS_OVERWRITTEN;
	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++) {
		struct lt_class_counts c = lt_trace_counts(t, i);

		rows[n].name = lt_trace_class_name(t, i);
		if (!rows[n].name || !c.seen)
			continue;
		lt_class_row_set(&rows[n], &c);
		rows[n++].n[LT_CLASS_OVERWRITTEN] = (int64_t)lt_trace_overwritten(t, i);
	}
	lt_out_char(o, '\n');
	lt_class_table(o, rows, n, shown);
}

static void text_left_out(struct lt_out *o, const struct lt_trace *t)
{
	struct lt_left_out left_out = lt_trace_left_out(t);
	char limit[32], bytes[32], line[128];

	if (!left_out.packets)
		return;
	snprintf(line, sizeof(line), "\n  --max-size=%s left the last %" PRIu64 " packets out, %s\n",
		 lt_human_bytes(left_out.max_size, limit, sizeof(limit)), left_out.packets,
		 lt_human_bytes(left_out.bytes, bytes, sizeof(bytes)));
	lt_out_str(o, line);
}

void lt_info_text(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times)
{
	char bytes[32], line[256];

	snprintf(line, sizeof(line), "%" PRIu64 " packets, %s%s\n", lt_trace_dir(t)->packets,
		 lt_human_bytes(lt_trace_size(t), bytes, sizeof(bytes)),
		 lt_trace_dir(t)->torn ? "; TORN: the file has no end, 'lifetrace verify' reports what is missing"
			     : "");
	lt_out_str(o, lt_trace_path(t));
	lt_out_str(o, ": ");
	lt_out_str(o, line);
	lt_out_char(o, '\n');
	text_machine(o, t, times);
	lt_parts_text(o, t, times);
	lt_snapshot_text(o, t, times);
	text_streams(o, t, times);
	lt_info_events_text(o, t);
	text_loss(o, t);
	text_left_out(o, t);
}
