// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace receive: write a trace that another machine sends.
 */
#include <argp.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/rotate_args.h"
#include "stream/receive.h"
#include "stream/room.h"

#define KEEP_FREE	10	/* percent */

enum { KEY_MAX_SIZE = 256, KEY_HOST };

static const struct argp_option argp_options[] = {
	{ "directory", 'd', "DIR", 0, "Where to; it is made if it does not exist", 0 },
	{ "keep", LT_KEY_KEEP, "BYTES", 0,
	  "Delete the oldest files, so that all together have at most so many", 0 },
	{ "keep-free", LT_KEY_KEEP_FREE, "PERCENT%", 0,
	  "Delete the oldest files, so that PERCENT of the disk stays free [10%, and nothing is deleted]",
	  0 },
	{ "max-size", KEY_MAX_SIZE, "BYTES", 0,
	  "Take no more of one trace [a quarter of --keep]", 0 },
	{ "host", KEY_HOST, "NAME", 0, "In names of files, whatever the trace says", 0 },
	{ 0 }
};

static void check(struct argp_state *state, struct lt_store_options *o)
{
	if (!o->dir)
		argp_error(state, "give a directory: -d DIR");
	if (o->host && !lt_receive_host(o->host))
		argp_error(state, "--host: expected at most %d letters, digits, dots and hyphens, found '%s'",
			   LT_STREAM_HOST - 1, o->host);
	/* Of less all files would be deleted, and none would have room. */
	if (o->delete_old && o->keep && o->keep < lt_room_counted(0))
		argp_error(state, "--keep: expected 64K or more, since each file counts as much");
	if (!o->max_size)
		o->max_size = o->keep / 4;
	if (o->keep && o->max_size > o->keep)
		argp_error(state, "--max-size: is more than --keep");
	if (!o->keep_free)
		o->keep_free = KEEP_FREE;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_store_options *o = state->input;

	switch (key) {
	case 'd':
		o->dir = arg;
		return 0;
	case LT_KEY_KEEP:
		o->keep = lt_args_size(state, "keep", arg, 1);
		o->delete_old = true;
		return 0;
	case LT_KEY_KEEP_FREE:
		o->keep_free = lt_args_keep_free(state, arg);
		o->delete_old = true;
		return 0;
	case KEY_MAX_SIZE:
		o->max_size = lt_args_size(state, "max-size", arg, 1);
		return 0;
	case KEY_HOST:
		o->host = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "-d DIR",
	"Write the trace that comes on standard input into DIR, as HOST_BOOT_START_TOKEN.lt, readable by its "
	"owner alone.\vlifetrace record -o - | ssh HOST lifetrace receive -d DIR. A trace that is not whole "
	"yet has the suffix .part; one whose sender was cut is kept up to its last whole block, as "
	".cut.lt.\n"
	"\n"
	"Exit status: 0 it is whole, 1 what came is kept, 2 nothing is.",
	lt_args_nothing, NULL, NULL
};

int lt_cmd_receive(int argc, char **argv)
{
	struct lt_store_options o = { 0 };

	lt_help_parse(&argp, argc, argv, 0, &o);
	return lt_receive(&o);
}
