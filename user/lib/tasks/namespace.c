// SPDX-License-Identifier: GPL-2.0
/*
 * Pid namespaces, as their records describe them.
 */
#include "base/mem.h"
#include "tasks/internal.h"

static struct lt_task_ns *get_namespace(struct lt_tasks *tb, uint16_t id)
{
	if (id >= tb->n_namespaces)
		tb->namespaces = lt_extend(tb->namespaces, &tb->n_namespaces, (size_t)id + 1,
					   sizeof(*tb->namespaces));
	if (!tb->namespaces[id]) {
		tb->namespaces[id] = lt_alloc(sizeof(struct lt_task_ns));
		tb->namespaces[id]->id = id;
	}
	return tb->namespaces[id];
}

static void take_record(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	struct lt_task_ns *n = get_namespace(tb, ev->ns);

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
	if (ev->id == LT_EV_PID_NS_GONE) {
		n->gone = true;
		return;
	}
	n->parent = (uint16_t)ev->parent;
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
