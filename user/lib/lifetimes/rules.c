// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rules: whose birth or death an event is. See rules.h.
 *
 * The free of a holder is either not seen at all, or recorded later than the next birth
 * at its address, although it came first. The second can happen in two ways:
 *
 * - The clocks of two CPUs differ by some ns. Then the free comes from another CPU than
 *   the birth, and within LT_DOUBT_NS of it. (Between the time stamps of a free and of
 *   the next allocation of its memory lie, on two CPUs, the free itself and the passing
 *   of a slab: in practice this hardly occurs.)
 * - The kernel traces kmem_cache_free after the release (config.late_free). Until the
 *   free is recorded the memory may be allocated anew: on another CPU; or on its own
 *   CPU, by an interrupt between release and record, or by another task when the first
 *   is preempted there. LT_DOUBT_LATE_NS is how long this is assumed to take.
 *
 * Only a free for which one of these holds can be that of the former holder; all others
 * are the holder's:
 *
 * - A free by the task that made the holder, both in task context, comes after that
 *   birth in program order.
 * - A free on the CPU of the holder's birth comes after it in the order of that CPU,
 *   but for the two exceptions above: its context is below that of the birth, or both
 *   are of tasks, of different ones.
 * - A free given to kfree_rcu is never late: a grace period lies between it and the
 *   release.
 * - When both caches are known and differ, the cache that is given to kmem_cache_free
 *   decides.
 *
 * When a free may be either's, it is kept until what follows decides. With A1 the former
 * holder, A2 the holder, and F a free:
 *
 *   A1 A2 F F'   F' can only be that of A2: F was that of A1. No event was missed in
 *                this reading, so both are exact. If F' may itself be either's, which
 *                is which is a guess: both are uncertain. (For this question a late
 *                free is possible for LT_LATE_NS, not only for LT_DOUBT_LATE_NS.)
 *   A1 A2 F A3   One free was missed, that of A1 or that of A2, or it is yet to come,
 *                late as well. F goes to A1, so that a late free of A2 still finds A2.
 *                Both are uncertain. The possible error: A1 died before the birth of
 *                A2 anyway; A2 may have died at F instead.
 *   A1 A2 F end  F goes to A1: A2 is open, but uncertain.
 *   A1 A2        and time passes: the free of A1 was not seen. A1 is bounded. (Where
 *                frees may be late, one that comes within LT_LATE_NS and could still be
 *                that of A1 makes the object that it seems to end uncertain: late.c.)
 *   A1 A2 F2 F   F2 can only be that of A2, and F that of A1, which is awaited for as
 *                long as it may be late; A1 is not among the live objects any more.
 *                Both are exact. Without F, A1 is bounded.
 *   A2 F         The birth of A1 was lost, or left out by a filter: within LT_LATE_NS F
 *                may be that of A1, and A2 is uncertain.
 *
 * Where A1 was given to kfree_rcu, its end is known, and F is at most the confirmation,
 * which some kernels never send. So in the undecided cases F goes to A2, as uncertain,
 * and A1 stays what it is.
 */
#include "lifetimes/rules.h"

static struct lt_verdict verdict(enum lt_verdict_kind kind, enum lt_former former,
				 enum lt_reason reason, uint8_t unsure)
{
	return (struct lt_verdict){ (uint8_t)kind, (uint8_t)former, (uint8_t)reason, unsure };
}

/* Of a free only; what becomes of the former holder, its caller decides. */
static struct lt_verdict whose(enum lt_verdict_kind kind, enum lt_reason reason)
{
	return verdict(kind, LT_FORMER_NONE, reason, 0);
}

/* Whether the kernel may record this free after the next birth at its address. */
static bool is_recorded_late(const struct lt_lifetime_config *config, const struct lt_event *ev)
{
	return config->late_free && ev->class == LT_CLASS_CACHE_FREE;
}

/* Whether the free of the former holder may be recorded late: kfree and kfree_rcu are not. */
static bool can_be_late(const struct lt_lifetime_config *config, const struct lt_doubt *d)
{
	return config->late_free && d->space == LT_SPACE_SLAB &&
	       d->former.kind != LT_CLASS_KMALLOC && !(d->former.flags & LT_OBJ_RCU);
}

/*
 * Whether the order of a task or of a CPU proves that a free came after the birth of
 * @obj, which @maker made. Return: LT_BECAUSE_TASK, LT_BECAUSE_CPU, LT_BECAUSE_NO_PROOF.
 */
static enum lt_reason order_of(const struct lt_lifetime_config *config, const struct lt_obj *obj,
			       const struct lt_task *maker, const struct lt_event *ev)
{
	bool in_tasks = ev->context == LT_CTX_TASK && obj->context == LT_CTX_TASK;

	if (in_tasks && ev->task && maker == ev->task)
		return LT_BECAUSE_TASK;
	if (ev->cpu != obj->cpu)
		return LT_BECAUSE_NO_PROOF;
	/* Interrupts of one kind do not interrupt each other. */
	if (!is_recorded_late(config, ev) || ev->context > obj->context ||
	    (ev->context == obj->context && !in_tasks))
		return LT_BECAUSE_CPU;
	return LT_BECAUSE_NO_PROOF;
}

bool lt_rule_may_be_former(const struct lt_lifetime_config *config, const struct lt_obj *obj,
			   const struct lt_task *maker, const struct lt_event *ev)
{
	return is_recorded_late(config, ev) && ev->time - obj->time <= LT_LATE_NS &&
	       order_of(config, obj, maker, ev) == LT_BECAUSE_NO_PROOF;
}

static uint64_t doubt_ns(const struct lt_lifetime_config *config)
{
	return config->late_free ? LT_DOUBT_LATE_NS : LT_DOUBT_NS;
}

/*
 * Whether a free is that of the holder (LT_VERDICT_END_HOLDER), of the former holder
 * (LT_VERDICT_END_FORMER), or may be either's (LT_VERDICT_KEEP_FREE).
 * @late_ns: how long after the rebirth a free of the former holder may be recorded, if
 *	its kind can be late at all
 */
static struct lt_verdict whose_free(const struct lt_lifetime_config *config,
				    const struct lt_doubt *d, const struct lt_obj *holder,
				    const struct lt_task *maker, const struct lt_event *ev,
				    uint64_t late_ns)
{
	enum lt_reason order;

	if (ev->time - d->reborn > (is_recorded_late(config, ev) ? late_ns : LT_DOUBT_NS))
		return whose(LT_VERDICT_END_HOLDER, LT_BECAUSE_AGE);
	order = order_of(config, holder, maker, ev);
	if (order != LT_BECAUSE_NO_PROOF)
		return whose(LT_VERDICT_END_HOLDER, order);
	if (ev->cache && holder->cache && d->former.cache && holder->cache != d->former.cache) {
		if (ev->cache == holder->cache)
			return whose(LT_VERDICT_END_HOLDER, LT_BECAUSE_CACHE);
		if (ev->cache == d->former.cache)
			return whose(LT_VERDICT_END_FORMER, LT_BECAUSE_CACHE);
	}
	return whose(LT_VERDICT_KEEP_FREE, LT_BECAUSE_NO_PROOF);
}

/* The free of the former holder was not seen. */
static enum lt_former unseen(const struct lt_lifetime_config *config, const struct lt_doubt *d)
{
	return can_be_late(config, d) ? LT_FORMER_MISSED : LT_FORMER_UNSEEN;
}

/* A doubt that no free has decided must end. The verdict's kind is LT_VERDICT_STAY. */
static struct lt_verdict decide_without_proof(const struct lt_lifetime_config *config,
					      const struct lt_known *k)
{
	const struct lt_doubt *d = k->doubt;

	if (!lt_has_free(d))
		return verdict(LT_VERDICT_STAY, unseen(config, d), LT_BECAUSE_UNSEEN, 0);
	if (d->former.flags & LT_OBJ_RCU)
		return verdict(LT_VERDICT_STAY, LT_FORMER_REQUESTED, LT_BECAUSE_RCU, 0);
	return verdict(LT_VERDICT_STAY, LT_FORMER_GUESSED, LT_BECAUSE_NO_PROOF, 0);
}

/* Whether no holder is left after a verdict of decide_without_proof(). */
static bool ends_holder(const struct lt_known *k, const struct lt_verdict *v)
{
	return lt_is_awaited(&k->holder) || v->former == LT_FORMER_REQUESTED;
}

/* ------------------------------------------------------------------------
 * Births
 */

/*
 * Some kernels (6.12 for one) trace a kmalloc that is too large for a slab twice: from
 * within the allocator, and then for its caller. The second event is of the same call:
 * same task and context, nothing freed in between, soon after, all values equal but the
 * call site. The call site of the second is the one to keep. (That nothing was freed in
 * between is known only of frees that are watched.)
 */
static bool is_traced_twice(const struct lt_lifetime_config *config, const struct lt_known *k,
			    const struct lt_event *ev)
{
	const struct lt_obj *obj = &k->holder;

	return ev->class == LT_CLASS_KMALLOC && obj->kind == LT_CLASS_KMALLOC &&
	       k->space == LT_SPACE_SLAB && !lt_is_awaited(obj) &&
	       !(obj->flags & ~(LT_OBJ_DOUBT | LT_OBJ_TAINTED | LT_OBJ_LATE)) &&
	       ev->time - obj->time <= LT_TWICE_NS &&
	       ev->bytes_alloc > 2ULL << config->page_shift &&
	       obj->bytes_alloc == ev->bytes_alloc && obj->bytes_req == ev->bytes_req &&
	       obj->gfp == ev->gfp && obj->node == ev->node && obj->context == ev->context &&
	       ev->task && k->maker == ev->task && !lt_unsure_lost(obj, k->gap_end) &&
	       k->site != ev->call_site;
}

/*
 * A bulk allocation that gets one page may get it from the allocator's usual path, which has
 * an event of its own. It then is of the same task and context, and the page was not freed
 * in between. The second event has the caller.
 */
static bool is_page_of_bulk(const struct lt_known *k, const struct lt_event *ev)
{
	const struct lt_obj *obj = &k->holder;

	return ev->class == LT_CLASS_PAGE_BULK && ev->single &&
	       obj->kind == LT_CLASS_PAGE_ALLOC && !(obj->flags & ~LT_OBJ_TAINTED) &&
	       obj->gfp == ev->gfp && obj->context == ev->context &&
	       (ev->context == LT_CTX_TASK ? ev->task && k->maker == ev->task :
					     obj->cpu == ev->cpu) &&
	       !lt_unsure_lost(obj, k->gap_end);
}

struct lt_verdict lt_rule_birth_held(const struct lt_lifetime_config *config,
				     const struct lt_known *k, const struct lt_event *ev)
{
	uint8_t lost = lt_unsure_lost(&k->holder, k->gap_end);
	struct lt_verdict v;

	if (is_traced_twice(config, k, ev)) {
		/* Or the holder was freed unseen in between, and this is another object. */
		uint8_t unsure = config->unwatched_free[LT_SPACE_SLAB] ? LT_UNSURE_UNWATCHED : 0;

		return verdict(LT_VERDICT_CORRECT, LT_FORMER_NONE, LT_BECAUSE_TWICE, unsure);
	}
	if (is_page_of_bulk(k, ev)) {
		uint8_t unsure = config->unwatched_free[LT_SPACE_PAGE] ? LT_UNSURE_UNWATCHED : 0;

		return verdict(LT_VERDICT_CORRECT, LT_FORMER_NONE, LT_BECAUSE_TWICE, unsure);
	}
	if (!k->doubt)
		return verdict(LT_VERDICT_REPLACE, LT_FORMER_NONE, LT_BECAUSE_HELD, lost);
	v = decide_without_proof(config, k);
	if (ends_holder(k, &v)) {
		v.kind = LT_VERDICT_BEGIN;
		return v;
	}
	v.kind = LT_VERDICT_REPLACE;
	v.unsure = lost;
	return v;
}

/* ------------------------------------------------------------------------
 * Frees
 */

/* The free ends the holder, but may be the late one of a former holder but one. */
static struct lt_verdict end_holder(const struct lt_lifetime_config *config,
				    const struct lt_known *k, const struct lt_event *ev,
				    enum lt_former former, enum lt_reason reason)
{
	uint8_t unsure = lt_unsure_lost(&k->holder, k->gap_end);

	if (k->late && lt_rule_may_be_former(config, &k->holder, k->maker, ev)) {
		unsure |= LT_UNSURE_LATE;
		reason = LT_BECAUSE_LATE;
	}
	return verdict(LT_VERDICT_END_HOLDER, former, reason, unsure);
}

/* The free ends the former holder, or may do so; it may be that of one before as well. */
static uint8_t late_before_former(const struct lt_lifetime_config *config,
				  const struct lt_known *k, const struct lt_event *ev)
{
	const struct lt_obj *former = &k->doubt->former;

	if (!(former->flags & LT_OBJ_LATE))
		return 0;
	return lt_rule_may_be_former(config, former, k->former_maker, ev) ? LT_UNSURE_LATE : 0;
}

static uint8_t lost_since_rebirth(const struct lt_known *k)
{
	return k->gap_end > k->doubt->reborn ? LT_UNSURE_LOST : 0;
}

static struct lt_verdict free_of_unknown(const struct lt_known *k, enum lt_former former,
					 enum lt_reason reason)
{
	return verdict(LT_VERDICT_END_UNKNOWN, former, reason, k->gap_end ? LT_UNSURE_LOST : 0);
}

/* The object is over, and only its own free is awaited. */
static struct lt_verdict free_awaited(const struct lt_lifetime_config *config,
				      const struct lt_known *k, const struct lt_event *ev)
{
	const struct lt_doubt *d = k->doubt;
	struct lt_verdict v = whose_free(config, d, &d->holder, k->maker, ev, doubt_ns(config));

	if (v.kind == LT_VERDICT_END_HOLDER)
		return free_of_unknown(k, unseen(config, d), v.reason);
	if (ev->cache && d->former.cache && ev->cache != d->former.cache)
		return free_of_unknown(k, unseen(config, d), LT_BECAUSE_OTHER_CACHE);
	return verdict(LT_VERDICT_END_FORMER, LT_FORMER_FREED, LT_BECAUSE_AWAITED,
		       lost_since_rebirth(k) | late_before_former(config, k, ev));
}

/*
 * The holder was given to kfree_rcu and not born since: the free ends its grace period.
 * When a gap lies between the two, a birth may have been lost, and the free may be that
 * of another object: then the time of the release is not known. A filter by size leaves
 * births out, too: the smallest slot is given to all that is smaller, and the page of a
 * larger one may become one of small slots.
 */
static struct lt_verdict free_requested(const struct lt_lifetime_config *config,
					const struct lt_known *k, const struct lt_event *ev)
{
	/* Its release is never late, so a free that may be late is that of a former holder. */
	if (!(k->holder.flags & LT_OBJ_UNBORN) && k->late &&
	    lt_rule_may_be_former(config, &k->holder, k->maker, ev))
		return free_of_unknown(k, LT_FORMER_NONE, LT_BECAUSE_RCU);
	if (k->gap_end > k->request->time)
		return verdict(LT_VERDICT_RELEASE, LT_FORMER_NONE, LT_BECAUSE_LOST, 0);
	if (config->min_size)
		return verdict(LT_VERDICT_RELEASE, LT_FORMER_NONE, LT_BECAUSE_FILTERED, 0);
	return verdict(LT_VERDICT_CONFIRM, LT_FORMER_NONE, LT_BECAUSE_RELEASE, 0);
}

/* The first free since the address was born again. */
static struct lt_verdict free_first(const struct lt_lifetime_config *config,
				    const struct lt_known *k, const struct lt_event *ev)
{
	struct lt_verdict v = whose_free(config, k->doubt, &k->holder, k->maker, ev,
					 doubt_ns(config));

	if (v.kind == LT_VERDICT_KEEP_FREE) {
		v.unsure = late_before_former(config, k, ev);
		return v;
	}
	if (v.kind == LT_VERDICT_END_FORMER) {
		v.former = LT_FORMER_FREED;
		v.unsure = lost_since_rebirth(k) | late_before_former(config, k, ev);
		return v;
	}
	if (can_be_late(config, k->doubt)) {
		v.former = LT_FORMER_AWAITED;
		v.unsure = lt_unsure_lost(&k->holder, k->gap_end);
		return v;
	}
	return end_holder(config, k, ev, LT_FORMER_UNSEEN, v.reason);
}

/* A free is kept that may be that of the former holder, and this is the second one. */
static struct lt_verdict free_second(const struct lt_lifetime_config *config,
				     const struct lt_known *k, const struct lt_event *ev)
{
	struct lt_verdict v = whose_free(config, k->doubt, &k->holder, k->maker, ev, LT_LATE_NS);

	if (v.kind != LT_VERDICT_END_HOLDER)
		return end_holder(config, k, ev, LT_FORMER_GUESSED, v.reason);
	/* An event that was lost since might have shown another order. */
	if (lost_since_rebirth(k))
		return end_holder(config, k, ev, LT_FORMER_GUESSED, LT_BECAUSE_LOST);
	return end_holder(config, k, ev, LT_FORMER_FREED, v.reason);
}

struct lt_verdict lt_rule_free_special(const struct lt_lifetime_config *config,
				       const struct lt_known *k, const struct lt_event *ev)
{
	if (lt_is_awaited(&k->holder))
		return free_awaited(config, k, ev);
	if (k->holder.flags & LT_OBJ_RCU)
		return free_requested(config, k, ev);
	if (!k->doubt)
		return end_holder(config, k, ev, LT_FORMER_NONE, LT_BECAUSE_HELD);
	return lt_has_free(k->doubt) ? free_second(config, k, ev) : free_first(config, k, ev);
}

/* ------------------------------------------------------------------------
 * Requests to kfree_rcu
 */

/* A request is never late, so it is the holder's, and a kept free the former holder's. */
static struct lt_verdict request_in_doubt(const struct lt_lifetime_config *config,
					  const struct lt_known *k)
{
	uint8_t unsure = lt_unsure_lost(&k->holder, k->gap_end);
	enum lt_former former;

	if (lost_since_rebirth(k))
		unsure |= LT_UNSURE_ORDER;
	if (!lt_has_free(k->doubt))
		former = unseen(config, k->doubt);
	else
		former = lost_since_rebirth(k) ? LT_FORMER_GUESSED : LT_FORMER_FREED;
	return verdict(LT_VERDICT_REQUEST, former, LT_BECAUSE_RCU, unsure);
}

struct lt_verdict lt_rule_request(const struct lt_lifetime_config *config,
				  const struct lt_known *k)
{
	uint8_t unknown = k->gap_end ? LT_UNSURE_LOST : 0;

	if (!k->held)
		return verdict(LT_VERDICT_REQUEST_UNKNOWN, LT_FORMER_NONE, LT_BECAUSE_NOT_HELD,
			       unknown);
	if (lt_is_awaited(&k->holder))
		return verdict(LT_VERDICT_REQUEST_UNKNOWN, unseen(config, k->doubt),
			       LT_BECAUSE_RCU, unknown);
	/* Between the two requests it was born unseen; or it is memory of vmalloc. */
	if (k->holder.flags & LT_OBJ_RCU)
		return verdict(LT_VERDICT_REQUEST_AGAIN, LT_FORMER_NONE, LT_BECAUSE_HELD, unknown);
	if (k->doubt)
		return request_in_doubt(config, k);
	return verdict(LT_VERDICT_REQUEST, LT_FORMER_NONE, LT_BECAUSE_HELD,
		       lt_unsure_lost(&k->holder, k->gap_end));
}

/* ------------------------------------------------------------------------
 * Page blocks of another size
 */

struct lt_verdict lt_rule_overlap(const struct lt_lifetime_config *config,
				  const struct lt_known *k, const struct lt_event *ev)
{
	enum lt_former former = LT_FORMER_NONE;

	/* Parts cannot share a doubt, and a late free has the size of its block. */
	if (k->doubt)
		former = (enum lt_former)decide_without_proof(config, k).former;
	if (k->holder.order > ev->order)
		return verdict(LT_VERDICT_CUT, former, LT_BECAUSE_LARGER, 0);
	if (ev->class == LT_CLASS_PAGE_FREE)
		return verdict(LT_VERDICT_JOIN, former, LT_BECAUSE_SMALLER, 0);
	return verdict(LT_VERDICT_STAY, former, LT_BECAUSE_SMALLER, 0);
}

struct lt_verdict lt_rule_replaced(const struct lt_known *k)
{
	return verdict(LT_VERDICT_END_REPLACED, LT_FORMER_NONE, LT_BECAUSE_HELD,
		       lt_unsure_lost(&k->holder, k->gap_end));
}

/* ------------------------------------------------------------------------
 * Time, and the end of the trace
 */

uint64_t lt_rule_early_until(const struct lt_lifetime_config *config, const struct lt_doubt *doubt)
{
	const uint64_t ns = doubt_ns(config);

	return doubt->reborn < UINT64_MAX - ns ? doubt->reborn + ns : UINT64_MAX;
}

struct lt_verdict lt_rule_time(const struct lt_lifetime_config *config,
			       const struct lt_doubt *doubt, uint64_t now)
{
	if (now - doubt->reborn <= doubt_ns(config))
		return verdict(LT_VERDICT_STAY, LT_FORMER_NONE, LT_BECAUSE_EARLY, 0);
	if (lt_has_free(doubt))
		return verdict(LT_VERDICT_STAY, LT_FORMER_NONE, LT_BECAUSE_KEPT, 0);
	return verdict(LT_VERDICT_STAY, unseen(config, doubt), LT_BECAUSE_AGE, 0);
}

struct lt_verdict lt_rule_end(const struct lt_lifetime_config *config, const struct lt_known *k)
{
	if (k->doubt)
		return decide_without_proof(config, k);
	if (k->holder.flags & LT_OBJ_RCU)
		return verdict(LT_VERDICT_END_REQUEST, LT_FORMER_NONE, LT_BECAUSE_END, 0);
	return verdict(LT_VERDICT_STAY, LT_FORMER_NONE, LT_BECAUSE_END, 0);
}

struct lt_verdict lt_rule_open(const struct lt_known *k)
{
	if (k->holder.flags & LT_OBJ_RCU)
		return verdict(LT_VERDICT_STAY, LT_FORMER_NONE, LT_BECAUSE_END, 0);
	return verdict(LT_VERDICT_END_OPEN, LT_FORMER_NONE, LT_BECAUSE_END,
		       lt_unsure_lost(&k->holder, k->gap_end));
}
