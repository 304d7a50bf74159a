/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of this room: a piece of text that is read from its begin, and the parser of each format.
 */
#ifndef LT_LOGS_INTERNAL_H
#define LT_LOGS_INTERNAL_H

#include <string.h>

#include "logs/logs.h"

#define LT_LOG_SECOND	1000000000ULL
/* Before this, 2001, seconds are no time since 1970. */
#define LT_LOG_EPOCH	1000000000ULL
/* A daemon stamps a message when it takes it from its socket: so much later, at the most. */
#define LT_LOG_LATE	(2 * LT_LOG_SECOND)
/* Stamps of this clock are those of the last tick, of which there are 100 a second or more. */
#define LT_LOG_TICK	10000000ULL

/* What is left of a line. */
struct lt_text {
	const char *p;
	const char *end;
};

static inline size_t lt_text_left(const struct lt_text *t)
{
	return (size_t)(t->end - t->p);
}

static inline bool lt_text_is(const struct lt_text *t, char c)
{
	return t->p < t->end && *t->p == c;
}

static inline bool lt_text_digit(const struct lt_text *t)
{
	return t->p < t->end && *t->p >= '0' && *t->p <= '9';
}

static inline bool lt_text_skip(struct lt_text *t, char c)
{
	if (!lt_text_is(t, c))
		return false;
	t->p++;
	return true;
}

static inline void lt_text_spaces(struct lt_text *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
		t->p++;
}

static inline bool lt_text_take(struct lt_text *t, const char *word)
{
	size_t n = strlen(word);

	if (lt_text_left(t) < n || memcmp(t->p, word, n))
		return false;
	t->p += n;
	return true;
}

/* A decimal number; false: there is none, or it has more than 19 digits. */
static inline bool lt_text_number(struct lt_text *t, uint64_t *v)
{
	const char *p = t->p, *end = t->end;
	uint64_t n = 0;

	while (p < end && (unsigned char)(*p - '0') < 10)
		n = n * 10 + (unsigned char)(*p++ - '0');
	if (p == t->p || p - t->p > 19)
		return false;
	t->p = p;
	*v = n;
	return true;
}

/* A number of a task, below 2^31 as the kernel's; 0 is the idle task of a CPU. */
static inline bool lt_text_pid(struct lt_text *t, uint32_t *pid)
{
	uint64_t v;

	if (!lt_text_number(t, &v) || v > INT32_MAX)
		return false;
	*pid = (uint32_t)v;
	return true;
}

/* scan.c */

/*
 * The digits behind the point, as ns, and what more digits could add. Without a point, which may be
 * a comma: 0, and a second.
 */
bool lt_text_fraction(struct lt_text *t, uint64_t *ns, uint64_t *span);

/* Seconds with or without a fraction. */
bool lt_text_seconds(struct lt_text *t, uint64_t *ns, uint64_t *span);

/* "15:04:05.678": seconds of the day. */
bool lt_text_clock(struct lt_text *t, unsigned int *seconds, uint64_t *ns, uint64_t *span);

/*
 * "2026-11-29T17:19:21.123456+0000", "…Z", or local time without a zone; sets times, clock and
 * span.
 */
bool lt_log_iso(struct lt_log_parser *p, struct lt_text *t, struct lt_log_line *out);

/* Whether what is left begins with the number of a task in brackets and a colon: "[123]:". */
bool lt_text_bracket(struct lt_text *t, uint32_t *pid);

/* date.c */

/**
 * lt_log_local() - local time to instants
 * @p: has the span in which they should be
 * @year: 0: there is none
 * @month: 1 to 12; 0: there is no date
 * @seconds: of the day; @ns: more
 * Sets times and clock of @out. False: there is no such day.
 */
bool lt_log_local(struct lt_log_parser *p, unsigned int year, unsigned int month, unsigned int day,
		  unsigned int seconds, uint64_t ns, struct lt_log_line *out);

/* Sets the one time of a line. */
static inline void lt_log_at(struct lt_log_line *out, enum lt_log_clock clock, uint64_t ns)
{
	out->clock = clock;
	out->times[0] = ns;
	out->n_times = 1;
}

/* The parsers. @out is all zero. */
typedef enum lt_log_said lt_log_parse_fn(struct lt_log_parser *p, struct lt_text t,
					 struct lt_log_line *out, struct lt_why *why);

lt_log_parse_fn lt_log_strace, lt_log_syslog, lt_log_journal, lt_log_audit, lt_log_perf,
		lt_log_dmesg, lt_log_ftrace, lt_log_json;

/* dmesg.c: the task that a message of the kernel names. */
bool lt_log_kernel_pid(struct lt_text t, struct lt_log_line *out);

#endif /* LT_LOGS_INTERNAL_H */
