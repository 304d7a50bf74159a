// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of a recording that was cut.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "print/parts.h"
#include "print/units.h"

/* The number that the part after @i should have, if one follows that is here. */
static bool next_number(const struct lt_dir *d, size_t i, uint64_t *next)
{
	if (i + 1 == d->n_parts)
		return false;
	*next = d->parts[i + 1].number;
	return true;
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

/* A time of a cut, in 12 + 7 characters. */
static const char *seconds(const struct lt_trace *t, bool have, uint64_t units, char *buf,
			   size_t size)
{
	uint64_t ns = lt_clock_ns(lt_trace_clock(t), units);

	if (have)
		snprintf(buf, size, "%10" PRIu64 ".%06" PRIu64, ns / 1000000000,
			 ns % 1000000000 / 1000);
	else
		snprintf(buf, size, "%17s", "-");
	return buf;
}

static void text_part(struct lt_out *o, const struct lt_trace *t, const struct lt_dir_part *p)
{
	char line[160], from[40], to[40], bytes[32];
	const char *path = lt_trace_place(t, p->base);

	snprintf(line, sizeof(line), "  %6" PRIu64 " %s %s %9" PRIu64 " %10s  ", p->number,
		 seconds(t, p->have_cut, p->cut, from, sizeof(from)),
		 seconds(t, p->have_until, p->until, to, sizeof(to)), p->packets,
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

void lt_parts_text(struct lt_out *o, const struct lt_trace *t)
{
	const struct lt_dir *d = lt_trace_dir(t);
	uint64_t next;

	if (!is_cut(d))
		return;
	lt_out_str(o, "\n    part           cut [s]         until [s]   packets      bytes  file\n");
	if (d->parts[0].number)
		text_missing(o, 0, d->parts[0].number - 1);
	for (size_t i = 0; i < d->n_parts; i++) {
		text_part(o, t, &d->parts[i]);
		if (next_number(d, i, &next))
			text_missing(o, d->parts[i].number + 1, next - 1);
		else if (d->parts[i].have_until)
			lt_out_str(o, "  the parts that follow are missing\n");
	}
}

const char *lt_parts_absent(const struct lt_trace *t, char *buf, size_t size)
{
	const struct lt_dir *d = lt_trace_dir(t);
	char before[64] = "", behind[64] = "";
	uint64_t first, last;

	buf[0] = 0;
	if (!is_cut(d) || d->parts[0].is_snapshot)
		return buf;
	first = d->parts[0].number;
	last = d->parts[d->n_parts - 1].number;
	if (first == 1)
		snprintf(before, sizeof(before), "0");
	else if (first)
		snprintf(before, sizeof(before), "0-%" PRIu64, first - 1);
	if (d->parts[d->n_parts - 1].have_until)
		snprintf(behind, sizeof(behind), "from %" PRIu64 " on", last + 1);
	snprintf(buf, size, "%s%s%s", before, *before && *behind ? ", " : "", behind);
	return buf;
}

static void json_time(struct lt_out *o, const struct lt_trace *t, const char *name, bool have,
		      uint64_t units)
{
	lt_out_str(o, name);
	if (have)
		lt_out_u64(o, lt_clock_ns(lt_trace_clock(t), units));
	else
		lt_out_str(o, "null");
}

void lt_parts_json(struct lt_out *o, const struct lt_trace *t)
{
	const struct lt_dir *d = lt_trace_dir(t);

	if (!is_cut(d))
		return;
	lt_out_str(o, ",\"parts\":[");
	for (size_t i = 0; i < d->n_parts; i++) {
		const struct lt_dir_part *p = &d->parts[i];
		const char *path = lt_trace_place(t, p->base);

		lt_out_str(o, i ? ",{\"part\":" : "{\"part\":");
		lt_out_u64(o, p->number);
		json_time(o, t, ",\"cut_ns\":", p->have_cut, p->cut);
		json_time(o, t, ",\"until_ns\":", p->have_until, p->until);
		lt_out_str(o, ",\"packets\":");
		lt_out_u64(o, p->packets);
		lt_out_str(o, ",\"bytes\":");
		lt_out_u64(o, p->end - p->base);
		lt_out_str(o, p->have_trailer ? ",\"complete\":true,\"file\":" :
			   ",\"complete\":false,\"file\":");
		lt_out_json(o, path, strlen(path));
		lt_out_char(o, '}');
	}
	lt_out_char(o, ']');
}
