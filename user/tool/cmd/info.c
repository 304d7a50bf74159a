// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace info: what a trace holds, without reading its events.
 */
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "print/info.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->child_inputs[1] = state->input;
	return 0;
}

static const struct argp argp = {
	NULL, parse, "[FILE...]",
	"Print what a trace holds: machine, kernel, clock, parameters of the session, packets of "
	"each CPU, events watched and not watched, and what was lost.",
	lt_args_file_json_times, NULL, NULL
};

static int print(struct lt_trace *t, struct lt_out *out, void *arg)
{
	const struct lt_args *a = arg;
	struct lt_times times;

	if (lt_times_init(&times, a->times, t))
		return LT_EXIT_BAD;
	if (a->format == LT_FORMAT_JSON)
		lt_info_json(out, t, &times);
	else
		lt_info_text(out, t, &times);
	return LT_EXIT_OK;
}

int lt_cmd_info(int argc, char **argv)
{
	struct lt_args a = { 0 };

	lt_help_parse(&argp, argc, argv, 0, &a);
	return lt_cmd_with_trace(a.file, a.format, print, &a);
}
