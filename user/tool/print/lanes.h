/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks over time as a picture (SVG): each a bar from its birth to its end, in the first lane that
 * is free, coloured by its program; below them the memory that was alive.
 */
#ifndef LT_PRINT_LANES_H
#define LT_PRINT_LANES_H

#include "base/out.h"
#include "print/times.h"
#include "sums/series.h"
#include "tasks/tasks.h"

struct lt_lanes;

#define LT_LANES_POINTS	1180U	/* of the memory: one for each point of the picture */

struct lt_lanes *lt_lanes_new(const struct lt_tasks *tb, const struct lt_trace *t);

/* Adds a task; @arg is the struct. */
void lt_lanes_add(void *arg, uint32_t inst);

/**
 * lt_lanes_print() - print the picture, of the tasks that were added
 * @times: of the trace
 * @memory: LT_LANES_POINTS parts; NULL: it was not recorded
 * @in_page: it stands in a page, and is no file of its own
 */
void lt_lanes_print(struct lt_lanes *l, struct lt_out *out, const struct lt_times *times,
		    const struct lt_series *memory, bool in_page);
void lt_lanes_free(struct lt_lanes *l);

#endif /* LT_PRINT_LANES_H */
