// SPDX-License-Identifier: GPL-2.0
/*
 * What can be said of tasks only when the whole trace was read.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tasks/internal.h"

const char *lt_task_ending_name(enum lt_task_ending e)
{
	static const char *const names[] = {
		[LT_TASK_END_ALIVE] = "alive", [LT_TASK_END_EXITED] = "exit",
		[LT_TASK_END_BECAME_LEADER] = "became_leader", [LT_TASK_END_RELEASED] = "released",
		[LT_TASK_END_NUMBER_REUSED] = "number_reused",
		[LT_TASK_END_GROUP_DEAD] = "group_dead",
		[LT_TASK_END_MISSING] = "missing", [LT_TASK_END_FOUND_EXITING] = "found_exiting",
	};

	return e < LT_N_TASK_ENDINGS ? names[e] : "?";
}

/* ------------------------------------------------------------------------
 * Leaders, and ends that their groups tell
 */

static void find_leaders(struct lt_tasks *tb)
{
	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++)
		lt_task_find_leader(tb, i);
}

/*
 * Ends that are none: of a leader whose place a thread has taken, though no exec told
 * so; and of whom a snapshot does not have, some of whose records were lost.
 */
static void reopen(const struct lt_tasks *tb, struct lt_task_inst *t)
{
	uint64_t exit = t->end;

	if (t->marks & LT_TASK_MARK_SEEN_LATER) {
		t->code = 0;
		t->ending = LT_TASK_END_ALIVE;
		t->marks &= ~(uint32_t)LT_TASK_MARK_LEADER_FIRST;
		t->marks |= LT_TASK_MARK_LIVES_ON;
		if (!(t->marks & LT_TASK_MARK_WAS_RELEASED))
			return;
		t->end = t->release;
		t->seen = exit;
		t->marks &= ~(uint32_t)LT_TASK_MARK_WAS_RELEASED;
		t->ending = LT_TASK_END_RELEASED;
		t->death_is = LT_BOUNDED;
	} else if (t->ending == LT_TASK_END_MISSING &&
		   lt_tasks_lost_between(tb, LT_LOST_STATES, t->seen, t->end)) {
		t->ending = LT_TASK_END_ALIVE;
		t->marks &= ~(uint32_t)LT_TASK_MARK_LISTED;
	}
}

static void close_groups(struct lt_tasks *tb)
{
	uint32_t n = lt_tasks_count(tb);
	uint64_t *group_end = lt_alloc_array((size_t)n + 1, sizeof(*group_end));

	for (uint32_t i = 1; i <= n; i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, i);
		uint32_t group = t->leader ? t->leader : i;

		if (t->marks & LT_TASK_MARK_LAST && t->end > group_end[group])
			group_end[group] = t->end;
	}
	for (uint32_t i = 1; i <= n; i++) {
		struct lt_task_inst *t = lt_tasks_get(tb, i);
		uint64_t end = group_end[t->leader ? t->leader : i];

		if (!end || lt_task_ended(t) || t->seen > end)
			continue;
		t->end = end;
		t->ending = LT_TASK_END_GROUP_DEAD;
		t->death_is = LT_BOUNDED;
	}
	free(group_end);
}

/* ------------------------------------------------------------------------
 * Certainties
 */

static enum lt_certainty birth_certainty(const struct lt_tasks *tb,
					 const struct lt_task_inst *t)
{
	const struct lt_task_snapshot *s = &tb->snap;

	if (t->marks & LT_TASK_MARK_BORN)
		return LT_EXACT;
	if (t->marks & (LT_TASK_MARK_INITIAL | LT_TASK_MARK_AS_LEADER) ||
	    t->start < tb->config.begin_boot)
		return LT_BEFORE;
	/* Who ended before the initial snapshot came to it is not in there. */
	if (s->had_initial && t->birth > s->initial_end)
		return LT_UNCERTAIN;
	return lt_tasks_lost_between(tb, LT_LOST_BIRTHS, 0, t->birth) ? LT_UNCERTAIN : LT_BEFORE;
}

static void settle_one(struct lt_tasks *tb, struct lt_task_inst *t, uint64_t end)
{
	t->birth_is = (uint8_t)birth_certainty(tb, t);
	if (lt_task_ended(t))
		return;
	lt_task_settle(tb, t);
	t->end = end;
	if (!(t->marks & LT_TASK_MARK_LISTED) || t->marks & LT_TASK_MARK_BY_NAME ||
	    lt_tasks_lost_between(tb, LT_LOST_ENDS, t->seen, end))
		t->death_is = LT_UNCERTAIN;
	else
		t->death_is = LT_OPEN;
}

static void count(struct lt_task_totals *s, const struct lt_task_inst *t)
{
	s->instances++;
	s->placeholders += !(t->marks & LT_TASK_MARK_SEEN);
	if (lt_task_is_thread(t))
		s->threads++;
	else
		s->processes++;
	s->birth_is[t->birth_is]++;
	s->death_is[t->death_is]++;
	s->endings[t->ending]++;
	s->alive += !lt_task_ended(t);
	if (lt_task_is_thread(t))
		s->orphans += !t->leader;
	else
		s->orphans += !t->parent && !(t->marks & LT_TASK_MARK_TOP);
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
		const struct lt_task_inst *t = lt_tasks_get(tb, i + 1);

		keys[i] = (struct key){ t->start, t->tid, i + 1 };
	}
	if (n)
		qsort(keys, n, sizeof(*keys), by_start);
	tb->order = lt_alloc_array(n, sizeof(*tb->order));
	for (uint32_t i = 0; i < n; i++)
		tb->order[i] = keys[i].inst;
	free(keys);
}

void lt_tasks_finish(struct lt_tasks *tb, uint64_t end)
{
	if (end < tb->now)
		end = tb->now;
	lt_task_index_gaps(tb);
	find_leaders(tb);
	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++)
		reopen(tb, lt_tasks_get(tb, i));
	close_groups(tb);
	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++) {
		struct lt_task_inst *t = lt_tasks_get(tb, i);

		settle_one(tb, t, end);
		count(&tb->totals, t);
	}
	tb->totals.deaths = tb->totals.endings[LT_TASK_END_EXITED];
	make_order(tb);
}
