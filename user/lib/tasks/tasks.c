// SPDX-License-Identifier: GPL-2.0
/*
 * Events in: each goes to the file that takes it in.
 */
#include "tasks/internal.h"

void lt_tasks_event(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	tb->now = ev->time;
	switch (ev->id) {
	case LT_EV_TASK_NEW:
		lt_task_on_new(tb, ev);
		break;
	case LT_EV_TASK_NUMBER:
		lt_task_subject(tb, ev, ev->tid, 0, ev->start, true);
		break;
	case LT_EV_NUMBER_REUSED:
		lt_task_on_reused(tb, ev);
		break;
	case LT_EV_EXEC:
		lt_task_on_exec(tb, ev);
		break;
	case LT_EV_EXIT:
		lt_task_on_exit(tb, ev);
		break;
	case LT_EV_RELEASE:
		lt_task_on_release(tb, ev);
		break;
	case LT_EV_SNAP_BEGIN:
	case LT_EV_STATE:
	case LT_EV_SNAP_END:
		lt_task_on_snapshot(tb, ev);
		break;
	case LT_EV_WRAP:
	case LT_EV_PID_NS:
	case LT_EV_PID_NS_GONE:
		lt_task_namespace_event(tb, ev);
		lt_tasks_notify(tb, LT_NOTICE_OTHER, ev, 0, 0);
		break;
	default:
		lt_task_on_change(tb, ev);
	}
}
