// SPDX-License-Identifier: GPL-2.0
/*
 * Memory as it was at a time: of each kind what was alive, by the trace, and who held most of it.
 * The kernel's own figures are known of start and end only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "forms/columns.h"
#include "forms/screen.h"
#include "out/units.h"
#include "print/memory_at.h"

struct row {
	const struct lt_report *r;
	const struct lt_report_row *top;	/* NULL: nothing was alive */
	char label[256];
};

#define ALL	w->r->all

#define MEMORY_AT(C)	\
	C(space, "space", "memory", TEXT, A, true, lt_space_words(w->r->opts.space)->name, "kind of memory") \
	C(alive, "alive", "alive", COUNT, A, true, ALL.live, "objects that were alive")	\
	C(alive_bytes, "alive_bytes", "bytes", BYTES, A, true, ALL.live_bytes, "their size")	\
	C(maybe, "maybe_alive", "perhaps", COUNT, A, true, ALL.maybe, "objects whose free may be missing") \
	C(maybe_bytes, "maybe_alive_bytes", "bytes", BYTES, A, true, ALL.maybe_bytes, "their size")	\
	C(top_bytes, "top_bytes", "bytes", BYTES, A, w->top, w->top->live_bytes, "what the greatest part has") \
	C(top, "top", "most of it by", TEXT, A, w->top, w->label, "call site, or size, with the greatest part")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct row, w, void, ctx, TYPE, known, value)

MEMORY_AT(GETTER)
static const struct lt_column memory_at_columns[] = { MEMORY_AT(LT_SCREEN_COLUMN) };
LT_SCREEN_KIND(memory_at, "memory_at", NULL, "a kind of memory");

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
		  const char *names, struct lt_out *out)
{
	struct lt_json j = LT_JSON_INIT(out);
	struct lt_table table = { .out = out, .format = format, .json = &j };
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
	lt_table_columns(&table, &lt_rows_of_memory_at, 0, names);
	lt_table_begin(&table);
	for (int space = 0; space < LT_N_MEMORY; space++) {
		struct row row;

		if (!reports[space])
			continue;
		/* Cells of text are kept until the end. */
		row = row_of(reports[space]);
		lt_table_row(&table, &row);
	}
	lt_table_end(&table);
	if (format == LT_FORMAT_JSON)
		lt_json_line(&j);
}
