/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of a fleet: what many traces of many machines are asked with SQL. They are those of
 * rows/kinds.h. The table of the trace is always made. Of the others users choose; without a choice
 * sums by minute and tasks are made, since the others are large.
 *
 * Whatever the format of the rows, their columns are these, and numbers are signed. A column that
 * is added comes last, and does not change LT_ROWS_VERSION.
 */
#ifndef LT_EXPORT_FLEET_H
#define LT_EXPORT_FLEET_H

#include "base/out.h"
#include "export/export.h"
#include "forms/files.h"
#include "rows/minute.h"
#include "rows/trace.h"
#include "out/cells.h"
#include "sums/minutes.h"
#include "tasks/cgroups.h"

/**
 * struct lt_fleet_part - what earlier rows of the table trace have, of one recording
 * @begin: where the last one ended; 0: there is none
 * @records, @lost, @missed, @filtered, @gaps: the sums of theirs
 */
struct lt_fleet_part {
	uint64_t begin;
	uint64_t records;
	uint64_t lost;
	uint64_t missed;
	uint64_t filtered;
	uint64_t gaps;
};

/**
 * struct lt_fleet - an export under way
 * @e: the export
 * @rows: its tables
 * @boot, @session, @kernel, @machine: of the trace, the columns that begin each row; as in texts
 * @text: a text in the making
 * @sites, @functions, @caches, @gfps, @stacks: rendered texts
 * @tables: the tables: columns that all have, then those of a kind of row
 * @minute_options: for @minutes
 * @minutes: the sums; NULL: no lifetime yet
 * @cgroups: of the trace, NULL: not known
 * @lost: by minute: what was lost in it
 * @unwatched: by space: events that were not watched and bear on lifetimes, separated by commas
 * @sample, @min_size: options of the recording
 * @part: what was published before
 * @texts: lt_trace_text_changes() when names were last looked up; if the trace is being recorded
 * @failed: a row could not be written
 */
struct lt_fleet {
	struct lt_export *e;
	struct lt_rows *rows;
	char *boot;
	char *session;
	char *kernel;
	char *machine;
	struct lt_out text;
	struct lt_cells sites;
	struct lt_cells functions;
	struct lt_cells caches;
	struct lt_cells gfps;
	struct lt_cells stacks;
	struct lt_rows_table tables[LT_N_FLEET_TABLES];
	struct lt_minute_options minute_options;
	struct lt_minutes *minutes;
	struct lt_cgroups *cgroups;
	struct lt_fleet_loss *lost;
	char *unwatched[LT_N_MEMORY];
	uint64_t sample;
	uint64_t min_size;
	struct lt_fleet_part part;
	uint64_t texts;
	bool failed;
};

/* fleet.c: callbacks of exporters */

int lt_fleet_begin(struct lt_export *e, enum lt_format format);
/* For sums. */
int lt_fleet_lifetime(struct lt_export *e, const struct lt_lifetime *l);
/* Of a trace that is being recorded: each event, before the lifetimes that it ends. */
void lt_fleet_event(struct lt_export *e, const struct lt_event *ev);
/* Of such a trace: who is in which cgroup; NULL: no table says that. */
struct lt_cgroups *lt_fleet_cgroups(const struct lt_export *e);
/* Of such a trace: the rows so far are made, with the names that the trace has now. */
void lt_fleet_flush(struct lt_export *e);
/*
 * Of such a trace, from time to time: counts what was lost. Return: 0, or -1 after printing what is
 * wrong with the tables that were published.
 */
int lt_fleet_step(struct lt_export *e);
/*
 * Of such a trace: the tables so far get their names; others follow. @time: until when that is,
 * not before an event. Return: 0, or -1 after printing what is wrong; lt_fleet_step() says what is
 * found out later.
 */
int lt_fleet_publish(struct lt_export *e, uint64_t time);
int lt_fleet_end(struct lt_export *e);

/* texts.c */

/*
 * Makes a value a text, a number, numbers or none, as it is in other exports; until the next one.
 */
void lt_fleet_resolve(struct lt_fleet *f, struct lt_value *v);

/* rows.c */

void lt_fleet_begin_rows(struct lt_fleet *f);
void lt_fleet_end_rows(struct lt_fleet *f);

/*
 * Writes a row of a kind of row (user/lib/rows), in the file of a day. @ctx: of the kind. Return:
 * 0, or -1 after printing what is wrong.
 */
int lt_fleet_put(struct lt_fleet *f, enum lt_fleet_table table, uint64_t minute, const void *row,
		 void *ctx);

/* A callback of exporters, too. */
int lt_fleet_row(struct lt_export *e, enum lt_fleet_table table, uint64_t time, const void *row,
		 void *ctx);
/* Of the time from the row before, or the begin, to @end; @last: there is no other one. */
int lt_fleet_put_trace(struct lt_fleet *f, uint64_t end, bool last);

/* loss.c */

void lt_fleet_put_minute(void *fleet, const struct lt_minutes *m, const struct lt_minute_row *row);
/* Counts the gaps that were found since the last call. */
void lt_fleet_count_loss(struct lt_fleet *f);
void lt_fleet_free_loss(struct lt_fleet *f);

#endif /* LT_EXPORT_FLEET_H */
