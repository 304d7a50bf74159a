// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace syscalls: the system calls of a trace, as strace prints them, or of a command that it
 * runs.
 */
#include <argp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/output.h"
#include "out/terminal.h"
#include "print/syscalls.h"
#include "print/syscalls_sink.h"
#include "record/choose.h"
#include "record/recorder.h"
#include "record/syscalls.h"
#include "trace/pass.h"

struct options {
	struct lt_args args;
	struct lt_filter_spec filter;
	struct lt_syscalls_options calls;
	const char *output;
	bool live;
	bool strings;
	const char *engine;
	uint64_t duration_ns;
	char **command;
};

enum { KEY_SYSCALLS = 256, KEY_ERRORS, KEY_MIN, KEY_RAW, KEY_LIVE, KEY_STRINGS, KEY_TREE,
       KEY_SELF, KEY_SORT, KEY_ENGINE };

static const struct argp_option argp_options[] = {
	{ "summary", 's', NULL, 0,
	  "Sums by call, as strace -c: calls, errors, times, percentiles", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "With --summary: sort by COLUMN of --json, the greatest first, "
	  "texts from A to Z [time]", 0 },
	{ "tree", KEY_TREE, NULL, 0, "Sums by process, each below its parent: calls, errors and "
				     "time, of the process and with all below it", 0 },
	{ "raw", KEY_RAW, NULL, 0, "Print arguments as hexadecimal numbers, and each part of a "
				   "restarted call as a call", 0 },
	{ "paths", 'y', NULL, 0,
	  "Print descriptors with the paths by which they were opened, if the trace has them "
	  "(record --strings)", 0 },
	{ "output", 'o', "OUT", 0, "Write to OUT", 0 },
	{ "calls", KEY_SYSCALLS, "LIST", 0,
	  "Only calls of these names, patterns or numbers, such as open*,read,999", 1 },
	{ "errors", KEY_ERRORS, NULL, 0, "Only calls that fail", 1 },
	{ "min", KEY_MIN, "TIME", 0,
	  "Only calls that take, or took so far, at least TIME: 1ms, 100us", 1 },
	{ "self", KEY_SELF, NULL, 0, "With the calls of the recorder itself", 1 },
	{ "live", KEY_LIVE, NULL, 0,
	  "Record now, and print calls as they end; no trace is kept. With COMMAND its calls, and those "
	  "of all that it creates, on standard error", 2 },
	{ "duration", 'd', "TIME", 0, "With --live: stop after this time", 2 },
	{ "strings", KEY_STRINGS, NULL, 0,
	  "With --live: also what arguments point to, as record --strings", 2 },
	{ "engine", KEY_ENGINE, "NAME", 0, "With --live: what records, module or bpf, as for record", 2 },
	{ 0 }
};

/* A file with --live, and an option of --live without it, would be silently ignored. */
static void check(struct argp_state *state, struct options *o)
{
	if (o->live && o->args.n_files)
		argp_error(state, "--live reads no file, found '%s'; a command to run stands "
			   "behind --", o->args.files[0]);
	else if (o->live && o->calls.tree)
		argp_error(state, "--tree: reads a file, and is not for --live");
	else if (o->calls.paths && (o->calls.raw || o->calls.summary || o->calls.tree))
		argp_error(state, "--paths: is for lines with names, not for --raw, --summary or --tree");
	else if (o->calls.tree && o->calls.summary)
		argp_error(state, "--tree and --summary: choose one");
	else if (o->calls.sort && !o->calls.summary)
		argp_error(state, "--sort: sorts the rows of --summary; calls stand in the order of their ends");
	else if (!o->live && o->command)
		argp_error(state, "a command, '%s', is run with --live only", o->command[0]);
	else if (!o->live && o->duration_ns)
		argp_error(state, "--duration: is for --live only");
	else if (!o->live && o->strings)
		argp_error(state, "--strings: is for --live only; record --strings puts them into a trace");
	else if (!o->live && o->engine)
		argp_error(state, "--engine: is for --live only");
	else if (!o->live)
		lt_args_default_file(state, &o->args);
}

static error_t parse_live(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'd':
		o->duration_ns = lt_args_duration(state, "duration", arg, 1);
		return 0;
	case KEY_LIVE:
		o->live = true;
		return 0;
	case KEY_STRINGS:
		o->strings = true;
		return 0;
	case KEY_ENGINE:
		o->engine = lt_record_engines[lt_args_word(state, "engine", arg,
							   lt_record_engines)];
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		state->child_inputs[2] = &o->args;
		return 0;
	case 's':
		o->calls.summary = true;
		return 0;
	case 'y':
		o->calls.paths = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case KEY_SYSCALLS:
		o->calls.calls = arg;
		return 0;
	case KEY_ERRORS:
		o->calls.errors = true;
		return 0;
	case KEY_MIN:
		o->calls.min = lt_args_duration(state, "min", arg, 1);
		return 0;
	case KEY_RAW:
		o->calls.raw = true;
		return 0;
	case KEY_SELF:
		o->calls.self = true;
		return 0;
	case KEY_SORT:
		o->calls.sort = lt_args_sort(&lt_rows_of_syscall_sum, arg);
		return 0;
	case KEY_TREE:
		o->calls.tree = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!lt_args_command(state, &o->command))
			lt_args_add_file(&o->args, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o);
		return 0;
	default:
		return parse_live(key, arg, state);
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]\n--live [-- COMMAND [ARGUMENT...]]",
	"Print the system calls of a trace (record -e syscall), or with --live of this machine "
	"now, one whole line a call, in the order in which their ends become known.\vA "
	"line: seconds since the trace began at which the call began, task NAME-TID, the call as "
	"strace prints it, its result, the time that it took, and in brackets what is unusual "
	"about it. A call that was interrupted by a signal and restarted is one line, with the "
	"result of its last part. What an argument points to is in the trace after record "
	"--strings only.",
	lt_args_table_event, NULL, NULL
};

static int from_file(const struct options *o, struct lt_sink *sink)
{
	struct lt_trace *t = lt_trace_open(o->args.file);
	int err = lt_sink_read(sink, t);

	lt_trace_close(t);
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}

/*
 * The calls of other names are not recorded at all, but for those that say what the command is,
 * and how calls go on after a signal.
 */
static int record(const struct options *o, struct lt_sink *sink)
{
	struct lt_record_options r = {
		.events = "tasks,syscall,uring", .duration_ns = o->duration_ns, .quiet = true,
		.command = o->command, .engine = o->engine, .any_engine = true,
		.says_engine = true,
	};
	char *list, *native = NULL, *compat = NULL, *texts = NULL, *texts32 = NULL;
	int status;

	/* Paths need the calls that open and close files. */
	if (o->calls.calls && !o->calls.paths && lt_record_syscalls_are_listable(o->calls.calls)) {
		list = lt_format("%s,execve*,*sigreturn,restart_syscall", o->calls.calls);
		status = lt_record_syscall_lists_here(list, &native, &compat);
		free(list);
		if (status) {
			sink->end(sink);
			return LT_EXIT_BAD;
		}
		r.calls = native;
		r.calls32 = compat;
	}
	if ((o->strings || o->calls.paths) && lt_record_syscall_texts_here(&texts, &texts32)) {
		sink->end(sink);
		return LT_EXIT_BAD;
	}
	r.call_texts = texts;
	r.call_texts32 = texts32;
	status = lt_record_run(&r, sink);
	free(native);
	free(compat);
	free(texts);
	free(texts32);
	return status;
}

int lt_cmd_syscalls(int argc, char **argv)
{
	struct options o = { .args.kind = &lt_rows_of_syscall };
	struct lt_terminal term;
	struct lt_sink *sink;
	int fd, status;

	lt_help_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	lt_args_rows(&o.args, o.calls.summary ? &lt_rows_of_syscall_sum : o.calls.tree ?
		     &lt_rows_of_syscall_tree : &lt_rows_of_syscall, 0, o.output);
	o.calls.columns = o.args.columns;
	o.filter.doer = "system call of a task";
	if (lt_args_filter(&o.filter, o.live ? NULL : o.args.file, &o.calls.filter))
		return LT_EXIT_BAD;
	/* Standard output is the command's, as with strace. */
	fd = o.command ? STDERR_FILENO : STDOUT_FILENO;
	if (o.output)
		fd = lt_output_open(o.output);
	if (fd < 0) {
		lt_filter_free(o.calls.filter);
		return LT_EXIT_BAD;
	}
	o.calls.format = o.args.format;
	o.calls.times = o.args.times;
	o.calls.only_command = o.command;
	sink = lt_syscalls_sink_new(&o.calls, fd);
	if (o.live) {
		status = record(&o, sink);
	} else {
		lt_cmd_page(&term, !o.output && o.args.format == LT_FORMAT_TEXT);
		lt_syscalls_sink_width(sink, term.fit);
		status = lt_cmd_page_end(&term, from_file(&o, sink));
	}
	lt_filter_free(o.calls.filter);
	return lt_output_close(fd, status != LT_EXIT_BAD) ? LT_EXIT_BAD : status;
}
