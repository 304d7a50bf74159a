/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_MEMORY_H
#define LT_PRINT_MEMORY_H

#include "forms/table.h"
#include "sums/report.h"

/**
 * lt_memory_print() - print what the trace explains of the kernel's own figures of memory
 * @r: a report on all slab objects
 * @areas: reports on the spaces of vmalloc, of per-CPU memory and of pages, by space; NULL: it
 *	was not recorded
 * @sort: the column that the rows of /proc/meminfo are sorted by; NULL: in the kernel's order
 * @format: of CSV the rows of /proc/meminfo and of kinds of pages alone
 * Return: 0, or -1 after reporting why there is nothing to compare.
 */
int lt_memory_print(struct lt_report *r, struct lt_report *const areas[LT_N_MEMORY],
		    const char *file, enum lt_format format, const struct lt_column *sort,
		    struct lt_out *out);

/* The column that --sort means; NULL after reporting that there is none. */
const struct lt_column *lt_memory_sort(const char *name);

#endif /* LT_PRINT_MEMORY_H */
