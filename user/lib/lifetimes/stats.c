// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts of some lifetimes only.
 */
#include "lifetimes/lifetime.h"

void lt_lifetime_stats_add(struct lt_lifetime_stats *s, const struct lt_lifetime *l)
{
	s->certainty[l->space][l->certainty]++;
	s->ending[l->ending]++;
	s->why[l->space][l->why]++;
	s->births[l->space] += l->birth.known && !l->older;
	s->live[l->space] += l->ending == LT_END_ALIVE;
	s->lossy += l->lossy;
	s->ambiguous += l->ambiguous;
	s->rcu_requests += l->ending == LT_END_RCU;
	s->rcu_confirmed += l->ending == LT_END_RCU && l->rcu_confirmed;
}

void lt_lifetime_stats_subtract(struct lt_lifetime_stats *s, const struct lt_lifetime_stats *part)
{
	for (int space = 0; space < LT_N_MEMORY; space++) {
		for (int i = 0; i < LT_N_CERTAINTIES; i++)
			s->certainty[space][i] -= part->certainty[space][i];
		for (int i = 0; i < LT_N_WHYS; i++)
			s->why[space][i] -= part->why[space][i];
		s->births[space] -= part->births[space];
		s->live[space] -= part->live[space];
	}
	for (int i = 0; i < LT_N_ENDINGS; i++)
		s->ending[i] -= part->ending[i];
	s->lossy -= part->lossy;
	s->ambiguous -= part->ambiguous;
	s->rcu_requests -= part->rcu_requests;
	s->rcu_confirmed -= part->rcu_confirmed;
}
