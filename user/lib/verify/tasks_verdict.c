// SPDX-License-Identifier: GPL-2.0
/*
 * Proofs about tasks and numbers: what looked wrong is judged, with all that the
 * trace has told since.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "verify/tasks_internal.h"

/* A fork that had not reached its tracepoint when watching ended began this late. */
#define IN_FLIGHT_NS	100000000U

/**
 * struct judge - a verdict being made
 * @births, @ends: lost events of these kinds that explain nothing yet
 * @lost_births, @lost_ends: all of them; @unknown: and it is not known how many more
 * @in_flight: tasks whose birth was under way when watching ended
 * @becoming: threads that were taking their leader's place by then
 * @led: of each instance: threads of its group that lived by then, up to 2; made when
 *	needed
 * @numbers: that were given, but not to a task yet, by the last count; less those of
 *	tasks in @in_flight
 */
struct judge {
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

/* "task 17 (started 123456789 ns after boot, 'cat')", in a buffer that is returned. */
static const char *who(const struct judge *j, uint32_t inst, char *buf, size_t size)
{
	const struct lt_task_inst *t = lt_tasks_get(j->c->tb, inst);
	size_t len, at;
	const char *name = lt_tasks_name(j->c->tb, t->comm, &len);

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

static void tell_task(struct judge *j, const struct lt_suspect *s)
{
	char a[200], b[200] = "";

	who(j, s->inst, a, sizeof(a));
	if (s->other)
		who(j, s->other, b, sizeof(b));
	switch (s->kind) {
	case LT_SUSPECT_UNBORN:
		note(j->v, "%s is in no snapshot before, and was not born", a);
		break;
	case LT_SUSPECT_GONE:
		note(j->v, "%s is not in snapshot %u, and had not ended", a, s->epoch);
		break;
	case LT_SUSPECT_AFTER_END:
		note(j->v, "%s is in snapshot %u, but had ended before it", a, s->epoch);
		break;
	case LT_SUSPECT_HELD:
		note(j->v, "%s got a number while %s, which held it, was alive", a, b);
		break;
	case LT_SUSPECT_HOLDER:
		note(j->v, "%s: number_reused does not name %s, which held the number before", a,
		     b);
		break;
	default:
		note(j->v, "%s: its number is of generation %" PRIu64
		     ", the last one that began was %" PRIu64, a, s->found, s->expected);
	}
}

static void tell(struct judge *j, const struct lt_suspect *s)
{
	switch (s->kind) {
	case LT_SUSPECT_GENERATION:
		note(j->v, "pid namespace %u: generation %" PRIu64 " where %" PRIu64
		     " was expected", s->inst, s->found, s->expected);
		break;
	case LT_SUSPECT_COUNTS:
		note(j->v, "pid namespace %u: %" PRIu64 " numbers born and burned, of %" PRIu64
		     " given", s->inst, s->found, s->expected);
		break;
	case LT_SUSPECT_BACK:
		note(j->v, "pid namespace %u: its counts are lower than before (%" PRIu64
		     " numbers given, before %" PRIu64 ")", s->inst, s->found, s->expected);
		break;
	default:
		tell_task(j, s);
	}
}

/* ------------------------------------------------------------------------
 * Judging
 */

/* Did a thread live when the last snapshot ended, as far as known? */
static bool lived(const struct judge *j, const struct lt_task_inst *t)
{
	return !lt_task_ended(t) || t->end > j->c->last_end;
}

/* Is there another thread of its group? For exec they are dead, but one. */
static bool has_other(struct judge *j, const struct lt_task_inst *t)
{
	const struct lt_tasks *tb = j->c->tb;

	if (!j->led) {
		j->led = lt_alloc_array((size_t)lt_tasks_count(tb) + 1, sizeof(*j->led));
		for (uint32_t i = 1; i <= lt_tasks_count(tb); i++) {
			const struct lt_task_inst *o = lt_tasks_get(tb, i);

			if (o->leader && lived(j, o) && j->led[o->leader] < 2)
				j->led[o->leader]++;
		}
	}
	return j->led[t->leader] > lived(j, t);
}

/*
 * The final snapshot goes by numbers, upwards. It may have met the leader while that was
 * the leader, about to exit or dead, and come to the thread's higher number when the
 * thread had the leader's: not before the leader's exit was told. A dead leader is there
 * only as long as its group is.
 */
static bool was_missed(const struct judge *j, const struct lt_suspect *s,
		       const struct lt_task_inst *t, const struct lt_task_inst *l)
{
	return j->c->last_final && s->until >= j->c->last_begin && t->tid > l->tid &&
	       lt_tasks_epoch(j->c->tb, t->leader) == j->c->last_epoch &&
	       l->ending == LT_TASK_END_EXITED && l->end <= j->c->last_end &&
	       l->marks & LT_TASK_MARK_LEADER_FIRST &&
	       !(l->marks & (LT_TASK_MARK_WAS_RELEASED | LT_TASK_MARK_TAKEN_OVER));
}

/*
 * Was the leader found alive after it had exited? Then another thread, one, was taking
 * its place by exec, and the trace ended before exec told.
 */
static bool takes_over(struct judge *j, const struct lt_suspect *s, struct lt_task_inst *t)
{
	struct lt_task_inst *leader = t->leader ? lt_tasks_get(j->c->tb, t->leader) : NULL;
	bool found_alive;

	if (!leader)
		return false;
	/* It was missed by two snapshots: it is one and the same exec. */
	if (t->marks & LT_TASK_MARK_TAKEN_OVER)
		return true;
	found_alive = leader->marks & LT_TASK_MARK_AFTER_END &&
		      (!lt_task_ended(leader) || leader->marks & LT_TASK_MARK_LEADER_FIRST);
	if ((!found_alive && !was_missed(j, s, t, leader)) || has_other(j, t))
		return false;
	leader->marks &= ~(uint32_t)LT_TASK_MARK_AFTER_END;
	leader->marks |= LT_TASK_MARK_TAKEN_OVER;
	t->marks |= LT_TASK_MARK_TAKEN_OVER;
	j->becoming++;
	return true;
}

/* It is no fault at all, as was found out later. */
static bool is_resolved(struct judge *j, const struct lt_suspect *s)
{
	struct lt_task_inst *t, *other;

	if (s->kind > LT_SUSPECT_HOLDER)
		return false;
	t = lt_tasks_get(j->c->tb, s->inst);
	switch (s->kind) {
	case LT_SUSPECT_GONE:
		/* It went by its leader's name by then. */
		return t->ending == LT_TASK_END_BECAME_LEADER || takes_over(j, s, t);
	case LT_SUSPECT_AFTER_END:
		/* The old leader had exited; another thread was becoming the new one. */
		return !lt_task_ended(t) || t->end >= s->from ||
		       t->marks & LT_TASK_MARK_LEADER_FIRST;
	case LT_SUSPECT_HELD:
		other = lt_tasks_get(j->c->tb, s->other);
		/* Its number is free before exec tells that it has another. */
		return other->ending == LT_TASK_END_BECAME_LEADER ||
		       (t->ending == LT_TASK_END_BECAME_LEADER && t->start < other->start) ||
		       takes_over(j, s, other);
	default:
		return false;
	}
}

/* Events were lost where they could explain it, and not all of them do already. */
static bool is_explained(struct judge *j, const struct lt_suspect *s)
{
	const struct lt_tasks *tb = j->c->tb;

	switch (s->kind) {
	case LT_SUSPECT_UNBORN:
		if (!j->births || !lt_tasks_lost_between(tb, LT_LOST_BIRTHS, s->from, s->until))
			return false;
		j->births--;
		return true;
	case LT_SUSPECT_GONE:
	case LT_SUSPECT_HELD:
		if (s->kind == LT_SUSPECT_GONE &&
		    lt_tasks_lost_between(tb, LT_LOST_STATES, s->from, s->until))
			return true;
		if (!j->ends || !lt_tasks_lost_between(tb, LT_LOST_ENDS, s->from, s->until))
			return false;
		j->ends--;
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

static void judge_one(struct judge *j, const struct lt_suspect *s)
{
	enum lt_task_check_id id = check_of(s);

	if (is_resolved(j, s))
		return;
	if (is_explained(j, s)) {
		j->v->excused[id]++;
		return;
	}
	if (j->v->checks[id].failures++ < LT_TASK_NOTES)
		tell(j, s);
	else
		j->v->more_notes++;
}

static bool in_flight(const struct judge *j, const struct lt_task_inst *t)
{
	uint64_t begin = lt_tasks_boot_time(j->c->tb, j->c->last_begin);
	uint64_t met = lt_tasks_boot_time(j->c->tb, t->birth);

	/* Behind a suspend, which the trace's clock does not count, nothing is known. */
	return t->marks & LT_TASK_MARK_FINAL && begin && t->start + IN_FLIGHT_NS >= begin &&
	       t->start <= met + IN_FLIGHT_NS;
}

/*
 * A fork may take long: where kernels are preempted, as long as anything. Then the
 * last count has a number for it.
 */
static bool has_number(struct judge *j, const struct lt_task_inst *t)
{
	if (!(t->marks & LT_TASK_MARK_FINAL) || !j->numbers)
		return false;
	j->numbers--;
	return true;
}

static const struct lt_check_ns *initial_ns(const struct judge *j)
{
	return j->c->level0 ? &j->c->namespaces[j->c->level0] : NULL;
}

/*
 * Whoever turned up after the first snapshot must have been born. Behind the final
 * one the probes are detached, one after the other.
 */
static void judge_unborn(struct judge *j)
{
	const struct lt_tasks *tb = j->c->tb;
	uint64_t end = j->c->last_final ? j->c->last_end : UINT64_MAX;
	const struct lt_check_ns *n = initial_ns(j);

	if (n && n->exact && n->allocated - n->born >= n->burned)
		j->numbers = n->allocated - n->born - n->burned;
	for (uint32_t i = 1; j->c->snapshots && i <= lt_tasks_count(tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, i);
		struct lt_suspect s = { .kind = LT_SUSPECT_UNBORN, .inst = i, .until = t->birth };

		if (t->marks & (LT_TASK_MARK_BORN | LT_TASK_MARK_COUNTED | LT_TASK_MARK_AS_LEADER) ||
		    t->birth <= j->c->base_end || t->birth > end)
			continue;
		if (in_flight(j, t) || has_number(j, t))
			j->in_flight++;
		else
			judge_one(j, &s);
	}
}

static void count_losses(struct judge *j)
{
	const struct lt_task_gap *gaps;
	size_t n = lt_tasks_gaps(j->c->tb, &gaps);

	for (size_t i = 0; i < n; i++) {
		j->lost_births += gaps[i].births;
		j->lost_ends += gaps[i].ends;
		j->unknown |= gaps[i].unknown;
	}
	j->births = j->unknown ? UINT64_MAX : j->lost_births;
	j->ends = j->unknown ? UINT64_MAX : j->lost_ends;
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

static void say_losses(const struct judge *j, enum lt_task_check_id id)
{
	struct lt_check *c = &j->v->checks[id];

	if (c->failures)
		say(c, "; %" PRIu64 " do not fit", c->failures);
	if (!j->v->excused[id])
		return;
	say(c, "; %" PRIu64 " uncertain, for events were lost", j->v->excused[id]);
	if (j->unknown)
		say(c, " (not known how many)");
	else
		say(c, " (%" PRIu64 " births, %" PRIu64 " ends)", j->lost_births, j->lost_ends);
}

static void sum_up_population(struct judge *j)
{
	struct lt_check *c = &j->v->checks[LT_TASK_CHECK_POPULATION];
	const struct lt_task_checker *k = j->c;
	struct lt_task_proofs *v = j->v;

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
	if (j->in_flight)
		say(c, ", %" PRIu64 " being born", j->in_flight);
	if (j->becoming)
		say(c, ", %" PRIu64 " becoming leader", j->becoming);
	if (k->snapshots > 2)
		say(c, "; %" PRIu64 " snapshots", k->snapshots);
	say_losses(j, LT_TASK_CHECK_POPULATION);
}

/*
 * Numbers given to tasks since the first snapshot, of which no birth is in the trace.
 * Whoever was found by the final one has its number before its task_new comes.
 */
static uint64_t missing_births(const struct judge *j)
{
	const struct lt_task_checker *c = j->c;
	uint64_t seen = c->born_since;

	for (uint32_t i = 1; c->born > seen && i <= lt_tasks_count(c->tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(c->tb, i);

		seen += t->marks & LT_TASK_MARK_FINAL &&
			(t->marks & LT_TASK_MARK_BORN ? t->birth > c->born_time : in_flight(j, t));
	}
	return c->born > seen ? c->born - seen : 0;
}

static void sum_up_numbers(struct judge *j)
{
	struct lt_check *reuse = &j->v->checks[LT_TASK_CHECK_REUSE];
	struct lt_check *gen = &j->v->checks[LT_TASK_CHECK_GENERATIONS];
	struct lt_check *num = &j->v->checks[LT_TASK_CHECK_NUMBERS];
	const struct lt_task_totals *s = lt_tasks_totals(j->c->tb);
	const struct lt_check_ns *n;
	uint64_t spaces = 0, wraps = 0, missing;

	for (size_t i = 0; i < j->c->n_namespaces; i++) {
		spaces += j->c->namespaces[i].known;
		wraps += j->c->namespaces[i].wraps;
	}
	say(reuse, "%" PRIu64 " numbers given again, %" PRIu64
	    " told by number_reused; a holder was alive: %" PRIu64, s->again, j->c->reused,
	    reuse->failures);
	say_losses(j, LT_TASK_CHECK_REUSE);
	gen->absent = !spaces;
	say(gen, "%" PRIu64 " began in %" PRIu64 " namespaces", wraps, spaces);
	say_losses(j, LT_TASK_CHECK_GENERATIONS);
	n = initial_ns(j);
	num->absent = !n || !n->exact;
	if (!n)
		say(num, "there is no record of the initial namespace");
	else if (!n->exact)
		say(num, "numbers were not watched, only the cursor was sampled");
	else
		say(num, "allocated %" PRIu64 " = born %" PRIu64 " + burned %" PRIu64
		    " + in flight %" PRIu64, n->allocated, n->born, n->burned,
		    n->allocated - n->born - n->burned);
	/*
	 * A birth that was lost is missing here, and may have explained a task
	 * above: that is one and the same.
	 */
	missing = num->absent ? 0 : missing_births(j);
	if (!j->unknown && missing > j->lost_births) {
		num->failures++;
		say(num, "; %" PRIu64 " births are not in the trace", missing);
	} else {
		j->v->excused[LT_TASK_CHECK_NUMBERS] += missing;
	}
	say_losses(j, LT_TASK_CHECK_NUMBERS);
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
	struct judge j = { .c = c, .v = v };

	*v = c->sum;
	v->snapshots = c->snapshots;
	v->notes = lt_alloc_array((size_t)LT_TASK_NOTES * LT_N_TASK_CHECKS, sizeof(*v->notes));
	for (unsigned int i = 0; i < LT_N_TASK_CHECKS; i++)
		v->checks[i].name = names[i];
	if (unwatched) {
		nothing_to_prove(v, unwatched);
	} else {
		count_losses(&j);
		for (size_t i = 0; i < c->n; i++)
			judge_one(&j, &c->suspects[i]);
		judge_unborn(&j);
		sum_up_population(&j);
		sum_up_numbers(&j);
	}
	free(j.led);
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
