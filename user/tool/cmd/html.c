// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace html: a report as one page for a browser.
 */
#include <argp.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "out/log.h"
#include "out/output.h"
#include "out/progress.h"
#include "page/page.h"

struct options {
	struct lt_args args;
	struct lt_filter_spec filter;
	const char *path;
	struct lt_page_options page;
	bool quiet;
};

enum { KEY_SELF = 256, KEY_SPACE };

static const struct argp_option argp_options[] = {
	{ "output", 'o', "FILE", 0, "Where to; - for standard output", 0 },
	{ "quiet", 'q', NULL, 0, "No progress", 0 },
	{ "space", KEY_SPACE, "SPACE", 0, LT_SPACE_HELP_SITES, 0 },
	{ "self", KEY_SELF, NULL, 0, "With what the recorder itself allocated", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		return 0;
	case 'o':
		o->path = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case KEY_SELF:
		o->page.self = true;
		return 0;
	case KEY_SPACE:
		o->page.space = lt_args_space_of_sites(state, arg, "report --all");
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!o->path)
			argp_error(state, "expected --output=FILE, the page to write");
		if (o->filter.older_ns || o->filter.certainty || o->filter.why)
			argp_error(state, "--older, --certainty and --why choose by the end of a "
				   "lifetime: of these what is alive at a time is not known, which "
				   "most of a page is about; lifetrace report takes them");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Write a report of memory as one page for a browser: how sure it is, what leaks and "
	"grows, memory over time, a flame graph, call sites and caches, lifetimes, processes, "
	"advice.\vThe page needs no other file and no network. Its tables can be read without "
	"JavaScript. Choosing a window of time in the chart filters the tables of caches and "
	"call sites. Rows that are too many for a page are summed up, and the page says so.",
	lt_args_file_filter, NULL, NULL
};

int lt_cmd_html(int argc, char **argv)
{
	struct options o = { .path = NULL };
	int fd, err;

	lt_help_parse(&argp, argc, argv, 0, &o);
	if (lt_args_filter(&o.filter, o.args.file, &o.page.filter))
		return LT_EXIT_BAD;
	o.page.chosen = &o.filter;
	fd = lt_output_open(o.path);
	lt_progress_show(o.quiet || fd == STDOUT_FILENO);
	err = fd < 0 ? -1 : lt_page_write(o.args.file, &o.page, fd, o.path);
	lt_progress_hide();
	if (lt_output_close(fd, !err))
		err = -1;
	lt_filter_free(o.page.filter);
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}
