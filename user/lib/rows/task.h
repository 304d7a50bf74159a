/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows of tasks; the row is a struct lt_task_inst.
 */
#ifndef LT_ROWS_TASK_H
#define LT_ROWS_TASK_H

#include "rows/column.h"
#include "tasks/cgroups.h"
#include "tasks/tasks.h"

/**
 * struct lt_task_ctx - what the getters need
 * @tb: whose row it is
 * @cgroups: paths of cgroups; NULL: none
 * @text: of the latest value
 */
struct lt_task_ctx {
	struct lt_row_ctx common;
	const struct lt_tasks *tb;
	const struct lt_cgroups *cgroups;
	char text[96];
};

extern const struct lt_row_kind lt_rows_of_task;

#endif /* LT_ROWS_TASK_H */
