/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lifetimes: each allocation is paired with the end of its life.
 *
 * Events go in, in the order of lt_trace_next(). Lifetimes come out through callbacks as
 * soon as no later event can change them, and those of what is alive at the end.
 * Memory is proportional to what is alive.
 *
 * What is paired with what:
 *
 * - Slab objects by address alone, whatever call made or freed them: kfree may free
 *   objects of any cache, kmem_cache_free those of kmalloc.
 * - Pages by page frame number, in a space of their own. A large kmalloc, or a slab,
 *   has lifetimes in both spaces: never add the two up.
 *
 * How sure a lifetime is (enum lt_certainty):
 *
 *   exact      birth and death were seen, and no gap lies between
 *   open       alive at the end of the trace
 *   before     its birth was not seen: before the trace, or by a path that is not
 *              watched
 *   bounded    its death was not seen, but its address was born again: it died at
 *              that time or earlier
 *   uncertain  events were lost during its life, or the order of events left more than
 *              one reading, whatever else holds
 */
#ifndef LT_LIFETIMES_LIFETIME_H
#define LT_LIFETIMES_LIFETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"
#include "base/certainty.h"
#include "format/event.h"
#include "lifetimes/objtable.h"
#include "lifetimes/steps.h"

/* How a life ended. */
enum lt_ending {
	LT_END_ALIVE,		/* alive at the end of the trace */
	LT_END_KFREE,
	LT_END_CACHE_FREE,	/* kmem_cache_free */
	LT_END_BULK,		/* kmem_cache_free_bulk, kfree_bulk */
	LT_END_RCU,		/* given to kfree_rcu, which ends it for its user */
	LT_END_PAGE,
	LT_END_VFREE,
	LT_END_PERCPU,
	LT_END_DMA,
	LT_END_REBORN,		/* the free was not seen; the address was born again */
	LT_END_LOST,		/* a part of the recording is missing, behind which it is gone */
	LT_N_ENDINGS,
};

/**
 * enum lt_cause - why a lifetime is not exact; of several reasons the first one of this list
 * @LT_WHY_NONE: The lifetime is exact.
 * @LT_WHY_LOST: Events were lost during the lifetime.
 * @LT_WHY_NOT_WATCHED: A probe was missing.
 * @LT_WHY_SAMPLED: A sample may have left out the free of a part of the block.
 * @LT_WHY_LATE: The free may be the late one of an earlier holder of the address.
 * @LT_WHY_ORDER: The order of events leaves open whose free it was.
 * @LT_WHY_GUESS: An earlier verdict about the object was a guess.
 * @LT_WHY_NO_BIRTH: The birth was not seen.
 * @LT_WHY_NO_FREE: The free was not seen, but the address was born again.
 * @LT_WHY_ALIVE: The object was alive at the end.
 * @LT_N_WHYS: their number
 */
enum lt_cause {
	LT_WHY_NONE,
	LT_WHY_LOST,
	LT_WHY_NOT_WATCHED,
	LT_WHY_SAMPLED,
	LT_WHY_LATE,
	LT_WHY_ORDER,
	LT_WHY_GUESS,
	LT_WHY_NO_BIRTH,
	LT_WHY_NO_FREE,
	LT_WHY_ALIVE,
	LT_N_WHYS,
};

/**
 * struct lt_moment - the birth or death of an object
 * @known: its event was seen; otherwise all else is 0, but @time may be a bound
 * @context: enum lt_context
 * @cpu: the CPU that recorded it
 * @time: ns on the trace's clock
 * @call_site: absolute address, 0: not known
 * @task: the task that was running, NULL: not known
 * @site_id: interned @call_site and @stack, 0: not known
 * @stack: how @call_site was called: a number for lt_trace_stack(), 0: not recorded
 * @task_id: interned @task, 0: not known
 */
struct lt_moment {
	bool known;
	uint8_t context;
	uint32_t cpu;
	uint64_t time;
	uint64_t call_site;
	const struct lt_task *task;
	uint32_t site_id;
	uint32_t stack;
	uint32_t task_id;
};

#define LT_FURTHER_UNKNOWN	UINT32_MAX

/**
 * struct lt_lifetime - one lifetime
 * @space: what @ptr means
 * @kind: enum lt_class of the birth; LT_CLASS_NONE: it was not seen
 * @certainty: enum lt_certainty
 * @ending: enum lt_ending
 * @split: pages: part of a block that was allocated or freed as another size
 * @older: born before the trace, a part of a recording that carries it: no birth of the trace
 * @lossy: uncertain because events were lost
 * @ambiguous: uncertain because the events have two readings
 * @order: of a page block
 * @why: enum lt_cause
 * @unwatched: with LT_WHY_NOT_WATCHED: the event whose probe was missing, NULL: not known
 * @cache: cache id, or that of the device; 0: none or not known
 * @ptr: address or page frame number
 * @bytes_req: requested; of cache objects their object size, 0: not known
 * @bytes_alloc: given; of cache objects their slot, 0: not known
 * @bytes_last: requested last: @bytes_req, unless @resized
 * @slack: bytes that were given and, when it was last asked for, not requested
 * @resized: krealloc or vrealloc changed @bytes_req to @bytes_last without moving the object
 * @gfp: flags of the request
 * @node: NUMA node of the request, -1: none
 * @further: allocations in the same space during its life, modulo 2^32; LT_FURTHER_UNKNOWN: parts
 *	of the recording are missing in it, or it is of some tasks only
 * @birth: not known in lifetimes that began before the trace
 * @death: of an rcu free the request; of a bounded lifetime, or one that ended in missing parts,
 *	only the latest possible time; of an open one the end of the trace
 * @rcu_confirmed: ns, when the memory was released after an rcu free; 0: not seen,
 *	which is normal where the kernel has no event for it
 */
struct lt_lifetime {
	enum lt_space space;
	uint8_t kind;
	uint8_t certainty;
	uint8_t ending;
	bool split;
	bool older;
	bool lossy;
	bool ambiguous;
	bool resized;
	uint8_t order;
	uint8_t why;
	uint32_t cache;
	const char *unwatched;
	uint64_t ptr;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint64_t bytes_last;
	uint64_t slack;
	uint32_t gfp;
	int32_t node;
	uint32_t further;
	struct lt_moment birth;
	struct lt_moment death;
	uint64_t rcu_confirmed;
};

/* ns from birth to death; of a lifetime "before" 0, of a "bounded" one the upper limit. */
static inline uint64_t lt_lifetime_ns(const struct lt_lifetime *l)
{
	if (!l->birth.known || l->death.time < l->birth.time)
		return 0;
	return l->death.time - l->birth.time;
}

/* Bytes that the object took: those given, or, where that is not known, requested. */
static inline uint64_t lt_lifetime_bytes(const struct lt_lifetime *l)
{
	return l->bytes_alloc ? l->bytes_alloc : l->bytes_req;
}

/* Bytes that were given and, when it was last asked for, not requested. */
static inline uint64_t lt_lifetime_slack(const struct lt_lifetime *l)
{
	return l->slack;
}

/* The object of a lifetime at its birth, as struct lt_lifetime_ops.born gets it. */
static inline struct lt_obj lt_lifetime_obj(const struct lt_lifetime *l)
{
	return (struct lt_obj){
		.site = l->birth.site_id, .task = l->birth.task_id, .kind = l->kind,
		.context = l->birth.context, .cache = l->cache, .bytes_req = l->bytes_req,
		.bytes_alloc = l->bytes_alloc, .gfp = l->gfp, .order = l->order,
		.time = l->birth.time, .ptr = l->ptr,
	};
}

struct lt_cache;
struct lt_plain_event;
struct lt_trace;

/* Whether a step is the end of a lifetime that is exact. */
static inline bool lt_step_is_exact(const struct lt_plain_step *s)
{
	return !(s->birth | s->unsure | (s->ending == LT_END_REBORN));
}

/**
 * struct lt_lifetime_ops - callbacks of the pairing; each may be NULL
 * @ended: a lifetime is complete; also called for open ones, at the end
 * @born: an object came to life at @obj->time
 * @gone: an object is no longer in its user's hands, from @time on. @obj->kind is
 *	LT_CLASS_NONE when its birth was not seen.
 * @released: the allocator has the memory of @obj back, at @time, or before it if
 *	@ending is LT_END_REBORN or LT_END_LOST. @rcu: it was given to kfree_rcu before. @obj->kind
 *	is LT_CLASS_NONE when its birth was not seen.
 * @plain: NULL, or is called in place of @born, @gone, @released and @ended for what leaves no
 *	doubt, several at once, if @plain_ready and @plain_takes say so or are NULL
 * @plain_unsure: it also is for steps that are unsure
 * @plain_apart: it is not for objects at addresses whose LT_STACK_HASH() is below this
 * @plain_in_order: tasks are numbered when they first end a life that @plain gets, too, for who
 *	goes by that order
 * @plain_bytes: lt_plain_steps.bytes is filled in
 * @plain_ready: whether it may be, from here on until another callback is called
 * @plain_takes: whether it may be for objects with these traits; is asked once for each
 * @plain_reborn: whether it may be for an object of this time and @traits, as steps of @renewals
 *	have them, whose end was not seen; steps may wait to be handed out meanwhile
 * @cache: the description of a cache id, NULL: not known. Without it, it is that of the trace.
 * @halved: a live block of pages, @obj, is two of half its size from now on; each of
 *	them will be gone and released on its own
 * @left: a smaller sample (record --budget) leaves an object out from @l->death.time on, so that
 *	its end will not be seen: in place of @gone, @released and @ended. Who sets it gets the
 *	births of all samples, and weights them: lt_lifetimes_weight(), sums/weights.h. Without it,
 *	only what is in the smallest sample of the trace comes out.
 * @weighs: with @left: an object that is alive stands for @to objects from now on, not for @from
 *	any more
 * @busy: lt_lifetimes_restore() goes on, which may take seconds; it must not use the table
 * @unordered: the lifetimes of what is alive at the end come in no order, which is faster
 * @arg: passed to each
 *
 * @born, @gone and @released are called at most once for each life, in this order;
 * @ended may come later. But where a kernel traces one allocation twice, @gone and @born
 * come once more between @born and @gone, when the second event corrects the call site.
 */
struct lt_lifetime_ops {
	void (*ended)(void *arg, const struct lt_lifetime *l);
	void (*born)(void *arg, enum lt_space space, const struct lt_obj *obj);
	void (*gone)(void *arg, enum lt_space space, const struct lt_obj *obj,
		     enum lt_ending ending, uint64_t time);
	void (*released)(void *arg, enum lt_space space, const struct lt_obj *obj,
			 enum lt_ending ending, uint64_t time, bool rcu);
	void (*plain)(void *arg, const struct lt_plain_steps *steps);
	bool plain_unsure, plain_in_order, plain_bytes;
	uint64_t plain_apart;
	bool (*plain_ready)(void *arg);
	bool (*plain_takes)(void *arg, const struct lt_traits *traits);
	bool (*plain_reborn)(void *arg, uint32_t traits, uint32_t renewals, uint64_t born);
	const struct lt_cache *(*cache)(void *arg, uint32_t id);
	void (*halved)(void *arg, const struct lt_obj *obj);
	void (*left)(void *arg, const struct lt_obj *obj, const struct lt_lifetime *l);
	void (*weighs)(void *arg, enum lt_space space, const struct lt_obj *obj, unsigned int from,
		       unsigned int to);
	void (*busy)(void *arg);
	bool unordered;
	void *arg;
};

/**
 * struct lt_lifetime_config - facts about the trace
 * @page_shift: log2 of the page size
 * @late_free: kmem_cache_free is traced after the object was released
 * @unwatched_free: by space: there is a way to free that is not watched, so an object
 *	without an end need not be alive
 * @unwatched_kmalloc: a way to allocate by kmalloc is not watched; with @unwatched_free,
 *	a birth and a free may be of two lives
 * @unwatched_cache: a way to allocate from a cache is not watched
 * @free_name, @kmalloc_name, @cache_name: which event that is; NULL: not known
 * @min_size: allocations of fewer bytes were left out, 0: none
 * @sampled: objects were left out by their address
 * @some_tasks: only what some tasks did was cut out of a trace, so allocations are not counted
 * @unordered_until: ns: until then the order of events of different CPUs is not known; 0: it is
 */
struct lt_lifetime_config {
	unsigned int page_shift;
	bool late_free;
	bool unwatched_free[LT_N_MEMORY];
	bool unwatched_kmalloc;
	bool unwatched_cache;
	const char *free_name[LT_N_MEMORY];
	const char *kmalloc_name;
	const char *cache_name;
	uint64_t min_size;
	bool sampled;
	bool some_tasks;
	uint64_t unordered_until;
};

/**
 * struct lt_lifetime_stats - what was counted
 * @certainty: lifetimes by space (enum lt_space) and certainty
 * @ending: lifetimes by how they ended
 * @why: lifetimes by space and enum lt_cause
 * @births: allocations seen, or known behind missing parts, by space
 * @live: alive at the end, by space; set by lt_lifetimes_finish()
 * @lossy: lifetimes that are uncertain because events were lost
 * @ambiguous: other uncertain lifetimes
 * @inversions: frees that were recorded later than the next birth at their address, and
 *	were decided to be those of the former holder
 * @failed: allocations that returned nothing
 * @rcu_requests: calls of kfree_rcu
 * @rcu_confirmed: of these, those whose release was seen
 * @rcu_unknown: of these, those of an address of which nothing else is known: memory
 *	from vmalloc, or objects older than the trace. No lifetime is made of them.
 *	Complete at the end only.
 * @page_splits: blocks of pages freed in other sizes than allocated
 * @bad: events with impossible values (an unaligned page block, address 0)
 */
struct lt_lifetime_stats {
	uint64_t certainty[LT_N_MEMORY][LT_N_CERTAINTIES];
	uint64_t ending[LT_N_ENDINGS];
	uint64_t why[LT_N_MEMORY][LT_N_WHYS];
	uint64_t births[LT_N_MEMORY];
	uint64_t live[LT_N_MEMORY];
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

/* Counts a lifetime, as far as it says what is counted; and takes such counts away. */
void lt_lifetime_stats_add(struct lt_lifetime_stats *s, const struct lt_lifetime *l);
void lt_lifetime_stats_subtract(struct lt_lifetime_stats *s, const struct lt_lifetime_stats *part);

struct lt_lifetimes;

/* lifetime.c */

struct lt_lifetimes *lt_lifetimes_new(const struct lt_lifetime_config *config,
				      const struct lt_lifetime_ops *ops);
/* Of the events of a trace, which must stay. */
struct lt_lifetimes *lt_lifetimes_of(const struct lt_trace *t, const struct lt_lifetime_ops *ops);
/* @lf may be NULL. */
void lt_lifetimes_free(struct lt_lifetimes *lf);

/* By enum lt_class, enum lt_space. */
extern const uint8_t lt_event_spaces[LT_MAX_CLASSES];

/* The space of an event's object; LT_SPACE_NONE: the event is not about an object. */
static inline enum lt_space lt_event_space(const struct lt_event *ev)
{
	return ev->class < LT_MAX_CLASSES ? (enum lt_space)lt_event_spaces[ev->class] :
					    LT_SPACE_NONE;
}

/* A hint that these events will be the next ones. */
void lt_lifetimes_prefetch(const struct lt_lifetimes *lf, const struct lt_event *evs, size_t n);

/**
 * lt_lifetimes_event() - the next event
 * @gap_end: lt_trace_gap_end() for the space of the event, at this event
 *
 * Any event may be given; those that are not about an object only move time on.
 */
void lt_lifetimes_event(struct lt_lifetimes *lf, const struct lt_event *ev, uint64_t gap_end);

/* plain.c */
#define LT_PLAIN_MAX	128	/* events */

/*
 * A hint that these events, LT_PLAIN_MAX at most, will be the next ones; @places gets what is found
 * out of each, for lt_lifetimes_plain().
 */
void lt_lifetimes_prepare(struct lt_lifetimes *lf, const struct lt_plain_event *evs, size_t n,
			  struct lt_objtable_place *places);

/**
 * lt_lifetimes_plain() - the next events, as far as they leave no doubt
 * @places: of each, by lt_lifetimes_prepare(); may be prepared again
 * @gap_end: as for lt_lifetimes_event(), of slab objects
 * Return: how many were taken. The next one must be given to lt_lifetimes_event().
 */
size_t lt_lifetimes_plain(struct lt_lifetimes *lf, const struct lt_plain_event *evs,
			  struct lt_objtable_place *places, size_t n, uint64_t gap_end);

/* The event for want of which steps are unsure; NULL: not known, or there is none. */
const char *lt_lifetimes_unwatched(const struct lt_lifetimes *lf);

/**
 * lt_lifetimes_finish() - the trace is at its end
 * @end: time, ns
 * @gap_end: lt_trace_gap_end() by space, at the end
 *
 * Hands out what is not decided yet; last of all what is alive, in the order of birth unless the
 * callbacks want no order.
 * After it only lt_lifetimes_stats(), _site(), _stack(), _task() and _free() may be called.
 */
void lt_lifetimes_finish(struct lt_lifetimes *lf, uint64_t end,
			 const uint64_t gap_end[LT_N_MEMORY]);

const struct lt_lifetime_stats *lt_lifetimes_stats(const struct lt_lifetimes *lf);

/* sampled.c */

/*
 * Return: for how many objects one stands that was born at @time and has been in the sample until
 * now. It is in the smallest sample since then.
 */
unsigned int lt_lifetimes_weight(const struct lt_lifetimes *lf, uint64_t time);

/* uses.c */

/* How many objects the table has. */
size_t lt_lifetimes_size(const struct lt_lifetimes *lf);

/**
 * lt_lifetimes_uses() - which tasks the table refers to
 * Takes time in proportion to what is alive. Return: for lt_lifetimes_used_from(), to be freed.
 */
uint64_t *lt_lifetimes_uses(const struct lt_lifetimes *lf);
/* Since when it does, ns: the time of the oldest event of the task; UINT64_MAX: it does not. */
uint64_t lt_lifetimes_used_from(const struct lt_lifetimes *lf, const uint64_t *uses,
				const struct lt_task *task);

/* alive.c */

/* An object that is alive, with its sizes as far as they are known by now. */
typedef void lt_alive_fn(void *arg, const struct lt_obj *obj, enum lt_certainty certainty);

/**
 * lt_lifetimes_alive() - what is alive now
 * @space: of which memory
 * @gap_end: lt_trace_gap_end() for the space, now
 * @fn: is called for each object, in no order: with LT_OPEN, or with LT_UNCERTAIN where its end
 *	may have been missed. It must not change @lf.
 *
 * Takes time proportional to what is alive. If the trace ended here, lt_lifetimes_finish() would
 * hand out these objects; but it would first decide the few ends that are in doubt.
 */
void lt_lifetimes_alive(const struct lt_lifetimes *lf, enum lt_space space, uint64_t gap_end,
			lt_alive_fn *fn, void *arg);

/* life.c */

/*
 * In numbers of call sites: one with a stack. Numbers with it, and numbers without, are each
 * consecutive from 1; both are fewer than the records of sites in the trace.
 */
#define LT_ORIGIN	(1U << 31)

/*
 * The call site, its stack and the task with an interned number of struct lt_moment or
 * struct lt_obj. The same place with another stack has another number; lt_lifetimes_place() is
 * one number for each call site.
 */
uint64_t lt_lifetimes_site(const struct lt_lifetimes *lf, uint32_t id);
uint32_t lt_lifetimes_stack(const struct lt_lifetimes *lf, uint32_t id);
uint32_t lt_lifetimes_place(const struct lt_lifetimes *lf, uint32_t id);
const struct lt_task *lt_lifetimes_task(const struct lt_lifetimes *lf, uint32_t id);

/* config.c */

struct lt_trace;

/* Fills @c with what the texts of the trace say. A text that is damaged may say anything. */
void lt_lifetime_config_init(struct lt_lifetime_config *c, const struct lt_trace *t);

struct lt_str;

/*
 * Adds which births the module kept, as "in the caches dentry"; nothing if it kept all. @numbers:
 * with the number of a process.
 */
void lt_births_describe(struct lt_str *s, const struct lt_trace *t, bool numbers);

/* Whether a way to allocate in this space was not watched, or may not have been. */
bool lt_births_unwatched(const struct lt_trace *t, enum lt_space space);

/*
 * Whether a text EVENTS lists a way to allocate in this space as watched. One that lists nothing
 * may have been watched. @events: NULL: there is none
 */
bool lt_space_listed(const char *events, enum lt_space space);

/* Whether a way to allocate in this space was watched, or may have been. */
bool lt_space_watched(const struct lt_trace *t, enum lt_space space);

/*
 * Whether a space of memory was recorded at all; reports it if it was not. LT_SPACE_NONE: slab
 * objects.
 */
bool lt_space_recorded(const struct lt_trace *t, enum lt_space space);

/* names.c */

/**
 * struct lt_space_words - how a space of memory is called
 * @name: in options and JSON
 * @objects: what its lifetimes are of
 * @pieces: the same, in one word
 */
struct lt_space_words {
	const char *name;
	const char *objects;
	const char *pieces;
};

const struct lt_space_words *lt_space_words(enum lt_space space);

/**
 * struct lt_space_events - what is recorded of a space of memory
 * @births: names of the events by which its lifetimes begin; NULL at the end, as of the others
 * @deaths: by which they end
 * @changes: by which a lifetime changes
 *
 * The names are those of the text EVENTS, in which a trace lists what was watched.
 */
struct lt_space_events {
	const char *births[8];
	const char *deaths[8];
	const char *changes[4];
};

const struct lt_space_events *lt_space_events(enum lt_space space);

/* What a lifetime is of, in a word for lists of all spaces. */
enum lt_lifetime_kind {
	LT_KIND_PAGES,
	LT_KIND_PAGES_SPLIT,	/* a part of a block, which was freed in parts */
	LT_KIND_KMALLOC,
	LT_KIND_OF_CACHE,
	LT_KIND_BULK,
	LT_KIND_UNKNOWN,	/* an object whose birth is not in the trace */
	LT_KIND_PERCPU,
	LT_KIND_VMALLOC,
	LT_KIND_DMA,
	LT_N_LIFETIME_KINDS,
};

enum lt_lifetime_kind lt_lifetime_kind(const struct lt_lifetime *l);
const char *lt_kind_name(enum lt_lifetime_kind kind);

/* Whether the node of NUMA that was asked for is known; a birth that asks for none has -1. */
bool lt_lifetime_has_node(const struct lt_lifetime *l);

/* The space that options mean: that of slab objects, unless they name another one. */
enum lt_space lt_space_chosen(enum lt_space space);

/* Whether its objects are of a cache, or of a device, which takes the place of one. */
bool lt_space_has_caches(enum lt_space space);

/* Short names: "exact", "kfree", "softirq", … */
const char *lt_ending_name(enum lt_ending e);
/* The word for options and keys ("not_watched"), and the words for people ("not watched"). */
const char *lt_cause_name(enum lt_cause why);
const char *lt_cause_text(enum lt_cause why);
const char *lt_context_name(unsigned int context);

#endif /* LT_LIFETIMES_LIFETIME_H */
