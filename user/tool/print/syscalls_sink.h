/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system calls of a trace, or of a running session, as lines or sums.
 */
#ifndef LT_PRINT_SYSCALLS_SINK_H
#define LT_PRINT_SYSCALLS_SINK_H

#include "forms/columns.h"
#include "print/times.h"
#include "sums/filter.h"
#include "trace/sink.h"

/**
 * struct lt_syscalls_options - which calls to print, and how
 * @format: text as of strace, CSV or JSON
 * @times: from where times count
 * @raw: arguments as hexadecimal numbers; each part of a call that was restarted is a call
 * @summary: sums by call
 * @columns: of --columns; NULL: it was not given
 * @sort: the column that the sums by call are sorted by; NULL: the time
 * @tree: of a file: sums by process, each below its parent
 * @calls: names and patterns, separated by commas; NULL: all
 * @errors: only calls that fail
 * @paths: descriptors with the paths by which they were opened
 * @min: only calls that take at least so many ns
 * @only_command: of a running session: only of the command that the recorder runs, from its first
 *	execve on, and of all that it creates
 * @self: with calls of the recorder itself
 * @filter: only calls that it wants; NULL: all; stays the caller's
 */
struct lt_syscalls_options {
	enum lt_format format;
	enum lt_times_base times;
	bool raw;
	bool summary;
	bool tree;
	const char *columns;
	const struct lt_column *sort;
	const char *calls;
	bool errors;
	bool paths;
	uint64_t min;
	bool only_command;
	bool self;
	struct lt_filter *filter;
};

/**
 * lt_syscalls_sink_new() - a receiver of events that prints calls
 * @o: its texts must stay
 * @fd: where to
 *
 * Its begin() fails, after a message, if system calls were not recorded. end() frees it.
 */
struct lt_sink *lt_syscalls_sink_new(const struct lt_syscalls_options *o, int fd);

/* Text has lines of at most @width characters, longer ones are folded; 0: of any length. */
void lt_syscalls_sink_width(struct lt_sink *sink, unsigned int width);

#endif /* LT_PRINT_SYSCALLS_SINK_H */
