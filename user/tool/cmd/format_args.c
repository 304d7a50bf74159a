// SPDX-License-Identifier: GPL-2.0
/*
 * The form of what a command prints: --format, --csv, --json, and --columns.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/args.h"
#include "cmd/help.h"
#include "out/log.h"
#include "out/terminal.h"

enum { KEY_CSV = 0x1100, KEY_FORMAT, KEY_COLUMNS };

#define CSV_OPTION	{ "csv", KEY_CSV, NULL, 0, "Print comma-separated values, all columns", 0 }
#define JSON_OPTION	{ "json", 'j', NULL, 0, "Print JSON, all columns", 0 }
#define TABLE_OPTIONS									\
	{ "format", KEY_FORMAT, "FORM", 0, "Print text, csv, json, jsonl (an object a line), sql, " \
	  "tsv (for ClickHouse) or parquet", 0 },					\
	{ "columns", KEY_COLUMNS, "NAME,...", 0, "Only these columns, in this order, in any form; " \
	  "help: lists all of them", 0 }

static const struct argp_option json_options[] = {
	{ "json", 'j', NULL, 0, "Print JSON, one object a line", 0 },
	LT_WIDTH_OPTION, LT_HELP_OPTIONS, { 0 }
};

static const struct argp_option csv_json_options[] = {
	CSV_OPTION, JSON_OPTION, LT_WIDTH_OPTION, LT_HELP_OPTIONS, { 0 }
};

static const struct argp_option table_options[] = {
	CSV_OPTION, JSON_OPTION, TABLE_OPTIONS, LT_WIDTH_OPTION, LT_HELP_OPTIONS, { 0 }
};

static const struct argp_option own_csv_options[] = {
	JSON_OPTION, TABLE_OPTIONS, LT_WIDTH_OPTION, LT_HELP_OPTIONS, { 0 }
};

const char *lt_args_format_option(enum lt_format format, char buf[LT_FORMAT_OPTION])
{
	if (format == LT_FORMAT_CSV || format == LT_FORMAT_JSON)
		snprintf(buf, LT_FORMAT_OPTION, "--%s", lt_forms[format]->name);
	else
		snprintf(buf, LT_FORMAT_OPTION, "--format=%s", lt_forms[format]->name);
	return buf;
}

void lt_args_format(struct argp_state *state, struct lt_args *a, enum lt_format format)
{
	char one[LT_FORMAT_OPTION], other[LT_FORMAT_OPTION];

	if (a->format_given && a->format != format)
		argp_error(state, "%s and %s: only one of them is possible",
			   lt_args_format_option(a->format < format ? a->format : format, one),
			   lt_args_format_option(a->format < format ? format : a->format, other));
	a->format = format;
	a->format_given = true;
}

static enum lt_format word(struct argp_state *state, const char *arg)
{
	const char *names[LT_N_FORMATS + 1] = { NULL };

	for (unsigned int i = 0; i < LT_N_FORMATS; i++)
		names[i] = lt_forms[i]->name;
	return (enum lt_format)lt_args_word(state, "format", arg, names);
}

/* What programs read has no width. */
static void check_width(struct argp_state *state)
{
	const struct lt_args *a = state->input;
	char option[LT_FORMAT_OPTION];

	if (lt_terminal_width_is_chosen() && a && a->format != LT_FORMAT_TEXT)
		argp_error(state, "--width: lines of %s are whole; leave it out",
			   lt_args_format_option(a->format, option));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_args *a = state->input;

	switch (key) {
	case 'j':
		lt_args_format(state, a, LT_FORMAT_JSON);
		return 0;
	case KEY_CSV:
		lt_args_format(state, a, LT_FORMAT_CSV);
		return 0;
	case KEY_FORMAT:
		lt_args_format(state, a, word(state, arg));
		return 0;
	case KEY_COLUMNS:
		if (a->kind)
			lt_columns_offer(a->kind, true);
		if (a->columns && strcmp(a->columns, arg))
			argp_error(state, "--columns: name all columns in one list, as in --columns=%s,%s",
				   a->columns, arg);
		a->columns = arg;
		return 0;
	case LT_KEY_WIDTH:
		lt_args_width(state, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check_width(state);
		return 0;
	default:
		return lt_help_key(key, arg, state);
	}
}

static error_t parse_file(int key, char *arg, struct argp_state *state)
{
	error_t err = lt_args_file_key(key, arg, state);

	return err == ARGP_ERR_UNKNOWN ? parse(key, arg, state) : err;
}

static error_t parse_nothing(int key, char *arg, struct argp_state *state)
{
	error_t err = lt_args_no_argument(key, arg, state);

	return err == ARGP_ERR_UNKNOWN ? parse(key, arg, state) : err;
}

static const struct argp nothing_table = { .options = table_options, .parser = parse_nothing };
static const struct argp csv_json = { .options = csv_json_options, .parser = parse_file };
const struct argp lt_argp_file_json = { .options = json_options, .parser = parse_file };
const struct argp lt_argp_file_own_csv = { .options = own_csv_options, .parser = parse_file };
const struct argp lt_argp_file_table = { .options = table_options, .parser = parse_file };
const struct argp lt_argp_table = { .options = table_options, .parser = parse };

const struct argp_child lt_args_nothing_table[] = { { .argp = &nothing_table }, { 0 } };
const struct argp_child lt_args_file_json_times[] = {
	{ .argp = &lt_argp_file_json }, { .argp = &lt_argp_times }, { 0 }
};
const struct argp_child lt_args_file_csv_json_times[] = {
	{ .argp = &csv_json }, { .argp = &lt_argp_times }, { 0 }
};
const struct argp_child lt_args_file_table[] = { { .argp = &lt_argp_file_table }, { 0 } };
const struct argp_child lt_args_file_table_times[] = {
	{ .argp = &lt_argp_file_table }, { .argp = &lt_argp_times }, { 0 }
};
const struct argp_child lt_args_table[] = { { .argp = &lt_argp_table }, { 0 } };

void lt_args_rows(const struct lt_args *a, const struct lt_row_kind *kind, unsigned int conditions,
		  const char *output)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);

	if (a->format == LT_FORMAT_PARQUET && !output && isatty(STDOUT_FILENO)) {
		lt_error("--format=parquet: is a file of bytes, and standard output is a terminal; write "
			 "it to a file, as in > FILE");
		exit(LT_EXIT_BAD);
	}
	if (lt_args_list_columns(a)) {
		lt_columns_help(kind, conditions, &out, a->format);
		exit(lt_out_close(&out) ? LT_EXIT_BAD : LT_EXIT_OK);
	}
	if (a->columns && !lt_columns_check(kind, conditions, a->columns))
		exit(LT_EXIT_BAD);
}

const struct lt_column *lt_args_sort(const struct lt_row_kind *kind, const char *name)
{
	const struct lt_column *c;

	lt_columns_offer(kind, false);
	c = lt_columns_sort(kind, name);
	if (!c)
		exit(LT_EXIT_BAD);
	return c;
}
