// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Engines side by side: slab objects that the command's tasks allocated, as each side has them.
 *
 * Two objects at one address do not live at once, and engines that have one clock stamp the birth
 * of an object before its end. So two of them mean one object if the address is the same and the
 * times overlap; of several that do, the two whose births are nearest. Traces are read one after
 * the other, and of each only what tasks of the command allocated is kept.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "compare/engine_objects.h"
#include "format/block.h"
#include "lifetimes/read.h"
#include "trace/part.h"

#define TEXT_NS		1000U	/* times in texts of other tools are in microseconds */

/* ------------------------------------------------------------------------
 * Reading
 */

struct reading {
	const struct lt_engines *e;
	struct lt_engine_objects *to;
};

/*
 * The life that a number has at a time, else the next or last one; NULL: the command has none of
 * it.
 */
static const struct lt_engine_life *life_at(const struct lt_engines *e, uint32_t tid, uint64_t time)
{
	size_t low = 0, high = e->n_lives;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct lt_engine_life *l = &e->lives[middle];

		if (l->tid < tid || (l->tid == tid && l->begin <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (low && e->lives[low - 1].tid == tid)
		return &e->lives[low - 1];
	return low < e->n_lives && e->lives[low].tid == tid ? &e->lives[low] : NULL;
}

/* Another engine may have a birth on the other side of the begin or end of its task. */
static void take(void *arg, const struct lt_lifetime *l)
{
	const struct reading *r = arg;
	struct lt_engine_objects *to = r->to;
	const struct lt_engine_life *life;

	if (l->space != LT_SPACE_SLAB || !l->birth.known || !l->birth.task)
		return;
	life = life_at(r->e, l->birth.task->tid, l->birth.time);
	if (!life || l->birth.time + LT_ENGINES_NEAR_NS < life->begin ||
	    (life->end < l->birth.time && l->birth.time - life->end > LT_ENGINES_NEAR_NS))
		return;
	to->all = lt_grow(to->all, &to->cap, to->n, sizeof(*to->all));
	to->all[to->n++] = (struct lt_engine_object){
		.ptr = l->ptr, .birth = l->birth.time, .death = l->death.time,
		.bytes = l->bytes_req, .site = l->birth.call_site,
		.life = (uint32_t)(life - r->e->lives), .kind = l->kind, .ending = l->ending,
		.certainty = l->certainty, .why = l->why,
		.inside = life->begin <= l->birth.time && l->birth.time <= life->end,
	};
}

static int by_place(uint64_t ptr_a, uint64_t birth_a, uint64_t ptr_b, uint64_t birth_b)
{
	if (ptr_a != ptr_b)
		return ptr_a < ptr_b ? -1 : 1;
	return birth_a < birth_b ? -1 : birth_a > birth_b;
}

static int compare_objects(const void *a, const void *b)
{
	const struct lt_engine_object *x = a, *y = b;

	return by_place(x->ptr, x->birth, y->ptr, y->birth);
}

static int compare_joints(const void *a, const void *b)
{
	const struct lt_engine_joint *x = a, *y = b;

	return by_place(x->ptr, x->birth, y->ptr, y->birth);
}

int lt_engine_objects_read(const struct lt_engines *e, struct lt_engine_side *s,
			   struct lt_engine_objects *to)
{
	struct reading r = { .e = e, .to = to };
	const struct lt_lifetime_pass pass = {
		.ops = { .ended = take, .unordered = true, .arg = &r },
	};

	s->memory = lt_trace_open(lt_trace_file(s->trace)->path);
	if (!s->memory || lt_lifetimes_pass(s->memory, &pass))
		return -1;
	if (to->n)
		qsort(to->all, to->n, sizeof(*to->all), compare_objects);
	return 0;
}

/* ------------------------------------------------------------------------
 * Joining
 */

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

static bool overlap(const struct lt_engine_joint *k, const struct lt_engine_object *o)
{
	return k->ptr == o->ptr && k->birth <= o->death + TEXT_NS && o->birth <= k->death + TEXT_NS;
}

static bool is_before(const struct lt_engine_joint *k, const struct lt_engine_object *o)
{
	return k->ptr != o->ptr ? k->ptr < o->ptr : k->death + TEXT_NS < o->birth;
}

static void add_joint(struct lt_engine_joints *j, unsigned int side, size_t number)
{
	const struct lt_engine_object *o = &j->sides[side].all[number];

	j->all = lt_grow(j->all, &j->cap, j->n, sizeof(*j->all));
	j->all[j->n] = (struct lt_engine_joint){
		.ptr = o->ptr, .birth = o->birth, .death = o->death,
	};
	j->all[j->n++].at[side] = (uint32_t)number + 1;
}

void lt_engine_objects_join(struct lt_engine_joints *j, unsigned int side)
{
	const struct lt_engine_objects *mine = &j->sides[side];
	size_t known = j->n, k = 0;

	for (size_t i = 0; i < mine->n; i++) {
		const struct lt_engine_object *o = &mine->all[i];
		bool found;

		while (k < known && is_before(&j->all[k], o))
			k++;
		while (k + 1 < known && overlap(&j->all[k + 1], o) &&
		       apart(j->all[k + 1].birth, o->birth) < apart(j->all[k].birth, o->birth))
			k++;
		found = k < known && overlap(&j->all[k], o);
		/* The next one of this side may be nearer. */
		if (found && i + 1 < mine->n && overlap(&j->all[k], o + 1) &&
		    apart(j->all[k].birth, o[1].birth) < apart(j->all[k].birth, o->birth))
			found = false;
		if (found)
			j->all[k++].at[side] = (uint32_t)i + 1;
		else
			add_joint(j, side, i);
	}
	if (j->n > known)
		qsort(j->all, j->n, sizeof(*j->all), compare_joints);
}
