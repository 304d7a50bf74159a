/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of other tools' records, each with the task that it means.
 */
#ifndef LT_PRINT_WHOSE_H
#define LT_PRINT_WHOSE_H

#include "forms/columns.h"
#include "print/times.h"
#include "tasks/cgroups.h"
#include "whose/whose.h"

extern const struct lt_row_kind lt_rows_of_log_line;

/**
 * struct lt_whose_counts - what became of the lines
 * @lines: all of them
 * @no_task: those that name no task
 * @doubts: by enum lt_whose_doubt
 */
struct lt_whose_counts {
	uint64_t lines;
	uint64_t no_task;
	uint64_t doubts[LT_N_WHOSE_DOUBTS];
};

struct lt_whose_view;

/**
 * lt_whose_view_new() - a printer of lines
 * @safe: the output is a terminal: lines are made safe for it; otherwise they stay as they are
 * @columns: of --columns
 * All that is handed in must stay.
 */
struct lt_whose_view *lt_whose_view_new(struct lt_out *out, const struct lt_whose *w,
					const struct lt_tasks *tb, const struct lt_cgroups *cgroups,
					const struct lt_times *times, enum lt_format format,
					const char *columns, bool safe);

/*
 * Prints a line. @named: NULL: it names no task, or cannot be read; @answer: NULL: it names no
 * task
 */
void lt_whose_view_line(struct lt_whose_view *v, const char *line, size_t len,
			const struct lt_log_line *named, const struct lt_whose_answer *answer);

/* Ends the output, and frees. */
void lt_whose_view_end(struct lt_whose_view *v, struct lt_whose_counts *counts);

/* "1,000 lines: 980 decided, 15 undecided (12: …), 5 name no task" */
char *lt_whose_counts_text(const struct lt_whose_counts *c, char *buf, size_t size);

#endif /* LT_PRINT_WHOSE_H */
