/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moments of a trace, as people name them: "2.5" or "500ms" after its beginning, "-5s" before its
 * end, "@TIME" on its clock, "10:03:21" or "2026-11-30T10:03:21Z" by the wall clock, "marker:TEXT".
 *
 * A time by the wall clock without a zone is one of the zone of this process (TZ); without a date
 * it is on the day of the trace.
 */
#ifndef LT_SUMS_MOMENT_H
#define LT_SUMS_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"
#include "whose/when.h"

/**
 * struct lt_moments - what moments are within
 * @path: the trace file
 * @name: of the file, for messages
 * @begin, @end: of the trace, ns
 * @last: there may be events behind @end
 * @wall_begin: @begin by the wall clock, ns since 1970; 0: the trace has no reading of it
 * @wall: the wall clock, if @wall_begin
 */
struct lt_moments {
	const char *path;
	const char *name;
	uint64_t begin;
	uint64_t end;
	uint64_t last;
	uint64_t wall_begin;
	struct lt_when wall;
};

/* @path must stay; @t may be closed then. */
void lt_moments_init(struct lt_moments *m, const struct lt_trace *t, const char *path);
void lt_moments_destroy(struct lt_moments *m);

/**
 * lt_moments_parse() - understand a moment
 * @option: the name of the option, for messages; of several markers "to" means the last one
 * @time: ns on the trace's clock
 * Return: false after reporting what is wrong.
 */
bool lt_moments_parse(const struct lt_moments *m, const char *option, const char *text,
		      uint64_t *time);

/* As that, of the trace in a file. Return: 0, or -1 after reporting what is wrong. */
int lt_moment_of(const struct lt_trace *t, const char *path, const char *option, const char *text,
		 uint64_t *time);
/* As that, of a file that is not open. Return: 0, or -1 after reporting what is wrong. */
int lt_moment(const char *path, const char *option, const char *text, uint64_t *time);

#endif /* LT_SUMS_MOMENT_H */
