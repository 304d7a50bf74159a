// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports of what was born in a time, and of nothing else that a filter may ask for: a look at the
 * time decides, so that what leaves no doubt need not be looked at one by one.
 */
#include "format/plain.h"
#include "sums/report_maker.h"

void lt_maker_set_time(struct lt_maker *m)
{
	const struct lt_filter *filter = m->r->opts.filter;

	m->of_time = filter && lt_filter_is_of_time(filter);
	m->from = 0;
	m->to = UINT64_MAX;
	lt_filter_clip(filter, &m->from, &m->to);
}

bool lt_maker_is_picked(const struct lt_maker *m, const struct lt_obj *o)
{
	if (m->of_time)
		return lt_maker_has_time(m, o->time);
	return !m->r->opts.filter || lt_picked_has(&m->picked, o->ptr);
}

bool lt_maker_was_picked(struct lt_maker *m, const struct lt_obj *o)
{
	if (m->of_time || !m->r->opts.filter)
		return lt_maker_is_picked(m, o);
	return lt_picked_remove(&m->picked, o->ptr);
}

/* The coverage is of all objects. */
static void pass_over(const struct lt_maker *m, const struct lt_plain_steps *steps,
		      const struct lt_plain_step *s)
{
	struct lt_coverage *c = m->r->coverage;
	uint32_t *number;

	if (!c)
		return;
	number = &m->coverage.of[s->traits];
	if (!*number) {
		const struct lt_obj o = lt_traits_obj(&steps->traits[s->traits]);

		*number = lt_coverage_number(c, &o) + 1;
	}
	lt_coverage_count(c, *number - 1, s->birth, !s->birth);
}

size_t lt_maker_take_time(struct lt_maker *m, const struct lt_plain_steps *steps,
			  struct lt_plain_step in[LT_PLAIN_MAX])
{
	const uint32_t process = lt_own_process(m->out);
	uint64_t ends = 0;
	size_t n = 0;

	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		uint64_t time = steps->evs[s->event].time - (s->birth ? 0 : s->ns);

		if (!lt_maker_has_time(m, time)) {
			ends += !s->birth;
			pass_over(m, steps, s);
			continue;
		}
		if (!s->birth && !lt_own_step(process, s))
			lt_lifetime_stats_add_step(&m->counted, s);
		in[n++] = *s;
	}
	lt_counted_add_ones(&m->all, ends);
	return n;
}
