/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside the lifetimes: what the files of this folder share. Calls go downwards:
 *
 *	restore.c		what a trace carries of the time before it, or behind missing parts
 *	plain.c			events that leave no doubt: of what is below, time and tables only
 *	plain_forms.c		what events of a form mean, for plain.c
 *	lifetime.c		an event, time, the end of the trace
 *	heal.c			what lived on behind missing parts, ended, or was born
 *	slab.c  page.c  area.c	what an event is about
 *	rules.c			whose birth or death it is (rules.h)
 *	book.c			applies the verdict
 *	life.c  late.c		begins and ends of lives; marks of addresses
 *	certainty.c  blocks.c	how sure a lifetime is; live page blocks by page
 *	objtable.c  objtable_walk.c  objtable_part.c  pagemap.c  resize.c	tables
 */
#ifndef LT_LIFETIMES_INTERNAL_H
#define LT_LIFETIMES_INTERNAL_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/ring.h"
#include "lifetimes/lifetime.h"
#include "lifetimes/pagemap.h"
#include "lifetimes/resize.h"
#include "lifetimes/rules.h"

/* Larger page blocks do not exist (10 is the default, 13 the largest known). */
#define LT_MAX_ORDER	14

/* A table of fewer objects is in the CPU's first cache anyway. */
#define LT_PREFETCH_FROM	512

#define LT_PLAIN_ACTORS		1024	/* of 256 CPUs */
#define LT_PLAIN_ENDERS		64

/*
 * Who made an object, @who by CPU and context, plus 1; 0: nothing. @number: in the table of
 * objects;
 * @low, @high: as an object has it
 */
struct lt_plain_actor {
	const struct lt_task *task;
	uint32_t who;
	uint32_t number;
	uint32_t low;
	uint32_t high;
};

/**
 * struct lt_lifetimes - the book of one trace
 * @config: facts about the trace
 * @ops: where lifetimes go
 * @caches: without ops.cache: has them; NULL: they are not known
 * @sampled: @caches, if its sample of addresses may have changed: events outside of the smallest
 *	one, or with ops.left of that of their time, are passed over; else NULL
 * @period: with ops.left: of the sample, by now: lt_trace_sample_period()
 * @most: N of the smallest sample by now
 * @peaks: @n_peaks periods up to @period, each of a smaller sample than all behind it
 * @stats: what was counted
 * @live: live objects by space, by address
 * @deaths: struct lt_death of objects that were given to kfree_rcu
 * @doubts: struct lt_doubt
 * @doubt_queue: numbers and serials of doubts, by age
 * @doubt_serial: of the latest doubt
 * @late: marked addresses; @time: since when a late free may come
 * @late_queue: marked addresses and that time, by age
 * @resizes: what krealloc or vrealloc gave another size in its place
 * @gapped: events of slab objects were lost
 * @sites: interned call sites
 * @origins: interned: a call site's number, and that of its stack; for LT_ORIGIN
 * @tasks: interned pointers to tasks
 * @pages: pages of live blocks
 * @n_order: live blocks by order
 * @forms: of plain_forms.c: what its forms mean, @n_forms of them
 * @plain_ways: of plain_forms.c: which callbacks get objects, by their traits, as long as the table
 *	has had
 *	@plain_renewals; @n_plain_ways of them
 * @prepared: how often the table had grown when lt_lifetimes_prepare() looked at it
 * @plain_actors: of plain.c: numbers of who made objects, by CPU and context
 * @plain_enders: of plain.c: by CPU: which task was the latest to free there
 * @begin: of a trace that carries what was before, ns: no lifetime that ended earlier comes out
 * @restoring: events are those that the trace carries
 * @restored_flags: enum lt_obj_flags, that an object gets at its birth
 * @unseen: for now, every address may have had a holder of which there is no event
 * @trace: of which parts may be missing
 * @missing: the next ones behind which what is alive is known; NULL: none
 * @missing_from: their begin, ns; UINT64_MAX: none
 * @healed_to: the end of the last ones that were passed, ns; 0: none
 * @pass_missing: at an event since then; of restore.c, which calls lifetime.c
 */
struct lt_lifetimes {
	struct lt_lifetime_config config;
	struct lt_lifetime_ops ops;
	const struct lt_trace *caches;
	const struct lt_trace *sampled;
	size_t period;
	unsigned int most;
	size_t *peaks;
	size_t n_peaks;
	size_t cap_peaks;
	struct lt_lifetime_stats stats;
	struct lt_objtable live[LT_N_MEMORY];
	struct lt_pool deaths;
	struct lt_pool doubts;
	struct lt_ring doubt_queue;
	uint32_t doubt_serial;
	struct lt_objtable late;
	struct lt_ring late_queue;
	struct lt_resizes resizes;
	bool gapped;
	struct lt_intern sites;
	struct lt_intern origins;
	struct lt_intern tasks;
	struct lt_pagemap pages;
	uint64_t n_order[LT_MAX_ORDER + 1];
	struct lt_form_meaning *forms;
	size_t n_forms;
	uint8_t *plain_ways;
	size_t n_plain_ways;
	uint32_t plain_renewals;
	uint32_t prepared;
	struct lt_plain_actor plain_actors[LT_PLAIN_ACTORS];
	const struct lt_task *plain_enders[LT_PLAIN_ENDERS];
	uint64_t begin;
	bool restoring;
	uint8_t restored_flags;
	bool unseen;
	struct lt_trace *trace;
	const struct lt_missing *missing;
	uint64_t missing_from;
	uint64_t healed_to;
	bool (*pass_missing)(struct lt_lifetimes *lf, uint64_t now, unsigned int channel);
};

/* The number of an event's call site and stack. */
static inline uint32_t lt_origin_number(struct lt_lifetimes *lf, const struct lt_event *ev)
{
	uint32_t site = lt_intern_number(&lf->sites, ev->call_site);

	if (!ev->stack)
		return site;
	return LT_ORIGIN | lt_intern_number(&lf->origins, (uint64_t)site << 32 | ev->stack);
}

/* slab.c */
void lt_slab_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end);

/* page.c */
void lt_page_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end);

/* area.c */
void lt_area_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end);

/* book.c */

static inline void lt_known_init(struct lt_known *k, enum lt_space space, uint64_t gap_end)
{
	k->held = false;
	k->late = false;
	k->space = (uint8_t)space;
	k->gap_end = gap_end;
	k->at.known = false;
	k->doubt = NULL;
	k->request = NULL;
}

/**
 * lt_book_find() - look an address up
 * @k: gets all but the details
 * Return: k->held
 */
static inline bool lt_book_find(struct lt_lifetimes *lf, enum lt_space space, uint64_t ptr,
				uint64_t gap_end, struct lt_known *k)
{
	lt_known_init(k, space, gap_end);
	k->held = lt_objtable_seek(&lf->live[space], ptr, &k->at, &k->holder);
	k->holder.ptr = ptr;
	return k->held;
}

/* Fills in the details of a holder: its doubt or request, its maker, the late mark. */
void lt_book_details(const struct lt_lifetimes *lf, struct lt_known *k);

/* Parts of lt_book_apply(). The first two are of those that follow lt_book_find() at once. */
void lt_book_begin(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev);
void lt_book_end_holder(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
			uint8_t unsure);
void lt_book_apply_rare(struct lt_lifetimes *lf, struct lt_known *k, const struct lt_event *ev,
			struct lt_verdict v);

/**
 * lt_book_apply() - do what a rule decided
 * @k: what the rule was given; afterwards what is known after the verdict
 * @ev: what the rule was given; where there is no event, one with only a time
 */
static inline void lt_book_apply(struct lt_lifetimes *lf, struct lt_known *k,
				 const struct lt_event *ev, struct lt_verdict v)
{
	if (v.kind == LT_VERDICT_BEGIN && v.former == LT_FORMER_NONE)
		lt_book_begin(lf, k, ev);
	else if (v.kind == LT_VERDICT_END_HOLDER && v.former == LT_FORMER_NONE)
		lt_book_end_holder(lf, k, ev, v.unsure);
	else
		lt_book_apply_rare(lf, k, ev, v);
}

/*
 * Behind missing parts the holder is not alive any more; @k has its details. Or, its former holder
 * is not known any more. The table is not changed.
 */
void lt_book_lose_holder(struct lt_lifetimes *lf, const struct lt_known *k, uint64_t time);
void lt_book_lose_former(struct lt_lifetimes *lf, const struct lt_doubt *d);

/* The holder of an address, @k with its details, leaves the table: a smaller sample lacks it. */
void lt_book_leave_out(struct lt_lifetimes *lf, struct lt_known *k, uint64_t time);

/* The oldest open doubt that the passing of time may decide; NULL: none. */
const struct lt_doubt *lt_book_oldest_doubt(struct lt_lifetimes *lf);
/* Time has decided the oldest doubt, or cannot decide it. */
void lt_book_pass_doubt(struct lt_lifetimes *lf);

/* heal.c */

/**
 * struct lt_newborns - objects that only STATE has, in order of their births
 * @old: the book of the parts before the missing ones
 * @book: that of STATE
 * @all: @n of them
 */
struct lt_newborns {
	const struct lt_lifetimes *old;
	const struct lt_lifetimes *book;
	struct lt_newborn {
		uint64_t ptr;
		uint64_t time;
		uint32_t cpu;
		uint8_t space;
		uint8_t order;
	} *all;
	size_t n;
	size_t cap;
};

/**
 * lt_heal_book() - an empty book to be filled by STATE; no callback is called for it
 * @newborns: gets what @lf does not have
 *
 * It has the numbers of places and tasks of @lf, which lacks them meanwhile.
 */
struct lt_lifetimes *lt_heal_book(struct lt_lifetimes *lf, struct lt_newborns *newborns);
void lt_heal_swap_numbers(struct lt_lifetimes *a, struct lt_lifetimes *b);

/**
 * lt_heal() - go on behind missing parts
 * @book: by STATE of the part behind them, which begins at @cut; afterwards only to be freed
 *
 * The callbacks are called for what ended, then for what was born.
 */
void lt_heal(struct lt_lifetimes *lf, struct lt_lifetimes *book, const struct lt_newborns *newborns,
	     uint64_t cut);

/* blocks.c */

/* A block has come into the table, or left it. */
void lt_block_enter(struct lt_lifetimes *lf, const struct lt_obj *obj);
void lt_block_leave(struct lt_lifetimes *lf, const struct lt_obj *obj);

/**
 * lt_block_overlap() - find a live block that shares a page with [@pfn, @pfn + 2^@order)
 * @from: where to begin, @pfn at first; where to go on, after the call
 * Blocks do not overlap each other, so one either lies within the range or holds all of
 * it. Return: false: there is none.
 */
bool lt_block_overlap(const struct lt_lifetimes *lf, uint64_t pfn, unsigned int order,
		      uint64_t *from, struct lt_obj *obj);

/* life.c */

/* The sizes of the objects of a cache, requested and given; 0: not known. */
void lt_life_cache_sizes(const struct lt_lifetimes *lf, uint32_t id, uint64_t *req,
			 uint64_t *alloc);

/* What is known of a cache; NULL: nothing. */
const struct lt_cache *lt_life_cache(const struct lt_lifetimes *lf, uint32_t id);

/* The task with an interned number, NULL: not known. */
static inline const struct lt_task *lt_life_task(const struct lt_lifetimes *lf, uint32_t id)
{
	return (const struct lt_task *)(uintptr_t)lt_intern_value(&lf->tasks, id);
}

/* Makes @obj, of which only @ptr and @id are kept, the object that @ev allocates. */
void lt_life_begin(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj,
		   const struct lt_event *ev);

/* Makes @obj, of which only @ptr and @id are kept, one whose birth was not seen; @ev frees it. */
void lt_life_unborn(struct lt_obj *obj, const struct lt_event *ev);

/* Puts an object into the table of live ones, or takes it out. */
static inline void lt_life_enter(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj)
{
	lt_objtable_add(&lf->live[space], obj);
	if (space == LT_SPACE_PAGE)
		lt_block_enter(lf, obj);
}

static inline void lt_life_leave(struct lt_lifetimes *lf, enum lt_space space,
				 const struct lt_obj *obj)
{
	if (space == LT_SPACE_PAGE)
		lt_block_leave(lf, obj);
	lt_objtable_remove(&lf->live[space], obj);
}

/*
 * lt_life_enter() and lt_life_leave() at the place that lt_book_find() has found, if it still is.
 */
static inline void lt_life_enter_at(struct lt_lifetimes *lf, struct lt_known *k)
{
	if (!k->at.known) {
		lt_life_enter(lf, k->space, &k->holder);
		return;
	}
	lt_objtable_add_at(&lf->live[k->space], &k->at, &k->holder);
	if (k->space == LT_SPACE_PAGE)
		lt_block_enter(lf, &k->holder);
}

static inline void lt_life_leave_at(struct lt_lifetimes *lf, const struct lt_known *k)
{
	if (!k->at.known) {
		lt_life_leave(lf, k->space, &k->holder);
		return;
	}
	if (k->space == LT_SPACE_PAGE)
		lt_block_leave(lf, &k->holder);
	lt_objtable_remove_at(&lf->live[k->space], &k->at);
}

/* How an event of a class, a free or a request, ends a lifetime. */
enum lt_ending lt_life_ending(unsigned int class);
/* A death by @ev. */
void lt_death_init(struct lt_lifetimes *lf, struct lt_death *death, enum lt_space space,
		   const struct lt_event *ev, uint8_t unsure);

/* The callbacks of struct lt_lifetime_ops. */
void lt_life_gone(const struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		  enum lt_ending ending, uint64_t time);
void lt_life_released(const struct lt_lifetimes *lf, enum lt_space space,
		      const struct lt_obj *obj, enum lt_ending ending, uint64_t time, bool rcu);

/* The lifetime of an object comes out. @confirmed: as in struct lt_lifetime. */
void lt_life_ended(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		   const struct lt_death *death, uint64_t confirmed);

/* An object that a smaller sample lacks from @death->time on. */
void lt_life_left(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		  const struct lt_death *death);

/* sampled.c */

/* The sample is that of @now; or, whether it has an event. */
void lt_sampled_pass(struct lt_lifetimes *lf, uint64_t now);
bool lt_sampled_takes(struct lt_lifetimes *lf, const struct lt_event *ev);

/* certainty.c */

/*
 * Whether, for want of a probe, birth and free of slab objects of a kind (enum lt_class) may be of
 * two objects. @which: the name of the event that is not watched, NULL: not known.
 */
bool lt_certainty_is_of_two(const struct lt_lifetime_config *config, unsigned int kind,
			    enum lt_ending ending, const char **which);

/* lt_certainty_set() of a lifetime that need not be exact. */
void lt_certainty_weigh(struct lt_lifetime *l, const struct lt_lifetime_config *config,
			unsigned int unsure);

/**
 * lt_certainty_set() - how sure a lifetime is
 * @l: all is set but @lossy, @ambiguous, @certainty, @why and @unwatched, which get set
 * @unsure: enum lt_unsure, recorded during the lifetime
 */
static inline void lt_certainty_set(struct lt_lifetime *l, const struct lt_lifetime_config *config,
				    unsigned int unsure)
{
	l->unwatched = NULL;
	if (unsure || !l->birth.known || !l->death.known || config->sampled ||
	    config->unordered_until || config->unwatched_free[l->space]) {
		lt_certainty_weigh(l, config, unsure);
		return;
	}
	l->lossy = false;
	l->ambiguous = false;
	l->certainty = LT_EXACT;
	l->why = LT_WHY_NONE;
}

/* late.c */

/* The free of an object that held @ptr until @since was not seen: it may come late. */
void lt_late_mark(struct lt_lifetimes *lf, uint64_t ptr, uint64_t since);
/* Whether each address may have been held by an object of which there is no event. */
static inline bool lt_late_is_usual(const struct lt_lifetimes *lf)
{
	return lf->gapped || lf->config.min_size;
}
bool lt_late_is_expected(const struct lt_lifetimes *lf, uint64_t ptr);
/* Until a free of before @since can come no more, a late one may come at every address. */
void lt_late_unseen(struct lt_lifetimes *lf, uint64_t since);
/* Whether a late free of a former holder may still come, at an address. */
static inline bool lt_late_expected(const struct lt_lifetimes *lf, enum lt_space space,
				    uint64_t ptr)
{
	return lf->config.late_free && space == LT_SPACE_SLAB && lt_late_is_expected(lf, ptr);
}
/* Forgets the marks that are too old at the time @now. */
void lt_late_expire(struct lt_lifetimes *lf, uint64_t now);
/* Up to and with which time, ns, it forgets none; of a queue that is not empty. */
uint64_t lt_late_until(const struct lt_lifetimes *lf);

/* lifetime.c */

/* Decides what the mere passing of time decides, before an event. */
void lt_lifetimes_pass_time(struct lt_lifetimes *lf, uint64_t now);
/* Up to and with which time, ns, that decides nothing. */
uint64_t lt_lifetimes_waits_until(struct lt_lifetimes *lf);

#endif /* LT_LIFETIMES_INTERNAL_H */
