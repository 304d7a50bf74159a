/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was lost during a lifetime, as text.
 */
#ifndef LT_ROWS_LOST_H
#define LT_ROWS_LOST_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/**
 * lt_lost_text() - "lost on cpu 1 at 3.200000000 s"
 * @gap: cpu, begin and end are used
 * @time: the text of lt_lost_at(), with its unit
 * Return: @buf.
 */
const char *lt_lost_text(const struct lt_gap *gap, const char *time, char *buf, size_t size);

/* The time that the text names; UINT64_MAX: none is known. */
static inline uint64_t lt_lost_at(const struct lt_gap *gap)
{
	return gap->begin ? gap->begin : gap->end;
}

#endif /* LT_ROWS_LOST_H */
