/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of leaks and of advice, which differ in their defaults only.
 */
#ifndef LT_CMD_LEAK_ARGS_H
#define LT_CMD_LEAK_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cmd/args.h"
#include "sums/leaks.h"

/**
 * struct lt_leak_args - what is parsed
 * @filter: --older is not one here, see lt_leak_args_parse()
 * @top: rows to print at most; 0: all
 * @number: -n was given
 * @sort: of --sort; NULL: it was not given
 * @at, @at_ns: of --at; NULL: the end
 */
struct lt_leak_args {
	struct lt_args args;
	struct lt_filter_spec filter;
	struct lt_lines_args lines;
	struct lt_leak_options leaks;
	size_t top;
	bool number;
	const struct lt_column *sort;
	const char *at;
	uint64_t at_ns;
};

/* The key of --self, and of --at; that of --number is 'n'. */
#define LT_LEAK_SELF	256
#define LT_LEAK_AT	257
#define LT_LEAK_SORT	258
#define LT_LEAK_SPACE	259	/* of leaks */
#define LT_LEAK_SORT_OPTION							\
	{ "sort", LT_LEAK_SORT, "COLUMN", 0, "Sort by COLUMN of --json: the greatest first, texts " \
	  "from A to Z", 0 }
#define LT_LEAK_AT_OPTION							\
	{ "at", LT_LEAK_AT, "WHEN", 0, "As it was then: 2.5 or 500ms after the beginning, -5s "	\
	  "before the end, @TIME on the trace's clock, marker:TEXT", 0 }

/* The parser of such a command's argp, which has lt_args_file_table_filter as children. */
error_t lt_leak_args_key(int key, char *arg, struct argp_state *state);

/**
 * lt_leak_args_parse() - parse the command line, and make the filter
 * @argp: with lt_leak_args_key()
 * @top: of text, if -n is not given
 * @kind: of the rows of the command
 * @o: then lt_filter_free(@o->leaks.filter)
 *
 * --older is the age at which objects are old, and no filter: young objects are counted, too,
 * since a leak is a share of all.
 *
 * Return: 0, or -1 after printing what is wrong.
 */
int lt_leak_args_parse(const struct argp *argp, int argc, char **argv, size_t top,
		       const struct lt_row_kind *kind, struct lt_leak_args *o);

/* Whether the trace has slab objects, as of the time of --at; prints what it lacks. */
bool lt_leak_args_begin(const struct lt_leak_args *o, struct lt_trace *t);

#endif /* LT_CMD_LEAK_ARGS_H */
