// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Engines side by side: which of their tasks are one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compare/engines_internal.h"
#include "tasks/tree.h"

/* A task of one side. */
struct sight {
	uint32_t tid;
	uint32_t inst;
	uint64_t begin;
	uint64_t end;
};

struct sights {
	struct sight *all;
	size_t n;
	bool *below;		/* by instance: the command, or what it created */
};

static int by_tid(uint32_t tid_a, uint64_t begin_a, uint32_t tid_b, uint64_t begin_b)
{
	if (tid_a != tid_b)
		return tid_a < tid_b ? -1 : 1;
	return begin_a < begin_b ? -1 : begin_a > begin_b;
}

static int compare_sights(const void *a, const void *b)
{
	const struct sight *x = a, *y = b;

	return by_tid(x->tid, x->begin, y->tid, y->begin);
}

static int compare_lives(const void *a, const void *b)
{
	const struct lt_engine_life *x = a, *y = b;

	return by_tid(x->tid, x->begin, y->tid, y->begin);
}

/* A link leads to an instance that is before in the order of births. */
static void find_below(const struct lt_engine_side *s, bool *below)
{
	const uint32_t *order = lt_tasks_order(s->tasks);

	below[s->root] = s->root != 0;
	for (uint32_t i = 0; i < lt_tasks_count(s->tasks); i++) {
		const struct lt_task_inst *t = lt_tasks_get(s->tasks, order[i]);

		below[order[i]] |= below[t->parent] || below[t->leader] || below[t->creator];
	}
}

static void look(const struct lt_engine_side *s, struct sights *all)
{
	uint32_t n = lt_tasks_count(s->tasks);

	all->all = lt_alloc_array((size_t)n + 1, sizeof(*all->all));
	all->below = lt_alloc_array((size_t)n + 1, sizeof(*all->below));
	find_below(s, all->below);
	all->below[0] = false;
	for (uint32_t i = 1; i <= n; i++) {
		const struct lt_task_inst *t = lt_tasks_get(s->tasks, i);
		int64_t begin = lt_task_begin_time(s->tasks, t);

		/* Where nobody knows the start, it may be any time before the task was seen. */
		if (!t->start && !(t->marks & LT_TASK_MARK_BORN))
			begin = 0;
		/* Of what only a link names nothing is known. */
		if (!(t->marks & LT_TASK_MARK_SEEN))
			continue;
		all->all[all->n++] = (struct sight){
			.tid = t->tid, .inst = i, .end = t->end,
			.begin = begin > 0 ? (uint64_t)begin : 0,
		};
	}
	qsort(all->all, all->n, sizeof(*all->all), compare_sights);
}

static bool overlap(const struct lt_engine_life *life, const struct sight *s)
{
	return life->tid == s->tid && life->begin <= s->end && s->begin <= life->end;
}

/* Whether a sight is behind a life, or of a later number. */
static bool behind(const struct lt_engine_life *life, const struct sight *s)
{
	return s->tid != life->tid ? s->tid > life->tid : s->begin > life->end;
}

/*
 * Joins the sights of a side to the lives. @add: those of the command's that are none yet become
 * lives; else nothing does, and what the side has of a life counts also where it has it elsewhere.
 */
static void join(struct lt_engines *e, unsigned int side, const struct sights *all, bool add)
{
	struct lt_engine_side *s = &e->sides[side];
	size_t known = e->n_lives, at = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct sight *x = &all->all[i];
		bool found = false;

		while (at < known && behind(&e->lives[at], x))
			at++;
		/* One sight may be all that is left of several lives of a number. */
		for (size_t k = at; k < known && overlap(&e->lives[k], x); k++) {
			if (!e->lives[k].inst[side])
				e->lives[k].inst[side] = x->inst;
			if (e->lives[k].inst[side] != x->inst)
				continue;
			found = true;
			if (!s->life_of[x->inst])
				s->life_of[x->inst] = (uint32_t)k + 1;
		}
		if (found || !add || !all->below[x->inst])
			continue;
		e->lives = lt_grow(e->lives, &e->cap_lives, e->n_lives, sizeof(*e->lives));
		e->lives[e->n_lives] = (struct lt_engine_life){
			.tid = x->tid, .begin = x->begin, .end = x->end,
		};
		e->lives[e->n_lives++].inst[side] = x->inst;
	}
}

void lt_engines_find_lives(struct lt_engines *e)
{
	struct sights all[LT_ENGINES_MAX] = { { NULL, 0, NULL } };

	for (unsigned int i = 0; i < e->n_sides; i++) {
		look(&e->sides[i], &all[i]);
		join(e, i, &all[i], true);
		if (e->n_lives)
			qsort(e->lives, e->n_lives, sizeof(*e->lives), compare_lives);
	}
	/* Numbers of lives are known now; and what an engine has elsewhere is theirs, too. */
	for (unsigned int i = 0; i < e->n_sides; i++) {
		memset(e->sides[i].life_of, 0,
		       ((size_t)lt_tasks_count(e->sides[i].tasks) + 1) * sizeof(uint32_t));
		join(e, i, &all[i], false);
		free(all[i].all);
		free(all[i].below);
	}
}

char *lt_engines_name(const struct lt_engines *e, const struct lt_engine_life *life)
{
	for (unsigned int i = 0; i < e->n_sides; i++) {
		const struct lt_task_inst *t = lt_engines_inst(e, i, life);
		const char *name;
		size_t len;

		if (!t || !t->comm)
			continue;
		name = lt_tasks_name(e->sides[i].tasks, t->comm, &len);
		if (len)
			return lt_strndup(name, len);
	}
	return lt_strdup("");
}
