/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines of the texts PART; Documentation/format.rst has them.
 */
#ifndef LT_TRACE_PART_LINES_H
#define LT_TRACE_PART_LINES_H

#include "trace/internal.h"

typedef void lt_part_line_fn(struct lt_trace *t, const char *line, void *arg);

/* Calls @fn for each line of the texts PART of the files from @first up to @last. */
void lt_part_each_line(struct lt_trace *t, size_t first, size_t last, lt_part_line_fn *fn,
		       void *arg);

/* The number of the last file; 0 if there is only one. */
size_t lt_part_last(const struct lt_trace *t);

/* The texts of the files from @first up to @last, or of the only one: their numbers. */
struct lt_part_texts {
	size_t begin;
	size_t end;
};

struct lt_part_texts lt_part_texts(const struct lt_trace *t, size_t first, size_t last);

/* The name of a space in these lines; NULL: it has none. */
const char *lt_part_space(enum lt_space space);

/**
 * struct lt_part_mark - the packet of a stream before the first one that a part has
 * @channel, @cpu: the stream
 * @seq, @end: of a line stream: the packet's number, and its end, clock units; of a line unseen:
 *	since when events may be missing, clock units
 * @class, @counts: of a line counts: the number of a class within the channel, and its counters
 */
struct lt_part_mark {
	unsigned int channel;
	unsigned int cpu;
	uint64_t seq;
	uint64_t end;
	unsigned int class;
	struct lt_class_counts counts;
};

/* Each returns false if the line is another one, or the stream or class is not known. */
bool lt_part_parse_stream(const char *line, struct lt_part_mark *m);
bool lt_part_parse_unseen(const char *line, struct lt_part_mark *m);
bool lt_part_parse_counts(const struct lt_trace *t, const char *line, struct lt_part_mark *m);

/* "lost=SPACE UNITS". LT_SPACE_NONE: it is another line. */
enum lt_space lt_part_parse_lost(const char *line, uint64_t *to);

/* "gap=FROM TO", clock units. */
bool lt_part_parse_gap(const char *line, uint64_t *from, uint64_t *to);

#endif /* LT_TRACE_PART_LINES_H */
