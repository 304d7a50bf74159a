// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Forgetting tasks that have ended. All that is kept gets new numbers, without holes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tasks/internal.h"

/**
 * struct forgetting - what is made anew
 * @numbers: by old number: the new one, 0: it is forgotten
 * @names: those of tasks that are kept
 */
struct forgetting {
	struct lt_tasks *tb;
	const struct lt_task_use *use;
	uint32_t *numbers;
	struct lt_names names;
};

static bool has_use(const struct forgetting *f, uint32_t inst)
{
	const struct lt_task_inst *t = lt_tasks_inst(f->tb, inst);

	return !lt_task_ended(t) || t->end >= f->use->before ||
	       f->use->is_used(f->use->arg, t->tid, t->start);
}

/* Those that have a use, and the leaders of these, which have the history of their groups. */
static void choose(struct forgetting *f)
{
	uint32_t n = f->tb->insts.used, next = 1;

	f->numbers = lt_alloc_array((size_t)n + 1, sizeof(*f->numbers));
	for (uint32_t inst = 1; inst <= n; inst++) {
		uint32_t at = has_use(f, inst) ? inst : 0;

		for (; at && !f->numbers[at]; at = lt_tasks_inst(f->tb, at)->leader)
			f->numbers[at] = 1;
	}
	for (uint32_t inst = 1; inst <= n; inst++) {
		if (f->numbers[inst])
			f->numbers[inst] = next++;
	}
}

/* Of an instance by its old number, before any is moved: how it is found. */
static void add_to_maps(const struct forgetting *f, uint32_t inst, struct lt_map *maps)
{
	const struct lt_tasks *tb = f->tb;
	const struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	uint64_t leader_start = t->leader ? lt_tasks_inst(tb, t->leader)->start : 0;
	uint32_t number = f->numbers[inst];

	lt_map_add(&maps[LT_MAP_IDENTITY], lt_tasks_hash(tb, t->tid, t->start), number);
	if (lt_tasks_holder(tb, t->tid) == inst)
		lt_map_add(&maps[LT_MAP_HOLDER], lt_tasks_hash(tb, t->tid, 0), number);
	if (t->leader && lt_tasks_became_leader(tb, t->tid, leader_start) == inst)
		lt_map_add(&maps[LT_MAP_OLD_LEADER], lt_tasks_hash(tb, t->tid, leader_start),
			   number);
}

static void renew_maps(struct forgetting *f)
{
	struct lt_map maps[LT_N_MAPS];

	for (unsigned int i = 0; i < LT_N_MAPS; i++)
		lt_map_init(&maps[i]);
	for (uint32_t inst = 1; inst <= f->tb->insts.used; inst++) {
		if (f->numbers[inst])
			add_to_maps(f, inst, maps);
	}
	for (unsigned int i = 0; i < LT_N_MAPS; i++) {
		lt_map_destroy(&f->tb->maps[i]);
		f->tb->maps[i] = maps[i];
	}
}

/* What is kept by their numbers beside them: of the changes those of cgroup; and counters. */
static void renew_lists(struct forgetting *f)
{
	struct lt_tasks *tb = f->tb;
	const struct lt_tasks old = *tb;

	tb->changes = NULL;
	tb->heads = NULL;
	tb->n_changes = tb->cap_changes = tb->n_heads = 0;
	tb->counts = NULL;
	tb->counts_of = NULL;
	tb->n_counts = tb->cap_counts = tb->n_counts_of = 0;
	for (uint32_t inst = 1; inst <= tb->insts.used; inst++) {
		uint32_t number = f->numbers[inst];

		if (number && inst < old.n_heads)
			lt_history_copy(tb, number, old.changes, old.heads[inst], LT_ATTR_CGROUP);
		if (number && inst < old.n_counts_of)
			lt_counts_copy(tb, number, old.counts, old.counts_of[inst]);
	}
	free(old.changes);
	free(old.heads);
	free(old.counts);
	free(old.counts_of);
	/* They are of the histories of parents. */
	tb->n_group_ends = 0;
}

static void renew_living(struct forgetting *f)
{
	const uint32_t *living;
	size_t n;

	living = lt_tasks_living(f->tb, &n);
	for (size_t i = 0; i < n; i++)
		f->tb->living[i] = f->numbers[living[i]];
}

static uint32_t keep_name(struct forgetting *f, uint32_t number)
{
	size_t len;
	const char *s = lt_names_get(&f->tb->names, number, &len);

	return lt_names_add(&f->names, s, len);
}

static void keep_old_name(struct forgetting *f, struct lt_task_live *live, enum lt_task_attr a)
{
	if (live->has_old & LT_ATTR_BIT(a))
		live->old[a] = keep_name(f, (uint32_t)live->old[a]);
}

static void move(struct forgetting *f, struct lt_pool *to, uint32_t inst)
{
	struct lt_task_inst *t = lt_pool_at(to, lt_pool_get(to));
	struct lt_task_live *live;

	*t = *lt_tasks_inst(f->tb, inst);
	f->tb->placeholders += !(t->marks & LT_TASK_MARK_SEEN);
	t->comm = keep_name(f, t->comm);
	t->birth_comm = keep_name(f, t->birth_comm);
	t->file = keep_name(f, t->file);
	t->first_file = keep_name(f, t->first_file);
	t->creator = f->numbers[t->creator];
	t->parent = f->numbers[t->parent];
	t->last_parent = f->numbers[t->last_parent];
	t->leader = f->numbers[t->leader];
	if (!t->live)
		return;
	live = lt_pool_at(&f->tb->lives, t->live);
	live->before = f->numbers[live->before];
	keep_old_name(f, live, LT_ATTR_COMM);
	keep_old_name(f, live, LT_ATTR_FILE);
}

static void renew_instances(struct forgetting *f)
{
	struct lt_pool insts;

	lt_pool_init(&insts, sizeof(struct lt_task_inst));
	lt_names_init(&f->names);
	f->tb->placeholders = 0;
	for (uint32_t inst = 1; inst <= f->tb->insts.used; inst++) {
		if (f->numbers[inst])
			move(f, &insts, inst);
		else
			lt_tasks_bury(f->tb, lt_tasks_inst(f->tb, inst));
	}
	lt_pool_destroy(&f->tb->insts);
	f->tb->insts = insts;
	lt_names_destroy(&f->tb->names);
	f->tb->names = f->names;
}

/*
 * Namespaces that no task is of. A number below is an id, of which there are few; if its namespace
 * is mentioned again, that of a later number has its identity no more, which its tasks have.
 */
static void forget_namespaces(struct lt_tasks *tb)
{
	bool *used = lt_alloc_array(tb->n_namespaces + 1, sizeof(*used));

	for (uint32_t inst = 1; inst <= tb->insts.used; inst++) {
		const struct lt_task_inst *t = lt_tasks_inst(tb, inst);

		if (t->ns < tb->n_namespaces)
			used[t->ns] = true;
	}
	for (size_t i = LT_FIRST_LATER_NS; i < tb->n_namespaces; i++) {
		if (used[i])
			continue;
		free(tb->namespaces[i]);
		tb->namespaces[i] = NULL;
	}
	free(used);
}

void lt_tasks_forget(struct lt_tasks *tb, const struct lt_task_use *use)
{
	struct forgetting f = { .tb = tb, .use = use };

	choose(&f);
	renew_maps(&f);
	renew_lists(&f);
	renew_living(&f);
	renew_instances(&f);
	forget_namespaces(tb);
	free(f.numbers);
}
