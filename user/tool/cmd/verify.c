// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace verify: prove from the file alone that nothing is missing, or report what is.
 */
#include <argp.h>
#include <unistd.h>

#include "base/out.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/verify.h"

struct options {
	struct lt_args args;
	struct lt_verify_view view;
};

static const struct argp_option argp_options[] = {
	{ "quiet", 'q', NULL, 0, "Print only what fails", 0 },
	{ "cpus", 'c', NULL, 0, "Also print the table of counters of each CPU", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		break;
	case 'q':
		o->view.quiet = true;
		break;
	case 'c':
		o->view.cpus = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Check every invariant of a trace from the file alone, and print each with its "
	"figures.\vExit status: 0 all hold, 1 one does not, 2 the file could not be used at all.",
	lt_args_file_width, NULL, NULL
};

int lt_cmd_verify(int argc, char **argv)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_verify_result *v;
	struct options o = { 0 };
	struct lt_terminal term;
	int answer, status;

	lt_help_parse(&argp, argc, argv, 0, &o);
	o.view.file = o.args.file;
	v = lt_verify(o.args.file);
	if (!v)
		return LT_EXIT_BAD;
	lt_cmd_page(&term, true);
	out.width = term.fit;
	answer = lt_verify_print(&out, &o.view, v) ? LT_EXIT_OK : LT_EXIT_NO;
	status = lt_out_close(&out) ? LT_EXIT_BAD : answer;
	lt_verify_result_free(v);
	/* A user who leaves the pager early gets the answer, too. */
	return lt_terminal_end(&term) && term.left ? answer : status;
}
