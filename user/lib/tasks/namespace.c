// SPDX-License-Identifier: GPL-2.0
/*
 * Pid namespaces, as their records describe them. An id may be announced again for another one
 * when its namespace is gone: the reader gives each a number of its own.
 */
#include "base/mem.h"
#include "tasks/internal.h"

/* Numbers of namespaces whose id has meant another one before. */
#define FIRST_LATER	(UINT16_MAX + 1U)
#define MOST_LATER	((1U << LT_TASK_NS_BITS) - FIRST_LATER)
#define NO_NUMBER	UINT32_MAX	/* there are more */

static struct lt_task_ns *get_namespace(struct lt_tasks *tb, uint32_t number, uint16_t id)
{
	if (number >= tb->n_namespaces)
		tb->namespaces = lt_extend(tb->namespaces, &tb->n_namespaces,
					   number + (number < FIRST_LATER ? 1U : 1024U),
					   sizeof(*tb->namespaces));
	if (!tb->namespaces[number]) {
		tb->namespaces[number] = lt_alloc(sizeof(struct lt_task_ns));
		tb->namespaces[number]->id = id;
		tb->namespaces[number]->number = number;
	}
	return tb->namespaces[number];
}

uint32_t lt_tasks_ns_now(const struct lt_tasks *tb, uint16_t id)
{
	uint32_t number = id < tb->n_ns_now ? tb->ns_now[id] : 0;

	return number == NO_NUMBER ? 0 : number ? number : id;
}

/* Whether a record announces another namespace than the one that the id has meant so far. */
static bool is_another(const struct lt_task_ns *n, const struct lt_task_event *ev)
{
	if (ev->id != LT_EV_PID_NS)
		return false;
	if (n->gone)
		return true;
	/* The record of its end may be lost. */
	return n->announced && (n->inum != ev->inum || n->ns_id != ev->ns_id ||
				n->level != ev->level);
}

static struct lt_task_ns *namespace_of(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	struct lt_task_ns *n = get_namespace(tb, lt_tasks_ns_now(tb, ev->ns), ev->ns);

	if (!n->number || !is_another(n, ev))
		return n;
	if (ev->ns >= tb->n_ns_now)
		tb->ns_now = lt_extend(tb->ns_now, &tb->n_ns_now, ev->ns + 1U, sizeof(*tb->ns_now));
	tb->ns_now[ev->ns] = tb->n_later_ns < MOST_LATER ? FIRST_LATER + tb->n_later_ns++ :
							  NO_NUMBER;
	return get_namespace(tb, lt_tasks_ns_now(tb, ev->ns), ev->ns);
}

static void take_record(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	struct lt_task_ns *n = namespace_of(tb, ev);

	n->generation = ev->generation;
	if (ev->id == LT_EV_WRAP) {
		tb->totals.wraps++;
		tb->totals.cursor_wraps += ev->why == LT_WRAP_CURSOR;
		return;
	}
	n->wraps = ev->wraps;
	n->allocated = ev->allocated;
	n->born = ev->born;
	n->burned = ev->burned;
	n->untracked = ev->untracked;
	if (ev->id == LT_EV_PID_NS_GONE) {
		n->gone = true;
		return;
	}
	n->announced = true;
	n->parent = lt_tasks_ns_now(tb, (uint16_t)ev->parent);
	n->ns_id = ev->ns_id;
	n->level = ev->level;
	n->exact = ev->exact;
	n->inum = ev->inum;
	n->init_tid = ev->init_tid;
	n->init_start = ev->init_start;
}

void lt_on_namespace(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	if (ev->ns)
		take_record(tb, ev);
	lt_tasks_notify(tb, LT_NOTICE_OTHER, ev, 0, 0);
}
