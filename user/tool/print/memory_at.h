/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_PRINT_MEMORY_AT_H
#define LT_PRINT_MEMORY_AT_H

#include "forms/columns.h"
#include "print/times.h"
#include "sums/report.h"

extern const struct lt_row_kind lt_rows_of_memory_at;

/**
 * lt_memory_at() - print what was alive at a time, by kind of memory
 * @reports: as of that time, by space; NULL: it was not recorded. At least one is there.
 * @file: name of the trace
 * @names: of --columns; NULL: all
 */
void lt_memory_at(struct lt_report *const reports[LT_N_MEMORY], const char *file,
		  const struct lt_times *times, uint64_t at, enum lt_format format,
		  const char *names, struct lt_out *out);

#endif /* LT_PRINT_MEMORY_AT_H */
