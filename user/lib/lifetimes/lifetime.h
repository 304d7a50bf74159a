/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lifetimes: pairs each allocation with the end of its life.
 *
 * Events go in, in the order of lt_trace_next(). Lifetimes come out through
 * callbacks as soon as nothing that may follow can change them, and those of
 * what is still alive at the end. Memory is proportional to what is alive.
 *
 * What is matched with what:
 *
 * - Slab objects by address alone, whatever call made or freed them: kfree may
 *   free objects of any cache, kmem_cache_free those of kmalloc.
 * - Pages by page frame number, in a space of their own. A large kmalloc, or a
 *   slab, has lifetimes in both spaces: never add the two up.
 *
 * How sure a lifetime is (enum lt_certainty):
 *
 *   exact      birth and death were seen, and no gap lies between
 *   open       alive at the end of the trace
 *   before     its birth was not seen: before the trace, or by a path that is
 *              not watched
 *   bounded    its death was not seen, but its address was born again: it
 *              died at that time or earlier
 *   uncertain  events were lost during its life, or the order of events left
 *              more than one reading, whatever else holds
 */
#ifndef LT_LIB_LIFETIME_H
#define LT_LIB_LIFETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"
#include "base/certainty.h"
#include "format/event.h"
#include "lifetimes/objtable.h"

/* How a life ended. */
enum lt_ending {
	LT_END_ALIVE,		/* it did not */
	LT_END_KFREE,
	LT_END_CACHE_FREE,	/* kmem_cache_free */
	LT_END_BULK,		/* kmem_cache_free_bulk, kfree_bulk */
	LT_END_RCU,		/* given to kfree_rcu: the end, for its user */
	LT_END_PAGE,
	LT_END_REBORN,		/* not seen; its address was born again */
	LT_N_ENDINGS,
};

/**
 * struct lt_moment - the birth or death of an object
 * @known: false: not seen, all else is 0 but for a bound in @time
 * @time: ns on the trace's clock
 * @call_site: absolute address, 0: not known
 * @task: who was running, NULL: not known
 * @site_id: interned @call_site, 0: not known
 * @task_id: interned @task, 0: not known
 * @cpu: where
 * @context: enum lt_context
 */
struct lt_moment {
	bool known;
	uint8_t context;
	uint32_t cpu;
	uint64_t time;
	uint64_t call_site;
	const struct lt_task *task;
	uint32_t site_id;
	uint32_t task_id;
};

/**
 * struct lt_lifetime - one lifetime
 * @space: what @ptr means
 * @kind: enum lt_class of the birth; LT_CLASS_NONE: it was not seen
 * @certainty: enum lt_certainty
 * @ending: enum lt_ending
 * @split: pages: part of a block that was allocated or freed as another size
 * @lossy: uncertain because events were lost
 * @ambiguous: uncertain because the order of events has two readings
 * @order: of a page block
 * @cache: cache id, 0: none or not known
 * @ptr: address or page frame number
 * @bytes_req: asked for; of cache objects their object size, 0: not known
 * @bytes_alloc: given; of cache objects their slot, 0: not known
 * @gfp: flags of the request
 * @node: asked for
 * @further: allocations in the same space during its life, modulo 2^32
 * @birth: see above; not known in lifetimes that began before the trace
 * @death: of an rcu free the request; of a bounded lifetime only the latest
 *	possible time; of an open one the end of the trace
 * @rcu_confirmed: when the memory was really given back after an rcu free;
 *	0: not seen, which is normal where the kernel has no event for it
 */
struct lt_lifetime {
	enum lt_space space;
	uint8_t kind;
	uint8_t certainty;
	uint8_t ending;
	bool split;
	bool lossy;
	bool ambiguous;
	uint8_t order;
	uint16_t cache;
	uint64_t ptr;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint32_t gfp;
	int32_t node;
	uint32_t further;
	struct lt_moment birth;
	struct lt_moment death;
	uint64_t rcu_confirmed;
};

/* ns from birth to death; of "before" 0, and of "bounded" at most this much. */
static inline uint64_t lt_lifetime_ns(const struct lt_lifetime *l)
{
	if (!l->birth.known || l->death.time < l->birth.time)
		return 0;
	return l->death.time - l->birth.time;
}

struct lt_cache;

/**
 * struct lt_lifetime_ops - what wants to know
 * @ended: a lifetime is complete; also called for open ones, at the end
 * @born: an object came to life at @obj->time
 * @gone: an object is no longer in its user's hands, from @time on. @obj->kind
 *	is LT_CLASS_NONE when its birth was not seen.
 * @released: the allocator has its memory back, at @time or before (@ending is
 *	LT_END_REBORN). @rcu: it was given to kfree_rcu before. @obj as above.
 * @cache: what a cache id means, NULL: not known
 * @halved: a live block of pages, @obj, is two of half its size from now on;
 *	each of them will be gone and released on its own
 * @arg: passed to each
 *
 * All but @ended and @arg may be NULL. @born, @gone and @released are called at
 * most once for each life, in this order; @ended perhaps later than they. But
 * where a kernel traces one allocation twice, @gone and @born come once more
 * between them, when the second event corrects the call site.
 */
struct lt_lifetime_ops {
	void (*ended)(void *arg, const struct lt_lifetime *l);
	void (*born)(void *arg, enum lt_space space, const struct lt_obj *obj);
	void (*gone)(void *arg, enum lt_space space, const struct lt_obj *obj,
		     enum lt_ending ending, uint64_t time);
	void (*released)(void *arg, enum lt_space space, const struct lt_obj *obj,
			 enum lt_ending ending, uint64_t time, bool rcu);
	const struct lt_cache *(*cache)(void *arg, uint32_t id);
	void (*halved)(void *arg, const struct lt_obj *obj);
	void *arg;
};

/**
 * struct lt_lifetime_config - facts about the trace
 * @page_shift: log2 of the page size
 * @late_free: kmem_cache_free is traced after the object was released
 * @unwatched_free: by space, there is a way to free that is not watched: what has no
 *	end need not be alive
 * @unwatched_kmalloc: of slab objects, there is a way to make them by kmalloc that is
 *	not watched; together with @unwatched_free, what lies between a birth and a free
 *	may be two lives
 * @unwatched_cache: the same of objects of caches
 * @min_size: allocations of fewer bytes were left out, 0: none
 * @sampled: objects were left out by their address
 */
struct lt_lifetime_config {
	unsigned int page_shift;
	bool late_free;
	bool unwatched_free[LT_SPACE_PAGE + 1];
	bool unwatched_kmalloc;
	bool unwatched_cache;
	uint64_t min_size;
	bool sampled;
};

/**
 * struct lt_lifetime_stats - what was counted on the way
 * @certainty: lifetimes by space (enum lt_space) and certainty
 * @ending: lifetimes by how they ended
 * @births: allocations seen, by space
 * @live: alive at the end, by space; set by lt_lifetimes_finish()
 * @lossy: uncertain lifetimes for loss
 * @ambiguous: uncertain lifetimes for the order of events
 * @inversions: frees that were stamped later than the next birth at their
 *	address, and were given to the object that they belong to
 * @failed: allocations that returned nothing
 * @rcu_requests: kfree_rcu calls
 * @rcu_confirmed: of these, those whose release was seen
 * @rcu_unknown: of these, those of an address of which nothing else is known:
 *	memory from vmalloc, or objects older than the trace. No lifetime is
 *	made of them. Complete at the end only.
 * @page_splits: blocks of pages freed in other sizes than allocated
 * @bad: events whose values cannot be (an unaligned page block, address 0)
 */
struct lt_lifetime_stats {
	uint64_t certainty[LT_SPACE_PAGE + 1][LT_N_CERTAINTIES];
	uint64_t ending[LT_N_ENDINGS];
	uint64_t births[LT_SPACE_PAGE + 1];
	uint64_t live[LT_SPACE_PAGE + 1];
	uint64_t lossy;
	uint64_t ambiguous;
	uint64_t inversions;
	uint64_t failed;
	uint64_t rcu_requests;
	uint64_t rcu_confirmed;
	uint64_t rcu_unknown;
	uint64_t page_splits;
	uint64_t bad;
};

struct lt_lifetimes;

struct lt_lifetimes *lt_lifetimes_new(const struct lt_lifetime_config *config,
				      const struct lt_lifetime_ops *ops);
void lt_lifetimes_free(struct lt_lifetimes *lf);

/* The space of an event's object; LT_SPACE_NONE: it is not about an object. */
enum lt_space lt_event_space(const struct lt_event *ev);

/* A hint that these events will be the next ones. */
void lt_lifetimes_prefetch(const struct lt_lifetimes *lf, const struct lt_event *evs, size_t n);

/**
 * lt_lifetimes_event() - the next event
 * @gap_end: lt_trace_gap_end() for the space of the event, at this event
 */
void lt_lifetimes_event(struct lt_lifetimes *lf, const struct lt_event *ev,
			uint64_t gap_end);

/**
 * lt_lifetimes_finish() - the trace is at its end
 * @end: time, ns
 * @gap_end: lt_trace_gap_end() by space, at the end
 *
 * Reports what is not yet reported; last of all what is alive, in the order of
 * birth.
 */
void lt_lifetimes_finish(struct lt_lifetimes *lf, uint64_t end,
			 const uint64_t gap_end[LT_SPACE_PAGE + 1]);

const struct lt_lifetime_stats *lt_lifetimes_stats(const struct lt_lifetimes *lf);

/* Call sites and tasks by their interned numbers, which are below the second. */
uint64_t lt_lifetimes_site(const struct lt_lifetimes *lf, uint32_t id);
const struct lt_task *lt_lifetimes_task(const struct lt_lifetimes *lf, uint32_t id);

/* config.c */

struct lt_trace;

/* Fills @c with what the texts of the trace say. A text that is damaged may say anything. */
void lt_lifetime_config_init(struct lt_lifetime_config *c, const struct lt_trace *t);

/* The time, ns, after which events of the trace say nothing about lifetimes any more. */
uint64_t lt_lifetimes_end_time(const struct lt_trace *t);

/* names.c */

/* Short names: "exact", "kfree", "softirq", … */
const char *lt_ending_name(enum lt_ending e);
const char *lt_context_name(unsigned int context);
const char *lt_kind_name(const struct lt_lifetime *l);

#endif /* LT_LIB_LIFETIME_H */
