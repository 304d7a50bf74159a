// SPDX-License-Identifier: GPL-2.0
/*
 * The options of lifetrace record for many files.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/rotate_args.h"

/* "1h", "1G", "1h,1G" */
static void parse_limits(struct argp_state *state, const char *arg, struct lt_record_options *r)
{
	char *copy = lt_strdup(arg), *at = copy, *word;

	while ((word = strsep(&at, ","))) {
		size_t len = strlen(word);

		if (len && strchr("smh", word[len - 1]))
			r->rotate_ns = lt_args_duration(state, "rotate", word, 1);
		else
			r->rotate_bytes = lt_args_size(state, "rotate", word, 1);
	}
	free(copy);
}

unsigned int lt_args_keep_free(struct argp_state *state, const char *arg)
{
	size_t len = strlen(arg);
	char *number;
	unsigned int n;

	if (!len || arg[len - 1] != '%')
		argp_error(state, "--keep-free: expected 1%% to 99%%, found '%s'", arg);
	number = lt_format("%.*s", len ? (int)len - 1 : 0, arg);
	n = (unsigned int)lt_args_count(state, "keep-free", number, 1, 99);
	free(number);
	return n;
}

bool lt_args_rotate(int key, const char *arg, struct argp_state *state,
		    struct lt_record_options *r)
{
	switch (key) {
	case LT_KEY_ROTATE:
		parse_limits(state, arg, r);
		return true;
	case LT_KEY_KEEP:
		r->keep = lt_args_size(state, "keep", arg, 1);
		return true;
	case LT_KEY_KEEP_FREE:
		r->keep_free = lt_args_keep_free(state, arg);
		return true;
	default:
		return false;
	}
}

void lt_args_need_ns(struct argp_state *state, const char *option, struct lt_record_options *r)
{
	/* A file has what was alive at its begin, with its times, and these must be exact. */
	if (r->clock && !strcmp(r->clock, "counter"))
		argp_error(state, "--%s, --clock=counter: files are cut by a clock of ns; take mono",
			   option);
	if (!r->clock || !strcmp(r->clock, "auto"))
		r->clock = "mono";
}

void lt_args_check_rotate(struct argp_state *state, struct lt_record_options *r, bool html)
{
	if (!r->rotate_ns && !r->rotate_bytes) {
		if (r->keep || r->keep_free)
			argp_error(state, "--keep, --keep-free: need many files: --rotate");
		return;
	}
	if (!r->output)
		argp_error(state, "--rotate: writes many files; give a directory to -o");
	if (r->output && !strcmp(r->output, "-"))
		argp_error(state, "--rotate: writes many files; standard output is one");
	if (r->max_size)
		argp_error(state, "--rotate, --max-size: --max-size ends the recording, --rotate "
				  "goes on; use --keep");
	if (r->overwrite)
		argp_error(state, "--rotate, --overwrite: the one writes everything, the other the last "
			   "seconds");
	lt_args_need_ns(state, "rotate", r);
	if (html)
		argp_error(state, "--rotate, --html: the page is about one file");
	if (r->keep && r->keep < 2 * r->rotate_bytes)
		argp_error(state, "--keep: is less than two files of --rotate");
}
