// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace send: send a trace on, and keep it while the connection is broken.
 */
#include <argp.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "stream/send.h"

enum { KEY_SPOOL = 256, KEY_TIMEOUT, KEY_WAIT };

static const struct argp_option argp_options[] = {
	{ "spool", KEY_SPOOL, "BYTES", 0, "Keep so many in memory [256M]", 0 },
	{ "timeout", KEY_TIMEOUT, "TIME", 0,
	  "Run COMMAND again if the receiver does not answer for so long [60s]", 0 },
	{ "wait", KEY_WAIT, "TIME", 0,
	  "Give up so long after the end of the trace [never]", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_send_options *o = state->input;

	switch (key) {
	case KEY_SPOOL:
		o->spool = (size_t)lt_args_size(state, "spool", arg, 1 << 20);
		return 0;
	case KEY_TIMEOUT:
		o->timeout_ns = lt_args_duration(state, "timeout", arg, 1000000);
		return 0;
	case KEY_WAIT:
		o->wait_ns = lt_args_duration(state, "wait", arg, 1);
		return 0;
	case ARGP_KEY_ARG:
		if (lt_args_command(state, &o->command))
			return 0;
		argp_error(state, "expected -- COMMAND, found '%s'", arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!o->command)
			argp_error(state, "expected -- COMMAND, which reaches 'lifetrace receive'");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "-- COMMAND [ARGUMENT...]",
	"Send the trace that comes on standard input to the receiver that COMMAND reaches.\vlifetrace record -o - | "
	"lifetrace send -- ssh HOST lifetrace receive -d DIR. What the receiver does not have on its disk is kept "
	"in memory; when COMMAND ends, it is run again, and the trace goes on where it broke. While the memory "
	"is full nothing is read; then the recorder's buffers fill, and the trace has the number of lost "
	"events.\n"
	"\n"
	"Exit status: 0 the receiver has the whole trace, 1 it has all that came, which is not whole, 2 something was "
	"not delivered.",
	lt_args_help, NULL, NULL
};

int lt_cmd_send(int argc, char **argv)
{
	struct lt_send_options o = { .spool = 256U << 20, .timeout_ns = 60000000000ULL };

	lt_help_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	return lt_send(&o);
}
