/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks as the text that wspy --tree writes, for the programs that read it (proctree).
 */
#ifndef LT_PRINT_WSPY_H
#define LT_PRINT_WSPY_H

#include "base/out.h"
#include "tasks/tree.h"
#include "trace/trace.h"

struct lt_wspy;

struct lt_wspy *lt_wspy_new(const struct lt_task_tree *tree, const struct lt_trace *t);

/* Adds a task; @arg is the struct. */
void lt_wspy_add(void *arg, uint32_t inst);

/* Prints the tasks that were added. */
void lt_wspy_print(struct lt_wspy *w, struct lt_out *out);
void lt_wspy_free(struct lt_wspy *w);

#endif /* LT_PRINT_WSPY_H */
