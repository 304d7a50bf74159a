// SPDX-License-Identifier: GPL-2.0
/*
 * How the tool ends, and how its messages and those of the library reach the user.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "out/log.h"
#include "out/progress.h"

#define NOTES	64U	/* that are remembered */

static FILE *messages;	/* NULL: stderr */

/* Notes that were printed, the last ones. */
static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;
static char *said[NOTES];
static size_t n_said;

/*
 * Commands open a trace more than once. What is noted at an offset of a file is said once.
 * Return: whether it was said before.
 */
static bool is_repeated(const char *text)
{
	bool found = false;

	if (!strstr(text, ": offset "))
		return false;
	pthread_mutex_lock(&said_lock);
	for (size_t i = 0; i < NOTES && said[i] && !found; i++)
		found = !strcmp(said[i], text);
	if (!found) {
		free(said[n_said % NOTES]);
		said[n_said++ % NOTES] = lt_strdup(text);
	}
	pthread_mutex_unlock(&said_lock);
	return found;
}

static void print_message(void *arg, enum lt_log_level level, const char *text)
{
	char safe[LT_ESCAPED_SIZE(LT_LOG_SIZE)];

	(void)arg;
	if (level == LT_LOG_WARNING && is_repeated(text))
		return;
	/* Names out of a trace may stand in a message; a terminal must not obey them. */
	lt_escape_text(text, safe);
	/* Output that was printed before the error also appears before it. */
	fflush(stdout);
	lt_progress_erase();
	fprintf(messages ? messages : stderr, "lifetrace: %s%s\n",
		level == LT_LOG_WARNING ? "note: " : "", safe);
}

static void end_badly(void)
{
	exit(LT_EXIT_BAD);
}

static void forget_said(void)
{
	pthread_mutex_lock(&said_lock);
	for (size_t i = 0; i < NOTES; i++) {
		free(said[i]);
		said[i] = NULL;
	}
	n_said = 0;
	pthread_mutex_unlock(&said_lock);
}

void lt_log_to_stderr(void)
{
	forget_said();
	lt_set_log(print_message, NULL);
	lt_set_fatal(end_badly);
}

void lt_log_to(FILE *file)
{
	messages = file;
}

void lt_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	lt_verror(fmt, ap);
	va_end(ap);
	exit(LT_EXIT_BAD);
}
