// SPDX-License-Identifier: GPL-2.0
/*
 * The sentence about what the tracer itself did, which answers leave out.
 */
#include <stdio.h>

#include "out/units.h"
#include "print/self.h"

const char *lt_self_text(uint64_t n, const char *what, char *buf, size_t size)
{
	char count[LT_HUMAN];

	snprintf(buf, size, "%s %s%s made by lifetrace itself %s left out (--self includes %s)",
		 lt_human_count(n, count, sizeof(count)), what, n == 1 ? "" : "s",
		 n == 1 ? "is" : "are", n == 1 ? "it" : "them");
	return buf;
}
