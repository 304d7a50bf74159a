// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events in: each goes to the file that takes it in.
 */
#include "tasks/internal.h"

void lt_tasks_event(struct lt_tasks *tb, const struct lt_task_event *ev)
{
	tb->now = ev->time;
	switch (ev->id) {
	case LT_EV_TASK_NEW:
		lt_on_task_new(tb, ev);
		break;
	case LT_EV_TASK_NUMBER:
		lt_life_see(tb, ev, ev->tid, 0, ev->start, true);
		break;
	case LT_EV_NUMBER_REUSED:
		lt_on_number_reused(tb, ev);
		break;
	case LT_EV_EXEC:
		lt_on_exec(tb, ev);
		break;
	case LT_EV_EXIT:
		lt_on_exit(tb, ev);
		break;
	case LT_EV_RELEASE:
		lt_on_release(tb, ev);
		break;
	case LT_EV_COUNTER:
		lt_on_counter(tb, ev);
		break;
	case LT_EV_SNAP_BEGIN:
	case LT_EV_STATE:
	case LT_EV_SNAP_END:
		lt_on_snapshot(tb, ev);
		break;
	case LT_EV_WRAP:
	case LT_EV_PID_NS:
	case LT_EV_PID_NS_GONE:
		lt_on_namespace(tb, ev);
		break;
	default:
		lt_on_change(tb, ev);
	}
}
