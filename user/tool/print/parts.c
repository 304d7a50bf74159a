// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of a recording that was cut.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/units.h"
#include "print/parts.h"

/* The number that the part after @i should have, if one follows that is here. */
static bool next_number(const struct lt_dir *d, size_t i, uint64_t *next)
{
	if (i + 1 == d->n_parts)
		return false;
	*next = d->parts[i + 1].number;
	return true;
}

/* Windows that were cut out of a trace have no numbers: they are counted. */
static bool is_window(const struct lt_dir *d)
{
	return d->n_parts && d->parts[0].is_window;
}

static uint64_t number_of(const struct lt_dir *d, size_t i)
{
	return is_window(d) ? i : d->parts[i].number;
}

/* A line about parts that are not among the files. */
static void text_missing(struct lt_out *o, uint64_t from, uint64_t to)
{
	char line[80];

	if (from > to)
		return;
	if (from == to)
		snprintf(line, sizeof(line), "  part %" PRIu64 " is missing\n", from);
	else
		snprintf(line, sizeof(line), "  parts %" PRIu64 " to %" PRIu64 " are missing\n",
			 from, to);
	lt_out_str(o, line);
}

/* A line about what no window has between one and the next. */
static void text_between(struct lt_out *o, const struct lt_dir *d, size_t i)
{
	if (i + 1 < d->n_parts && lt_dir_missing_between(&d->parts[i], &d->parts[i + 1]))
		lt_out_str(o, "  what came between is not in these files\n");
}

/* A time of a cut. */
static const char *moment(const struct lt_times *times, bool have, uint64_t units, char *buf)
{
	return have ? lt_times_text(times, lt_clock_ns(lt_trace_clock(times->trace), units), 6,
				    buf) : "-";
}

static void text_part(struct lt_out *o, const struct lt_times *times, const struct lt_dir_part *p,
		      uint64_t number)
{
	char line[224], from[LT_TIME_TEXT], to[LT_TIME_TEXT], bytes[32];
	const char *path = lt_trace_place(times->trace, p->base);
	int width = (int)lt_times_width(times, 6) + 3;

	snprintf(line, sizeof(line), "  %6" PRIu64 " %*s %*s %9" PRIu64 " %10s  ", number,
		 width, moment(times, p->have_cut, p->cut, from),
		 width, moment(times, p->have_until, p->until, to), p->packets,
		 lt_human_bytes(p->end - p->base, bytes, sizeof(bytes)));
	lt_out_str(o, line);
	lt_out_text(o, path, strlen(path));
	lt_out_str(o, p->have_trailer ? "\n" : "; TORN\n");
}

/* Nothing before or behind a snapshot was kept, so that nothing is missing. */
static bool is_cut(const struct lt_dir *d)
{
	if (d->n_parts == 1 && d->parts[0].is_snapshot)
		return false;
	return d->n_parts > 1 || (d->n_parts && d->parts[0].is_part);
}

void lt_parts_text(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times)
{
	const struct lt_dir *d = lt_trace_dir(t);
	int width = (int)(lt_times_width(times, 6) + 1 - strlen(lt_times_unit(times)));
	uint64_t next;
	char line[192];

	if (!is_cut(d))
		return;
	snprintf(line, sizeof(line), "\n    part %*s[%s] %*s[%s]   packets      bytes  file\n",
		 width, "cut ", lt_times_unit(times), width, "until ", lt_times_unit(times));
	lt_out_str(o, line);
	if (d->parts[0].number && !is_window(d))
		text_missing(o, 0, d->parts[0].number - 1);
	for (size_t i = 0; i < d->n_parts; i++) {
		text_part(o, times, &d->parts[i], number_of(d, i));
		if (is_window(d))
			text_between(o, d, i);
		else if (next_number(d, i, &next))
			text_missing(o, d->parts[i].number + 1, next - 1);
		else if (d->parts[i].have_until)
			lt_out_str(o, "  the parts that follow are missing\n");
	}
}

static const char *window_absent(const struct lt_dir *d, char *buf, size_t size)
{
	bool before = d->parts[0].have_cut, behind = d->parts[d->n_parts - 1].have_until;

	snprintf(buf, size, "%s%s%s", before ? "before" : "", before && behind ? " and " : "",
		 behind ? "behind" : "");
	return buf;
}

const char *lt_parts_absent(const struct lt_trace *t, char *buf, size_t size)
{
	const struct lt_dir *d = lt_trace_dir(t);
	char before[64] = "", behind[64] = "";
	uint64_t first, last;

	buf[0] = 0;
	if (!is_cut(d) || d->parts[0].is_snapshot)
		return buf;
	if (is_window(d))
		return window_absent(d, buf, size);
	first = d->parts[0].number;
	last = d->parts[d->n_parts - 1].number;
	if (first == 1)
		snprintf(before, sizeof(before), "number 0");
	else if (first)
		snprintf(before, sizeof(before), "numbers 0 to %" PRIu64, first - 1);
	if (d->parts[d->n_parts - 1].have_until)
		snprintf(behind, sizeof(behind), "number %" PRIu64 " and what follows", last + 1);
	snprintf(buf, size, "%s%s%s", before, *before && *behind ? ", " : "", behind);
	return buf;
}

static void json_time(struct lt_json *j, const struct lt_times *times, const char *name, bool have,
		      uint64_t units)
{
	uint64_t ns = have ? lt_clock_ns(lt_trace_clock(times->trace), units) : 0;

	lt_json_s64_if(j, name, have, lt_times_ns(times, ns));
}

void lt_parts_json(struct lt_json *j, const struct lt_trace *t, const struct lt_times *times)
{
	const struct lt_dir *d = lt_trace_dir(t);

	if (!is_cut(d))
		return;
	lt_json_array(j, "parts");
	for (size_t i = 0; i < d->n_parts; i++) {
		const struct lt_dir_part *p = &d->parts[i];

		lt_json_object(j, NULL);
		lt_json_u64(j, "part", number_of(d, i));
		json_time(j, times, "cut_ns", p->have_cut, p->cut);
		json_time(j, times, "until_ns", p->have_until, p->until);
		lt_json_u64(j, "packets", p->packets);
		lt_json_u64(j, "bytes", p->end - p->base);
		lt_json_bool(j, "complete", p->have_trailer);
		lt_json_str(j, "file", lt_trace_place(t, p->base));
		lt_json_end(j);
	}
	lt_json_end(j);
}
