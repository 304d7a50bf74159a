// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that a command line names.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/function_args.h"
#include "fetch/fetch.h"
#include "out/log.h"

/* Adds a spec (fetch/spec.h). Those of a file follow one another. */
static void add(struct lt_record_options *r, const char *spec)
{
	r->functions = lt_realloc_array(r->functions, r->n_functions + 1, sizeof(*r->functions));
	r->functions[r->n_functions++] = spec;
}

static void add_file(struct lt_record_options *r, const char *path)
{
	struct lt_why why;
	char **specs = NULL;
	size_t n = 0;

	if (!lt_fetch_read_specs(path, &specs, &n, &why)) {
		lt_error("%s: %s", path, why.text);
		exit(LT_EXIT_BAD);
	}
	for (size_t i = 0; i < n; i++)
		add(r, specs[i]);
	free(specs);
}

bool lt_args_functions(int key, const char *arg, struct argp_state *state,
		       struct lt_record_options *r)
{
	switch (key) {
	case LT_KEY_CALL:
		add(r, arg);
		return true;
	case LT_KEY_CALL_FILE:
		add_file(r, arg);
		return true;
	case LT_KEY_CALL_DEPTH:
		r->function_depth =
			(uint16_t)lt_args_count(state, "call-depth", arg, 1, UINT16_MAX);
		return true;
	default:
		return false;
	}
}
