/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rules: whose birth or death an event is.
 *
 * A rule takes what is known of an address (struct lt_known), the event and the
 * configuration of the trace, and returns a verdict with its reason. It changes nothing:
 * book.c applies the verdict. Documentation/design.rst describes the whole way of an event.
 *
 * The object that the table of live objects has at an address is its holder. When the
 * address is allocated again before a free of the holder was seen, the holder becomes
 * the former holder, the new object becomes the holder, and the end of the former holder
 * is in doubt (struct lt_doubt).
 */
#ifndef LT_LIFETIMES_RULES_H
#define LT_LIFETIMES_RULES_H

#include "lifetimes/lifetime.h"

/*
 * How much later than the next birth at its address a free may be recorded: because the
 * clocks of two CPUs differ; and where kmem_cache_free is traced after the release.
 */
#define LT_DOUBT_NS		1000ULL
#define LT_DOUBT_LATE_NS	10000000ULL

/*
 * After LT_DOUBT_LATE_NS a free is taken for the holder's own. If it may be recorded
 * late and comes within this time of the birth, the verdict is uncertain.
 */
#define LT_LATE_NS		1000000000ULL

/*
 * Two events of one kmalloc are not further apart. The task may be preempted between
 * them, or its virtual CPU may not run: 98 ms were seen.
 */
#define LT_TWICE_NS		1000000000ULL

/**
 * enum lt_obj_flags - flags of struct lt_obj
 * @LT_OBJ_SPLIT: The object is a part of the page block that was allocated.
 * @LT_OBJ_TAINTED: An earlier verdict about the object was a guess.
 * @LT_OBJ_RCU: It was given to kfree_rcu; @extra is the number of its struct lt_death.
 * @LT_OBJ_DOUBT: The end of the former holder is in doubt; @extra is the number of the
 *	struct lt_doubt.
 * @LT_OBJ_UNBORN: Its birth was not seen. In the table only together with LT_OBJ_RCU.
 * @LT_OBJ_LATE: A late free of a former holder may still come.
 * @LT_OBJ_AWAITED: The object is over, and its address is free. It stays in the table
 *	while its own free, which is late, is awaited. @extra is as for LT_OBJ_DOUBT.
 * @LT_OBJ_SPECIAL: An object with one of these flags is not plainly alive.
 */
enum lt_obj_flags {
	LT_OBJ_SPLIT = 1,
	LT_OBJ_TAINTED = 2,
	LT_OBJ_RCU = 4,
	LT_OBJ_DOUBT = 8,
	LT_OBJ_UNBORN = 16,
	LT_OBJ_LATE = 32,
	LT_OBJ_AWAITED = LT_OBJ_DOUBT | LT_OBJ_LATE,
	LT_OBJ_SPECIAL = LT_OBJ_RCU | LT_OBJ_DOUBT | LT_OBJ_LATE,
};

static inline bool lt_is_awaited(const struct lt_obj *obj)
{
	return (obj->flags & LT_OBJ_AWAITED) == LT_OBJ_AWAITED;
}

/**
 * enum lt_unsure - why a lifetime is uncertain; certainty.c turns these bits into that
 * @LT_UNSURE_LOST: Events were lost during the lifetime.
 * @LT_UNSURE_ORDER: The order of events leaves open whose free it was.
 * @LT_UNSURE_LATE: The free may be a late one of an earlier holder.
 * @LT_UNSURE_TAINTED: An earlier verdict about the object was a guess.
 * @LT_UNSURE_UNWATCHED: A probe was missing: birth and end may be of two objects.
 * @LT_UNSURE_SAMPLED: A sample may have left out the free of a part of the block.
 */
enum lt_unsure {
	LT_UNSURE_LOST = 1,
	LT_UNSURE_ORDER = 2,
	LT_UNSURE_LATE = 4,
	LT_UNSURE_TAINTED = 8,
	LT_UNSURE_UNWATCHED = 16,
	LT_UNSURE_SAMPLED = 32,
};

/**
 * struct lt_death - a death, as it is kept
 * @time: ns on the trace's clock
 * @site: interned call site
 * @task: interned task
 * @cpu: where
 * @count: allocations up to it, as in struct lt_obj
 * @context: enum lt_context
 * @ending: enum lt_ending
 * @unsure: enum lt_unsure, of the lifetime that it ends
 */
struct lt_death {
	uint64_t time;
	uint32_t site;
	uint32_t task;
	uint32_t cpu;
	uint32_t count;
	uint8_t context;
	uint8_t ending;
	uint8_t unsure;
};

/**
 * struct lt_doubt - an undecided death: the address was allocated again first
 * @former: the former holder, whose end is not decided
 * @holder: the holder at its birth; of an awaited object: it has ended since
 * @reborn: time of that birth, when @former was over
 * @count: allocations up to then
 * @serial: distinguishes the doubt from later ones with the same number; 0: decided
 * @free: kept, since it may be the end of @former; ending ALIVE: none yet
 * @space: enum lt_space
 * @unsure: LT_UNSURE_LOST or 0: of the life of @former
 */
struct lt_doubt {
	struct lt_obj former;
	struct lt_obj holder;
	uint64_t reborn;
	uint32_t count;
	uint32_t serial;
	struct lt_death free;
	uint8_t space;
	uint8_t unsure;
};

static inline bool lt_has_free(const struct lt_doubt *doubt)
{
	return doubt->free.ending != LT_END_ALIVE;
}

/**
 * struct lt_known - what is known of an address when an event comes
 * @holder: copy of the object in the table. If not @held, only its @ptr is valid; but of
 *	pages that are freed and were not held it is the object that ends.
 * @held: the table has an object at the address
 * @space: enum lt_space
 * @gap_end: end of the latest gap before the event, 0: none
 * @at: the place of the address in the table, unless that has changed since
 *
 * Only for births at a held address, and for holders with LT_OBJ_SPECIAL:
 * @late: a late free of a former holder may still come
 * @doubt: about the end of the former holder, or of the awaited object; NULL: none
 * @request: the call of kfree_rcu that the holder was given to; NULL: none
 * @site: where the holder was made
 * @maker: the task that made the holder (of an awaited object: the latest holder)
 * @former_maker: the task that made the former holder
 */
struct lt_known {
	struct lt_obj holder;
	bool held;
	bool late;
	uint8_t space;
	uint64_t gap_end;
	struct lt_objtable_at at;
	const struct lt_doubt *doubt;
	const struct lt_death *request;
	uint64_t site;
	const struct lt_task *maker;
	const struct lt_task *former_maker;
};

/**
 * enum lt_verdict_kind - what happens at the address
 * @LT_VERDICT_STAY: The holder stays as it is.
 * @LT_VERDICT_BEGIN: The address has no holder: a lifetime begins.
 * @LT_VERDICT_REPLACE: A lifetime begins, and the end of the holder is in doubt.
 * @LT_VERDICT_CORRECT: The event is a second one of the birth of the holder, whose call
 *	site it corrects.
 * @LT_VERDICT_END_HOLDER: The free ends the holder.
 * @LT_VERDICT_END_FORMER: The free ends the former holder, and the holder lives on.
 * @LT_VERDICT_END_UNKNOWN: The free ends an object whose birth was not seen.
 * @LT_VERDICT_KEEP_FREE: The free is kept until a later event decides whose it is.
 * @LT_VERDICT_CONFIRM: The free is the release of what was given to kfree_rcu.
 * @LT_VERDICT_RELEASE: The holder was given to kfree_rcu and is released; the time of the
 *	release is not known.
 * @LT_VERDICT_REQUEST: kfree_rcu ends the holder, which is kept until its release.
 * @LT_VERDICT_REQUEST_AGAIN: The holder ended at its first request; the second request
 *	is for an object whose birth was not seen.
 * @LT_VERDICT_REQUEST_UNKNOWN: kfree_rcu gets an object whose birth was not seen.
 * @LT_VERDICT_CUT: The event is about a part of the holder, a page block, which is cut
 *	until that part stands alone.
 * @LT_VERDICT_JOIN: The free covers the holder, a page block, and more: the holder counts
 *	as split.
 * @LT_VERDICT_END_REPLACED: A page block of another size was born over the holder, which
 *	ended unseen.
 * @LT_VERDICT_END_REQUEST: At the end of the trace: the holder ended at its request.
 * @LT_VERDICT_END_OPEN: At the end of the trace: the holder is alive.
 * @LT_N_VERDICTS: their number
 */
enum lt_verdict_kind {
	LT_VERDICT_STAY,
	LT_VERDICT_BEGIN,
	LT_VERDICT_REPLACE,
	LT_VERDICT_CORRECT,
	LT_VERDICT_END_HOLDER,
	LT_VERDICT_END_FORMER,
	LT_VERDICT_END_UNKNOWN,
	LT_VERDICT_KEEP_FREE,
	LT_VERDICT_CONFIRM,
	LT_VERDICT_RELEASE,
	LT_VERDICT_REQUEST,
	LT_VERDICT_REQUEST_AGAIN,
	LT_VERDICT_REQUEST_UNKNOWN,
	LT_VERDICT_CUT,
	LT_VERDICT_JOIN,
	LT_VERDICT_END_REPLACED,
	LT_VERDICT_END_REQUEST,
	LT_VERDICT_END_OPEN,
	LT_N_VERDICTS,
};

/**
 * enum lt_former - what happens to the former holder, whose end is in doubt
 * @LT_FORMER_NONE: There is no doubt, or it stays open.
 * @LT_FORMER_UNSEEN: Its free was not seen: it ended when the address was born again, or
 *	at its request to kfree_rcu.
 * @LT_FORMER_MISSED: Its free was not seen, and may still come late: the address is
 *	marked.
 * @LT_FORMER_FREED: The free that ends it is the kept one, or this event.
 * @LT_FORMER_GUESSED: The kept free is taken for its own, but may be that of the holder:
 *	both are uncertain.
 * @LT_FORMER_REQUESTED: It ended at its request to kfree_rcu; the kept free is taken for
 *	that of the holder, which ends and is uncertain.
 * @LT_FORMER_AWAITED: The holder ends, and the free of the former holder is awaited.
 * @LT_N_FORMERS: their number
 */
enum lt_former {
	LT_FORMER_NONE,
	LT_FORMER_UNSEEN,
	LT_FORMER_MISSED,
	LT_FORMER_FREED,
	LT_FORMER_GUESSED,
	LT_FORMER_REQUESTED,
	LT_FORMER_AWAITED,
	LT_N_FORMERS,
};

/**
 * enum lt_reason - why a verdict is as it is
 * @LT_BECAUSE_NOT_HELD: The table has no object at the address.
 * @LT_BECAUSE_HELD: The table has an object at the address, and there is no doubt.
 * @LT_BECAUSE_TWICE: Some kernels trace one kmalloc twice, and all values but the call
 *	site are equal.
 * @LT_BECAUSE_TASK: The task that made the holder recorded the free: program order.
 * @LT_BECAUSE_CPU: The CPU of the holder's birth recorded the free after the birth.
 * @LT_BECAUSE_CACHE: The free names the cache of one of the two objects.
 * @LT_BECAUSE_AGE: More time has passed since the rebirth than a free can be late.
 * @LT_BECAUSE_NO_PROOF: Neither order, nor cache, nor age decide.
 * @LT_BECAUSE_LATE: The free may be a late one of an earlier holder.
 * @LT_BECAUSE_LOST: A lost event may have been the deciding one.
 * @LT_BECAUSE_FILTERED: An event that a filter left out may have been the deciding one.
 * @LT_BECAUSE_AWAITED: The free fits the object whose late free is awaited.
 * @LT_BECAUSE_OTHER_CACHE: The free names another cache than that of the awaited object.
 * @LT_BECAUSE_RELEASE: The next free of an address after a request is the release.
 * @LT_BECAUSE_RCU: A request to kfree_rcu, and a release after it, are never late.
 * @LT_BECAUSE_UNSEEN: No free came that could be that of the former holder.
 * @LT_BECAUSE_KEPT: A free is kept, so the next event decides, and not time.
 * @LT_BECAUSE_EARLY: The free of the former holder may still come.
 * @LT_BECAUSE_LARGER: The page block is larger than that of the event.
 * @LT_BECAUSE_SMALLER: The page block is smaller than that of the event.
 * @LT_BECAUSE_END: The trace is over.
 * @LT_N_REASONS: their number
 */
enum lt_reason {
	LT_BECAUSE_NOT_HELD,
	LT_BECAUSE_HELD,
	LT_BECAUSE_TWICE,
	LT_BECAUSE_TASK,
	LT_BECAUSE_CPU,
	LT_BECAUSE_CACHE,
	LT_BECAUSE_AGE,
	LT_BECAUSE_NO_PROOF,
	LT_BECAUSE_LATE,
	LT_BECAUSE_LOST,
	LT_BECAUSE_FILTERED,
	LT_BECAUSE_AWAITED,
	LT_BECAUSE_OTHER_CACHE,
	LT_BECAUSE_RELEASE,
	LT_BECAUSE_RCU,
	LT_BECAUSE_UNSEEN,
	LT_BECAUSE_KEPT,
	LT_BECAUSE_EARLY,
	LT_BECAUSE_LARGER,
	LT_BECAUSE_SMALLER,
	LT_BECAUSE_END,
	LT_N_REASONS,
};

/**
 * struct lt_verdict - what a rule decides
 * @kind: enum lt_verdict_kind
 * @former: enum lt_former
 * @reason: enum lt_reason
 * @unsure: enum lt_unsure: why the lifetime that @kind ends, or may end, is uncertain
 */
struct lt_verdict {
	uint8_t kind;
	uint8_t former;
	uint8_t reason;
	uint8_t unsure;
};

/* LT_UNSURE_LOST if a gap overlaps the life of @obj up to the event with @gap_end, or 0. */
static inline uint8_t lt_unsure_lost(const struct lt_obj *obj, uint64_t gap_end)
{
	/* An object that was born before the trace has lived through every gap. */
	uint64_t born = obj->flags & LT_OBJ_UNBORN ? 0 : obj->time;

	return gap_end > born ? LT_UNSURE_LOST : 0;
}

/* rules.c */

/* The cases of lt_rule_birth() and lt_rule_free() that are not plain. */
struct lt_verdict lt_rule_birth_held(const struct lt_lifetime_config *config,
				     const struct lt_known *k, const struct lt_event *ev);
struct lt_verdict lt_rule_free_special(const struct lt_lifetime_config *config,
				       const struct lt_known *k, const struct lt_event *ev);

/**
 * lt_rule_birth() - an allocation of slab memory, or of a page block of the holder's size
 */
static inline struct lt_verdict lt_rule_birth(const struct lt_lifetime_config *config,
					      const struct lt_known *k, const struct lt_event *ev)
{
	if (!k->held)
		return (struct lt_verdict){ LT_VERDICT_BEGIN, LT_FORMER_NONE,
					    LT_BECAUSE_NOT_HELD, 0 };
	return lt_rule_birth_held(config, k, ev);
}

/**
 * lt_rule_free() - a free of slab memory, or of a page block of the holder's size
 */
static inline struct lt_verdict lt_rule_free(const struct lt_lifetime_config *config,
					     const struct lt_known *k, const struct lt_event *ev)
{
	if (!k->held)
		return (struct lt_verdict){ LT_VERDICT_END_UNKNOWN, LT_FORMER_NONE,
					    LT_BECAUSE_NOT_HELD,
					    k->gap_end ? LT_UNSURE_LOST : 0 };
	if (k->holder.flags & LT_OBJ_SPECIAL)
		return lt_rule_free_special(config, k, ev);
	return (struct lt_verdict){ LT_VERDICT_END_HOLDER, LT_FORMER_NONE, LT_BECAUSE_HELD,
				    lt_unsure_lost(&k->holder, k->gap_end) };
}

/**
 * lt_rule_request() - a call of kfree_rcu
 */
struct lt_verdict lt_rule_request(const struct lt_lifetime_config *config,
				  const struct lt_known *k);

/**
 * lt_rule_overlap() - a page block is freed or born over the holder, of another size
 * Decides the doubt at the holder, and whether the holder must be cut. After that the
 * holder lies within the event's block, and lt_rule_free() or lt_rule_replaced() holds.
 */
struct lt_verdict lt_rule_overlap(const struct lt_lifetime_config *config,
				  const struct lt_known *k, const struct lt_event *ev);

/**
 * lt_rule_replaced() - a page block is born over the holder, of another size
 */
struct lt_verdict lt_rule_replaced(const struct lt_known *k);

/**
 * lt_rule_time() - nothing but time passed since a doubt arose
 * @now: ns on the trace's clock
 * Return: reason LT_BECAUSE_EARLY: neither this doubt nor a younger one is decided.
 */
struct lt_verdict lt_rule_time(const struct lt_lifetime_config *config,
			       const struct lt_doubt *doubt, uint64_t now);

/* Until when, ns, that is so for want of time; later it is decided, or the doubt stays. */
uint64_t lt_rule_early_until(const struct lt_lifetime_config *config,
			     const struct lt_doubt *doubt);

/**
 * lt_rule_may_be_former() - whether a free may be the late one of a former holder
 * @obj: which it seems to end; made by @maker
 * @ev: only its time, class, task, CPU and context are read
 */
bool lt_rule_may_be_former(const struct lt_lifetime_config *config, const struct lt_obj *obj,
			   const struct lt_task *maker, const struct lt_event *ev);

/**
 * lt_rule_end() - what is undecided at the end of the trace
 */
struct lt_verdict lt_rule_end(const struct lt_lifetime_config *config, const struct lt_known *k);

/**
 * lt_rule_open() - what is left at the end of the trace, after lt_rule_end()
 */
struct lt_verdict lt_rule_open(const struct lt_known *k);

#endif /* LT_LIFETIMES_RULES_H */
