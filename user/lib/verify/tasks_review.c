// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Proofs about tasks and numbers: decides about suspects, when the whole trace was read.
 *
 * A suspect is resolved if a later event shows that nothing is wrong, excused if a lost event
 * may explain it, and else it fails the proof.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "verify/tasks_internal.h"

/* A fork that had not reached its tracepoint at the end began at most so long before. */
#define IN_FLIGHT_NS	100000000U

/**
 * struct review - the state of one review
 * @births, @ends: lost events of these kinds that explain no suspect yet
 * @lost_births, @lost_ends: all lost events of these kinds
 * @unknown: more were lost; it is not known how many
 * @in_flight: tasks whose birth was under way when recording ended
 * @becoming: threads that were taking their leader's place at that time
 * @led: by instance: threads that it led and that lived at that time, up to 2; made when
 *	needed
 * @numbers: numbers that were given but not to a task yet, by the last count, minus those
 *	of tasks in @in_flight
 */
struct review {
	struct lt_task_checker *c;
	struct lt_task_proofs *v;
	uint64_t births;
	uint64_t ends;
	uint64_t lost_births, lost_ends;
	bool unknown;
	uint64_t in_flight;
	uint64_t becoming;
	uint8_t *led;
	uint64_t numbers;
};

/* ------------------------------------------------------------------------
 * Notes
 */

static void __attribute__((format(printf, 2, 3)))
note(struct lt_task_proofs *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	v->notes[v->n_notes++] = lt_vformat(fmt, ap);
	va_end(ap);
}

/* "task 17 (started 123456789 ns after boot, 'cat')", in @buf, which is returned. */
static const char *describe(const struct review *r, uint32_t inst, char *buf, size_t size)
{
	const struct lt_task_inst *t = lt_tasks_get(r->c->tb, inst);
	size_t len, at;
	const char *name = lt_tasks_name(r->c->tb, t->comm, &len);

	at = (size_t)snprintf(buf, size, "task %u (started %" PRIu64 " ns after boot, '", t->tid,
			      t->start);
	for (size_t i = 0; i < len && at + 8 < size; i++) {
		unsigned char ch = (unsigned char)name[i];

		if (ch < 0x20 || ch >= 0x7f || ch == '\\')
			at += (size_t)snprintf(buf + at, size - at, "\\x%02x", ch);
		else
			buf[at++] = (char)ch;
	}
	snprintf(buf + at, size - at, "')");
	return buf;
}

static void note_task(struct review *r, const struct lt_suspect *s)
{
	char a[200], b[200] = "";

	describe(r, s->inst, a, sizeof(a));
	if (s->other)
		describe(r, s->other, b, sizeof(b));
	switch (s->kind) {
	case LT_SUSPECT_UNBORN:
		note(r->v, "%s is in no snapshot before, and was not born", a);
		break;
	case LT_SUSPECT_GONE:
		note(r->v, "%s is not in snapshot %u, and had not ended", a, s->epoch);
		break;
	case LT_SUSPECT_AFTER_END:
		note(r->v, "%s is in snapshot %u, but had ended before it", a, s->epoch);
		break;
	case LT_SUSPECT_HELD:
		note(r->v, "%s got a number while %s, which held it, was alive", a, b);
		break;
	case LT_SUSPECT_HOLDER:
		note(r->v, "%s: number_reused does not name %s, which held the number before", a,
		     b);
		break;
	default:
		note(r->v, "%s: its number is of generation %" PRIu64
		     ", the last one that began was %" PRIu64, a, s->found, s->expected);
	}
}

static void note_suspect(struct review *r, const struct lt_suspect *s)
{
	switch (s->kind) {
	case LT_SUSPECT_GENERATION:
		note(r->v, "pid namespace %u: generation %" PRIu64 " where %" PRIu64
		     " was expected", s->inst, s->found, s->expected);
		break;
	case LT_SUSPECT_COUNTS:
		note(r->v, "pid namespace %u: %" PRIu64 " numbers born and burned, of %" PRIu64
		     " given", s->inst, s->found, s->expected);
		break;
	case LT_SUSPECT_BACK:
		note(r->v, "pid namespace %u: its counts are lower than before (%" PRIu64
		     " numbers given, before %" PRIu64 ")", s->inst, s->found, s->expected);
		break;
	default:
		note_task(r, s);
	}
}

/* ------------------------------------------------------------------------
 * Decisions
 */

/* Whether a task was alive when the last snapshot ended, as far as known. */
static bool lived(const struct review *r, const struct lt_task_inst *t)
{
	return !lt_task_ended(t) || t->end > r->c->last_end;
}

/* Whether another thread of its group lives. In an exec all but one are dead. */
static bool has_other(struct review *r, const struct lt_task_inst *t)
{
	const struct lt_tasks *tb = r->c->tb;

	if (!r->led) {
		r->led = lt_alloc_array((size_t)lt_tasks_count(tb) + 1, sizeof(*r->led));
		for (uint32_t i = 1; i <= lt_tasks_count(tb); i++) {
			const struct lt_task_inst *o = lt_tasks_get(tb, i);

			if (o->leader && lived(r, o) && r->led[o->leader] < 2)
				r->led[o->leader]++;
		}
	}
	return r->led[t->leader] > lived(r, t);
}

/*
 * Whether the final snapshot missed a thread that was in the middle of an exec. It goes
 * through the numbers upwards: it may have met the leader, dead or about to exit, and then
 * come to the thread's higher number when the thread had the leader's number already. That
 * is not before the leader's exit. A dead leader remains only as long as its group does.
 */
static bool was_missed(const struct review *r, const struct lt_suspect *s,
		       const struct lt_task_inst *t, const struct lt_task_inst *l)
{
	return r->c->last_final && s->until >= r->c->last_begin && t->tid > l->tid &&
	       lt_tasks_epoch(r->c->tb, t->leader) == r->c->last_epoch &&
	       l->ending == LT_TASK_END_EXITED && l->end <= r->c->last_end &&
	       l->marks & LT_TASK_MARK_LEADER_FIRST &&
	       !(l->marks & (LT_TASK_MARK_WAS_RELEASED | LT_TASK_MARK_TAKEN_OVER));
}

/*
 * Whether a thread was taking its leader's place when the trace ended, before the event exec.
 * Then the leader was found alive after its exit, or the snapshot missed the thread; and no
 * other thread of the group lives.
 */
static bool takes_over(struct review *r, const struct lt_suspect *s, struct lt_task_inst *t)
{
	struct lt_task_inst *leader = t->leader ? lt_tasks_get(r->c->tb, t->leader) : NULL;
	bool found_alive;

	if (!leader)
		return false;
	/* Two snapshots missed the thread in one exec. */
	if (t->marks & LT_TASK_MARK_TAKEN_OVER)
		return true;
	found_alive = leader->marks & LT_TASK_MARK_AFTER_END &&
		      (!lt_task_ended(leader) || leader->marks & LT_TASK_MARK_LEADER_FIRST);
	if ((!found_alive && !was_missed(r, s, t, leader)) || has_other(r, t))
		return false;
	leader->marks &= ~(uint32_t)LT_TASK_MARK_AFTER_END;
	leader->marks |= LT_TASK_MARK_TAKEN_OVER;
	t->marks |= LT_TASK_MARK_TAKEN_OVER;
	r->becoming++;
	return true;
}

/* Whether a later event shows that nothing is wrong. */
static bool is_resolved(struct review *r, const struct lt_suspect *s)
{
	struct lt_task_inst *t, *other;

	if (s->kind > LT_SUSPECT_HOLDER)
		return false;
	t = lt_tasks_get(r->c->tb, s->inst);
	switch (s->kind) {
	case LT_SUSPECT_GONE:
		/* The thread had its leader's identity by then. */
		return t->ending == LT_TASK_END_BECAME_LEADER || takes_over(r, s, t);
	case LT_SUSPECT_AFTER_END:
		/* The old leader had exited; a thread was taking its place. */
		return !lt_task_ended(t) || t->end >= s->from ||
		       t->marks & LT_TASK_MARK_LEADER_FIRST;
	case LT_SUSPECT_HELD:
		other = lt_tasks_get(r->c->tb, s->other);
		/* A thread that becomes leader frees its number before the event exec. */
		return other->ending == LT_TASK_END_BECAME_LEADER ||
		       (t->ending == LT_TASK_END_BECAME_LEADER && t->start < other->start) ||
		       takes_over(r, s, other);
	default:
		return false;
	}
}

/* Whether a lost event may explain the suspect, and explains no other one. */
static bool is_explained(struct review *r, const struct lt_suspect *s)
{
	const struct lt_tasks *tb = r->c->tb;

	switch (s->kind) {
	case LT_SUSPECT_UNBORN:
		if (!r->births || !lt_tasks_lost_between(tb, LT_LOST_BIRTHS, s->from, s->until))
			return false;
		r->births--;
		return true;
	case LT_SUSPECT_GONE:
	case LT_SUSPECT_HELD:
		if (s->kind == LT_SUSPECT_GONE &&
		    lt_tasks_lost_between(tb, LT_LOST_STATES, s->from, s->until))
			return true;
		if (!r->ends || !lt_tasks_lost_between(tb, LT_LOST_ENDS, s->from, s->until))
			return false;
		r->ends--;
		return true;
	case LT_SUSPECT_HOLDER:
		return lt_tasks_lost_between(tb, LT_LOST_BIRTHS, s->from, s->until);
	case LT_SUSPECT_GENERATION:
	case LT_SUSPECT_NOT_BEGUN:
		return lt_tasks_lost_between(tb, LT_LOST_NUMBERS, s->from, s->until);
	default:
		return false;
	}
}

static enum lt_task_check_id check_of(const struct lt_suspect *s)
{
	switch (s->kind) {
	case LT_SUSPECT_UNBORN:
	case LT_SUSPECT_GONE:
	case LT_SUSPECT_AFTER_END:
		return LT_TASK_CHECK_POPULATION;
	case LT_SUSPECT_HELD:
	case LT_SUSPECT_HOLDER:
		return LT_TASK_CHECK_REUSE;
	case LT_SUSPECT_GENERATION:
	case LT_SUSPECT_NOT_BEGUN:
		return LT_TASK_CHECK_GENERATIONS;
	default:
		return LT_TASK_CHECK_NUMBERS;
	}
}

static void review_suspect(struct review *r, const struct lt_suspect *s)
{
	enum lt_task_check_id id = check_of(s);

	if (is_resolved(r, s))
		return;
	if (is_explained(r, s)) {
		r->v->excused[id]++;
		return;
	}
	if (r->v->checks[id].failures++ < LT_TASK_NOTES)
		note_suspect(r, s);
	else
		r->v->more_notes++;
}

static bool in_flight(const struct review *r, const struct lt_task_inst *t)
{
	uint64_t begin = lt_tasks_boot_time(r->c->tb, r->c->last_begin);
	uint64_t met = lt_tasks_boot_time(r->c->tb, t->birth);

	/* The trace's clock stops in a suspend: after one, the two times differ by more. */
	return t->marks & LT_TASK_MARK_FINAL && begin && t->start + IN_FLIGHT_NS >= begin &&
	       t->start <= met + IN_FLIGHT_NS;
}

/*
 * Whether a number that was given but not born may be that of a task. A fork may take any
 * time where the kernel is preempted.
 */
static bool has_number(struct review *r, const struct lt_task_inst *t)
{
	if (!(t->marks & LT_TASK_MARK_FINAL) || !r->numbers)
		return false;
	r->numbers--;
	return true;
}

static const struct lt_check_ns *initial_ns(const struct review *r)
{
	return r->c->level0 ? &r->c->namespaces[r->c->level0] : NULL;
}

/*
 * Each task that was met after the first snapshot must have a birth. After the final
 * snapshot probes are detached one by one, so that births may be missing.
 */
static void review_unborn(struct review *r)
{
	const struct lt_tasks *tb = r->c->tb;
	uint64_t end = r->c->last_final ? r->c->last_end : UINT64_MAX;
	const struct lt_check_ns *n = initial_ns(r);

	if (n && n->exact && n->allocated - n->born >= n->burned)
		r->numbers = n->allocated - n->born - n->burned;
	for (uint32_t i = 1; r->c->snapshots && i <= lt_tasks_count(tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, i);
		struct lt_suspect s = { .kind = LT_SUSPECT_UNBORN, .inst = i, .until = t->birth };

		if (t->marks & (LT_TASK_MARK_BORN | LT_TASK_MARK_COUNTED |
				LT_TASK_MARK_AS_LEADER) ||
		    t->birth <= r->c->base_end || t->birth > end)
			continue;
		if (in_flight(r, t) || has_number(r, t))
			r->in_flight++;
		else
			review_suspect(r, &s);
	}
}

static void count_losses(struct review *r)
{
	const struct lt_task_gap *gaps;
	size_t n = lt_tasks_gaps(r->c->tb, &gaps);

	for (size_t i = 0; i < n; i++) {
		r->lost_births += gaps[i].births;
		r->lost_ends += gaps[i].ends;
		r->unknown |= gaps[i].unknown;
	}
	r->births = r->unknown ? UINT64_MAX : r->lost_births;
	r->ends = r->unknown ? UINT64_MAX : r->lost_ends;
}

/* ------------------------------------------------------------------------
 * The numbers of each proof
 */

static void __attribute__((format(printf, 2, 3)))
say(struct lt_check *c, const char *fmt, ...)
{
	size_t used = strlen(c->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->text + used, sizeof(c->text) - used, fmt, ap);
	va_end(ap);
}

static void say_losses(const struct review *r, enum lt_task_check_id id)
{
	struct lt_check *c = &r->v->checks[id];

	if (c->failures)
		say(c, "; %" PRIu64 " do not fit", c->failures);
	if (!r->v->excused[id])
		return;
	say(c, "; %" PRIu64 " uncertain, for events were lost", r->v->excused[id]);
	if (r->unknown)
		say(c, " (not known how many)");
	else
		say(c, " (%" PRIu64 " births, %" PRIu64 " ends)", r->lost_births, r->lost_ends);
}

static void sum_up_population(struct review *r)
{
	struct lt_check *c = &r->v->checks[LT_TASK_CHECK_POPULATION];
	const struct lt_task_checker *k = r->c;
	struct lt_task_proofs *v = r->v;

	if (k->snapshots < 2 && !c->failures) {
		c->absent = true;
		say(c, "%s", k->snapshots ? "there is no second complete snapshot to compare with" :
		    k->any ? "there is no complete snapshot" : "there is no snapshot of the tasks");
		return;
	}
	say(c, "%s %" PRIu64 " + births %" PRIu64 " - deaths %" PRIu64,
	    k->base_initial ? "initial" : "first snapshot", v->initial, v->births, v->deaths);
	if (v->became_leaders)
		say(c, " (%" PRIu64 " threads became leaders)", v->became_leaders);
	say(c, " = %" PRIu64 "; %s %" PRIu64, v->initial + v->births - v->deaths,
	    k->last_final ? "final" : "last snapshot", v->snapshot);
	if (v->meanwhile)
		say(c, " + %" PRIu64 " born meanwhile", v->meanwhile);
	if (r->in_flight)
		say(c, ", %" PRIu64 " being born", r->in_flight);
	if (r->becoming)
		say(c, ", %" PRIu64 " becoming leader", r->becoming);
	if (k->snapshots > 2)
		say(c, "; %" PRIu64 " snapshots", k->snapshots);
	say_losses(r, LT_TASK_CHECK_POPULATION);
}

/*
 * How many numbers given to tasks since the first snapshot have no birth in the trace. A task
 * that the final snapshot met has its number before its task_new is recorded.
 */
static uint64_t missing_births(const struct review *r)
{
	const struct lt_task_checker *c = r->c;
	uint64_t seen = c->born_since;

	for (uint32_t i = 1; c->born > seen && i <= lt_tasks_count(c->tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(c->tb, i);

		seen += t->marks & LT_TASK_MARK_FINAL &&
			(t->marks & LT_TASK_MARK_BORN ? t->birth > c->born_time : in_flight(r, t));
	}
	return c->born > seen ? c->born - seen : 0;
}

static void sum_up_numbers(struct review *r)
{
	struct lt_check *reuse = &r->v->checks[LT_TASK_CHECK_REUSE];
	struct lt_check *gen = &r->v->checks[LT_TASK_CHECK_GENERATIONS];
	struct lt_check *num = &r->v->checks[LT_TASK_CHECK_NUMBERS];
	const struct lt_task_totals *s = lt_tasks_totals(r->c->tb);
	const struct lt_check_ns *n;
	uint64_t spaces = r->c->earlier_namespaces, wraps = r->c->earlier_wraps, missing;
	uint64_t untracked = r->c->earlier_untracked, incomplete = r->c->earlier_incomplete;

	for (size_t i = 0; i < r->c->n_namespaces; i++) {
		spaces += r->c->namespaces[i].known;
		wraps += r->c->namespaces[i].wraps;
		untracked += r->c->namespaces[i].untracked;
		incomplete += !!r->c->namespaces[i].untracked;
	}
	say(reuse, "%" PRIu64 " numbers given again, %" PRIu64
	    " reported by number_reused; a holder was alive: %" PRIu64, s->again, r->c->reused,
	    reuse->failures);
	if (untracked)
		say(reuse, "; not known of %" PRIu64 " tasks in %" PRIu64 " namespaces, whose "
		    "numbers had no place", untracked, incomplete);
	say_losses(r, LT_TASK_CHECK_REUSE);
	gen->absent = !spaces;
	say(gen, "%" PRIu64 " began in %" PRIu64 " namespaces", wraps, spaces);
	say_losses(r, LT_TASK_CHECK_GENERATIONS);
	n = initial_ns(r);
	num->absent = !n || !n->exact;
	if (!n)
		say(num, "there is no record of the initial namespace");
	else if (!n->exact)
		say(num, "numbers were not watched, only the cursor was sampled");
	else
		say(num, "allocated %" PRIu64 " = born %" PRIu64 " + burned %" PRIu64
		    " + in flight %" PRIu64, n->allocated, n->born, n->burned,
		    n->allocated - n->born - n->burned);
	/* A lost birth is missing here, too; it may have excused a suspect above. */
	missing = num->absent ? 0 : missing_births(r);
	if (!r->unknown && missing > r->lost_births) {
		num->failures++;
		say(num, "; %" PRIu64 " births are not in the trace", missing);
	} else {
		r->v->excused[LT_TASK_CHECK_NUMBERS] += missing;
	}
	say_losses(r, LT_TASK_CHECK_NUMBERS);
}

static void nothing_to_prove(struct lt_task_proofs *v, const char *why)
{
	for (unsigned int i = 0; i < LT_N_TASK_CHECKS; i++) {
		v->checks[i].absent = true;
		say(&v->checks[i], "%s", why);
	}
}

void lt_task_checker_finish(struct lt_task_checker *c, const char *unwatched,
			    struct lt_task_proofs *v)
{
	static const char *const names[] = {
		[LT_TASK_CHECK_POPULATION] = "population", [LT_TASK_CHECK_REUSE] = "reuse",
		[LT_TASK_CHECK_GENERATIONS] = "generations", [LT_TASK_CHECK_NUMBERS] = "numbers",
	};
	struct review r = { .c = c, .v = v };

	*v = c->sum;
	v->snapshots = c->snapshots;
	v->notes = lt_alloc_array((size_t)LT_TASK_NOTES * LT_N_TASK_CHECKS, sizeof(*v->notes));
	for (unsigned int i = 0; i < LT_N_TASK_CHECKS; i++)
		v->checks[i].name = names[i];
	if (unwatched) {
		nothing_to_prove(v, unwatched);
	} else {
		count_losses(&r);
		for (size_t i = 0; i < c->n; i++)
			review_suspect(&r, &c->suspects[i]);
		review_unborn(&r);
		sum_up_population(&r);
		sum_up_numbers(&r);
	}
	free(r.led);
	free(c->suspects);
	free(c->namespaces);
	free(c);
}

void lt_task_proofs_destroy(struct lt_task_proofs *v)
{
	for (size_t i = 0; i < v->n_notes; i++)
		free(v->notes[i]);
	free(v->notes);
	memset(v, 0, sizeof(*v));
}

bool lt_task_proofs_good(const struct lt_task_proofs *v)
{
	for (unsigned int i = 0; i < LT_N_TASK_CHECKS; i++) {
		if (v->checks[i].failures)
			return false;
	}
	return true;
}
