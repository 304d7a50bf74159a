// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of slab objects.
 *
 * An object is found by its address alone, whatever call made or freed it. After
 * kfree_rcu it stays in the table until its memory is seen to be released, or born
 * again: its lifetime comes out only then, with the time between. An address of which
 * nothing is known may be of vmalloc, which kvfree_rcu also takes, or of an object from
 * before the trace. It is kept, too: a free or a birth there prove that it was a slab
 * object.
 */
#include "lifetimes/internal.h"

/* kfree(NULL) and kfree(ZERO_SIZE_PTR) are about no object. */
#define ZERO_SIZE_PTR	16

static void slab_birth(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_known k;

	if (lt_book_find(lf, LT_SPACE_SLAB, ev->ptr, gap_end, &k))
		lt_book_details(lf, &k);
	lt_book_apply(lf, &k, ev, lt_rule_birth(&lf->config, &k, ev));
}

static void slab_free(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_known k;

	if (lt_book_find(lf, LT_SPACE_SLAB, ev->ptr, gap_end, &k) &&
	    (k.holder.flags & LT_OBJ_SPECIAL))
		lt_book_details(lf, &k);
	lt_book_apply(lf, &k, ev, lt_rule_free(&lf->config, &k, ev));
}

static void rcu_free(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_known k;

	lf->stats.rcu_requests++;
	if (lt_book_find(lf, LT_SPACE_SLAB, ev->ptr, gap_end, &k))
		lt_book_details(lf, &k);
	lt_book_apply(lf, &k, ev, lt_rule_request(&lf->config, &k));
}

/*
 * A size that nobody knew before the trace is not known afterwards: the birth is not. What was
 * given to kfree_rcu is no more the object that has another size.
 */
static void resize(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	struct lt_known k;

	if (lt_book_find(lf, LT_SPACE_SLAB, ev->ptr, gap_end, &k) &&
	    !(k.holder.flags & (LT_OBJ_UNBORN | LT_OBJ_RCU)))
		lt_resize_put(&lf->resizes, &k.holder, (struct lt_size){ ev->bytes_req, 0 });
}

void lt_slab_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end)
{
	lf->gapped |= gap_end != 0;
	if (ev->ptr <= ZERO_SIZE_PTR) {
		lf->stats.bad++;
		return;
	}
	switch (ev->class) {
	case LT_CLASS_KMALLOC:
	case LT_CLASS_CACHE_ALLOC:
	case LT_CLASS_BULK_ALLOC:
		slab_birth(lf, ev, gap_end);
		break;
	case LT_CLASS_KFREE:
	case LT_CLASS_CACHE_FREE:
	case LT_CLASS_BULK_FREE:
		slab_free(lf, ev, gap_end);
		break;
	case LT_CLASS_RCU_FREE:
		rcu_free(lf, ev, gap_end);
		break;
	case LT_CLASS_RESIZE:
		resize(lf, ev, gap_end);
		break;
	}
}
