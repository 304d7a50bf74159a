// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A sample of addresses that changes (record --budget). The samples are nested, and probes keep
 * births and frees by that of the moment. So of an object at an address that a smaller sample
 * lacks, the end is not seen, whatever comes later: it leaves the table, and its birth is all that
 * counts. What holds an address that a larger sample has again is not known until the next birth
 * there.
 *
 * So a birth is recorded if the sample of its time has the address, and a lifetime if all samples
 * from its birth to its end have it. That is where their weights come from.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "lifetimes/internal.h"
#include "trace/trace.h"

static unsigned int one_in_of(const struct lt_lifetimes *lf, size_t period)
{
	return lt_trace_sample_over(lf->sampled, period, period);
}

/* The smallest sample since then: it is asked for each object, and there may be many changes. */
unsigned int lt_lifetimes_weight(const struct lt_lifetimes *lf, uint64_t time)
{
	size_t period = lf->sampled ? lt_trace_sample_period(lf->sampled, time) : 0;
	size_t first = lt_first_not(lf->n_peaks, i, lf->peaks[i] < period);

	if (!lf->sampled)
		return 1;
	return one_in_of(lf, first < lf->n_peaks ? lf->peaks[first] : lf->period);
}

/* The next period begins. */
static void next_period(struct lt_lifetimes *lf)
{
	unsigned int one_in = one_in_of(lf, lf->period + 1);

	/* Before the first change there is one. */
	if (!lf->n_peaks) {
		lf->peaks = lt_grow(lf->peaks, &lf->cap_peaks, 0, sizeof(*lf->peaks));
		lf->peaks[lf->n_peaks++] = lf->period;
	}
	lf->period++;
	while (lf->n_peaks && one_in_of(lf, lf->peaks[lf->n_peaks - 1]) <= one_in)
		lf->n_peaks--;
	lf->peaks = lt_grow(lf->peaks, &lf->cap_peaks, lf->n_peaks, sizeof(*lf->peaks));
	lf->peaks[lf->n_peaks++] = lf->period;
}

/* ------------------------------------------------------------------------
 * The next sample
 */

/**
 * struct change - to a smaller sample
 * @one_in: the new one
 * @left: addresses that it lacks; @n of them
 */
struct change {
	struct lt_lifetimes *lf;
	enum lt_space space;
	unsigned int one_in;
	uint64_t *left;
	size_t n;
	size_t cap;
};

/* Its user has given it back, or that is not known and does not count. */
static bool is_gone(const struct lt_obj *obj)
{
	return obj->flags & (LT_OBJ_RCU | LT_OBJ_UNBORN) || lt_is_awaited(obj);
}

static void look_at(void *arg, struct lt_obj *obj)
{
	struct change *c = arg;
	struct lt_lifetimes *lf = c->lf;
	unsigned int from = lt_lifetimes_weight(lf, obj->time);

	/*
	 * The samples are nested: it has been in one as small. Of one without a birth that is not
	 * known.
	 */
	if (from >= c->one_in && !(obj->flags & LT_OBJ_UNBORN))
		return;
	if (!lt_trace_sample_has(lf->sampled, c->space, obj->ptr, c->one_in)) {
		c->left = lt_grow(c->left, &c->cap, c->n, sizeof(*c->left));
		c->left[c->n++] = obj->ptr;
		return;
	}
	if (!lf->ops.weighs || is_gone(obj))
		return;
	if (from < c->one_in)
		lf->ops.weighs(lf->ops.arg, c->space, obj, from, c->one_in);
}

static void leave_out(struct lt_lifetimes *lf, enum lt_space space, unsigned int one_in,
		      uint64_t time)
{
	struct change c = { .lf = lf, .space = space, .one_in = one_in };
	struct lt_known k;

	lt_objtable_each(&lf->live[space], look_at, &c);
	for (size_t i = 0; i < c.n; i++) {
		if (!lt_book_find(lf, space, c.left[i], 0, &k))
			continue;
		lt_book_details(lf, &k);
		lt_book_leave_out(lf, &k, time);
	}
	free(c.left);
}

void lt_sampled_pass(struct lt_lifetimes *lf, uint64_t now)
{
	const struct lt_trace *t = lf->sampled;
	uint64_t until = lt_trace_sample_until(t, lf->period);
	size_t period;

	if (!lf->ops.left || now < until)
		return;
	for (period = lt_trace_sample_period(t, now); lf->period < period; next_period(lf)) {
		unsigned int before = one_in_of(lf, lf->period);
		unsigned int one_in = one_in_of(lf, lf->period + 1);

		if (one_in <= before)
			continue;
		until = lt_trace_sample_until(t, lf->period);
		lf->most = one_in > lf->most ? one_in : lf->most;
		leave_out(lf, LT_SPACE_SLAB, one_in, until);
		leave_out(lf, LT_SPACE_PAGE, one_in, until);
	}
}

/* ------------------------------------------------------------------------
 * Events
 */

/*
 * Whether an address was in no sample for a time, and had a holder then whose birth was not seen.
 */
static bool is_of_unseen(struct lt_lifetimes *lf, enum lt_space space, const struct lt_event *ev)
{
	uint64_t from = ev->ptr;
	struct lt_obj obj;

	if (lt_class_is_birth(ev->class) ||
	    lt_trace_sample_has(lf->sampled, space, ev->ptr, lf->most))
		return false;
	if (space == LT_SPACE_PAGE)
		return ev->order > LT_MAX_ORDER ||
		       !lt_block_overlap(lf, ev->ptr, ev->order, &from, &obj);
	return !lt_objtable_find(&lf->live[space], ev->ptr, &obj);
}

bool lt_sampled_takes(struct lt_lifetimes *lf, const struct lt_event *ev)
{
	enum lt_space space = lt_event_space(ev);
	const struct lt_trace *t = lf->sampled;

	if (!lf->ops.left)
		return lt_trace_sample_has(t, space, ev->ptr, lt_trace_sample(t));
	lt_sampled_pass(lf, ev->time);
	if (space != LT_SPACE_SLAB && space != LT_SPACE_PAGE)
		return true;
	return lt_trace_sample_has(t, space, ev->ptr,
				   lt_trace_sample_over(t, lf->period, lf->period)) &&
	       !is_of_unseen(lf, space, ev);
}
