// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages of the library, and what happens when it cannot continue.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

static lt_log_fn *log_fn;
static void *log_arg;
static void (*fatal_fn)(void);
static _Thread_local struct lt_log_to diverted;

void lt_set_log(lt_log_fn *fn, void *arg)
{
	log_fn = fn;
	log_arg = arg;
}

struct lt_log_to lt_log_divert(struct lt_log_to to)
{
	struct lt_log_to before = diverted;

	diverted = to;
	return before;
}

void lt_set_fatal(void (*fn)(void))
{
	fatal_fn = fn;
}

static void __attribute__((format(printf, 2, 0)))
message(enum lt_log_level level, const char *fmt, va_list ap)
{
	struct lt_log_to to = diverted.fn ? diverted : (struct lt_log_to){ log_fn, log_arg };
	char text[LT_LOG_SIZE];

	if (!to.fn)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	to.fn(to.arg, level, text);
}

void lt_verror(const char *fmt, va_list ap)
{
	message(LT_LOG_ERROR, fmt, ap);
}

void lt_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(LT_LOG_ERROR, fmt, ap);
	va_end(ap);
}

void lt_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(LT_LOG_WARNING, fmt, ap);
	va_end(ap);
}

void lt_fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(LT_LOG_ERROR, fmt, ap);
	va_end(ap);
	if (fatal_fn)
		fatal_fn();
	abort();
}
