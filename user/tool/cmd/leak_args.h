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
#include "lifetimes/leaks.h"

/**
 * struct lt_leak_args - what is parsed
 * @filter: --older is not one here, see lt_leak_args_parse()
 * @top: rows to print at most; 0: all
 * @number: -n was given
 */
struct lt_leak_args {
	struct lt_args args;
	struct lt_filter_spec filter;
	struct lt_lines_args lines;
	struct lt_leak_options leaks;
	size_t top;
	bool number;
};

/* The key of --self; that of --number is 'n'. */
#define LT_LEAK_SELF	256

/* The parser of such a command's argp, which has lt_args_file_csv_json_filter as children. */
error_t lt_leak_args_key(int key, char *arg, struct argp_state *state);

/**
 * lt_leak_args_parse() - parse the command line, and make the filter
 * @argp: with lt_leak_args_key()
 * @top: of text, if -n is not given
 * @o: then lt_filter_free(@o->leaks.filter)
 *
 * --older is the age at which objects are old, and no filter: young objects are counted, too,
 * since a leak is a share of all.
 *
 * Return: 0, or -1 after printing what is wrong.
 */
int lt_leak_args_parse(const struct argp *argp, int argc, char **argv, size_t top,
		       struct lt_leak_args *o);

#endif /* LT_CMD_LEAK_ARGS_H */
