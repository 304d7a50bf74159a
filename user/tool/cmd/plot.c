// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace plot: memory over time.
 */
#include <argp.h>
#include <unistd.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/plot.h"

#define MAX_CACHES	64
#define MAX_POINTS	10000
#define POINTS		200	/* of JSON and CSV */

struct options {
	struct lt_args args;
	struct lt_report_options report;
	const char *caches[MAX_CACHES];
	size_t n_caches;
	size_t points;
	unsigned int height;
	size_t top;
};

enum { KEY_CACHE = 256, KEY_POINTS, KEY_HEIGHT, KEY_SPACE, KEY_SELF };

static const struct argp_option argp_options[] = {
	{ "cache", KEY_CACHE, "NAME", 0, "A plot of this slab cache, in place of the sum; may be "
	  "repeated", 0 },
	{ "number", 'n', "N", 0, "At most N caches below the sum, in one line each [10]", 0 },
	{ "height", KEY_HEIGHT, "LINES", 0, "Lines of a plot [12]", 0 },
	{ "points", KEY_POINTS, "N", 0,
	  "Cut the time into N parts [text: as many as fit on a line; JSON and CSV: 200]", 0 },
	{ "space", KEY_SPACE, "SPACE", 0, LT_SPACE_HELP, 0 },
	{ "self", KEY_SELF, NULL, 0, "With what the recorder itself allocated", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &o->args;
		return 0;
	case KEY_CACHE:
		if (o->n_caches == MAX_CACHES)
			argp_error(state, "--cache: at most %d caches", MAX_CACHES);
		o->caches[o->n_caches++] = arg;
		return 0;
	case 'n':
		o->top = (size_t)lt_args_count(state, "number", arg, 0, 1000000000);
		return 0;
	case KEY_HEIGHT:
		o->height = (unsigned int)lt_args_count(state, "height", arg, 1, 1000);
		return 0;
	case KEY_POINTS:
		o->points = (size_t)lt_args_count(state, "points", arg, 1, MAX_POINTS);
		return 0;
	case KEY_SPACE:
		o->report.space = lt_args_space(state, arg);
		return 0;
	case KEY_SELF:
		o->report.no_recorder = false;
		return 0;
	case ARGP_KEY_END:
		if (o->n_caches && !lt_space_has_caches(o->report.space))
			argp_error(state, "--cache: there are no caches of %s",
				   lt_space_words(o->report.space)->objects);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Plot how much memory was alive over time: of all slab caches, and below it the caches with "
	"the greatest peaks, each by its own scale.",
	lt_args_file_csv_json_times, NULL, NULL
};

int lt_cmd_plot(int argc, char **argv)
{
	struct options o = {
		.report = { .no_recorder = true, .short_ns = 1000000, .within = 16,
			    .long_ns = 1000000000 },
		.height = 12, .top = 10,
	};
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_plot_view view = { .out = &out };
	struct lt_terminal term;
	struct lt_series *s;
	int err;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_terminal_init(&term);
	if (!o.points && o.args.format != LT_FORMAT_TEXT)
		o.points = POINTS;
	/* The names of the caches stand behind their lines. */
	if (!o.points)
		o.points = (term.width ? term.width : LT_TEXT_WIDTH) - LT_PLOT_MARGIN -
			   (o.n_caches ? 0 : 2 + LT_PLOT_NAME);
	lt_cmd_say_whose(o.args.file);
	s = lt_series_make(o.args.file, &o.report, o.points);
	if (!s || !lt_space_recorded(s->profile->trace, o.report.space)) {
		lt_series_free(s);
		return LT_EXIT_BAD;
	}
	lt_cmd_page(&term, o.args.format == LT_FORMAT_TEXT);
	out.width = term.fit;
	view.format = o.args.format;
	view.caches = o.caches;
	view.n_caches = o.n_caches;
	view.utf8 = term.utf8;
	view.height = o.height;
	view.top = !lt_space_has_caches(o.report.space) ? 0 : o.top;
	err = lt_times_init(&view.times, o.args.times, s->profile->trace) ||
	      lt_plot_print(s, &view);
	lt_series_free(s);
	return lt_cmd_page_end(&term, lt_out_close(&out) || err ? LT_EXIT_BAD : LT_EXIT_OK);
}
