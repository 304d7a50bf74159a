/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the tool ends, and how its messages and those of the library reach the user.
 */
#ifndef LT_OUT_LOG_H
#define LT_OUT_LOG_H

#include <stdio.h>

#include "base/log.h"

enum lt_exit {
	LT_EXIT_OK = 0,
	LT_EXIT_NO = 1,		/* the answer is "no": verify failed, … */
	LT_EXIT_BAD = 2,	/* wrong usage or unusable input */
};

/*
 * From here on each message is one line on stderr, with "lifetrace: " in front, and
 * lt_fatal() ends the program with LT_EXIT_BAD. A note that names an offset of a file is printed
 * once, until this is called again.
 */
void lt_log_to_stderr(void);

/* Messages go there, for a library writes what it likes to stderr. */
void lt_log_to(FILE *file);

/* Reports an error and ends the program with LT_EXIT_BAD. */
void lt_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* LT_OUT_LOG_H */
