// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of rows as tables of a fleet.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/fleet/fleet.h"
#include "forms/table.h"

#define MINUTES_A_DAY	1440

/* Whose row it is, and when; of all tables. */
static const struct lt_column first[] = {
	{ .name = "date", .type = LT_VALUE_TEXT }, { .name = "host", .type = LT_VALUE_TEXT },
	{ .name = "session", .type = LT_VALUE_TEXT }, { .name = "boot_id", .type = LT_VALUE_TEXT },
	{ .name = "kernel", .type = LT_VALUE_TEXT }, { .name = "machine", .type = LT_VALUE_TEXT },
	{ .name = "minute", .type = LT_VALUE_SIGNED },
};

#define N_FIRST		(sizeof(first) / sizeof(first[0]))

static void begin_kind(struct lt_rows_table *t, const struct lt_row_kind *kind)
{
	const struct lt_column **of_kind, **columns;
	size_t n = lt_row_columns(kind, LT_COLUMN_FLEET, &of_kind);

	columns = lt_alloc_array(N_FIRST + n, sizeof(*columns));
	for (size_t i = 0; i < N_FIRST; i++)
		columns[i] = &first[i];
	memcpy(columns + N_FIRST, of_kind, n * sizeof(*columns));
	free(of_kind);
	*t = (struct lt_rows_table){ kind->name, columns, N_FIRST + n };
}

void lt_fleet_begin_rows(struct lt_fleet *f)
{
	for (int i = 0; i < LT_N_FLEET_TABLES; i++)
		begin_kind(&f->tables[i], lt_row_kinds[i].kind);
}

void lt_fleet_end_rows(struct lt_fleet *f)
{
	for (int i = 0; i < LT_N_FLEET_TABLES; i++)
		free((void *)f->tables[i].columns);
}

/* The columns of a kind of row, from @at on. */
static void put_columns(struct lt_fleet *f, struct lt_table *t, size_t at, const void *row,
			void *ctx)
{
	void (*value)(struct lt_table *t, size_t column, const struct lt_value *v) =
		lt_forms[t->format]->value;
	const struct lt_column *const *columns = t->columns;
	size_t n = t->n_columns;
	struct lt_value v;

	for (; at < n; at++) {
		lt_row_get(columns[at], row, ctx, &v);
		lt_fleet_resolve(f, &v);
		value(t, at, &v);
	}
}

int lt_fleet_put(struct lt_fleet *f, enum lt_fleet_table table, uint64_t minute, const void *row,
		 void *ctx)
{
	const struct lt_rows_table *rows = &f->tables[table];
	struct lt_table *t = lt_rows_begin(f->rows, rows, minute / MINUTES_A_DAY);
	struct lt_value v;
	size_t at;

	if (!t)
		return -1;
	at = t->n_columns - rows->n + LT_ROWS_DATED;
	lt_table_text(t, at++, f->session);
	lt_table_text(t, at++, f->boot);
	lt_table_text(t, at++, f->kernel);
	lt_table_text(t, at++, f->machine);
	lt_value_i(&v, (int64_t)(minute * 60));
	lt_forms[t->format]->value(t, at++, &v);
	put_columns(f, t, at, row, ctx);
	return lt_rows_end(f->rows);
}

/* ------------------------------------------------------------------------
 * Rows of the source, and that of the trace
 */

int lt_fleet_row(struct lt_export *e, enum lt_fleet_table table, uint64_t time, const void *row,
		 void *ctx)
{
	return lt_fleet_put(e->priv, table, lt_minute_of(e->trace, time), row, ctx);
}

/*
 * What was lost is counted since the row before. What is in a packet and was not handed out counts
 * as missing; before the end that is only not yet handed out.
 */
int lt_fleet_put_trace(struct lt_fleet *f, uint64_t end, bool last)
{
	const struct lt_trace *t = f->e->trace;
	struct lt_fleet_part *p = &f->part;
	struct lt_trace_row row = {
		.trace = t, .begin = p->begin ? p->begin : lt_trace_begin(t), .end = end,
		.loss = lt_trace_loss(t), .gaps = lt_trace_n_gaps(t),
	};
	struct lt_trace_ctx c = { .text = LT_OUT_INIT(-1) };
	struct lt_fleet_part now;
	int err;

	if (!last)
		row.loss.lost -= row.loss.damaged;
	now = (struct lt_fleet_part){
		.begin = end, .records = row.loss.records, .lost = row.loss.lost,
		.missed = row.loss.missed, .filtered = row.loss.filtered, .gaps = row.gaps,
	};
	row.loss.records -= p->records;
	row.loss.lost -= p->lost;
	row.loss.missed -= p->missed;
	row.loss.filtered -= p->filtered;
	row.gaps -= p->gaps;
	err = lt_fleet_put(f, LT_FLEET_TRACE, lt_minute_of(t, row.begin), &row, &c);
	*p = now;
	free(c.text.buf);
	return err;
}
