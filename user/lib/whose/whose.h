/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which task of a trace a line of another tool's record means.
 *
 * A line has a number and a time. The time is that of some clock, has so many digits, and may be
 * late: so it is a span, or several, of the trace's clock. If one task alone may have had the
 * number in it, and no other one can be missing in the trace, the line means that task. Otherwise
 * it is undecided; it is never a guess.
 */
#ifndef LT_WHOSE_WHOSE_H
#define LT_WHOSE_WHOSE_H

#include "tasks/holders.h"
#include "trace/trace.h"
#include "whose/when.h"

/* Why a line is undecided. */
enum lt_whose_doubt {
	LT_WHOSE_DECIDED,
	LT_WHOSE_OWNERS,	/* the number had several owners in this time */
	LT_WHOSE_NOBODY,	/* no task of the trace had the number in this time */
	LT_WHOSE_LOST,		/* another owner may be lost */
	LT_WHOSE_BEFORE,	/* the time, or a part of it, is before the trace */
	LT_WHOSE_AFTER,
	LT_WHOSE_CLOCK,		/* the clock was set: it never showed this time, or too often */
	LT_WHOSE_DATE,		/* the line has none, and the trace is of many days */
	LT_WHOSE_NAME,		/* the owner never had the name that the line has */
	LT_WHOSE_HOST,		/* the line is of another machine */
	LT_WHOSE_UNREAD,	/* the number or the time in the line cannot be read */
	LT_N_WHOSE_DOUBTS,
};

/* The word of it, and for people. */
const char *lt_whose_doubt_name(enum lt_whose_doubt d);
const char *lt_whose_doubt_text(enum lt_whose_doubt d);

#define LT_WHOSE_CANDIDATES	8

/**
 * struct lt_whose_answer - what a line means
 * @doubt: why it is undecided
 * @span: the time of the line on the trace's clock; all of it, if it is several spans; @known
 * @inst: candidates, @n of them; the task itself if it is decided
 * @more: there are more candidates
 */
struct lt_whose_answer {
	enum lt_whose_doubt doubt;
	bool known;
	bool more;
	struct lt_span span;
	uint32_t inst[LT_WHOSE_CANDIDATES];
	unsigned int n;
};

/**
 * struct lt_whose_options - how times are taken
 * @clock: of the times; LT_N_LOG_CLOCKS: what the format has
 * @late: ns by which times are late, at the most; UINT64_MAX: what the format has
 * @uncertain: ns by which the clock may be wrong; UINT64_MAX: what is known of it
 */
struct lt_whose_options {
	enum lt_log_clock clock;
	uint64_t late;
	uint64_t uncertain;
};

struct lt_whose;

/**
 * lt_whose_new() - prepare answers
 * @t: read to its end
 * @tb: its tasks, finished and with histories; must stay
 */
struct lt_whose *lt_whose_new(const struct lt_trace *t, const struct lt_tasks *tb,
			      const struct lt_whose_options *o);
void lt_whose_free(struct lt_whose *w);

/* Whether times of a clock can be converted: the trace has readings of it. */
bool lt_whose_has_clock(const struct lt_whose *w, enum lt_log_clock clock);

void lt_whose_find(const struct lt_whose *w, const struct lt_log_line *line,
		   struct lt_whose_answer *a);

/* Of a line that cannot be read. */
void lt_whose_unread(struct lt_whose_answer *a);

/**
 * struct lt_whose_task - what is known of a task in a time
 * @inst: the task
 * @comm, @file: numbers of names; 0: not known, or it changed in that time
 * @parent: an instance, 0: not known
 * @cgroup: its id, 0: not known
 * @until: all this holds until then, in spans that begin as this one or later; but a parent may
 *	become known earlier
 */
struct lt_whose_task {
	uint32_t inst;
	uint32_t comm;
	uint32_t file;
	uint32_t parent;
	uint64_t cgroup;
	uint64_t until;
};

/* The parent alone, in a time in which the task itself did not change. 0: not known */
uint32_t lt_whose_parent(const struct lt_whose *w, uint32_t inst, const struct lt_span *span);

void lt_whose_task(const struct lt_whose *w, uint32_t inst, const struct lt_span *span,
		   struct lt_whose_task *task);

#endif /* LT_WHOSE_WHOSE_H */
