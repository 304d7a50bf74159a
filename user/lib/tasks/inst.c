// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of endings and attributes, as they are printed.
 */
#include "tasks/inst.h"

const char *lt_task_ending_name(enum lt_task_ending e)
{
	static const char *const names[] = {
		[LT_TASK_END_ALIVE] = "alive", [LT_TASK_END_EXITED] = "exit",
		[LT_TASK_END_BECAME_LEADER] = "became_leader",
		[LT_TASK_END_RELEASED] = "released",
		[LT_TASK_END_NUMBER_REUSED] = "number_reused",
		[LT_TASK_END_GROUP_DEAD] = "group_dead",
		[LT_TASK_END_MISSING] = "missing",
		[LT_TASK_END_FOUND_EXITING] = "found_exiting",
	};

	return e < LT_N_TASK_ENDINGS ? names[e] : "?";
}

const char *lt_task_attr_name(enum lt_task_attr a)
{
	static const char *const names[] = {
		[LT_ATTR_COMM] = "comm", [LT_ATTR_OOM] = "oom_score_adj", [LT_ATTR_UID] = "uid",
		[LT_ATTR_GID] = "gid", [LT_ATTR_CGROUP] = "cgroup", [LT_ATTR_FILE] = "file",
		[LT_ATTR_PARENT] = "parent",
	};

	return a < LT_N_TASK_ATTRS ? names[a] : "?";
}
