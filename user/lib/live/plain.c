// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A live view: births and ends that leave no doubt. The row of an object follows from its traits,
 * or from who made it, so that it is looked up once for all that have these.
 */
#include "format/plain.h"
#include "lifetimes/read.h"
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
	uint32_t *number = &r->numbers.of[by == LT_BY_TASK ? s->actor : s->traits];

	if (!*number) {
		struct lt_obj o = lt_traits_obj(&steps->traits[s->traits]);

		o.context = s->context;
		o.task = lt_lifetimes_maker(l->lf, s);
		*number = (uint32_t)(lt_live_row_of(l, by, &o) - r->rows) + 1;
	}
	return &r->rows[*number - 1];
}

/* The rows that plain steps are counted in. */
#define WAYS	(LT_BY_TASK + 1)

/* @group, @part: of how long the object lived, in histograms. */
static inline void count(struct lt_live_row *row, const struct lt_plain_step *s, uint64_t bytes,
			 unsigned int group, unsigned int part)
{
	if (s->birth) {
		row->count.births++;
		row->count.born += bytes;
		return;
	}
	row->count.frees++;
	row->count.freed += bytes;
	if (!s->unsure)
		lt_hist_add_at(&row->life[0], s->ns, group, part);
}

static inline void count_step(struct lt_live *l, const struct lt_plain_steps *steps,
			      const struct lt_plain_step *s, const enum lt_report_by *by, size_t n)
{
	const uint64_t bytes = steps->traits[s->traits].bytes_alloc;
	const unsigned int group = s->birth ? 0 : lt_hist_group(s->ns);
	const unsigned int part = s->birth ? 0 : lt_hist_part(s->ns, group);

	l->ended[s->unsure ? LT_UNCERTAIN : LT_EXACT] += !s->birth;
	count(&l->all, s, bytes, group, part);
	for (size_t i = 0; i < n; i++)
		count(row_of(l, by[i], steps, s), s, bytes, group, part);
}

/* Which rows are kept, and what these steps need of them. Return: the number of @by. */
static size_t prepare(struct lt_live *l, const struct lt_plain_steps *steps,
		      enum lt_report_by by[WAYS])
{
	size_t n = 0;

	for (enum lt_report_by way = 0; way < WAYS; way++) {
		if (!lt_live_keeps(l, way))
			continue;
		by[n++] = way;
		lt_plain_numbers_prepare(&l->by[way].numbers, steps,
					 way == LT_BY_TASK ? steps->n_actors : steps->n_traits);
	}
	return n;
}

/* The first birth: they come in order of time. */
static void begin_watch(struct lt_live *l, const struct lt_plain_steps *steps)
{
	const struct lt_plain_step *s = steps->all, *const end = s + steps->n;

	while (s < end && !s->birth)
		s++;
	if (s < end && steps->evs[s->event].time < l->watched)
		l->watched = steps->evs[s->event].time;
}

static void plain(void *arg, const struct lt_plain_steps *steps)
{
	struct lt_live *l = arg;
	const uint32_t process = lt_own_process(l->out);
	enum lt_report_by by[WAYS];
	size_t n;

	if (l->opts.space != LT_SPACE_SLAB)
		return;
	n = prepare(l, steps, by);
	begin_watch(l, steps);
	for (const struct lt_plain_step *s = steps->all; s < steps->all + steps->n; s++) {
		if (lt_own_step(process, s))
			l->table.own_births += s->birth;
		else
			count_step(l, steps, s, by, n);
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
	ops->plain_in_order = lt_live_keeps(l, LT_BY_TASK) || lt_live_keeps(l, LT_BY_PROCESS);
	ops->plain_ready = is_ready;
	ops->plain_takes = takes;
}
