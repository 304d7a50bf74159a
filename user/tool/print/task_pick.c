// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks are to be printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/quantity.h"
#include "print/task_pick.h"
#include "tasks/tree.h"

bool lt_task_pick_is_empty(const struct lt_task_pick *p)
{
	return !p->name && !p->from && !p->to;
}

static bool is_name(const struct lt_tasks *tb, uint32_t id, const char *name, bool path)
{
	size_t len, n = strlen(name);
	const char *s = lt_tasks_name(tb, id, &len);
	const char *slash = path ? memrchr(s, '/', len) : NULL;

	if (len == n && !memcmp(s, name, n))
		return true;
	if (!slash)
		return false;
	slash++;
	len -= (size_t)(slash - s);
	return len == n && !memcmp(slash, name, n);
}

bool lt_task_is_called(const struct lt_tasks *tb, const struct lt_task_inst *t, const char *name)
{
	size_t digits = strspn(name, "0123456789");

	if (digits && !name[digits])
		return t->tid == strtoull(name, NULL, 10);
	return (t->comm && is_name(tb, t->comm, name, false)) ||
	       (t->file && is_name(tb, t->file, name, true));
}

bool lt_task_is_picked(const struct lt_tasks *tb, const struct lt_task_inst *t,
		       const struct lt_task_pick *p)
{
	if (p->name && !lt_task_is_called(tb, t, p->name))
		return false;
	if (p->to && lt_task_begin_time(tb, t) >= (int64_t)p->to)
		return false;
	/* One without an end may have lived on. */
	return !lt_task_ended(t) || t->end >= p->from;
}

int lt_task_check_name(const struct lt_tasks *tb, const char *file, const char *option,
		       const char *name)
{
	struct lt_nearest nearest;
	char hint[2 * LT_NEAREST_SIZE];

	lt_nearest_init(&nearest, name);
	for (uint32_t i = 1; i <= lt_tasks_count(tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, i);
		size_t len;
		const char *comm = lt_tasks_name(tb, t->comm, &len);
		char text[64];

		if (lt_task_is_called(tb, t, name))
			return 0;
		snprintf(text, sizeof(text), "%.*s", (int)len, comm);
		lt_nearest_try(&nearest, text);
	}
	lt_error("%s: --%s: there is no task '%s'%s", file, option, name,
		 lt_nearest_hint(&nearest, "", hint, sizeof(hint)));
	return -1;
}
