/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of the library, and what happens when it cannot continue.
 *
 * The library never prints and never ends the program. A program installs two functions,
 * before its first other call of the library: one that receives the messages, and one that
 * ends the program when the library cannot continue. Both are process-wide; a thread can have its
 * messages go elsewhere meanwhile.
 */
#ifndef LT_BASE_LOG_H
#define LT_BASE_LOG_H

#include <stdarg.h>

/* A message has at most LT_LOG_SIZE - 1 bytes; a longer one is cut. */
#define LT_LOG_SIZE	1024

enum lt_log_level {
	LT_LOG_ERROR,		/* the operation fails */
	LT_LOG_WARNING,		/* the operation goes on, with the limitation described */
};

/*
 * @text is one line without a newline. It may contain names that come from a trace, with any
 * bytes: a function that prints to a terminal must escape them, for example by
 * lt_escape_text().
 */
typedef void lt_log_fn(void *arg, enum lt_log_level level, const char *text);

/* Installs the function that receives messages; NULL, the default: they are dropped. */
void lt_set_log(lt_log_fn *fn, void *arg);

/* Who receives the messages of one thread; @fn NULL: the function of lt_set_log(). */
struct lt_log_to {
	lt_log_fn *fn;
	void *arg;
};

/* Messages of this thread go there from now on. Return: where they went before. */
struct lt_log_to lt_log_divert(struct lt_log_to to);

void lt_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void lt_verror(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
void lt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Installs the function that lt_fatal() calls after the message; it must not return.
 * NULL, the default: abort().
 */
void lt_set_fatal(void (*fn)(void));

/**
 * lt_fatal() - report that the library cannot continue, and end the program
 *
 * This is for two cases only: memory is exhausted, and a table would need a number that has
 * more than 32 bits (4 billion live objects, names, ...). Neither case can be handled by a
 * caller. Both can occur in the middle of any event, when the tables do not agree with each
 * other, and an answer that leaves out an event would be wrong without showing it. A status
 * that each of some hundred callers had to pass on would be tested by nobody.
 */
void lt_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* LT_BASE_LOG_H */
