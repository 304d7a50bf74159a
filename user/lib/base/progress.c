// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How far a pass over a trace has come.
 */
#include <stddef.h>

#include "base/progress.h"

static lt_progress_fn *progress_fn;
static void *progress_arg;

void lt_set_progress(lt_progress_fn *fn, void *arg)
{
	progress_fn = fn;
	progress_arg = arg;
}

void lt_progress(uint64_t done, uint64_t all)
{
	if (progress_fn)
		progress_fn(progress_arg, done, all);
}
