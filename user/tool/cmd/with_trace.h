/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame of a command that reads one trace: open, read, print, close.
 */
#ifndef LT_CMD_WITH_TRACE_H
#define LT_CMD_WITH_TRACE_H

#include "base/out.h"
#include "forms/table.h"
#include "tasks/tasks.h"
#include "trace/trace.h"

struct lt_terminal;

/*
 * Around what prints to standard output: @text goes through the pager, where that is a terminal.
 * What is not @text, or goes elsewhere, has lines of any length, unless --width says another.
 * Return, of lt_cmd_page_end(): @status, or LT_EXIT_OK: a user who leaves the pager early has seen
 * enough.
 */
void lt_cmd_page(struct lt_terminal *term, bool text);
int lt_cmd_page_end(struct lt_terminal *term, int status);

/* Return: enum lt_exit. */
typedef int lt_cmd_trace_fn(struct lt_trace *t, struct lt_out *out, void *arg);

/**
 * lt_cmd_with_trace() - run a function on a trace
 * @format: of what @fn prints: text on a terminal goes through a pager
 * @fn: called with the open trace, of which no event was taken, and standard output
 * Return: an exit status: that of @fn, or LT_EXIT_BAD, after printing why, if @file cannot
 * be opened or the output not be written.
 */
int lt_cmd_with_trace(const char *file, enum lt_format format, lt_cmd_trace_fn *fn, void *arg);

/*
 * Warns that a file is of some tasks only (lifetrace cut --task), in commands whose answers are
 * about the whole machine otherwise, and that have no filter.
 */
void lt_cmd_say_whose(const char *file);

/**
 * struct lt_tasks_command - a command that prints something of the tasks of a trace
 * @prepare: called before the events are read; NULL: nothing to prepare
 * @print: called when the events were read, or as many as can be read. Returns enum
 *	lt_exit.
 */
struct lt_tasks_command {
	void (*prepare)(struct lt_tasks *tb, void *arg);
	int (*print)(struct lt_tasks *tb, const struct lt_trace *t, struct lt_out *out,
		     void *arg);
};

/* As lt_cmd_with_trace(). LT_EXIT_BAD also if the trace cannot be read to its end. */
int lt_cmd_with_tasks(const char *file, enum lt_format format, const struct lt_tasks_command *cmd,
		      void *arg);

#endif /* LT_CMD_WITH_TRACE_H */
