/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A profile in the making. Calls go downwards: profile.c, profile_plain.c, profile_who.c,
 * profile_maker.c.
 */
#ifndef LT_SUMS_PROFILE_MAKER_H
#define LT_SUMS_PROFILE_MAKER_H

#include "base/pool.h"
#include "lifetimes/read.h"
#include "sums/own.h"
#include "sums/profile.h"
#include "sums/profile_rows.h"
#include "sums/profile_steps.h"
#include "sums/weights.h"

struct lt_profile_plain;

#define LT_PROFILE_MAY_BE	(1U << 13)

/* An object that is alive and counted. */
struct lt_profile_alive {
	uint64_t ptr;
	uint64_t bytes;
	uint64_t cache;
	uint32_t row;
	uint32_t weight;
};

/**
 * struct lt_profile_maker - a profile in the making
 * @p: the profile
 * @t: its trace
 * @lf: the pairing
 * @kmalloc: for lt_cache_key()
 * @space: what is added up
 * @out: whose objects are left out; NULL: nobody's
 * @cap_rows: room in the rows of @p
 * @rows: numbers of rows plus 1, by the hash of their keys
 * @by_ptr: numbers in @pool, by the hash of an address; not of births that were steps
 * @pool: struct lt_profile_alive
 * @may_be: by lt_profile_may_be(): how many objects of @by_ptr there are, UINT8_MAX: that, or more
 * @some: of these, a bit for each that is not 0: they all stay in the processor's cache
 * @seed: of the hashes
 * @module_of: by place: the number of its module's name plus 1; 0: not looked up yet
 * @n_module_of: length of @module_of
 * @weights: by stack: how many births one stands for
 * @plain: of profile_plain.c; NULL: it takes no steps
 * @step: births and deaths so far
 * @taken: the rows at the instant were taken
 * @peak_taken: there was a peak
 * @peak_step: the step at which it was
 * @peak_bytes: bytes alive then
 * @reborn: the latest step was an end that was seen by a birth at the address
 * @corrected: address of an object whose birth may come once more; 0: there is none
 * @begun: the timeline has its begin
 * @now: the time of the current event
 * @steps: for the caller
 */
struct lt_profile_maker {
	struct lt_profile *p;
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	struct lt_kmalloc kmalloc;
	enum lt_space space;
	struct lt_own *out;
	size_t cap_rows;
	struct lt_map rows;
	struct lt_map by_ptr;
	struct lt_pool pool;
	uint8_t may_be[LT_PROFILE_MAY_BE];
	uint64_t some[LT_PROFILE_MAY_BE / 64];
	uint64_t seed;
	uint32_t *module_of;
	size_t n_module_of;
	struct lt_weights weights;
	struct lt_profile_plain *plain;
	uint64_t step;
	uint64_t peak_step;
	uint64_t peak_bytes;
	bool peak_taken;
	bool taken;
	bool reborn;
	bool begun;
	uint64_t corrected;
	uint64_t now;
	struct lt_steps steps;
};

/* profile_maker.c */

static inline bool lt_profile_has_level(const struct lt_profile *p, enum lt_level level)
{
	for (unsigned int i = 0; i < p->opts.n_levels; i++) {
		if (p->opts.levels[i] == level)
			return true;
	}
	return false;
}

/* At each birth: the timeline begins with the first one. */
static inline void lt_profile_begin_line(struct lt_profile_maker *m, uint64_t time)
{
	if (!m->begun && m->p->opts.line)
		lt_timeline_begin(m->p->opts.line, time);
	m->begun = true;
}

/* The number of the name of a task; there is a bound for those that tasks give themselves. */
uint32_t lt_profile_name(struct lt_profile_maker *m, const char *name);

/*
 * The number of the row of an object whose maker had the name @name, by lt_profile_name(), when it
 * made it. Not of that name if a task did not make it.
 */
uint32_t lt_profile_row(struct lt_profile_maker *m, const struct lt_obj *o, uint32_t name);

/* For how many births an object stands in the rows. */
static inline unsigned int lt_profile_weight(const struct lt_profile_maker *m,
					     const struct lt_obj *o)
{
	return m->p->stacks_one_in ? lt_weight(&m->weights, o) : 1;
}

static inline struct lt_profile_row *lt_profile_row_at(struct lt_profile_maker *m, uint32_t row)
{
	return row == LT_PROFILE_OTHER ? &m->p->other : &m->p->rows[row];
}

/* The place in @may_be of an address. */
static inline unsigned int lt_profile_may_be(uint64_t ptr)
{
	return (unsigned int)(ptr * 0x9e3779b97f4a7c15ULL / (UINT64_MAX / LT_PROFILE_MAY_BE + 1));
}

/* Whether lt_profile_find() may find something: mostly not. */
static inline bool lt_profile_may_be_kept(const struct lt_profile_maker *m, uint64_t ptr)
{
	const unsigned int i = lt_profile_may_be(ptr);

	return m->some[i / 64] >> i % 64 & 1;
}

/*
 * What is alive and not of a step; lt_profile_drop() with the number that lt_profile_find() has
 * set.
 */
struct lt_profile_alive *lt_profile_find(struct lt_profile_maker *m, uint64_t ptr,
					 uint32_t *number);
void lt_profile_keep(struct lt_profile_maker *m, const struct lt_profile_alive *a);
void lt_profile_drop(struct lt_profile_maker *m, uint64_t ptr, uint32_t number);

/*
 * Behind each birth and end: whether there is a peak; rows keep what they have when they change
 * next.
 */
void lt_profile_peak(struct lt_profile_maker *m, uint64_t time);

/* profile_plain.c */

/* NULL: this profile takes no steps. */
struct lt_profile_plain *lt_profile_plain_new(struct lt_profile_maker *m);
void lt_profile_plain_free(struct lt_profile_plain *x);
/* The callbacks for steps; their argument is the maker. */
void lt_profile_plain_ops(const struct lt_profile_maker *m, struct lt_lifetime_ops *ops);
/* What steps have counted is added to the rows. */
void lt_profile_settle(struct lt_profile_maker *m);
/*
 * An object that is gone, and that lt_profile_find() does not find, was born by a step, or is not
 * counted. Return: which one.
 */
bool lt_profile_born_by_step(struct lt_profile_maker *m, const struct lt_obj *o,
			     struct lt_profile_alive *a);

#endif /* LT_SUMS_PROFILE_MAKER_H */
