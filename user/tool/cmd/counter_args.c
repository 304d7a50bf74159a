// SPDX-License-Identifier: GPL-2.0
/*
 * The option --counters: names of perf, with ":u" behind those that count user mode alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/counter_args.h"
#include "forms/words.h"
#include "tasks/counters.h"

#define N_NAMES		(LT_N_COUNTERS - 1)

/* Each name, and then each with ":u"; they stay. */
static const char *const *names(void)
{
	static const char *all[2 * N_NAMES + 1];

	for (unsigned int i = 0; i < N_NAMES && !all[2 * N_NAMES - 1]; i++)
		all[i] = lt_counter_name(i + 1);
	for (unsigned int i = N_NAMES; i < 2 * N_NAMES && !all[i]; i++)
		all[i] = lt_format("%s:u", lt_counter_name(i - N_NAMES + 1));
	return all;
}

void lt_args_counters(struct argp_state *state, const char *arg, struct lt_record_options *r)
{
	const char *plain[N_NAMES + 1] = { NULL };
	char *copy = lt_strdup(arg), *rest = copy;
	unsigned int n;

	memcpy(plain, names(), N_NAMES * sizeof(*plain));

	/* Those with ":u" follow from the others. */
	lt_words_offer(plain, true);
	r->counters = r->counters_user = 0;
	while (lt_args_next_word(state, "counters", &rest, names(), &n)) {
		unsigned int bit = 1U << (n % N_NAMES + 1);

		if (r->counters & bit)
			argp_error(state, "--counters: %s stands there twice",
				   lt_counter_name(n % N_NAMES + 1));
		r->counters |= bit;
		if (n >= N_NAMES)
			r->counters_user |= bit;
	}
	free(copy);
}
