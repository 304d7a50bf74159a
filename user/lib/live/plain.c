// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A live view: births and ends that leave no doubt. The row of an object follows from its traits, or
 * from who made it, so that it is looked up once for all that have these.
 */
#include <string.h>

#include "base/mem.h"
#include "format/plain.h"
#include "live/internal.h"

static bool takes(void *arg, const struct lt_traits *traits)
{
	const struct lt_live *l = arg;

	return !lt_own_site(l->out, l->lf, traits->site);
}

/* What is not counted yet is decided by the next event. */
static bool is_ready(void *arg)
{
	const struct lt_live *l = arg;

	return l->opts.space != LT_SPACE_SLAB || !(l->has_reborn || l->own_reborn);
}

static struct lt_live_row *row_of(struct lt_live *l, enum lt_report_by by,
				  const struct lt_plain_steps *steps, const struct lt_plain_step *s)
{
	struct lt_live_rows *r = &l->by[by];
	uint32_t *number = &r->numbers[by == LT_BY_TASK ? s->actor : s->traits];

	if (!*number) {
		struct lt_obj o = lt_traits_obj(&steps->traits[s->traits]);

		o.context = s->context;
		o.task = lt_lifetimes_maker(l->lf, s);
		*number = (uint32_t)(lt_live_row_of(l, by, &o) - r->rows) + 1;
	}
	return &r->rows[*number - 1];
}

static void count(struct lt_live_row *row, const struct lt_plain_step *s, uint64_t bytes)
{
	if (s->birth) {
		row->count.births++;
		row->count.born += bytes;
		return;
	}
	row->count.frees++;
	row->count.freed += bytes;
	if (!s->unsure)
		lt_hist_add(&row->life[0], s->ns);
}

static void count_step(struct lt_live *l, const struct lt_plain_steps *steps,
		       const struct lt_plain_step *s)
{
	uint64_t bytes = steps->traits[s->traits].bytes_alloc;

	l->ended[s->unsure ? LT_UNCERTAIN : LT_EXACT] += !s->birth;
	count(&l->all, s, bytes);
	for (enum lt_report_by by = 0; by <= LT_BY_TASK; by++) {
		if (lt_live_keeps(l, by))
			count(row_of(l, by, steps, s), s, bytes);
	}
}

static void prepare(struct lt_live *l, const struct lt_plain_steps *steps)
{
	for (enum lt_report_by by = 0; by <= LT_BY_TASK; by++) {
		size_t n = by == LT_BY_TASK ? steps->n_actors : steps->n_traits;
		struct lt_live_rows *r = &l->by[by];

		if (!lt_live_keeps(l, by))
			continue;
		if (l->renewals != steps->renewals && r->n_numbers)
			memset(r->numbers, 0, r->n_numbers * sizeof(*r->numbers));
		if (n > r->n_numbers)
			r->numbers = lt_extend(r->numbers, &r->n_numbers, n, sizeof(*r->numbers));
	}
	l->renewals = steps->renewals;
}

static void plain(void *arg, const struct lt_plain_steps *steps)
{
	struct lt_live *l = arg;
	const uint32_t process = lt_own_process(l->out);

	if (l->opts.space != LT_SPACE_SLAB)
		return;
	prepare(l, steps);
	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		uint64_t time = steps->evs[s->event].time;

		if (s->birth && time < l->watched)
			l->watched = time;
		if (lt_own_step(process, s))
			l->table.own_births += s->birth;
		else
			count_step(l, steps, s);
	}
}

void lt_live_plain_ops(const struct lt_live *l, struct lt_lifetime_ops *ops)
{
	const unsigned int others = 1U << LT_BY_STACK | 1U << LT_BY_CGROUP;

	/* One stands for several, or its row depends on more. */
	if (l->sample > 1 || l->weights.by_birth || l->opts.by & others)
		return;
	ops->plain = plain;
	ops->plain_unsure = true;
	ops->plain_ready = is_ready;
	ops->plain_takes = takes;
}
