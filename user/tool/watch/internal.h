/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording by this process, for the files of this folder.
 */
#ifndef LT_WATCH_INTERNAL_H
#define LT_WATCH_INTERNAL_H

#include <sys/utsname.h>

#include "import/file.h"
#include "record/internal.h"
#include "watch/counters.h"
#include "watch/watch.h"

/**
 * struct lt_watch - a recording
 * @file: what it becomes; @file.im gets the events
 * @command: its end is found by the engine, by lt_watch_ended()
 * @kernel: of which the file has texts
 * @signals: how often somebody has asked to stop
 * @begun_ns, @deadline_ns: CLOCK_MONOTONIC; 0: no limit
 * @info, @clock: of a file that is written at the end, what is known at the begin
 * @counters: of each task, by an engine that can
 * @own: of the engine
 */
struct lt_watch {
	const struct lt_record_options *o;
	const struct lt_watch_ops *ops;
	struct lt_import_file file;
	struct lt_record_command command;
	struct utsname kernel;
	int signal_fd;
	unsigned int signals;
	enum lt_stop stop;
	uint64_t begun_ns;
	uint64_t deadline_ns;
	char *info;
	struct lt_str clock;
	struct lt_watch_counters counters;
	void *own;
};

/**
 * struct lt_watch_ops - an engine
 * @name: as users type it
 * @needs_command: it sees nothing but the command and what that creates
 * @memory: it also records slab objects and pages, where they are asked for
 * @counts: it can count what each task does
 * @source: what the file says of it
 * @begin: watches from here on; the command waits. Return: 0, or -1 after lt_error(): what to do
 * @go: lets the command begin
 * @step: takes what there is, or waits for it until @timeout_ms or a signal. Return: -1 after
 *	lt_error(): it cannot go on
 * @end: takes the rest, and watches no more. Return: -1: something was printed
 * @stats: adds its lines to STATS
 * @read: writes the file from its begin to its end, of what a program has recorded; NULL: the
 *	events come while it records. With it @source and @stats are not called.
 * @close: frees @own, also if @begin failed
 */
struct lt_watch_ops {
	const char *name;
	bool needs_command;
	bool memory;
	bool counts;
	void (*source)(struct lt_import_source *source);
	int (*begin)(struct lt_watch *w);
	void (*go)(struct lt_watch *w);
	int (*step)(struct lt_watch *w, int timeout_ms);
	int (*end)(struct lt_watch *w);
	void (*stats)(const struct lt_watch *w, struct lt_str *text);
	int (*read)(struct lt_watch *w);
	void (*close)(struct lt_watch *w);
};

extern const struct lt_watch_ops lt_watch_ptrace, lt_watch_connector, lt_watch_trace_cmd;

/* Waits for a descriptor, or -1, and takes signals, until one is there or the time is over. */
void lt_watch_wait(struct lt_watch *w, int fd, int timeout_ms);

/* The command has ended, as wait() says it. */
void lt_watch_ended(struct lt_watch *w, int status);

/* ------------------------------------------------------------------------
 * proc.c: a task, by its files in /proc
 */

/* Whether /proc has the numbers that this process sees. */
bool lt_watch_proc_is_ours(void);

/* @tracer: who traces it; 0: nobody. Return: false: there is no such task any more. */
bool lt_watch_proc_ids(pid_t tid, int32_t *tgid, int32_t *ppid, int32_t *tracer);

/* Its name, which may have any characters; all zero: not known. */
void lt_watch_proc_comm(pid_t tid, char comm[16]);

/*
 * The program as it was called, of a task that has just executed it, to be freed; NULL: not known.
 */
char *lt_watch_proc_program(pid_t tid);

#endif /* LT_WATCH_INTERNAL_H */
