// SPDX-License-Identifier: GPL-2.0
/*
 * The options of the flight recorder, as a child of the argp of record.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "flight/trigger.h"
#include "cmd/flight_args.h"
#include "cmd/help.h"
#include "cmd/rotate_args.h"

#define WINDOW_MIN	1000000000ULL	/* ns */
#define INTERVAL	10000000000ULL

enum {
	KEY_FLIGHT = 0x2000, KEY_AFTER, KEY_ON, KEY_MEMORY, KEY_EXEC, KEY_MAX, KEY_INTERVAL,
	KEY_CONTROL,
};

static const struct argp_option options[] = {
	{ "flight", KEY_FLIGHT, "TIME", 0,
	  "Keep the last TIME in memory; write it to a file of its own, whose name begins with that of "
	  "-o, when 'lifetrace snapshot' or a trigger asks for it", 0 },
	{ "after", KEY_AFTER, "TIME", LT_MORE,
	  "Keep recording this long after the trigger [a quarter of TIME of --flight]", 0 },
	{ "on", KEY_ON, "TRIGGER", 0,
	  "Also write it on: marker:TEXT, oom, oops, hung_task, alloc_failed, 'events>N/s', 'loss>N', "
	  "'live_bytes{cache=\"dentry\"}>2MiB', 'mem_available<BYTES', 'slab>BYTES', 'pressure>N%'; "
	  "may be repeated", 0 },
	{ "memory", KEY_MEMORY, "BYTES", LT_MORE,
	  "Memory for packets and table; if they need more, the window gets shorter [512M, or an "
	  "eighth of all]", 0 },
	{ "exec", KEY_EXEC, "COMMAND", LT_MORE,
	  "Run COMMAND, by the shell, after each file; $LIFETRACE_SNAPSHOT is its name", 0 },
	{ "max-snapshots", KEY_MAX, "N", LT_MORE, "End after N files", 0 },
	{ "min-interval", KEY_INTERVAL, "TIME", LT_MORE, "At least TIME between two files "
							 "[10s]", 0 },
	{ "control", KEY_CONTROL, "SOCKET", LT_MORE,
	  "For 'lifetrace snapshot' [" LT_FLIGHT_SOCKET "]", 0 },
	{ 0 }
};

static void check(struct argp_state *state, struct lt_flight_args *a)
{
	if (!a->opts.window_ns) {
		if (a->first)
			argp_error(state, "--%s: is for a flight recorder; --flight starts one",
				   a->first);
		return;
	}
	if (!a->has_after)
		a->opts.after_ns = a->opts.window_ns / 4;
	if (a->opts.after_ns >= a->opts.window_ns)
		argp_error(state, "--after: must be shorter than --flight, or the cause is not in the "
			   "file");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_flight_args *a = state->input;
	struct lt_flight_options *o = &a->opts;

	for (size_t i = 0; options[i].name && !a->first; i++) {
		if (options[i].key == key && key != KEY_FLIGHT)
			a->first = options[i].name;
	}
	switch (key) {
	case ARGP_KEY_INIT:
		o->triggers = lt_alloc(sizeof(*o->triggers));
		o->interval_ns = INTERVAL;
		o->control = LT_FLIGHT_SOCKET;
		return 0;
	case KEY_FLIGHT:
		o->window_ns = lt_args_duration(state, "flight", arg, 1);
		if (o->window_ns < WINDOW_MIN)
			argp_error(state, "--flight: expected at least 1s, found '%s'", arg);
		return 0;
	case KEY_AFTER:
		o->after_ns = lt_args_duration(state, "after", arg, 0);
		a->has_after = true;
		return 0;
	case KEY_ON:
		if (lt_trigger_add(o->triggers, arg))
			exit(argp_err_exit_status);
		return 0;
	case KEY_MEMORY:
		o->memory = lt_args_size(state, "memory", arg, 1);
		if (o->memory < LT_WINDOW_MIN)
			argp_error(state, "--memory: expected at least 4M, found '%s'", arg);
		return 0;
	case KEY_EXEC:
		o->exec = arg;
		return 0;
	case KEY_MAX:
		o->max_snapshots = lt_args_count(state, "max-snapshots", arg, 1, UINT32_MAX);
		return 0;
	case KEY_INTERVAL:
		o->interval_ns = lt_args_duration(state, "min-interval", arg, 0);
		return 0;
	case KEY_CONTROL:
		o->control = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, a);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp lt_argp_flight = { options, parse, NULL, NULL, lt_args_help, NULL, NULL };

void lt_flight_args_check(struct argp_state *state, const struct lt_flight_args *a,
			  struct lt_record_options *r, const char *other)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ r->max_size, "max-size" }, { r->shrink, "shrink" },
		{ r->page_kinds, "page-kinds" }, { r->overwrite, "overwrite" },
		{ r->rotate_ns || r->rotate_bytes, "rotate" },
	};

	if (!a->opts.window_ns)
		return;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (others[i].given)
			other = others[i].name;
	}
	if (other)
		argp_error(state, "--%s: cannot be used with --flight", other);
	if (!strcmp(r->output, "-"))
		argp_error(state, "-o: expected the beginning of the names of the files of "
				  "--flight");
	lt_args_need_ns(state, "flight", r);
}
