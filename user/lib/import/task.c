// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tasks that are alive, by their numbers. A source names tasks by number alone.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "import/internal.h"

void lt_import_tasks_init(struct lt_import_tasks *t)
{
	lt_map_init(&t->map);
	t->seed = lt_hash_seed();
	t->held = lt_alloc(LT_IMPORT_MAX_TID / 8 + 1);
}

void lt_import_tasks_destroy(struct lt_import_tasks *t)
{
	free(t->all);
	free(t->free);
	free(t->held);
	lt_map_destroy(&t->map);
}

static uint32_t hash_of(const struct lt_import_tasks *t, uint32_t tid)
{
	return (uint32_t)lt_hash64(tid, t->seed);
}

static bool can_be(int32_t tid)
{
	return tid > 0 && (uint32_t)tid <= LT_IMPORT_MAX_TID;
}

struct lt_import_task *lt_import_find(struct lt_import *im, int32_t tid)
{
	struct lt_import_tasks *t = &im->tasks;
	uint32_t number;

	if (!can_be(tid))
		return NULL;
	lt_map_for_each(number, at, &t->map, hash_of(t, (uint32_t)tid)) {
		if (t->all[number - 1].tid == (uint32_t)tid)
			return &t->all[number - 1];
	}
	return NULL;
}

static struct lt_import_task *make(struct lt_import_tasks *t, uint32_t tid, uint64_t start)
{
	uint32_t number;

	if (t->n_free) {
		number = t->free[--t->n_free];
	} else {
		t->all = lt_grow(t->all, &t->cap, t->n, sizeof(*t->all));
		number = (uint32_t)(++t->n);
	}
	lt_map_add(&t->map, hash_of(t, tid), number);
	t->all[number - 1] = (struct lt_import_task){ .tid = tid, .start = start };
	return &t->all[number - 1];
}

static void forget(struct lt_import_tasks *t, struct lt_import_task *task)
{
	uint32_t number = (uint32_t)(task - t->all) + 1;

	t->held[task->tid / 8] |= (uint8_t)(1U << task->tid % 8);
	lt_map_remove(&t->map, hash_of(t, task->tid), number);
	t->free = lt_grow(t->free, &t->cap_free, t->n_free, sizeof(*t->free));
	t->free[t->n_free++] = number;
}

/*
 * Was the number that of a task that has ended, then this is another task, whose birth is missing:
 * it is called by the time at which it is seen first.
 */
struct lt_import_task *lt_import_task(struct lt_import *im, int32_t tid, uint64_t now)
{
	struct lt_import_tasks *t = &im->tasks;
	struct lt_import_task *task = lt_import_find(im, tid);

	if (task || !can_be(tid))
		return task;
	if (!(t->held[tid / 8] & 1U << tid % 8))
		return make(t, (uint32_t)tid, 0);
	task = make(t, (uint32_t)tid, now);
	task->unborn = true;
	return task;
}

/* A thread that executes a program revives its leader: without events of that, nothing follows. */
struct lt_import_task *lt_import_alive(struct lt_import *im, int32_t tid, uint64_t now)
{
	struct lt_import_task *task = lt_import_find(im, tid);

	if (task && task->dead && lt_import_has(im, LT_IMPORT_EXEC))
		forget(&im->tasks, task);
	return lt_import_task(im, tid, now);
}

struct lt_import_task *lt_import_born(struct lt_import *im, int32_t tid, uint64_t now)
{
	struct lt_import_task *task = lt_import_find(im, tid);

	if (!can_be(tid))
		return NULL;
	if (task)
		forget(&im->tasks, task);
	return make(&im->tasks, (uint32_t)tid, now);
}

void lt_import_died(struct lt_import *im, struct lt_import_task *task)
{
	struct lt_import_tasks *t = &im->tasks;
	struct lt_import_task *oldest = lt_import_find(im, (int32_t)t->dead[t->dead_at]);

	if (task->dead)
		return;
	task->dead = true;
	/* It may have been forgotten, and its number may be another task's. */
	if (oldest && oldest->dead && oldest->start == t->dead_start[t->dead_at])
		forget(t, oldest);
	t->dead[t->dead_at] = task->tid;
	t->dead_start[t->dead_at] = task->start;
	t->dead_at = (t->dead_at + 1) % LT_IMPORT_DEAD;
}

void lt_import_set_comm(char to[16], const char *from)
{
	size_t n = strnlen(from, 15);

	memset(to, 0, 16);
	memcpy(to, from, n);
}

/* The idle task of a CPU has the number 0 on each. */
static void run_idle(struct lt_encoder *e)
{
	struct lt_encode_task idle = { .flags = LT_TASK_FLAG_KTHREAD };

	snprintf(idle.comm, sizeof(idle.comm), "swapper/%u", e->cpu);
	lt_encode_run(e, &idle);
}

void lt_import_run(struct lt_import *im, struct lt_encoder *e, const struct lt_import_event *ev)
{
	struct lt_encode_task running = { 0 };
	struct lt_import_task *task;

	if (!ev->pid) {
		run_idle(e);
		return;
	}
	task = lt_import_task(im, ev->pid, ev->time);
	if (!task) {
		lt_encode_run(e, NULL);
		return;
	}
	if (!task->comm_known && ev->comm[0])
		lt_import_set_comm(task->comm, ev->comm);
	running.tid = task->tid;
	running.tgid = task->tgid;
	running.start = task->start;
	memcpy(running.comm, task->comm, sizeof(running.comm));
	lt_encode_run(e, &running);
}
