/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the lifetime engine: what lifetime.c, lifetime_slab.c,
 * lifetime_doubt.c, lifetime_late.c and lifetime_page.c share.
 */
#ifndef LT_LIB_LIFETIME_IMPL_H
#define LT_LIB_LIFETIME_IMPL_H

#include "base/intern.h"
#include "lifetimes/lifetime.h"
#include "lifetimes/pagemap.h"

/*
 * How much later than the next birth at its address a free may be stamped: for
 * the difference between the clocks of two CPUs; and where kmem_cache_free is
 * traced after the release.
 */
#define DOUBT_NS	1000ULL
#define DOUBT_LATE_NS	10000000ULL

/*
 * After that a free is taken for the object's own, unless it came by a path that
 * could be late, within this time of the birth: then which it is is not certain.
 */
#define LATE_NS		1000000000ULL

/*
 * Two events of one kmalloc are not further apart, see traced_twice(). The task may
 * be preempted between them, or a virtual CPU be taken away: 98 ms were seen.
 */
#define TWICE_NS	1000000000ULL

/* Larger page blocks do not exist (10 is the default, 13 the largest known). */
#define MAX_ORDER	14

/* Flags of struct lt_obj. */
enum obj_flags {
	OBJ_SPLIT = 1,		/* a part of what was allocated */
	OBJ_TAINTED = 2,	/* an earlier decision about it was a guess */
	OBJ_RCU = 4,		/* given to kfree_rcu; extra is its struct moment */
	OBJ_DOUBT = 8,		/* the end of the one before is open; extra is a struct doubt */
	OBJ_UNBORN = 16,	/* its birth was not seen; only together with OBJ_RCU */
	OBJ_LATE = 32,		/* the free of the one before it may still come, late */
	/* It is over, but for a free of its own that may come late; extra as in OBJ_DOUBT. */
	OBJ_GHOST = OBJ_DOUBT | OBJ_LATE,
};

static inline bool lt_is_ghost(const struct lt_obj *obj)
{
	return (obj->flags & OBJ_GHOST) == OBJ_GHOST;
}

/* A death, as kept. */
struct moment {
	uint64_t time;
	uint32_t site;
	uint32_t task;
	uint32_t cpu;
	uint32_t count;		/* allocations up to it, as in struct lt_obj */
	uint8_t context;
	uint8_t ending;		/* enum lt_ending */
	bool lossy;		/* a gap overlapped the life that it ended */
};

/* See lifetime_doubt.c. */
struct doubt {
	struct lt_obj old;	/* whose end is not decided */
	struct lt_obj young;	/* who was born at its address; of a ghost: and died */
	uint64_t reborn;	/* when its address was born again */
	uint32_t count;		/* allocations up to then */
	uint32_t serial;	/* tells it from a later one in the same place */
	struct moment free;	/* may be the end of old; ending ALIVE: none yet */
	uint8_t space;
	bool lossy;		/* a gap overlaps the life of old */
};

/* Doubts by age, for those that are decided by the mere passing of time. */
struct doubt_queue {
	struct { uint32_t id, serial; } *ring;
	size_t size;		/* a power of two, or 0 */
	size_t head;
	size_t n;
};

/* See lifetime_late.c. The oldest first. */
struct late_queue {
	struct late { uint64_t ptr, since; } *ring;
	size_t size;		/* a power of two, or 0 */
	size_t head;
	size_t n;
};

struct lt_lifetimes {
	struct lt_lifetime_config config;
	struct lt_lifetime_ops ops;
	struct lt_lifetime_stats stats;
	struct lt_objtable live[LT_SPACE_PAGE + 1];
	struct lt_pool moments;
	struct lt_pool doubts;
	struct doubt_queue queue;
	uint32_t doubt_serial;
	uint64_t doubt_ns;	/* after this long an undisturbed doubt is decided */
	struct lt_objtable late; /* addresses; time: since when a late free may come */
	struct late_queue late_queue;
	bool gapped;		/* events of slab objects were lost */
	struct lt_intern sites;
	struct lt_intern tasks;
	struct lt_pagemap pages;
	uint64_t n_order[MAX_ORDER + 1]; /* live page blocks by order */
};

/* lifetime.c */
void lt_death_init(struct lt_lifetimes *lf, struct moment *m, const struct lt_event *ev,
		enum lt_ending ending, bool lossy);
/*
 * Objects are copies of what the table has. lt_be_born() makes one of an event,
 * which is then to be added or put back; lt_doubt_*() put back what they change.
 */
void lt_be_born(struct lt_lifetimes *lf, struct lt_obj *obj, enum lt_space space,
		 const struct lt_event *ev);
/* The end of a life: @confirmed as in struct lt_lifetime. */
void lt_emit(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
	      const struct moment *death, bool ambiguous, uint64_t confirmed);
void lt_gone(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
	      enum lt_ending ending, uint64_t time);
void lt_released(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		  enum lt_ending ending, uint64_t time, bool rcu);
/* Whether a gap overlaps the life of an object up to the event with @gap_end. */
static inline bool lt_lossy(const struct lt_obj *obj, uint64_t gap_end)
{
	/* One that was born before the trace has lived through every gap. */
	return obj->flags & OBJ_UNBORN ? gap_end != 0 : gap_end > obj->time;
}

/* lifetime_slab.c: what holds for both spaces, once a block of pages is found */
void lt_birth_again(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj,
		     const struct lt_event *ev, uint64_t gap_end);
void lt_free_live(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj,
		   const struct lt_event *ev, enum lt_ending ending, uint64_t gap_end);
/* A free of something whose birth was not seen; @unborn tells what is known. */
void lt_free_unborn(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *unborn,
		     const struct lt_event *ev, enum lt_ending ending, uint64_t gap_end);
void lt_slab_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end);
/* Ends an object that was given to kfree_rcu, and forgets its request. */
void lt_emit_rcu(struct lt_lifetimes *lf, enum lt_space space, const struct lt_obj *obj,
		  uint64_t confirmed);
/* Takes an object out of the table of live ones. */
void lt_forget(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj);

/* lifetime_doubt.c */
void lt_doubt_begin(struct lt_lifetimes *lf, enum lt_space space, struct lt_obj *obj,
		     const struct lt_event *ev, uint64_t gap_end);
/*
 * A free of an object with OBJ_DOUBT. Decides the doubt or keeps it. Return:
 * true when the free is used up; false: it is the object's own. Then *@ghost is
 * the doubt to go on with when the object is gone, 0: none.
 */
bool lt_doubt_free(struct lt_lifetimes *lf, struct lt_obj *obj, const struct lt_event *ev,
		    enum lt_ending ending, uint64_t gap_end, uint32_t *ghost);
/* In place of @obj, which ended, the one before it: its free may come late. */
void lt_ghost_begin(struct lt_lifetimes *lf, struct lt_obj *obj, uint32_t ghost);
/* A free at the address of a ghost, which is over. True: the free was its own. */
bool lt_ghost_free(struct lt_lifetimes *lf, struct lt_obj *obj, const struct lt_event *ev,
		    enum lt_ending ending, uint64_t gap_end);
/* Whether a free of an object with OBJ_LATE may be that of the one before it. */
bool lt_may_be_late(const struct lt_lifetimes *lf, const struct lt_obj *obj,
		     const struct lt_event *ev);
/* The object's address is born once more. False: @obj ended and is gone. */
bool lt_doubt_reborn(struct lt_lifetimes *lf, struct lt_obj *obj);
/* As lt_doubt_reborn(), at the end of the trace. */
bool lt_doubt_end(struct lt_lifetimes *lf, struct lt_obj *obj);
/* The object was given to kfree_rcu. */
void lt_doubt_rcu(struct lt_lifetimes *lf, struct lt_obj *obj, uint64_t gap_end);
void lt_doubt_expire(struct lt_lifetimes *lf, uint64_t now);

/* lifetime_late.c */
/* Whoever held @ptr until @since was not seen to be freed: it may yet be told. */
void lt_late_mark(struct lt_lifetimes *lf, uint64_t ptr, uint64_t since);
bool lt_late_is_marked(const struct lt_lifetimes *lf, uint64_t ptr);
/*
 * OBJ_LATE or 0, for one that holds @ptr from now on, or whose doubt about the one before
 * it is over: whether the free of a former holder may still come.
 */
uint8_t lt_late_flag(const struct lt_lifetimes *lf, enum lt_space space, uint64_t ptr);
void lt_late_expire(struct lt_lifetimes *lf, uint64_t now);
/* Whether an address may have been held by an object of which no event is there. */
static inline bool lt_may_be_unseen(const struct lt_lifetimes *lf)
{
	return lf->gapped || lf->config.min_size;
}

/* lifetime_page.c */
void lt_page_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end);
void lt_page_forget(struct lt_lifetimes *lf, const struct lt_obj *obj);

#endif /* LT_LIB_LIFETIME_IMPL_H */
