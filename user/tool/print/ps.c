// SPDX-License-Identifier: GPL-2.0
/*
 * The running tasks, and whether the list is proven.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "forms/screen.h"
#include "out/units.h"
#include "print/ps.h"

#define PS(C, G)	\
	C(pid, "pid", "pid", COUNT, A, true, r->pid, "number of the process")	\
	C(tid, "tid", "tid", COUNT, A, ps->threads, r->tid, "number of the thread, with --threads")	\
	C(ppid, "ppid", "ppid", COUNT, A, true, r->ppid, "number of the parent")	\
	C(uid, "uid", "uid", COUNT, A, true, r->uid, "user")	\
	G(state, "state", "state", TEXT, A, lt_value_text(v, &r->state, 1), "state, as in /proc/PID/stat")	\
	C(start, "start_ns", "start", TIME, A, true, r->start_ns, "when it was born, since boot")	\
	C(rss, "rss_bytes", "rss", BYTES, A, true, r->rss, "its memory that is in RAM")	\
	C(comm, "comm", "comm", TEXT, A, true, r->comm, "its name")	\
	C(exe, "exe", "exe", TEXT, A, true, r->exe ? r->exe : "", "its program")	\
	C(proven, "proven", "proven", BOOL, A, true, ps->proven, "whether each number is proven to be one task") \
	C(generation, "generation", "generation", COUNT, A, ps->proven, ps->generation, "of the proof")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_ps_row, r, const struct lt_ps, ps, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct lt_ps_row, r, const struct lt_ps, ps, v, call)

PS(GETTER, FILLER)
static const struct lt_column ps_columns[] = { PS(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(ps, "ps", NULL, "a running task");

/* A right-aligned text of at least @width characters. */
static void column(struct lt_out *o, const char *text, size_t width)
{
	size_t len = strlen(text);

	while (len++ < width)
		lt_out_char(o, ' ');
	lt_out_str(o, text);
	lt_out_char(o, ' ');
}

static void number(struct lt_out *o, uint64_t v, size_t width)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	column(o, text, width);
}

static void text_head(struct lt_out *o, bool threads)
{
	column(o, "PID", 7);
	if (threads)
		column(o, "TID", 7);
	column(o, "PPID", 7);
	column(o, "UID", 6);
	column(o, "S", 1);
	column(o, "START", 12);
	column(o, "RSS", 10);
	lt_out_str(o, "COMM             EXE\n");
}

static void text_row(struct lt_out *o, const struct lt_ps *ps, const struct lt_ps_row *r)
{
	char text[32];
	size_t width;

	number(o, r->pid, 7);
	if (ps->threads)
		number(o, r->tid, 7);
	number(o, r->ppid, 7);
	number(o, r->uid, 6);
	lt_out_text(o, &r->state, 1);
	lt_out_char(o, ' ');
	snprintf(text, sizeof(text), "%" PRIu64 ".%02" PRIu64 "s", r->start_ns / 1000000000,
		 r->start_ns / 10000000 % 100);
	column(o, text, 12);
	column(o, lt_human_bytes(r->rss, text, sizeof(text)), 10);
	lt_out_text(o, r->comm, strlen(r->comm));
	if (r->exe) {
		for (width = strlen(r->comm); width < 16; width++)
			lt_out_char(o, ' ');
		lt_out_char(o, ' ');
		lt_out_text(o, r->exe, strlen(r->exe));
	}
	lt_out_char(o, '\n');
}

/* The last line: whether the list is proven. */
static void text_sum(struct lt_out *o, const struct lt_ps *ps)
{
	lt_out_char(o, '\n');
	lt_out_u64(o, ps->n);
	lt_out_str(o, ps->threads ? " threads; " : " processes; ");
	if (ps->proven) {
		lt_out_str(o, "proven: each number is one task (generation ");
		lt_out_u64(o, ps->generation);
		lt_out_str(o, ", ");
		lt_out_u64(o, ps->scans);
		lt_out_str(o, ps->scans == 1 ? " scan)" : " scans)");
	} else {
		lt_out_str(o, "NOT PROVEN: a number may stand for two tasks");
	}
	if (ps->vanished) {
		lt_out_str(o, "; ");
		lt_out_u64(o, ps->vanished);
		lt_out_str(o, " ended while they were read");
	}
	lt_out_str(o, ".\n");
}

static void put_table(struct lt_out *o, const struct lt_ps *ps, const void *const *rows,
		      enum lt_format format, const char *columns)
{
	struct lt_table t = {
		.out = o, .format = format, .ctx = (void *)(uintptr_t)ps, .leave_out = true,
	};

	lt_table_columns(&t, &lt_rows_of_ps, 0, columns);
	lt_table_begin(&t);
	for (size_t i = 0; i < ps->n; i++)
		lt_table_row(&t, rows[i]);
	lt_table_end(&t);
}

static void put_text(struct lt_out *o, const struct lt_ps *ps, const void *const *rows)
{
	/* A line is a row: the end of a long path is cut. */
	o->cut = true;
	text_head(o, ps->threads);
	for (size_t i = 0; i < ps->n; i++)
		text_row(o, ps, rows[i]);
	lt_out_flush(o);
	o->cut = false;
}

void lt_ps_print(struct lt_out *o, const struct lt_ps *ps, const void *const *rows,
		 enum lt_format format, const char *columns)
{
	if (format == LT_FORMAT_TEXT && !columns)
		put_text(o, ps, rows);
	else
		put_table(o, ps, rows, format, columns);
	if (format == LT_FORMAT_TEXT)
		text_sum(o, ps);
}
