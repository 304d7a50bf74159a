/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times of a trace, as they are printed. All commands print one time for one event, and --from
 * takes it.
 */
#ifndef LT_PRINT_TIMES_H
#define LT_PRINT_TIMES_H

#include "forms/table.h"
#include "trace/trace.h"

/* From where times count. */
enum lt_times_base {
	LT_TIMES_BEGIN,		/* the begin of the trace; before it they are negative */
	LT_TIMES_CLOCK,		/* the zero of the trace's clock */
	LT_TIMES_WALL,		/* 1970 */
};

/**
 * struct lt_times - how the times of a trace are printed
 * @base: from where they count
 * @trace: the trace
 * @begin: with LT_TIMES_BEGIN: the trace's begin, ns on its clock; 0 with LT_TIMES_CLOCK
 * @known: @begin is set
 */
struct lt_times {
	enum lt_times_base base;
	const struct lt_trace *trace;
	uint64_t begin;
	bool known;
};

#define LT_TIME_TEXT	64

/**
 * lt_times_init() - times of a trace
 * Return: 0, or -1 after reporting that the trace does not have the wall clock.
 */
int lt_times_init(struct lt_times *t, enum lt_times_base base, const struct lt_trace *trace);

/* Times on a trace's clock, for which nothing else must be set. */
#define LT_TIMES_OF_CLOCK	{ .base = LT_TIMES_CLOCK, .known = true }

/*
 * Sets @begin, unless it is set. Of a trace that is read while it is written, the begin is known
 * with its first event, and earlier packets of idle CPUs may follow: it stays what it was then.
 */
void lt_times_begin(struct lt_times *t);

/* ns since 1970; also of a time before the clock's zero. */
int64_t lt_times_wall(const struct lt_times *t, uint64_t time);

/* The number that stands in CSV and JSON, ns. */
static inline int64_t lt_times_ns(const struct lt_times *t, uint64_t time)
{
	if (t->base == LT_TIMES_WALL)
		return lt_times_wall(t, time);
	return (int64_t)(time - t->begin);
}

void lt_times_value(const struct lt_times *t, uint64_t time, struct lt_value *v);

/*
 * For people: seconds with @decimals, 9 or 6 of them; of the wall clock date and time of UTC, as
 * "2025-03-01T12:34:56.123456789Z". Writes at most LT_TIME_TEXT bytes, none of them zero, and
 * returns the end.
 */
char *lt_times_put(const struct lt_times *t, char *p, uint64_t time, unsigned int decimals);

/* As that, zero-terminated; @buf has LT_TIME_TEXT bytes. */
const char *lt_times_text(const struct lt_times *t, uint64_t time, unsigned int decimals,
			  char *buf);

/* The begin of a line of an event: the time with 9 decimals, 15 wide at least. */
void lt_times_column(const struct lt_times *t, struct lt_out *o, uint64_t time);

/* " <0.000012345>", seconds. */
void lt_times_took(struct lt_out *o, uint64_t ns);

/* In a sentence: "180.0 ms"; "@15.964000" on the trace's clock; or date and time. */
const char *lt_times_human(const struct lt_times *t, uint64_t time, char *buf);

/* "s", or "UTC": what stands in the header of a column of times. */
static inline const char *lt_times_unit(const struct lt_times *t)
{
	return t->base == LT_TIMES_WALL ? "UTC" : "s";
}

/* The width of a column of times. */
static inline unsigned int lt_times_width(const struct lt_times *t, unsigned int decimals)
{
	return t->base == LT_TIMES_WALL ? 21 + decimals : 14;
}

#endif /* LT_PRINT_TIMES_H */
