// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The instances of tasks: where they are kept, and how they are found.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "tasks/internal.h"

#define MAX_PLACEHOLDERS	1000000

struct lt_tasks *lt_tasks_new(const struct lt_tasks_config *config)
{
	struct lt_tasks *tb = lt_alloc(sizeof(*tb));

	if (config)
		tb->config = *config;
	if (!tb->config.max_placeholders)
		tb->config.max_placeholders = MAX_PLACEHOLDERS;
	lt_pool_init(&tb->insts, sizeof(struct lt_task_inst));
	lt_pool_init(&tb->lives, sizeof(struct lt_task_live));
	for (unsigned int i = 0; i < LT_N_MAPS; i++)
		lt_map_init(&tb->maps[i]);
	tb->seed = lt_hash_seed();
	lt_names_init(&tb->names);
	lt_intern_init(&tb->cgroups);
	return tb;
}

void lt_tasks_free(struct lt_tasks *tb)
{
	if (!tb)
		return;
	for (size_t i = 0; i < tb->n_namespaces; i++)
		free(tb->namespaces[i]);
	lt_ns_numbers_destroy(&tb->ns_numbers);
	for (unsigned int i = 0; i < LT_N_MAPS; i++)
		lt_map_destroy(&tb->maps[i]);
	for (unsigned int i = 0; i < LT_N_LOSSES; i++)
		free(tb->gap_latest[i]);
	lt_pool_destroy(&tb->insts);
	lt_pool_destroy(&tb->lives);
	lt_names_destroy(&tb->names);
	lt_intern_destroy(&tb->cgroups);
	free(tb->namespaces);
	free(tb->living);
	free(tb->changes);
	free(tb->heads);
	free(tb->counts);
	free(tb->counts_of);
	free(tb->group_ends);
	free(tb->gaps);
	free(tb->order);
	free(tb->last);
	free(tb);
}

struct lt_task_inst *lt_tasks_get(const struct lt_tasks *tb, uint32_t inst)
{
	return lt_tasks_inst(tb, inst);
}

uint32_t lt_tasks_count(const struct lt_tasks *tb)
{
	return tb->insts.used;
}

uint64_t lt_tasks_boot_time(const struct lt_tasks *tb, uint64_t time)
{
	return tb->config.begin_boot ? tb->config.begin_boot + (time - tb->config.begin) : 0;
}

const char *lt_tasks_name(const struct lt_tasks *tb, uint32_t name, size_t *len)
{
	return lt_names_get(&tb->names, name, len);
}

size_t lt_tasks_n_kept(const struct lt_tasks *tb)
{
	return tb->names.n + tb->n_changes;
}

/* The number of a name that an event contains. */
uint32_t lt_tasks_text(struct lt_tasks *tb, const struct lt_task_text *text)
{
	return lt_names_add(&tb->names, text->s, text->len);
}

uint64_t lt_tasks_cgroup(const struct lt_tasks *tb, const struct lt_task_inst *t)
{
	return lt_intern_value(&tb->cgroups, t->cgroup);
}

const uint32_t *lt_tasks_order(const struct lt_tasks *tb)
{
	return tb->order;
}

const struct lt_task_totals *lt_tasks_totals(const struct lt_tasks *tb)
{
	return &tb->totals;
}

const struct lt_task_ns *lt_tasks_namespace(const struct lt_tasks *tb, uint32_t number)
{
	return number < tb->n_namespaces ? tb->namespaces[number] : NULL;
}

uint32_t lt_tasks_n_namespaces(const struct lt_tasks *tb)
{
	return (uint32_t)tb->n_namespaces;
}

/* ------------------------------------------------------------------------
 * Finding
 */

/* The seed is used twice, so that a trace cannot contain identities chosen to collide. */
uint32_t lt_tasks_hash(const struct lt_tasks *tb, uint32_t tid, uint64_t start)
{
	return (uint32_t)lt_hash64(lt_hash64(start, tb->seed) + tid, tb->seed);
}

static bool is_key(const struct lt_tasks *tb, enum lt_task_map map, uint32_t id,
		   uint32_t tid, uint64_t start)
{
	const struct lt_task_inst *t = lt_tasks_inst(tb, id);

	if (t->tid != tid)
		return false;
	if (map == LT_MAP_IDENTITY)
		return t->start == start;
	if (map == LT_MAP_OLD_LEADER)
		return t->leader && lt_tasks_inst(tb, t->leader)->start == start;
	return true;
}

/* The key of a holder has start 0, that of a thread which became leader the leader's start. */
static uint32_t look_up(const struct lt_tasks *tb, enum lt_task_map map, uint32_t tid,
			uint64_t start)
{
	uint32_t inst;

	lt_map_for_each(inst, at, &tb->maps[map], lt_tasks_hash(tb, tid, start)) {
		if (is_key(tb, map, inst, tid, start))
			return inst;
	}
	return 0;
}

/* Puts an instance below a key, in place of the one that was there. */
static void set(struct lt_tasks *tb, enum lt_task_map map, uint32_t inst, uint64_t start)
{
	uint32_t tid = lt_tasks_inst(tb, inst)->tid, h = lt_tasks_hash(tb, tid, start), old;

	lt_map_for_each(old, at, &tb->maps[map], h) {
		if (is_key(tb, map, old, tid, start)) {
			lt_map_renumber(&tb->maps[map], at, inst);
			return;
		}
	}
	lt_map_add(&tb->maps[map], h, inst);
}

uint32_t lt_tasks_find(const struct lt_tasks *tb, uint32_t tid, uint64_t start)
{
	return look_up(tb, LT_MAP_IDENTITY, tid, start);
}

uint32_t lt_tasks_holder(const struct lt_tasks *tb, uint32_t tid)
{
	return look_up(tb, LT_MAP_HOLDER, tid, 0);
}

void lt_tasks_set_holder(struct lt_tasks *tb, uint32_t inst)
{
	set(tb, LT_MAP_HOLDER, inst, 0);
}

/* The thread @tid that became the leader which was started at @leader_start; 0: none. */
uint32_t lt_tasks_became_leader(const struct lt_tasks *tb, uint32_t tid, uint64_t leader_start)
{
	return look_up(tb, LT_MAP_OLD_LEADER, tid, leader_start);
}

/* @inst has its leader set. */
void lt_tasks_set_became_leader(struct lt_tasks *tb, uint32_t inst)
{
	const struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	set(tb, LT_MAP_OLD_LEADER, inst, lt_tasks_inst(tb, t->leader)->start);
}

/* A new instance; there must be none with this identity. */
uint32_t lt_tasks_make(struct lt_tasks *tb, uint32_t tid, uint64_t start)
{
	uint32_t inst = lt_pool_get(&tb->insts);
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->start = start;
	lt_map_add(&tb->maps[LT_MAP_IDENTITY], lt_tasks_hash(tb, tid, start), inst);
	return inst;
}

/* ------------------------------------------------------------------------
 * The living
 */

bool lt_tasks_snapshot_open(const struct lt_tasks *tb)
{
	return tb->snap.open;
}

void lt_tasks_enlist(struct lt_tasks *tb, uint32_t inst)
{
	struct lt_task_inst *t = lt_tasks_inst(tb, inst);

	if (t->marks & LT_TASK_MARK_LISTED)
		return;
	t->marks |= LT_TASK_MARK_LISTED;
	tb->living = lt_grow(tb->living, &tb->cap_living, tb->n_living, sizeof(*tb->living));
	tb->living[tb->n_living++] = inst;
}

const uint32_t *lt_tasks_living(struct lt_tasks *tb, size_t *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < tb->n_living; i++) {
		struct lt_task_inst *t = lt_tasks_inst(tb, tb->living[i]);

		if (lt_task_ended(t))
			t->marks &= ~(uint32_t)LT_TASK_MARK_LISTED;
		else
			tb->living[kept++] = tb->living[i];
	}
	tb->n_living = kept;
	*n = kept;
	return tb->living;
}

struct lt_task_live *lt_tasks_live(struct lt_tasks *tb, struct lt_task_inst *t)
{
	if (!t->live) {
		t->live = lt_pool_get(&tb->lives);
		memset(lt_pool_at(&tb->lives, t->live), 0, sizeof(struct lt_task_live));
	}
	return lt_pool_at(&tb->lives, t->live);
}

/*
 * Frees what is kept of a living task. Not for a leader whose group lives: attributes of a
 * group are kept by its leader.
 */
void lt_tasks_bury(struct lt_tasks *tb, struct lt_task_inst *t)
{
	if (!t->live)
		return;
	lt_pool_put(&tb->lives, t->live);
	t->live = 0;
}

uint32_t lt_tasks_epoch(const struct lt_tasks *tb, uint32_t inst)
{
	const struct lt_task_inst *t = lt_tasks_inst(tb, inst);
	const struct lt_task_live *l;

	if (!t->live)
		return 0;
	l = lt_pool_at(&tb->lives, t->live);
	return l->epoch;
}

/* ------------------------------------------------------------------------
 * Observers
 */

void lt_tasks_observe(struct lt_tasks *tb, lt_task_observer *fn, void *arg)
{
	if (tb->n_observers == LT_N_OBSERVERS)
		lt_fatal("more than %d observers", LT_N_OBSERVERS);
	tb->observers[tb->n_observers].fn = fn;
	tb->observers[tb->n_observers++].arg = arg;
}

void lt_tasks_notify(struct lt_tasks *tb, enum lt_task_notice what,
		     const struct lt_task_event *ev, uint32_t inst, uint32_t other)
{
	for (unsigned int i = 0; i < tb->n_observers; i++)
		tb->observers[i].fn(tb->observers[i].arg, what, ev, inst, other);
}
