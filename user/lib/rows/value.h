/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A value of a row that leaves lifetrace.
 */
#ifndef LT_ROWS_VALUE_H
#define LT_ROWS_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum lt_value_type {
	LT_VALUE_NONE,		/* not known */
	LT_VALUE_COUNT,
	LT_VALUE_SIGNED,
	LT_VALUE_BYTES,
	LT_VALUE_NS,		/* a duration */
	LT_VALUE_OVER_NS,	/* a duration that is greater than this; CSV and JSON: not known */
	LT_VALUE_TIME,		/* ns on the trace's clock */
	LT_VALUE_HEX,
	LT_VALUE_RATE,		/* a second */
	LT_VALUE_PERCENT,
	/* Of samples: those that are no finite number are not known. */
	LT_VALUE_NUMBER,
	LT_VALUE_CHANGE,	/* for people with a sign */
	LT_VALUE_SIZE,		/* bytes */
	LT_VALUE_SIZE_CHANGE,
	/* The probability that it is chance; for people marked where small. */
	LT_VALUE_CHANCE,
	LT_VALUE_BOOL,
	LT_VALUE_TEXT,
	LT_VALUE_LIST,		/* texts; "a < b" in CSV and for people */

	/*
	 * Those of the kinds of rows in this folder. What they refer to has a text, which a form
	 * for texts asks for, or a row in a table of its own.
	 */
	LT_VALUE_NAME,		/* a text that somebody else chose: it may have any bytes */
	LT_VALUE_COUNTS,	/* numbers */
	LT_VALUE_INSTANT,	/* ns on the trace's clock, for people from where they choose */
	LT_VALUE_SITE,		/* a call site: an address of code */
	LT_VALUE_FUNCTION,	/* the function of a call site */
	LT_VALUE_CACHE,		/* lt_cache_key() */
	LT_VALUE_GFP,		/* flags of an allocation */
	LT_VALUE_STACK,		/* number of a stack of the trace */
	LT_VALUE_TASK,		/* a task, with the name that it had at a time */
};

/* Whether a form for texts writes a text: of itself, or of what it refers to. A constant. */
#define LT_VALUE_IS_TEXT(type)							\
	((type) == LT_VALUE_TEXT || (type) == LT_VALUE_NAME || (type) == LT_VALUE_LIST ||	\
	 (type) == LT_VALUE_SITE || (type) == LT_VALUE_FUNCTION || (type) == LT_VALUE_CACHE ||	\
	 (type) == LT_VALUE_GFP || (type) == LT_VALUE_STACK)

struct lt_task;

/**
 * struct lt_value - a value
 * @u: of all types but those below
 * @i: SIGNED
 * @d: RATE to CHANCE
 * @text: TEXT, NAME: @len bytes; LIST: with a newline between two of them
 * @counts: COUNTS: @len of them
 * @task: TASK, at the time @u
 */
struct lt_value {
	enum lt_value_type type;
	uint64_t u;
	int64_t i;
	double d;
	const char *text;
	const uint64_t *counts;
	const struct lt_task *task;
	size_t len;
};

static inline void lt_value_u(struct lt_value *v, enum lt_value_type type, uint64_t u)
{
	v->type = type;
	v->u = u;
}

static inline void lt_value_i(struct lt_value *v, int64_t i)
{
	v->type = LT_VALUE_SIGNED;
	v->i = i;
}

static inline void lt_value_d(struct lt_value *v, enum lt_value_type type, double d)
{
	v->type = type;
	v->d = d;
}

static inline void lt_value_text(struct lt_value *v, const char *text, size_t len)
{
	v->type = LT_VALUE_TEXT;
	v->text = text;
	v->len = len;
}

/* A text; NULL: not known. */
static inline void lt_value_str(struct lt_value *v, enum lt_value_type type, const char *text)
{
	if (!text)
		return;
	lt_value_text(v, text, strlen(text));
	v->type = type;
}

static inline void lt_value_counts(struct lt_value *v, const uint64_t *counts, size_t n)
{
	v->type = LT_VALUE_COUNTS;
	v->counts = counts;
	v->len = n;
}

static inline void lt_value_task(struct lt_value *v, const struct lt_task *task, uint64_t time)
{
	if (!task)
		return;
	v->type = LT_VALUE_TASK;
	v->task = task;
	v->u = time;
}

#endif /* LT_ROWS_VALUE_H */
