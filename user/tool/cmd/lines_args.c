// SPDX-License-Identifier: GPL-2.0
/*
 * The options of source lines, which several commands take.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/args.h"

enum { KEY_LINES = 0x3000, KEY_DEBUGINFO };

static const struct argp_option options[] = {
	{ "lines", KEY_LINES, NULL, 0,
	  "File and line of call sites, and what is inlined there, from debug files", 0 },
	{ "debuginfo", KEY_DEBUGINFO, "PATH", 0,
	  "The same, with this debug file, or those in this directory; may be repeated", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_lines_args *a = state->input;

	switch (key) {
	case KEY_LINES:
		a->wanted = true;
		return 0;
	case KEY_DEBUGINFO:
		if (a->n_paths == LT_LINES_PATHS)
			argp_error(state, "--debuginfo: at most %d are possible; name a directory",
				   LT_LINES_PATHS);
		a->paths[a->n_paths++] = arg;
		a->wanted = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp lt_argp_lines = { .options = options, .parser = parse };

/* A relative XDG_CACHE_HOME is to be ignored, says its specification. NULL: nowhere. */
static char *cache_dir(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return lt_format("%s/lifetrace/lines", cache);
	if (home && *home == '/')
		return lt_format("%s/.cache/lifetrace/lines", home);
	return NULL;
}

int lt_args_lines(const struct lt_lines_args *a, const struct lt_trace *t, struct lt_lines **l)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct lt_lines_spec spec = {
		.paths = a->paths, .n_paths = a->n_paths, .debuginfod = urls && *urls, .root = "",
	};
	char *cache;

	*l = NULL;
	if (!a->wanted)
		return 0;
	cache = cache_dir();
	spec.cache = cache;
	*l = lt_lines_new(t, &spec);
	free(cache);
	return *l ? 0 : -1;
}

void lt_args_lines_end(struct lt_lines *l)
{
	if (l)
		lt_lines_finish(l);
	lt_lines_free(l);
}
