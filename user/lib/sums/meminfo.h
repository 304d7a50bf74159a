/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What /proc/meminfo said when the slab counters were read, at the start and at the end.
 */
#ifndef LT_SUMS_MEMINFO_H
#define LT_SUMS_MEMINFO_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define LT_MEMINFO_MAX	200	/* lines of a reading; more are not taken */

/**
 * struct lt_meminfo_row - a line that both readings have
 * @name: as in /proc/meminfo, without the colon
 * @bytes: at the start and at the end
 */
struct lt_meminfo_row {
	char name[64];
	uint64_t bytes[2];
};

/**
 * lt_meminfo_read() - read both readings
 * @rows: gets the rows, in the order of the first reading; to be freed
 * Return: their number; 0: the trace does not have both readings.
 */
size_t lt_meminfo_read(const struct lt_trace *t, struct lt_meminfo_row **rows);

#endif /* LT_SUMS_MEMINFO_H */
