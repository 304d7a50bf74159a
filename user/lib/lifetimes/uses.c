// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which tasks the book refers to, so that others can be forgotten.
 */
#include <string.h>

#include "base/mem.h"
#include "lifetimes/internal.h"

struct uses {
	const struct lt_lifetimes *lf;
	uint64_t *from;
};

static void use(const struct uses *u, uint32_t task, uint64_t time)
{
	if (time < u->from[task])
		u->from[task] = time;
}

static void use_death(const struct uses *u, const struct lt_death *death)
{
	use(u, death->task, death->time);
}

static void use_one(const struct uses *u, const struct lt_obj *obj)
{
	use(u, obj->task, obj->time);
	if (obj->flags & LT_OBJ_RCU)
		use_death(u, lt_pool_at(&u->lf->deaths, obj->extra));
}

static void use_object(void *arg, struct lt_obj *obj)
{
	const struct uses *u = arg;
	const struct lt_doubt *d;

	use_one(u, obj);
	/* Also if the object is over, and its own free is awaited. */
	if (!(obj->flags & LT_OBJ_DOUBT))
		return;
	d = lt_pool_at(&u->lf->doubts, obj->extra);
	use_one(u, &d->former);
	use(u, d->holder.task, d->holder.time);
	if (lt_has_free(d))
		use_death(u, &d->free);
}

size_t lt_lifetimes_size(const struct lt_lifetimes *lf)
{
	size_t n = 0;

	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++)
		n += lf->live[space].n;
	return n;
}

uint64_t *lt_lifetimes_uses(const struct lt_lifetimes *lf)
{
	struct uses u = { lf, lt_alloc_array(lf->tasks.n + 1, sizeof(*u.from)) };

	memset(u.from, 0xff, (lf->tasks.n + 1) * sizeof(*u.from));
	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY; space++)
		lt_objtable_each(&lf->live[space], use_object, &u);
	return u.from;
}

uint64_t lt_lifetimes_used_from(const struct lt_lifetimes *lf, const uint64_t *uses,
				const struct lt_task *task)
{
	uint32_t number = lt_intern_find(&lf->tasks, (uintptr_t)task);

	return number ? uses[number] : UINT64_MAX;
}
