// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace snapshot: let the flight recorder write what it has.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "flight/flight.h"
#include "out/log.h"

enum { KEY_CONTROL = 256 };

struct options {
	const char *control;
	char *text;
};

static const struct argp_option argp_options[] = {
	{ "control", KEY_CONTROL, "SOCKET", 0, "Of the recorder [" LT_FLIGHT_SOCKET "]", 0 },
	{ 0 }
};

static void check(struct argp_state *state, const char *text)
{
	if (strlen(text) >= LT_FLIGHT_TEXT)
		argp_error(state, "the text is too long; it has at most %d bytes",
			   LT_FLIGHT_TEXT - 1);
	lt_args_check_line(state, "the text", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_CONTROL:
		o->control = arg;
		return 0;
	case ARGP_KEY_ARG:
		lt_args_add_word(&o->text, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o->text ? o->text : "");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[TEXT...]",
	"Make the flight recorder of this machine (record --flight) write the last seconds into "
	"a file, and print the file's name when it is written.\vThe file has TEXT as its cause. "
	"The recorder keeps recording for a little before it writes (its option --after). Needs "
	"root, as record does.\n"
	"\n"
	"Exit status: 0 written, 1 not now: the recorder is writing, or has just written one; 2 "
	"not written.",
	lt_args_help, NULL, NULL
};

int lt_cmd_snapshot(int argc, char **argv)
{
	struct options o = { .control = LT_FLIGHT_SOCKET };
	char *file = NULL;
	int ret;

	lt_help_parse(&argp, argc, argv, 0, &o);
	ret = lt_flight_request(o.control, o.text ? o.text : "", &file);
	if (!ret)
		puts(file);
	free(file);
	free(o.text);
	return !ret ? LT_EXIT_OK : ret > 0 ? LT_EXIT_NO : LT_EXIT_BAD;
}
