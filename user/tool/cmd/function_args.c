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

/* Those of a file follow one another. */
void lt_args_function(struct lt_record_options *r, const char *spec)
{
	r->functions = lt_realloc_array(r->functions, r->n_functions + 1, sizeof(*r->functions));
	r->functions[r->n_functions++] = spec;
}

void lt_args_functions_of(struct lt_record_options *r, const char *path)
{
	struct lt_why why;
	char **specs = NULL;
	size_t n = 0;

	if (!lt_fetch_read_specs(path, &specs, &n, &why)) {
		lt_error("%s: %s", path, why.text);
		exit(LT_EXIT_BAD);
	}
	for (size_t i = 0; i < n; i++)
		lt_args_function(r, specs[i]);
	free(specs);
}
