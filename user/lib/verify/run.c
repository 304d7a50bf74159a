// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The proofs about tasks, run over a trace file.
 */
#include "tasks/read.h"
#include "trace/trace.h"
#include "verify/tasks.h"

int lt_verify_tasks(const char *path, struct lt_task_proofs *v)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_task_checker *c;
	struct lt_tasks *tb;
	char why[256];
	int ret = 0;

	if (!t)
		return -1;
	if (lt_trace_has_channel(t, LT_CHANNEL_PID)) {
		tb = lt_tasks_for(t, false);
		c = lt_task_checker_new(tb);
		ret = lt_tasks_read(t, tb);
		lt_task_checker_finish(c, lt_tasks_unwatched(t, why, sizeof(why)), v);
	} else {
		tb = lt_tasks_new(NULL);
		c = lt_task_checker_new(tb);
		lt_task_checker_finish(c, "the channel pid was not recorded", v);
	}
	if (ret)
		lt_task_proofs_destroy(v);
	lt_tasks_free(tb);
	lt_trace_close(t);
	return ret;
}
