// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Engines side by side: what each saw, and where it differs from the first one that knows.
 */
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "compare/engines_internal.h"
#include "tasks/tree.h"
#include "tasks/words.h"

const char *lt_engine_what_name(enum lt_engine_what what)
{
	static const char *const names[] = {
		[LT_ENGINE_NO_PROCESS] = "missed process", [LT_ENGINE_NO_THREAD] = "missed thread",
		[LT_ENGINE_NO_EXEC] = "missed exec", [LT_ENGINE_NO_EXIT] = "missed exit",
		[LT_ENGINE_ORPHAN] = "orphan", [LT_ENGINE_PARENT] = "wrong parent",
		[LT_ENGINE_CODE] = "wrong exit code", [LT_ENGINE_USAGE] = "wrong usage",
		[LT_ENGINE_NO_ALLOC] = "missed allocation", [LT_ENGINE_NO_FREE] = "missed free",
		[LT_ENGINE_OBJECT] = "wrong object", [LT_ENGINE_END] = "wrong end",
	};

	return names[what];
}

/* What a side says of one thing; -1: it does not know. */
typedef int64_t word_fn(const struct lt_engine_side *s, const struct lt_task_inst *t);

/* Which life of the command's processes is the parent's. */
static int64_t parent_of(const struct lt_engine_side *s, const struct lt_task_inst *t)
{
	if (lt_task_is_thread(t))
		return s->life_of[t->leader] ? (int64_t)s->life_of[t->leader] - 1 : -1;
	return s->life_of[t->parent] ? (int64_t)s->life_of[t->parent] - 1 : -1;
}

static int64_t code_of(const struct lt_engine_side *s, const struct lt_task_inst *t)
{
	uint16_t code;

	if (lt_task_is_thread(t))
		return lt_task_has_code(t) ? t->code : -1;
	return lt_tasks_process_code(s->tasks, t, &code) ? code : -1;
}

static int64_t exit_of(const struct lt_engine_side *s, const struct lt_task_inst *t)
{
	(void)s;
	return t->death_is == LT_EXACT || t->ending == LT_TASK_END_BECAME_LEADER ? 1 : -1;
}

static int64_t execs_of(const struct lt_engine_side *s, const struct lt_task_inst *t)
{
	(void)s;
	return t->n_exec ? t->n_exec : -1;
}

static int64_t kind_of(const struct lt_engine_side *s, const struct lt_task_inst *t)
{
	(void)s;
	return t->tgid ? lt_task_is_thread(t) : -1;
}

/* The word of the first that knows it. @by: who that is */
static int64_t known(const struct lt_engines *e, const struct lt_engine_life *life, word_fn *word,
		     unsigned int *by)
{
	for (*by = 0; *by < e->n_sides; (*by)++) {
		const struct lt_task_inst *t = lt_engines_inst(e, *by, life);
		int64_t value = t ? word(&e->sides[*by], t) : -1;

		if (value >= 0)
			return value;
	}
	*by = 0;
	return -1;
}

/* As many programs as any has seen. */
static int64_t most_execs(const struct lt_engines *e, const struct lt_engine_life *life,
			  unsigned int *by)
{
	int64_t most = 0;

	*by = 0;
	for (unsigned int i = 0; i < e->n_sides; i++) {
		const struct lt_task_inst *t = lt_engines_inst(e, i, life);

		if (t && t->n_exec > most) {
			most = t->n_exec;
			*by = i;
		}
	}
	return most;
}

void lt_engines_add(struct lt_engines *e, const struct lt_engine_difference *d, uint64_t n)
{
	e->sides[d->side].what[d->what] += n;
	e->differences = lt_grow(e->differences, &e->cap_differences, e->n_differences,
				 sizeof(*e->differences));
	e->differences[e->n_differences++] = *d;
}

static void add(struct lt_engines *e, struct lt_engine_difference d, uint64_t n)
{
	d.cause = lt_engines_cause(e, &d);
	lt_engines_add(e, &d, n);
}

static void count(struct lt_engine_side *s, bool thread, int64_t execs, bool exited)
{
	s->threads += thread;
	s->processes += !thread;
	s->execs += execs > 0 ? (uint64_t)execs : 0;
	s->exits += exited;
}

/*
 * What a task used. Engines look one after the other, and the kernel counts times in ticks: so much
 * two of them may be apart.
 */
#define USAGE_NS	20000000U

static const struct usage {
	size_t offset;
	size_t size;
	uint64_t apart;
} usages[] = {
#define USAGE(NAME, APART)	\
	{ offsetof(struct lt_task_inst, NAME), sizeof(((struct lt_task_inst *)0)->NAME), APART }
	USAGE(min_flt, 0), USAGE(maj_flt, 0), USAGE(maxrss, 0),
	USAGE(utime, USAGE_NS), USAGE(stime, USAGE_NS),
#undef USAGE
};

static int64_t usage_of(const struct lt_task_inst *t, const struct usage *u)
{
	const char *at = (const char *)t + u->offset;

	return u->size == 4 ? *(const uint32_t *)at : (int64_t)*(const uint64_t *)at;
}

static void compare_usage(struct lt_engines *e, const struct lt_task_inst *t,
			  struct lt_engine_difference d)
{
	const struct lt_engine_life *l = &e->lives[d.life];
	const struct lt_task_inst *first = NULL;

	if (!lt_task_has_usage(t))
		return;
	e->sides[d.side].usages++;
	for (d.by = 0; d.by < d.side; d.by++) {
		first = lt_engines_inst(e, d.by, l);
		if (first && lt_task_has_usage(first))
			break;
	}
	for (size_t i = 0; d.by < d.side && i < sizeof(usages) / sizeof(usages[0]); i++) {
		uint64_t apart;

		d.expected = usage_of(first, &usages[i]);
		d.found = usage_of(t, &usages[i]);
		apart = (uint64_t)(d.expected < d.found ? d.found - d.expected :
				   d.expected - d.found);
		if (apart <= usages[i].apart)
			continue;
		d.what = LT_ENGINE_USAGE;
		add(e, d, 1);
		return;
	}
}

/* What one side says of a life that it has, against what is known. */
static void compare_side(struct lt_engines *e, size_t life, unsigned int side, bool thread)
{
	const struct lt_engine_life *l = &e->lives[life];
	struct lt_engine_side *s = &e->sides[side];
	const struct lt_task_inst *t = lt_engines_inst(e, side, l);
	struct lt_engine_difference d = { .side = side, .life = life };
	int64_t mine, other;

	count(s, thread, execs_of(s, t), exit_of(s, t) > 0);
	other = known(e, l, parent_of, &d.by);
	mine = parent_of(s, t);
	if (other >= 0 && mine != other) {
		d.what = mine < 0 ? LT_ENGINE_ORPHAN : LT_ENGINE_PARENT;
		d.expected = e->lives[other].tid;
		d.found = mine < 0 ? -1 : (int64_t)e->lives[mine].tid;
		add(e, d, 1);
	}
	other = most_execs(e, l, &d.by);
	if (other > t->n_exec) {
		d.what = LT_ENGINE_NO_EXEC;
		d.expected = other;
		d.found = t->n_exec;
		add(e, d, (uint64_t)(other - t->n_exec));
	}
	d.expected = known(e, l, code_of, &d.by);
	d.found = code_of(s, t);
	if (d.found >= 0 && d.found != d.expected) {
		d.what = LT_ENGINE_CODE;
		add(e, d, 1);
	}
	compare_usage(e, t, d);
	if (exit_of(s, t) < 0 && known(e, l, exit_of, &d.by) > 0) {
		d.what = LT_ENGINE_NO_EXIT;
		d.expected = d.found = -1;
		add(e, d, 1);
	}
}

static void compare(struct lt_engines *e, size_t life)
{
	const struct lt_engine_life *l = &e->lives[life];
	unsigned int by;
	bool thread = known(e, l, kind_of, &by) > 0;

	count(&e->all, thread, most_execs(e, l, &by), known(e, l, exit_of, &by) > 0);
	for (unsigned int i = 0; i < e->n_sides; i++) {
		if (lt_engines_inst(e, i, l)) {
			compare_side(e, life, i, thread);
			continue;
		}
		for (by = 0; !lt_engines_inst(e, by, l);)
			by++;
		add(e, (struct lt_engine_difference){
			.side = i, .by = by, .life = life, .expected = -1, .found = -1,
			.what = thread ? LT_ENGINE_NO_THREAD : LT_ENGINE_NO_PROCESS,
		}, 1);
	}
}

/* Each link leads to a task that is older, so there is none: a check. */
static uint64_t cycles(const struct lt_engine_side *s)
{
	struct lt_task_tree tree;
	uint64_t n;

	lt_task_tree_make(&tree, s->tasks, LT_BY_PARENT);
	n = tree.cycles;
	lt_task_tree_free(&tree);
	return n;
}

void lt_engines_differ(struct lt_engines *e)
{
	e->all.name = lt_strdup("all");
	for (size_t i = 0; i < e->n_lives; i++)
		compare(e, i);
	for (unsigned int i = 0; i < e->n_sides; i++)
		e->sides[i].cycles = cycles(&e->sides[i]);
}
