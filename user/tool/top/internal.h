/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of lifetrace top, for the files of this folder.
 */
#ifndef LT_TOP_INTERNAL_H
#define LT_TOP_INTERNAL_H

#include "tasks/cgroups.h"
#include "top/metrics.h"
#include "top/print.h"
#include "top/screen.h"
#include "top/top.h"

/**
 * struct lt_top - lifetrace top
 * @o: its options
 * @t: the trace; NULL: it has not begun yet
 * @l: the live view of it; NULL: as @t
 * @by: what the rows are now
 * @cgroups: which tasks are in which; NULL: not known
 * @follow: @cgroups is fed with the events
 * @out: for text and JSON
 * @view: the rows
 * @table: the latest table; NULL: none yet, or events have come since it was made
 * @cost: of the program itself
 * @metrics: of the file of --metrics
 * @whole: the trace is a file that is whole
 * @final: no event follows
 * @next_ns: on the trace's clock: when the next object is due; 0: not known yet
 * @printed: objects so far
 * @events: events so far
 * @screen: NULL: none
 * @next_draw_ns: CLOCK_MONOTONIC: when the screen is due
 * @status: the exit status so far
 */
struct lt_top {
	const struct lt_top_options *o;
	struct lt_trace *t;
	struct lt_live *l;
	enum lt_report_by by;
	struct lt_cgroups *cgroups;
	bool follow;
	struct lt_out out;
	struct lt_top_view view;
	const struct lt_live_table *table;
	struct lt_top_cost cost;
	struct lt_top_metrics metrics;
	bool whole;
	bool final;
	uint64_t next_ns;
	uint64_t latest_ns;
	uint64_t printed;
	uint64_t events;
	struct lt_screen *screen;
	uint64_t next_draw_ns;
	int status;
};

/* engine.c */

/* The trace begins. Return: 0, or -1 after lt_error(). */
int lt_top_begin(struct lt_top *top, struct lt_trace *t);

/* An event that lt_trace_next() has handed out. Return: 0; 1: enough was seen; -1: an error. */
int lt_top_event(struct lt_top *top, const struct lt_event *ev);

/*
 * Events that lt_trace_next_plain() has handed out, of lt_top_takes_plain(). Return: as
 * lt_top_event().
 */
int lt_top_plain(struct lt_top *top, const struct lt_plain_event *evs, size_t n);

/* Whether no event must be looked at by itself. */
bool lt_top_takes_plain(const struct lt_top *top);

/* Keys, and what is due by the clock. Return: as lt_top_event(). */
int lt_top_step(struct lt_top *top);

/* No event follows. Return: as lt_top_event(). */
int lt_top_finish(struct lt_top *top);

/* Frees what lt_top_begin() has made. */
void lt_top_destroy(struct lt_top *top);

/* table.c */

/* The table, made anew where needed, in top->view. */
void lt_top_make_table(struct lt_top *top);
struct lt_top_shot lt_top_shot(const struct lt_top *top);

/* Whether rows can be of that kind in this trace. */
bool lt_top_has(const struct lt_top *top, enum lt_report_by by);

#endif /* LT_TOP_INTERNAL_H */
