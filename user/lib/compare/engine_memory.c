// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Engines side by side: where they differ about slab objects, and why.
 */
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/str.h"
#include "base/text.h"
#include "compare/engine_objects.h"
#include "format/schema.h"
#include "lifetimes/lifetime.h"

/* ------------------------------------------------------------------------
 * Causes
 */

/* Whether an event of this name is not watched. @why: the reason */
static bool is_unwatched(const struct lt_trace *t, const char *name, char *why, size_t size)
{
	const char *events = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	size_t len;

	while (name && events && lt_line(&events, &line, &len)) {
		if (lt_line_unwatched(line, len, name, why, size))
			return true;
	}
	return false;
}

static bool lacks(const struct lt_engine_side *s, const char *name)
{
	char why[32];

	return is_unwatched(s->memory, name, why, sizeof(why));
}

/* Births are left out by what its recording was asked for. */
static bool leaves_out(const struct lt_engine_side *s)
{
	struct lt_lifetime_config config;
	struct lt_str text = { .n = 0 };
	bool any;

	lt_lifetime_config_init(&config, s->memory);
	lt_births_describe(&text, s->memory, true);
	any = text.n || config.min_size || config.sampled;
	free(text.s);
	return any;
}

/*
 * Whether a side lacks the event @name, or lacks @also: a variant of it, which the kernel has under
 * a name of its own, and which the other side records as @name.
 */
static bool lacks_event(const struct lt_engines *e, const struct lt_engine_difference *d,
			const char *name, const char *also)
{
	const struct lt_engine_side *s = &e->sides[d->side];

	return lacks(s, name) || (lacks(s, also) && !lacks(&e->sides[d->by], also));
}

static enum lt_engine_cause cause_of(const struct lt_engines *e,
				     const struct lt_engine_difference *d,
				     const struct lt_engine_object *ref,
				     const struct lt_engine_object *mine)
{
	const struct lt_engine_side *s = &e->sides[d->side];
	const char *end = lt_ending_name((enum lt_ending)ref->ending);
	bool birth = d->what == LT_ENGINE_NO_ALLOC;
	uint64_t from = ref->birth > LT_ENGINES_NEAR_NS ? ref->birth - LT_ENGINES_NEAR_NS : 0;
	uint64_t to = birth ? ref->birth : ref->death;
	const struct lt_gap *gap;

	if (d->what == LT_ENGINE_OBJECT)
		return LT_ENGINE_UNKNOWN;
	if (birth ? lacks_event(e, d, lt_class_id_name(ref->kind), "kmalloc_nolock") :
	    lacks_event(e, d, end, "kfree_nolock"))
		return LT_ENGINE_NOT_WATCHED;
	if (d->what == LT_ENGINE_END &&
	    lacks(&e->sides[d->by], lt_ending_name((enum lt_ending)mine->ending)))
		return LT_ENGINE_NOT_WATCHED;
	gap = lt_trace_gap_over(s->memory, LT_SPACE_SLAB, from, to + LT_ENGINES_NEAR_NS);
	if (gap)
		return lt_engines_loss(s, gap->nested);
	/* Events are switched on, and off, one after the other. */
	if (to > lt_trace_end(s->memory) ||
	    ref->birth < lt_trace_begin(s->memory) + LT_ENGINES_NEAR_NS)
		return LT_ENGINE_OUTSIDE;
	if (birth && leaves_out(s))
		return LT_ENGINE_LEFT_OUT;
	/* One of the two took the free of the next object at the address for its own. */
	if (!birth && (ref->why == LT_WHY_NOT_WATCHED || mine->why == LT_WHY_NOT_WATCHED))
		return LT_ENGINE_NOT_WATCHED;
	return d->what == LT_ENGINE_END ? LT_ENGINE_UNKNOWN : LT_ENGINE_NOT_DELIVERED;
}

/* ------------------------------------------------------------------------
 * Differences
 */

static const struct lt_engine_object *object_of(const struct lt_engine_joints *j,
						const struct lt_engine_joint *k, unsigned int side)
{
	return k->at[side] ? &j->sides[side].all[k->at[side] - 1] : NULL;
}

static bool has_end(const struct lt_engine_object *o)
{
	return o->ending != LT_END_ALIVE && o->ending != LT_END_REBORN && o->ending != LT_END_LOST;
}

/* As the first side says that has it, or its end; NULL: none has. @by: which one that is */
static const struct lt_engine_object *first_of(const struct lt_engines *e,
					       const struct lt_engine_joints *j,
					       const struct lt_engine_joint *k, bool end,
					       unsigned int *by)
{
	for (*by = 0; *by < e->n_sides; (*by)++) {
		const struct lt_engine_object *o = object_of(j, k, *by);

		if (o && (!end || has_end(o)))
			return o;
	}
	return NULL;
}

static void differ(struct lt_engines *e, struct lt_engine_difference d,
		   const struct lt_engine_object *ref, const struct lt_engine_object *mine)
{
	d.life = ref->life;
	d.ptr = ref->ptr;
	d.birth = ref->birth;
	d.site = ref->site;
	d.cause = cause_of(e, &d, ref, mine);
	lt_engines_add(e, &d, 1);
}

/* Where texts name functions, addresses of one may differ. */
static bool is_same_site(const struct lt_engines *e, unsigned int a, uint64_t x, unsigned int b,
			 uint64_t y)
{
	const char *module, *p, *q;
	uint64_t offset;

	if (!x || !y || x == y)
		return true;
	p = lt_trace_function(e->sides[a].memory, x, &offset, &module);
	q = lt_trace_function(e->sides[b].memory, y, &offset, &module);
	return p && q && !strcmp(p, q);
}

static void compare_birth(struct lt_engines *e, const struct lt_engine_joints *j,
			  const struct lt_engine_joint *k, struct lt_engine_difference d)
{
	const struct lt_engine_object *ref = first_of(e, j, k, false, &d.by);
	const struct lt_engine_object *mine = object_of(j, k, d.side);

	d.expected = (int64_t)ref->bytes;
	d.found = mine ? (int64_t)mine->bytes : -1;
	d.what = mine ? LT_ENGINE_OBJECT : LT_ENGINE_NO_ALLOC;
	if (!mine || (ref->bytes && mine->bytes && ref->bytes != mine->bytes) ||
	    !is_same_site(e, d.by, ref->site, d.side, mine->site))
		differ(e, d, ref, mine);
}

static void compare_end(struct lt_engines *e, const struct lt_engine_joints *j,
			const struct lt_engine_joint *k, struct lt_engine_difference d)
{
	const struct lt_engine_object *ref = first_of(e, j, k, true, &d.by);
	const struct lt_engine_object *mine = object_of(j, k, d.side);
	uint64_t apart;

	if (!ref || !mine || ref == mine)
		return;
	apart = ref->death < mine->death ? mine->death - ref->death : ref->death - mine->death;
	d.expected = (int64_t)(ref->death - ref->birth);
	d.found = has_end(mine) ? (int64_t)(mine->death - mine->birth) : -1;
	d.what = has_end(mine) ? LT_ENGINE_END : LT_ENGINE_NO_FREE;
	if (!has_end(mine) || mine->ending != ref->ending || apart > LT_ENGINES_NEAR_NS)
		differ(e, d, ref, mine);
}

static void count(struct lt_engine_side *s, bool end, bool exact)
{
	s->allocations++;
	s->frees += end;
	s->lifetimes += exact;
}

static void compare(struct lt_engines *e, const struct lt_engine_joints *j,
		    const struct lt_engine_joint *k)
{
	bool inside = false, exact = false;
	unsigned int by;

	for (unsigned int i = 0; i < e->n_sides; i++) {
		const struct lt_engine_object *o = object_of(j, k, i);

		inside |= o && o->inside;
		exact |= o && o->certainty == LT_EXACT;
	}
	if (!inside)
		return;
	count(&e->all, first_of(e, j, k, true, &by), exact);
	for (unsigned int i = 0; i < e->n_sides; i++) {
		const struct lt_engine_object *o = object_of(j, k, i);
		struct lt_engine_difference d = { .side = i };

		if (!e->sides[i].memory)
			continue;
		if (o)
			count(&e->sides[i], has_end(o), o->certainty == LT_EXACT);
		compare_birth(e, j, k, d);
		compare_end(e, j, k, d);
	}
}

/* An address that was hashed may be that of several objects. */
static bool has_objects(const struct lt_trace *t)
{
	char why[32] = "";

	if (!lt_space_watched(t, LT_SPACE_SLAB))
		return false;
	is_unwatched(t, "kmalloc_nolock", why, sizeof(why));
	return !strstr(why, "hashed");
}

int lt_engines_compare_objects(struct lt_engines *e)
{
	struct lt_engine_objects sides[LT_ENGINES_MAX] = { { NULL, 0, 0 } };
	struct lt_engine_joints j = { .sides = sides };
	unsigned int n = 0;
	int ret = 0;

	for (unsigned int i = 0; i < e->n_sides; i++)
		n += has_objects(e->sides[i].trace);
	e->memory = n > 1;
	for (unsigned int i = 0; i < e->n_sides && e->memory && !ret; i++) {
		if (!has_objects(e->sides[i].trace))
			continue;
		ret = lt_engine_objects_read(e, &e->sides[i], &sides[i]);
		lt_engine_objects_join(&j, i);
	}
	for (size_t i = 0; i < j.n && !ret; i++)
		compare(e, &j, &j.all[i]);
	for (unsigned int i = 0; i < e->n_sides; i++)
		free(sides[i].all);
	free(j.all);
	return ret;
}
