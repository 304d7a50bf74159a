// SPDX-License-Identifier: GPL-2.0
/*
 * Memory as it was at a time: of each kind what was alive, by the trace, and who held most of it.
 * The kernel's own figures are known of start and end only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "forms/table.h"
#include "out/units.h"
#include "print/memory_at.h"

struct row {
	const struct lt_report *r;
	const struct lt_report_row *top;	/* NULL: nothing was alive */
	char label[256];
};

#define GET(column)	static void get_##column(const void *row, void *ctx, struct lt_value *v)
#define ROW		const struct row *w = row; (void)ctx

GET(space)
{
	const char *name;
	ROW;

	name = lt_space_words(w->r->opts.space)->name;
	lt_value_text(v, name, strlen(name));
}

GET(alive)
{
	ROW;
	lt_value_u(v, LT_VALUE_COUNT, w->r->all.live);
}

GET(alive_bytes)
{
	ROW;
	lt_value_u(v, LT_VALUE_BYTES, w->r->all.live_bytes);
}

GET(maybe)
{
	ROW;
	lt_value_u(v, LT_VALUE_COUNT, w->r->all.maybe);
}

GET(maybe_bytes)
{
	ROW;
	lt_value_u(v, LT_VALUE_BYTES, w->r->all.maybe_bytes);
}

GET(top)
{
	ROW;
	if (w->top)
		lt_value_text(v, w->label, strlen(w->label));
}

GET(top_bytes)
{
	ROW;
	if (w->top)
		lt_value_u(v, LT_VALUE_BYTES, w->top->live_bytes);
}

#define C(id, key, head, left_side)	\
static const struct lt_column col_##id = {	\
	.name = key, .header = head, .left = left_side, .get = get_##id,	\
}

C(space, "space", "memory", true);
C(alive, "alive", "alive", false);
C(alive_bytes, "alive_bytes", "bytes", false);
C(maybe, "maybe_alive", "perhaps", false);
C(maybe_bytes, "maybe_alive_bytes", "bytes", false);
C(top, "top", "most of it by", true);
C(top_bytes, "top_bytes", "bytes", false);

static const struct lt_column *const columns[] = {
	&col_space, &col_alive, &col_alive_bytes, &col_maybe, &col_maybe_bytes, &col_top_bytes,
	&col_top,
};

static struct row row_of(const struct lt_report *r)
{
	struct row row = { .r = r };
	char buf[sizeof(row.label)];

	for (size_t i = 0; i < r->n_rows; i++) {
		if (r->rows[i].live_bytes > (row.top ? row.top->live_bytes : 0))
			row.top = &r->rows[i];
	}
	if (row.top)
		snprintf(row.label, sizeof(row.label), "%s",
			 lt_report_label(r, row.top, buf, sizeof(buf)));
	return row;
}

void lt_memory_at(struct lt_report *const reports[LT_N_MEMORY], const char *file,
		  const struct lt_times *times, uint64_t at, enum lt_format format,
		  struct lt_out *out)
{
	struct lt_table table = {
		.out = out, .format = format, .columns = columns,
		.n_columns = sizeof(columns) / sizeof(columns[0]),
	};
	struct lt_json j = LT_JSON_INIT(out);
	char line[512], text[LT_TIME_TEXT];

	if (format == LT_FORMAT_TEXT) {
		snprintf(line, sizeof(line), "%s: as it was at %s, of what was allocated since it "
			 "began\n\n", file, lt_times_human(times, at, text));
		lt_out_lines(out, line);
	} else if (format == LT_FORMAT_JSON) {
		lt_json_object(&j, NULL);
		lt_json_u64(&j, "schema_version", LT_SCHEMA_VERSION);
		lt_json_s64(&j, "at_ns", lt_times_ns(times, at));
		lt_json_array(&j, "rows");
	}
	if (format != LT_FORMAT_JSON)
		lt_table_begin(&table);
	for (int space = 0; space < LT_N_MEMORY; space++) {
		struct row row;

		if (!reports[space])
			continue;
		row = row_of(reports[space]);
		if (format != LT_FORMAT_JSON) {
			/* Cells of text are kept until the end. */
			lt_table_row(&table, &row);
			continue;
		}
		lt_json_break(&j);
		lt_json_value(&j, NULL);
		lt_table_json(&table, &row);
	}
	if (format == LT_FORMAT_JSON)
		lt_json_line(&j);
	else
		lt_table_end(&table);
}
