// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of rows as tables of a fleet.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "export/fleet/fleet.h"

#define MINUTES_A_DAY	1440

/* Whose row it is, and when; of all tables. */
static const struct lt_rows_column first[] = {
	{ "session", LT_ROWS_TEXT, false }, { "boot_id", LT_ROWS_TEXT, false },
	{ "kernel", LT_ROWS_TEXT, false }, { "machine", LT_ROWS_TEXT, false },
	{ "minute", LT_ROWS_INT, false },
};

#define N_FIRST		(sizeof(first) / sizeof(first[0]))

static const struct lt_row_kind *const kinds[LT_N_FLEET_TABLES] = {
	[LT_FLEET_SITE_MINUTE] = &lt_rows_of_minute, [LT_FLEET_TASK] = &lt_rows_of_task,
	[LT_FLEET_LIFETIME] = &lt_rows_of_lifetime, [LT_FLEET_SYSCALL] = &lt_rows_of_syscall,
	[LT_FLEET_REQUEST] = &lt_rows_of_request, [LT_FLEET_CALL] = &lt_rows_of_call,
	[LT_FLEET_TRACE] = &lt_rows_of_trace,
};

static enum lt_rows_type type_of(enum lt_value_type type)
{
	if (LT_VALUE_IS_TEXT(type))
		return LT_ROWS_TEXT;
	return type == LT_VALUE_COUNTS ? LT_ROWS_INTS : LT_ROWS_INT;
}

static void begin_kind(struct lt_fleet_kind *k, const struct lt_row_kind *kind)
{
	struct lt_rows_column *columns;

	k->n = lt_row_columns(kind, LT_COLUMN_FLEET, &k->columns);
	columns = lt_alloc_array(N_FIRST + k->n, sizeof(*columns));
	for (size_t i = 0; i < N_FIRST; i++)
		columns[i] = first[i];
	for (size_t i = 0; i < k->n; i++) {
		columns[N_FIRST + i] = (struct lt_rows_column){
			.name = k->columns[i]->name, .type = type_of(k->columns[i]->type),
			.optional = k->columns[i]->marks & LT_COLUMN_NULL,
		};
	}
	k->table = (struct lt_rows_table){ kind->name, columns, N_FIRST + k->n };
}

void lt_fleet_begin_rows(struct lt_fleet *f)
{
	for (int i = 0; i < LT_N_FLEET_TABLES; i++)
		begin_kind(&f->kinds[i], kinds[i]);
	f->call.common.addresses = f->e->opts->addresses;
	f->of_call.common.addresses = f->e->opts->addresses;
	f->of_call.trace = f->e->trace;
	f->lifetimes.common.addresses = f->e->opts->addresses;
	f->lifetimes.trace = f->e->trace;
	f->lifetimes.kmalloc = &f->kmalloc;
	f->lifetimes.own = f->own;
}

void lt_fleet_end_rows(struct lt_fleet *f)
{
	for (int i = 0; i < LT_N_FLEET_TABLES; i++) {
		free((void *)f->kinds[i].table.columns);
		free(f->kinds[i].columns);
	}
}

static void put_text(struct lt_fleet *f, const char *s)
{
	lt_rows_text(f->rows, s, strlen(s));
}

int lt_fleet_put(struct lt_fleet *f, enum lt_fleet_table table, uint64_t minute, const void *row,
		 void *ctx)
{
	const struct lt_fleet_kind *k = &f->kinds[table];
	struct lt_value v;

	if (lt_rows_begin(f->rows, &k->table, minute / MINUTES_A_DAY))
		return -1;
	put_text(f, f->session);
	put_text(f, f->boot);
	put_text(f, f->kernel);
	put_text(f, f->machine);
	lt_rows_count(f->rows, minute * 60);
	for (size_t i = 0; i < k->n; i++) {
		lt_row_get(k->columns[i], row, ctx, &v);
		lt_fleet_value(f, &v);
	}
	return lt_rows_end(f->rows);
}

/* ------------------------------------------------------------------------
 * Each kind
 */

int lt_fleet_put_lifetime(struct lt_fleet *f, const struct lt_lifetime *l)
{
	return lt_fleet_put(f, LT_FLEET_LIFETIME, lt_minute_of(f->e->trace, l->death.time), l,
			    &f->lifetimes);
}

int lt_fleet_put_task(struct lt_fleet *f, const struct lt_task_inst *t)
{
	struct lt_task_ctx c = { .tb = f->e->tasks, .cgroups = f->cgroups };

	return lt_fleet_put(f, LT_FLEET_TASK, lt_minute_of(f->e->trace, t->end), t, &c);
}

static void put_call(struct lt_fleet *f, enum lt_fleet_table table, const struct lt_syscall *call)
{
	if (!f->failed &&
	    lt_fleet_put(f, table, lt_minute_of(f->e->trace, call->end), call, &f->call))
		f->failed = true;
}

void lt_fleet_put_syscall(void *fleet, const struct lt_syscall *call)
{
	put_call(fleet, LT_FLEET_SYSCALL, call);
}

void lt_fleet_put_request(void *fleet, const struct lt_syscall *call)
{
	put_call(fleet, LT_FLEET_REQUEST, call);
}

int lt_fleet_put_call(struct lt_fleet *f, const struct lt_call *call)
{
	return lt_fleet_put(f, LT_FLEET_CALL, lt_minute_of(f->e->trace, call->end), call,
			    &f->of_call);
}

/*
 * What was lost is counted since the row before. What is in a packet and was not handed out counts as
 * missing; before the end that is only not yet handed out.
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
