// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The reason why an operation failed, as a sentence for the user.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/why.h"

void lt_why_set(struct lt_why *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
}
