// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of certainties.
 */
#include "base/certainty.h"

const char *lt_certainty_name(enum lt_certainty c)
{
	static const char *const names[] = {
		[LT_EXACT] = "exact", [LT_OPEN] = "open", [LT_BEFORE] = "before",
		[LT_BOUNDED] = "bounded", [LT_UNCERTAIN] = "uncertain",
	};

	return c < LT_N_CERTAINTIES ? names[c] : "?";
}
