/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_MEMORY_H
#define LT_PRINT_MEMORY_H

#include "forms/columns.h"
#include "sums/report.h"

extern const struct lt_row_kind lt_rows_of_memory;

/**
 * lt_memory_print() - print what the trace explains of the kernel's own figures of memory
 * @r: a report on all slab objects
 * @areas: reports on the spaces of vmalloc, of per-CPU memory and of pages, by space; NULL: it
 *	was not recorded
 * @sort: the column that the rows of /proc/meminfo are sorted by; NULL: in the kernel's order
 * @columns: of --columns: text is a table of them, too; NULL: those of the format
 * @format: of CSV the rows of /proc/meminfo and of kinds of pages alone
 * Return: 0, or -1 after reporting why there is nothing to compare.
 */
int lt_memory_print(struct lt_report *r, struct lt_report *const areas[LT_N_MEMORY],
		    const char *file, enum lt_format format, const struct lt_column *sort,
		    const char *columns, struct lt_out *out);

#endif /* LT_PRINT_MEMORY_H */
