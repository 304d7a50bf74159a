// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Behind missing parts of a recording: from the book of the parts before them, and the one that
 * STATE of the part behind them makes, to one book. STATE says all that was alive then. So:
 *
 * - An object that both have lives on, with what STATE says of its certainty.
 * - One that STATE lacks has ended while the parts are missing.
 * - One that only STATE has was born then.
 *
 * An object is the same if address, time and CPU of its birth are. A page block may have been freed
 * in parts meanwhile; of it STATE has the parts that are left.
 */
#include <string.h>

#include "base/mem.h"
#include "lifetimes/internal.h"
#include "trace/trace.h"

/* An object in a book: the holder of its address, or the former one, whose end is in doubt. */
struct found {
	struct lt_obj obj;
	struct lt_doubt *doubt;		/* the holder's; NULL: there is none */
	bool former;
};

static const struct lt_death *request_of(const struct lt_lifetimes *book, const struct lt_obj *obj)
{
	return obj->flags & LT_OBJ_RCU ? lt_pool_at(&book->deaths, obj->extra) : NULL;
}

/* Whether @a in a book is what @b is in another. */
static bool is_same(const struct lt_lifetimes *book_a, const struct lt_obj *a,
		    const struct lt_lifetimes *book_b, const struct lt_obj *b)
{
	const struct lt_death *x, *y;

	if (a->time != b->time || a->cpu != b->cpu || a->order != b->order ||
	    (a->flags ^ b->flags) & LT_OBJ_UNBORN)
		return false;
	if (!(a->flags & LT_OBJ_UNBORN))
		return true;
	/* All that is known of it is the call of kfree_rcu. */
	x = request_of(book_a, a);
	y = request_of(book_b, b);
	return x && y && x->time == y->time && x->cpu == y->cpu;
}

/* Finds in @book what @obj is in @of. */
static bool find(const struct lt_lifetimes *book, enum lt_space space,
		 const struct lt_lifetimes *of, const struct lt_obj *obj, struct found *f)
{
	struct lt_obj holder;

	if (!lt_objtable_find(&book->live[space], obj->ptr, &holder))
		return false;
	f->doubt = holder.flags & LT_OBJ_DOUBT ? lt_pool_at(&book->doubts, holder.extra) : NULL;
	f->former = false;
	f->obj = holder;
	if (!lt_is_awaited(&holder) && is_same(book, &holder, of, obj))
		return true;
	if (!f->doubt || !is_same(book, &f->doubt->former, of, obj))
		return false;
	f->former = true;
	f->obj = f->doubt->former;
	return true;
}

static void put(struct lt_lifetimes *book, enum lt_space space, const struct found *f)
{
	if (f->former)
		f->doubt->former = f->obj;
	else
		lt_objtable_put(&book->live[space], &f->obj);
}

/* ------------------------------------------------------------------------
 * What STATE has
 */

void lt_heal_swap_numbers(struct lt_lifetimes *a, struct lt_lifetimes *b)
{
	struct lt_intern sites = a->sites, origins = a->origins, tasks = a->tasks;

	a->sites = b->sites;
	a->origins = b->origins;
	a->tasks = b->tasks;
	b->sites = sites;
	b->origins = origins;
	b->tasks = tasks;
}

static const struct lt_cache *find_cache(void *arg, uint32_t id)
{
	return lt_life_cache(((struct lt_newborns *)arg)->old, id);
}

/* The live page block that a part of it was cut from since; false: there is none. */
static bool find_whole(const struct lt_lifetimes *lf, const struct lt_obj *part,
		       struct lt_obj *whole)
{
	uint64_t from = part->ptr;

	return lt_block_overlap(lf, part->ptr, part->order, &from, whole) &&
	       whole->order > part->order && whole->time == part->time && whole->cpu == part->cpu;
}

/* Births come in order of time; those that the old book knows are left out. */
static void born(void *arg, enum lt_space space, const struct lt_obj *obj)
{
	struct lt_newborns *new = arg;
	struct lt_obj whole;
	struct found f;

	if (find(new->old, space, new->old, obj, &f) ||
	    (space == LT_SPACE_PAGE && find_whole(new->old, obj, &whole)))
		return;
	/* With a coarse clock the former holder can have the same birth: one of them is enough. */
	if (find(new->book, space, new->book, obj, &f))
		return;
	new->all = lt_grow(new->all, &new->cap, new->n, sizeof(*new->all));
	new->all[new->n++] = (struct lt_newborn){
		.ptr = obj->ptr, .time = obj->time, .cpu = obj->cpu, .space = (uint8_t)space,
		.order = obj->order,
	};
}

struct lt_lifetimes *lt_heal_book(struct lt_lifetimes *lf, struct lt_newborns *newborns)
{
	const struct lt_lifetime_ops ops = { .born = born, .cache = find_cache, .arg = newborns };
	struct lt_lifetimes *book = lt_lifetimes_new(&lf->config, &ops);

	lt_heal_swap_numbers(lf, book);
	newborns->book = book;
	memcpy(book->stats.births, lf->stats.births, sizeof(book->stats.births));
	return book;
}

/* ------------------------------------------------------------------------
 * From one book to the other
 */

struct heal {
	struct lt_lifetimes *lf;
	struct lt_lifetimes *book;	/* by STATE */
	enum lt_space space;
	uint64_t cut;
};

/* Cuts a page block of the old book, of which @part is left. */
static void fit(struct lt_lifetimes *lf, const struct lt_obj *part, uint64_t time)
{
	const struct lt_event ev = {
		.time = time, .ptr = part->ptr, .order = part->order, .class = LT_CLASS_PAGE_FREE,
	};
	struct lt_known k;

	lt_known_init(&k, LT_SPACE_PAGE, 0);
	k.held = find_whole(lf, part, &k.holder);
	if (!k.held)
		return;
	if (k.holder.flags & LT_OBJ_SPECIAL)
		lt_book_details(lf, &k);
	lt_book_apply(lf, &k, &ev, lt_rule_overlap(&lf->config, &k, &ev));
}

static void fit_block(void *arg, struct lt_obj *obj)
{
	const struct heal *h = arg;
	const struct lt_doubt *d;

	fit(h->lf, obj, h->cut);
	if (!(obj->flags & LT_OBJ_DOUBT))
		return;
	d = lt_pool_at(&h->book->doubts, obj->extra);
	fit(h->lf, &d->former, h->cut);
}

/* Says what became of an object that was plainly alive, as far as STATE has it. */
static void say_change(const struct heal *h, const struct found *f, bool requested)
{
	const struct lt_death *request = request_of(h->book, &f->obj);

	if (request && !requested)
		lt_life_gone(h->lf, h->space, &f->obj, LT_END_RCU, request->time);
	if (!f->former)
		return;
	if (!request)
		lt_life_gone(h->lf, h->space, &f->obj, LT_END_REBORN, f->doubt->reborn);
	lt_life_released(h->lf, h->space, &f->obj, LT_END_REBORN, f->doubt->reborn, request);
}

/* A second event of the birth has corrected its call site. */
static void correct(const struct heal *h, const struct lt_obj *old, const struct lt_obj *new)
{
	lt_life_gone(h->lf, h->space, old, LT_END_REBORN, h->cut);
	if (h->lf->ops.born)
		h->lf->ops.born(h->lf->ops.arg, h->space, new);
}

/* An object that both books have; in the old one it is over if it is the former holder. */
static void live_on(const struct heal *h, const struct lt_obj *old, bool was_former,
		    struct found *f)
{
	struct lt_obj new = *old;

	new.id = f->obj.id;
	new.flags = f->obj.flags;
	new.extra = f->obj.extra;
	new.site = f->obj.site;
	f->obj = new;
	put(h->book, h->space, f);
	if (was_former || old->flags & LT_OBJ_UNBORN)
		return;
	if (new.site != old->site && !(old->flags & LT_OBJ_RCU))
		correct(h, old, &new);
	say_change(h, f, old->flags & LT_OBJ_RCU);
}

/* An address of the old book. */
static void compare(void *arg, struct lt_obj *obj)
{
	const struct heal *h = arg;
	struct lt_known k;
	struct found f;

	lt_known_init(&k, h->space, 0);
	k.held = true;
	k.holder = *obj;
	if (obj->flags & LT_OBJ_SPECIAL)
		lt_book_details(h->lf, &k);
	if (k.doubt && find(h->book, h->space, h->lf, &k.doubt->former, &f))
		live_on(h, &k.doubt->former, true, &f);
	else if (k.doubt)
		lt_book_lose_former(h->lf, k.doubt);
	if (lt_is_awaited(obj))
		return;
	if (find(h->book, h->space, h->lf, obj, &f))
		live_on(h, obj, false, &f);
	else
		lt_book_lose_holder(h->lf, &k, h->cut);
}

/* An object that only STATE has. */
static void enter(const struct heal *h, const struct lt_newborn *new)
{
	const struct lt_obj as = {
		.ptr = new->ptr, .time = new->time, .cpu = new->cpu, .order = new->order,
	};
	struct found f;

	if (!find(h->book, h->space, h->book, &as, &f))
		return;
	f.obj.count = (uint32_t)(++h->lf->stats.births[h->space]);
	put(h->book, h->space, &f);
	if (h->lf->ops.born)
		h->lf->ops.born(h->lf->ops.arg, h->space, &f.obj);
	say_change(h, &f, false);
}

/* @lf goes on with what is in @book, of behind @cut; but what it has said by now stays. */
static void adopt(struct lt_lifetimes *lf, struct lt_lifetimes *book, uint64_t cut)
{
	struct lt_lifetimes old = *lf;

	*lf = *book;
	*book = old;
	lf->ops = old.ops;
	lf->caches = old.caches;
	lf->sampled = old.sampled;
	lf->period = old.period;
	lf->most = old.most;
	lf->peaks = old.peaks;
	lf->n_peaks = old.n_peaks;
	lf->cap_peaks = old.cap_peaks;
	book->peaks = NULL;
	lf->stats = old.stats;
	lf->begin = old.begin;
	lf->trace = old.trace;
	lf->missing = old.missing;
	lf->missing_from = old.missing_from;
	lf->healed_to = cut;
	lf->pass_missing = old.pass_missing;
	/*
	 * What was found of events ahead is of the former table, which mixes addresses in another
	 * way.
	 */
	lf->prepared = lf->live[LT_SPACE_SLAB].growths - 1;
	lt_heal_swap_numbers(lf, book);
}

void lt_heal(struct lt_lifetimes *lf, struct lt_lifetimes *book, const struct lt_newborns *newborns,
	     uint64_t cut)
{
	struct heal h = { .lf = lf, .book = book, .cut = cut };

	lt_objtable_each(&book->live[LT_SPACE_PAGE], fit_block, &h);
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++) {
		h.space = (enum lt_space)space;
		/* Their order is that of their births, and not that of a table. */
		lt_objtable_close(&lf->live[space], 0, true, compare, &h);
		lt_objtable_walk(&lf->live[space], compare, &h);
	}
	for (size_t i = 0; i < newborns->n; i++) {
		h.space = (enum lt_space)newborns->all[i].space;
		enter(&h, &newborns->all[i]);
	}
	adopt(lf, book, cut);
}
