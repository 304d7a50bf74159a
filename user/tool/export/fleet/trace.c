// SPDX-License-Identifier: GPL-2.0
/*
 * The table trace: a row for each trace. No sum of the other tables has that a machine was
 * watched at all, for how long, what was lost and what was not watched.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/fleet/fleet.h"
#include "export/profile.h"
#include "print/report.h"

static const struct lt_rows_column columns[] = {
	{ "session", LT_ROWS_TEXT, false }, { "boot_id", LT_ROWS_TEXT, false },
	{ "kernel", LT_ROWS_TEXT, false }, { "machine", LT_ROWS_TEXT, false },
	{ "minute", LT_ROWS_INT, false },
	{ "kernel_version", LT_ROWS_TEXT, true }, { "cpus_online", LT_ROWS_TEXT, true },
	{ "mem_total", LT_ROWS_INT, true },
	{ "begin_ns", LT_ROWS_INT, false }, { "end_ns", LT_ROWS_INT, false },
	{ "begin_unix_ns", LT_ROWS_INT, true }, { "end_unix_ns", LT_ROWS_INT, true },
	{ "recorded_ns", LT_ROWS_INT, false }, { "trace_bytes", LT_ROWS_INT, false },
	{ "complete", LT_ROWS_INT, false }, { "records", LT_ROWS_INT, false },
	{ "lost", LT_ROWS_INT, false }, { "missed", LT_ROWS_INT, false },
	{ "filtered", LT_ROWS_INT, false }, { "gaps", LT_ROWS_INT, false },
	{ "not_watched", LT_ROWS_TEXT, false }, { "sample", LT_ROWS_INT, false },
	{ "min_size", LT_ROWS_INT, false }, { "stacks", LT_ROWS_INT, false },
	{ "tool_version", LT_ROWS_TEXT, true }, { "command", LT_ROWS_TEXT, true },
};

const struct lt_rows_table lt_fleet_trace = {
	"trace", columns, sizeof(columns) / sizeof(columns[0]),
};

uint64_t lt_fleet_option(const struct lt_trace *t, const char *key, uint64_t otherwise)
{
	const char *value = lt_trace_info(t, key);
	uint64_t n;

	return value && lt_number(value, 0, &n) ? n : otherwise;
}

static void put_info_number(struct lt_fleet *f, const char *key)
{
	const char *value = lt_trace_info(f->e->trace, key);
	uint64_t n = 0;
	bool known = value && lt_number(value, 0, &n);

	lt_fleet_number(f, known, n);
}

static void put_info(struct lt_fleet *f, const char *key)
{
	lt_fleet_name(f, lt_trace_info(f->e->trace, key));
}

/* The names of all events that were not watched, with commas. */
static void put_unwatched(struct lt_fleet *f)
{
	const char *text = lt_trace_text(f->e->trace, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	struct lt_out list = LT_OUT_INIT(-1);
	size_t len;

	lt_out_make_room(&list);
	while (text && lt_line(&text, &line, &len)) {
		char name[64], why[32];
		const char *end = memchr(line, '\t', len);
		size_t n = end ? (size_t)(end - line) : 0;

		if (!n || n >= sizeof(name) || list.used > LT_OUT_SIZE / 8)
			continue;
		memcpy(name, line, n);
		name[n] = 0;
		if (!lt_line_unwatched(line, len, name, why, sizeof(why)))
			continue;
		if (list.used)
			lt_out_char(&list, ',');
		lt_name_text(&list, name, NULL);
	}
	lt_rows_text(f->rows, list.buf, list.used);
	free(list.buf);
}

static void put_times(struct lt_fleet *f, uint64_t begin, uint64_t end)
{
	const struct lt_trace *t = f->e->trace;
	uint64_t real = lt_trace_realtime(t, begin);

	lt_rows_count(f->rows, begin);
	lt_rows_count(f->rows, end);
	lt_fleet_number(f, real, real);
	lt_fleet_number(f, real, lt_trace_realtime(t, end));
	lt_rows_count(f->rows, end > begin ? end - begin : 0);
}

/*
 * What was lost since the row before. What is in a packet and was not handed out counts as missing;
 * before the end that is only not yet handed out.
 */
static void put_loss(struct lt_fleet *f, bool last)
{
	const struct lt_trace *t = f->e->trace;
	struct lt_fleet_part *p = &f->part;
	struct lt_report_loss loss = lt_report_loss(t);
	uint64_t n_gaps = lt_trace_n_gaps(t);

	if (!last)
		loss.lost -= loss.damaged;
	lt_rows_count(f->rows, lt_trace_size(t));
	lt_rows_int(f->rows, !lt_trace_dir(t)->torn);
	lt_rows_count(f->rows, loss.records - p->records);
	lt_rows_count(f->rows, loss.lost - p->lost);
	lt_rows_count(f->rows, loss.missed - p->missed);
	lt_rows_count(f->rows, loss.filtered - p->filtered);
	lt_rows_count(f->rows, n_gaps - p->gaps);
	*p = (struct lt_fleet_part){
		.records = loss.records, .lost = loss.lost, .missed = loss.missed,
		.filtered = loss.filtered, .gaps = n_gaps,
	};
	put_unwatched(f);
}

int lt_fleet_put_trace(struct lt_fleet *f, uint64_t end, bool last)
{
	const struct lt_trace *t = f->e->trace;
	uint64_t begin = f->part.begin ? f->part.begin : lt_trace_begin(t);
	uint64_t minute = lt_minute_of(t, begin);

	if (lt_fleet_row(f, &lt_fleet_trace, minute))
		return -1;
	lt_rows_count(f->rows, minute * 60);
	put_info(f, "kernel_version");
	put_info(f, "cpus_online");
	put_info_number(f, "mem_total");
	put_times(f, begin, end);
	put_loss(f, last);
	f->part.begin = end;
	lt_rows_count(f->rows, f->sample);
	lt_rows_count(f->rows, f->min_size);
	lt_rows_count(f->rows, lt_fleet_option(t, "stacks", 0));
	put_info(f, "tool_version");
	put_info(f, "command");
	return lt_rows_end(f->rows);
}
