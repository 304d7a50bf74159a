// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pid namespaces, as their records describe them.
 */
#include "base/mem.h"
#include "tasks/internal.h"

static struct lt_task_ns *get_namespace(struct lt_tasks *tb, uint32_t number, uint16_t id)
{
	if (number >= tb->n_namespaces)
		tb->namespaces = lt_extend(tb->namespaces, &tb->n_namespaces,
					   number + (number < LT_FIRST_LATER_NS ? 1U : 1024U),
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
	return lt_ns_number_now(&tb->ns_numbers, id);
}

static struct lt_task_ns *namespace_of(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	if (ev->id == LT_EV_PID_NS)
		lt_ns_number_announce(&tb->ns_numbers, ev->ns,
				      &(struct lt_ns_identity){ .ns_id = ev->ns_id,
								.inum = ev->inum,
								.level = ev->level });
	else if (ev->id == LT_EV_PID_NS_GONE)
		lt_ns_number_gone(&tb->ns_numbers, ev->ns);
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
