// SPDX-License-Identifier: GPL-2.0
/*
 * The proofs about tasks, for a trace file.
 */
#include "tasks/read.h"
#include "trace/trace.h"
#include "verify/tasks.h"

int lt_task_verify(const char *path, struct lt_task_verdict *v)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_task_checker *c;
	struct lt_task_table *tb;
	char why[256];
	int ret = 0;

	if (!t)
		return -1;
	if (lt_trace_has_channel(t, LT_CHANNEL_PID)) {
		tb = lt_task_table_for(t, false);
		c = lt_task_checker_new(tb);
		ret = lt_task_read(t, tb);
		lt_task_checker_finish(c, lt_task_unwatched(t, why, sizeof(why)), v);
	} else {
		tb = lt_task_table_new(NULL);
		c = lt_task_checker_new(tb);
		lt_task_checker_finish(c, "the channel pid was not recorded", v);
	}
	if (ret)
		lt_task_verdict_release(v);
	lt_task_table_free(tb);
	lt_trace_close(t);
	return ret;
}
