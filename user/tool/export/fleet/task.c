// SPDX-License-Identifier: GPL-2.0
/*
 * The table task: a row for each, with the columns of `tasks --csv`.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/fleet/fleet.h"
#include "print/tasks.h"

static const struct lt_rows_column first[] = {
	{ "session", LT_ROWS_TEXT, false }, { "boot_id", LT_ROWS_TEXT, false },
	{ "kernel", LT_ROWS_TEXT, false }, { "machine", LT_ROWS_TEXT, false },
	{ "minute", LT_ROWS_INT, false },
};

#define N_FIRST		(sizeof(first) / sizeof(first[0]))

static bool is_text(const char *column)
{
	static const char *const texts[] = {
		"kind", "birth_comm", "comm", "first_file", "file", "birth_certainty",
		"end_certainty", "ended_by", "cgroup_path", "birth_why", "end_why",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!strcmp(column, texts[i]))
			return true;
	}
	return false;
}

void lt_fleet_begin_tasks(struct lt_fleet *f)
{
	const char *name;
	size_t n = N_FIRST;

	memcpy(f->task_columns, first, sizeof(first));
	for (size_t i = 0; (name = lt_tasks_column(i)) && n < LT_FLEET_COLUMNS; i++) {
		f->task_columns[n++] = (struct lt_rows_column){
			.name = name, .type = is_text(name) ? LT_ROWS_TEXT : LT_ROWS_INT,
			.optional = true,
		};
	}
	f->tasks = (struct lt_rows_table){ "task", f->task_columns, n };
}

static void put_value(void *fleet, const struct lt_value *v)
{
	struct lt_fleet *f = fleet;
	char *text;

	switch (v->type) {
	case LT_VALUE_NONE:
		lt_rows_null(f->rows);
		break;
	case LT_VALUE_SIGNED:
		lt_rows_int(f->rows, v->i);
		break;
	case LT_VALUE_TEXT:
		text = lt_strndup(v->text, v->len);
		lt_fleet_name(f, text);
		free(text);
		break;
	default:
		lt_rows_count(f->rows, v->u);
	}
}

int lt_fleet_put_task(struct lt_fleet *f, const struct lt_task_inst *t)
{
	struct lt_tasks_view view = {
		.tb = f->e->tasks, .names = f->cgroups, .times = LT_TIMES_OF_CLOCK,
	};
	uint64_t minute = lt_minute_of(f->e->trace, t->end);

	if (lt_fleet_row(f, &f->tasks, minute))
		return -1;
	lt_rows_count(f->rows, minute * 60);
	lt_tasks_values(&view, t, put_value, f);
	return lt_rows_end(f->rows);
}
