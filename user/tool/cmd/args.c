// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments and options that several commands take.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/args.h"

enum { KEY_CSV = 0x1000 };

static const struct argp_option json_option[] = {
	{ "json", 'j', NULL, 0, "Print JSON, one object a line", 0 },
	{ 0 }
};

static const struct argp_option csv_json_options[] = {
	{ "csv", KEY_CSV, NULL, 0, "Print comma-separated values, all columns", 0 },
	{ "json", 'j', NULL, 0, "Print JSON, all columns", 0 },
	{ 0 }
};

static error_t parse_format(int key, char *arg, struct argp_state *state)
{
	struct lt_args *a = state->input;

	(void)arg;
	switch (key) {
	case 'j':
		a->format = LT_FORMAT_JSON;
		return 0;
	case KEY_CSV:
		a->format = LT_FORMAT_CSV;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_file(int key, char *arg, struct argp_state *state)
{
	struct lt_args *a = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (a->file)
			argp_error(state, "expected one trace file, found '%s', too", arg);
		a->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->file)
			argp_error(state, "expected a trace file");
		return 0;
	default:
		return parse_format(key, arg, state);
	}
}

static error_t parse_nothing(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		argp_error(state, "expected no arguments, found '%s'", arg);
	return parse_format(key, arg, state);
}

static const struct argp nothing = { .parser = parse_nothing };
static const struct argp json = { .options = json_option, .parser = parse_nothing };
static const struct argp file = { .parser = parse_file };
static const struct argp file_json = { .options = json_option, .parser = parse_file };
static const struct argp file_csv_json = { .options = csv_json_options, .parser = parse_file };
static const struct argp csv_json = { .options = csv_json_options, .parser = parse_format };

const struct argp_child lt_args_nothing[] = { { .argp = &nothing }, { 0 } };
const struct argp_child lt_args_json[] = { { .argp = &json }, { 0 } };
const struct argp_child lt_args_file[] = { { .argp = &file }, { 0 } };
const struct argp_child lt_args_file_json[] = { { .argp = &file_json }, { 0 } };
const struct argp_child lt_args_file_csv_json[] = { { .argp = &file_csv_json }, { 0 } };
const struct argp_child lt_args_csv_json[] = { { .argp = &csv_json }, { 0 } };

double lt_args_number(struct argp_state *state, const char *name, const char *arg, double max)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v >= 0 && v <= max))
		argp_error(state, "--%s: expected a number from 0 to %.0f, found '%s'", name, max,
			   arg);
	return v;
}

uint64_t lt_args_seconds(struct argp_state *state, const char *name, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v > 0 && v < 1e9))
		argp_error(state, "--%s: expected seconds, found '%s'", name, arg);
	return (uint64_t)(v * 1e9);
}

/* Joins words as in "a, b or c". */
static void join(const char *const words[], char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = 0;
	for (size_t i = 0; words[i] && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s",
				      !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

unsigned int lt_args_word(struct argp_state *state, const char *name, const char *arg,
			  const char *const words[])
{
	char list[256];

	for (unsigned int i = 0; words[i]; i++) {
		if (!strcmp(arg, words[i]))
			return i;
	}
	join(words, list, sizeof(list));
	argp_error(state, "--%s: expected %s, found '%s'", name, list, arg);
	return 0;
}
