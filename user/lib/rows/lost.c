// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What was lost during a lifetime, as text.
 */
#include <stdio.h>

#include "rows/lost.h"

const char *lt_lost_text(const struct lt_gap *gap, const char *time, char *buf, size_t size)
{
	char where[32] = "";

	if (gap->cpu != LT_ANY_CPU)
		snprintf(where, sizeof(where), " on cpu %u", gap->cpu);
	if (lt_lost_at(gap) == UINT64_MAX)
		snprintf(buf, size, "lost%s at an unknown time", where);
	else
		snprintf(buf, size, "lost%s %s %s", where, gap->begin ? "at" : "before", time);
	return buf;
}
