/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_REPORT_H
#define LT_PRINT_REPORT_H

#include "base/json.h"
#include "forms/columns.h"
#include "lines/lines.h"
#include "out/para.h"
#include "print/times.h"
#include "sums/loss.h"
#include "sums/report.h"

/**
 * struct lt_report_view - how to print a report
 * @file: name of the trace file
 * @default_file: commands need not name it
 * @several: @file stands for several, and is none itself: see lt_set_name()
 * @times: from where times count; the trace has the wall clock if that is it
 * @list: print this list, for which lt_report_has_list(); NULL: by the members below
 * @sort: print one list, sorted by this column
 * @columns: of --columns: lists have these; NULL: those of the format
 * @all: print all lists
 * @coverage: print the table of caches; with neither of the five, the first screen is printed
 * @top: maximum number of rows of a list; 0: all
 * @utf8: draw the histogram with block characters
 * @width: characters in a line of text; 0: any number
 * @cut: names may be cut to fit into @width
 * @bold: headings are bold, as on a terminal
 * @options: what the commands that are printed need to be about the same: " --cache=dentry"; ""
 * @filters: of these, those that lifetimes takes; NULL: it cannot be about the same
 * @lines: source lines of call sites; NULL: none
 * @stacks: with a report by site: the same by stack, for the paths to the sites; NULL: none
 */
struct lt_report_view {
	const char *file;
	bool default_file;
	bool several;
	enum lt_format format;
	enum lt_times_base times;
	const char *list;
	const char *sort;
	const char *columns;
	bool all;
	bool coverage;
	size_t top;
	bool utf8;
	unsigned int width;
	bool cut;
	bool bold;
	const char *options;
	const char *filters;
	struct lt_lines *lines;
	struct lt_report *stacks;
	struct lt_out *out;
};

/* report_columns.c */

/* The columns of a report: what a row is, and its sums. */
const struct lt_row_kind *lt_report_kind(enum lt_report_by by);

/* report.c */

/* Whether there is a list with this name ("alive"). */
bool lt_report_has_list(const char *name);
/* The names of the lists; NULL: there are not so many. */
const char *lt_report_list(size_t i);

void lt_report_print(struct lt_report *r, const struct lt_report_view *p);

/* report_screen.c */

/* The first screen: at most 22 lines. */
void lt_report_screen(struct lt_report *r, const struct lt_report_view *p);

/* report_head.c */

/* The first lines: which trace this is, and how sure the answers are. Return: their number. */
unsigned int lt_report_head(struct lt_report *r, const struct lt_report_view *p);
/* "at the end", or, of a report as of a time, "at 180.0 ms"; in @buf of LT_TIME_TEXT + 8 bytes. */
const char *lt_report_then(const struct lt_report *r, enum lt_times_base base, char *buf);
/* Adds how sure the answers are: certainties, what is missing, what was not watched or chosen. */
void lt_report_sure(struct lt_para *t, const struct lt_report *r);
/*
 * Adds a sentence on how much of the change in the kernel's own slab counters the trace makes up;
 * where that cannot be said, with @why_not the reason, and nothing without.
 */
void lt_report_covered(struct lt_para *t, const struct lt_report *r, bool why_not);
/* A heading, without a newline. */
void lt_report_heading(const struct lt_report_view *p, const char *text);
/* A paragraph with a heading in its margin; lines end between words. Return: their number. */
unsigned int lt_report_paragraph(const struct lt_report_view *p, const char *heading,
				 const struct lt_para *t);
/* A part of a whole for people: "64 %", "<1 %", ">99 %". Return: @buf. */
const char *lt_report_share(uint64_t part, uint64_t whole, char *buf, size_t size);

/* report_path.c */

/**
 * lt_report_path() - how the function at a call site was called
 * @stacks: a report by stack; NULL: none, and there is no path
 * @site: the call site
 * @column: of the paths to the site, that with most of this column is taken
 * @t: gets the path, with its share of the site if there are others; "~": an estimate
 * Return: false: no stack with this site has anything of the column.
 */
bool lt_report_path(struct lt_report *stacks, uint64_t site, const char *column,
		    struct lt_para *t);

/* report_summary.c */

/* All that is known about the trace as a whole. */
void lt_report_summary(struct lt_report *r, const struct lt_report_view *p);
/* That as members of an object. */
void lt_report_summary_json(struct lt_json *j, struct lt_report *r, const struct lt_report_view *p);

void lt_report_histogram(struct lt_report *r, const struct lt_report_view *p);
void lt_report_coverage(struct lt_report *r, const struct lt_report_view *p);

#endif /* LT_PRINT_REPORT_H */
