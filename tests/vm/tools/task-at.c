// SPDX-License-Identifier: GPL-2.0
/*
 * usage: task-at FILE
 *
 * What the reader's library says of tasks at moments of a trace. Questions are
 * lines "TID START TIME" on the standard input; each is answered by a line of
 * JSON: whether the task is there, and of each attribute its value, or null where
 * it is not known for certain.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tasks/read.h"
#include "tasks/tasks.h"
#include "trace/trace.h"

static struct lt_tasks *read_trace(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_tasks *table = t ? lt_tasks_for(t, true) : NULL;

	if (!table || lt_tasks_read(t, table))
		exit(2);
	lt_trace_close(t);
	return table;
}

static void print_text(const char *text, size_t len)
{
	putchar('"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c > 0x7e || c == '"' || c == '\\')
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_value(const struct lt_tasks *table, enum lt_task_attr a,
			const struct lt_task_value *v)
{
	const struct lt_task_inst *parent;
	const char *text;
	size_t len;

	switch (a) {
	case LT_ATTR_COMM:
	case LT_ATTR_FILE:
		text = lt_tasks_name(table, (uint32_t)v->u, &len);
		print_text(text, len);
		break;
	case LT_ATTR_OOM:
		printf("%" PRId64, v->i);
		break;
	case LT_ATTR_PARENT:
		parent = v->u ? lt_tasks_get(table, (uint32_t)v->u) : NULL;
		if (parent)
			printf("[%" PRIu32 ", %" PRIu64 "]", parent->tid, parent->start);
		else
			printf("null");
		break;
	default:
		printf("%" PRIu64, v->u);
	}
}

/* Between the last sight of it and an end that was not seen nobody knows. */
static const char *is_there(const struct lt_task_inst *t, uint64_t time)
{
	if (!t || !(t->marks & LT_TASK_MARK_SEEN) || time < t->start ||
	    (t->marks & LT_TASK_MARK_BORN && time < t->birth))
		return "false";
	if (!lt_task_ended(t))
		return "true";
	if (time >= t->end)
		return "false";
	/* A snapshot that finds it dead says nothing of the time before. */
	if (t->ending == LT_TASK_END_FOUND_EXITING)
		return "null";
	return t->death_is == LT_EXACT || time <= lt_task_last_seen(t) ? "true" : "null";
}

static void answer(const struct lt_tasks *table, uint32_t tid, uint64_t start, uint64_t time)
{
	uint32_t inst = lt_tasks_find(table, tid, start);
	const struct lt_task_inst *t = inst ? lt_tasks_get(table, inst) : NULL;

	printf("{\"there\": %s", is_there(t, time));
	for (int a = 0; t && a < LT_N_TASK_ATTRS; a++) {
		struct lt_task_value v = lt_tasks_at(table, inst, (enum lt_task_attr)a, time);

		printf(", \"%s\": ", lt_task_attr_name((enum lt_task_attr)a));
		if (v.known && v.certain)
			print_value(table, (enum lt_task_attr)a, &v);
		else
			printf("null");
	}
	printf("}\n");
}

int main(int argc, char **argv)
{
	struct lt_tasks *table;
	uint64_t start, time;
	uint32_t tid;

	if (argc != 2) {
		fprintf(stderr, "usage: task-at FILE <QUESTIONS\n");
		return 2;
	}
	table = read_trace(argv[1]);
	while (scanf("%" SCNu32 " %" SCNu64 " %" SCNu64, &tid, &start, &time) == 3)
		answer(table, tid, start, time);
	lt_tasks_free(table);
	return ferror(stdin) || !feof(stdin) ? 2 : 0;
}
