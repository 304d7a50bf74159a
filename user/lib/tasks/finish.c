// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What can be decided of tasks only when the whole trace was read: ends that are undone or
 * follow from those of other tasks, certainties, sums, the order of births.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "tasks/internal.h"

/* ------------------------------------------------------------------------
 * Ends
 */

static void reopen(const struct lt_tasks *tb, struct lt_task_inst *t)
{
	bool lost = t->ending == LT_TASK_END_MISSING &&
		    lt_tasks_lost_between(tb, LT_LOST_STATES, t->seen, t->end);
	struct lt_task_verdict v = lt_rule_reopen(t, lost);
	uint64_t exit = t->end;

	if (v.act == LT_ACT_NONE)
		return;
	t->ending = LT_TASK_END_ALIVE;
	if (v.why == LT_REASON_STATES_LOST) {
		t->marks &= ~(uint32_t)LT_TASK_MARK_LISTED;
		return;
	}
	t->code = 0;
	t->marks &= ~(uint32_t)LT_TASK_MARK_LEADER_FIRST;
	t->marks |= LT_TASK_MARK_LIVES_ON;
	if (v.act == LT_ACT_RELEASE) {
		t->end = t->release;
		t->seen = exit;
		t->marks &= ~(uint32_t)LT_TASK_MARK_WAS_RELEASED;
		t->ending = LT_TASK_END_RELEASED;
	}
}

/*
 * Records behind the end of the trace are taken in, since the last snapshot may be there; but
 * what ended there was alive at the end.
 */
static void undo_later_end(struct lt_task_inst *t, uint64_t end)
{
	if (!lt_task_ended(t) || t->end <= end)
		return;
	t->ending = LT_TASK_END_ALIVE;
	t->code = 0;
	t->seen = end;
	t->marks &= ~(uint32_t)(LT_TASK_MARK_WAS_RELEASED | LT_TASK_MARK_LEADER_FIRST |
				LT_TASK_MARK_LAST | LT_TASK_MARK_SEEN_LATER);
	t->marks |= LT_TASK_MARK_LISTED;
}

/* Tasks that were not seen to end have ended with the last task of their group. */
static void end_groups(struct lt_tasks *tb)
{
	uint32_t n = lt_tasks_count(tb);
	uint64_t *group_end = lt_alloc_array((size_t)n + 1, sizeof(*group_end));

	for (uint32_t i = 1; i <= n; i++) {
		const struct lt_task_inst *t = lt_tasks_inst(tb, i);
		uint32_t group = t->leader ? t->leader : i;

		if (t->marks & LT_TASK_MARK_LAST && t->end > group_end[group])
			group_end[group] = t->end;
	}
	for (uint32_t i = 1; i <= n; i++) {
		struct lt_task_inst *t = lt_tasks_inst(tb, i);
		uint64_t end = group_end[t->leader ? t->leader : i];

		if (lt_rule_group_end(t, end).act != LT_ACT_END)
			continue;
		t->end = end;
		t->ending = LT_TASK_END_GROUP_DEAD;
	}
	free(group_end);
}

/* ------------------------------------------------------------------------
 * Certainties and sums
 */

static void set_certainties(struct lt_tasks *tb, struct lt_task_inst *t, uint64_t end)
{
	const struct lt_task_snapshot *s = &tb->snap;
	bool born = t->marks & LT_TASK_MARK_BORN, alive = !lt_task_ended(t);

	if (alive) {
		lt_attr_settle(tb, t);
		t->end = end > t->birth ? end : t->birth;
	}
	/* Losses matter only where the event itself is missing: most tasks need no search. */
	t->birth_is = (uint8_t)lt_birth_certainty(t, tb->config.begin_boot,
		s->had_initial && t->birth > s->initial_end,
		!born && lt_tasks_lost_between(tb, LT_LOST_BIRTHS, 0, t->birth));
	t->death_is = (uint8_t)lt_end_certainty(t,
		alive && lt_tasks_lost_between(tb, LT_LOST_ENDS, t->seen, end));
}

static void count(struct lt_task_totals *s, const struct lt_task_inst *t)
{
	s->instances++;
	s->placeholders += !(t->marks & LT_TASK_MARK_SEEN);
	s->birth_is[t->birth_is]++;
	s->death_is[t->death_is]++;
	s->endings[t->ending]++;
	s->alive += !lt_task_ended(t);
	if (lt_task_is_thread(t)) {
		s->threads++;
		s->orphans += !t->leader;
	} else {
		s->processes++;
		s->orphans += !t->parent && !(t->marks & LT_TASK_MARK_TOP);
	}
}

/* ------------------------------------------------------------------------
 * The order of births
 */

struct key {
	uint64_t start;
	uint32_t tid;
	uint32_t inst;
};

static int by_start(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void make_order(struct lt_tasks *tb)
{
	uint32_t n = lt_tasks_count(tb);
	struct key *keys = lt_alloc_array(n, sizeof(*keys));

	for (uint32_t i = 0; i < n; i++) {
		const struct lt_task_inst *t = lt_tasks_inst(tb, i + 1);

		keys[i] = (struct key){ t->start, t->tid, i + 1 };
	}
	if (n)
		qsort(keys, n, sizeof(*keys), by_start);
	tb->order = lt_alloc_array(n, sizeof(*tb->order));
	for (uint32_t i = 0; i < n; i++)
		tb->order[i] = keys[i].inst;
	free(keys);
}

/* With which thread the processes end whose leaders exited before their threads. */
static void find_last(struct lt_tasks *tb)
{
	uint32_t n = lt_tasks_count(tb);

	for (uint32_t i = 1; i <= n; i++) {
		const struct lt_task_inst *t = lt_tasks_inst(tb, i);
		uint32_t *last;

		if (!t->leader ||
		    !(lt_tasks_inst(tb, t->leader)->marks & LT_TASK_MARK_LEADER_FIRST))
			continue;
		if (!tb->last)
			tb->last = lt_alloc_array(n + 1UL, sizeof(*tb->last));
		last = &tb->last[t->leader];
		if (!*last || !lt_task_ended(t) ||
		    (lt_task_ended(lt_tasks_inst(tb, *last)) &&
		     t->end >= lt_tasks_inst(tb, *last)->end))
			*last = i;
	}
}

const struct lt_task_inst *lt_tasks_last(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	uint32_t last;

	if (!tb->last || lt_task_is_thread(t))
		return t;
	last = tb->last[lt_tasks_find(tb, t->tid, t->start)];
	return last ? lt_tasks_get(tb, last) : t;
}

bool lt_tasks_process_code(const struct lt_tasks *tb, const struct lt_task_inst *t, uint16_t *code)
{
	const struct lt_task_inst *last = lt_tasks_last(tb, t);

	if (last->ending != LT_TASK_END_EXITED || last->marks & LT_TASK_MARK_NO_CODE)
		return false;
	*code = last->code;
	/* A signal kills all threads. An exit code may be that of the last thread alone. */
	return last == t || last->code & 0x7f || last->code == t->code;
}

void lt_tasks_finish(struct lt_tasks *tb, uint64_t end)
{
	uint32_t n = lt_tasks_count(tb);

	lt_tasks_index_gaps(tb);
	for (uint32_t i = 1; i <= n; i++)
		undo_later_end(lt_tasks_inst(tb, i), end);
	for (uint32_t i = 1; i <= n; i++)
		lt_link_leader(tb, i);
	for (uint32_t i = 1; i <= n; i++)
		reopen(tb, lt_tasks_inst(tb, i));
	end_groups(tb);
	for (uint32_t i = 1; i <= n; i++) {
		set_certainties(tb, lt_tasks_inst(tb, i), end);
		count(&tb->totals, lt_tasks_inst(tb, i));
	}
	find_last(tb);
	tb->totals.deaths = tb->totals.endings[LT_TASK_END_EXITED];
	make_order(tb);
}
