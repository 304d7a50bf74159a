// SPDX-License-Identifier: GPL-2.0
/*
 * The option --budget of lifetrace record.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/budget_args.h"
#include "record/allowance.h"

void lt_args_budget(struct argp_state *state, const char *arg, struct lt_record_options *r)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || *end != '%' || end[1] || !isfinite(percent) || percent < 0.1 ||
	    percent > 50)
		argp_error(state, "--budget: expected 0.1%% to 50%%, found '%s'", arg);
	r->budget = percent / 100;
}

void lt_args_check_budget(struct argp_state *state, struct lt_record_options *r, const char *live)
{
	static char sample[16];
	struct lt_allowance b;

	if (!(r->budget > 0))
		return;
	if (r->sample)
		argp_error(state, "--budget, --sample: the budget chooses the sample");
	if (r->rotate_ns || r->rotate_bytes || r->overwrite || r->tap)
		argp_error(state, "--budget: the sample changes, and each file must have all changes: not with "
			   "--rotate, --overwrite or --flight");
	if (live)
		argp_error(state, "--budget, --%s: what is printed meanwhile has no sample yet; record a trace", live);
	lt_spending_plan(&b, r->budget);
	snprintf(sample, sizeof(sample), "%u", b.sample);
	r->sample = sample;
	/* The counters count what is left out. */
	r->coverage = false;
}
