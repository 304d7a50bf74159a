// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace calls: the function calls of a trace, or of this machine now; or which functions of the
 * kernel can be recorded, and what of their calls.
 */
#include <argp.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/calls_list.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/output.h"
#include "out/terminal.h"
#include "print/calls.h"
#include "print/calls_sink.h"
#include "record/recorder.h"
#include "trace/pass.h"

/*
 * @chosen: options of what is printed of calls; @specs_file: --call-file; @listed: its specs are
 * also --live's
 */
struct options {
	struct lt_args args;
	struct lt_filter_spec filter;
	struct lt_calls_options calls;
	const char *output;
	const char *specs_file;
	unsigned int chosen;
	bool list;
	bool live;
	uint64_t duration_ns;
	char **command;
	struct lt_calls_list listed;
};

enum { KEY_LIST = 256, KEY_WHY, KEY_BTF, KEY_SYMBOLS, KEY_MACHINE, KEY_CALL_FILE, KEY_FLAME,
       KEY_SORT, KEY_FUNCTION, KEY_FAILED, KEY_MIN, KEY_SELF, KEY_LIVE };

static const struct argp_option argp_options[] = {
	{ "graph", 'g', NULL, 0, "Trees, as ftrace's function_graph prints them: calls below the call "
	  "that made them, by thread", 0 },
	{ "summary", 's', NULL, 0, "Sums by function: calls, errors, times, percentiles", 0 },
	{ "flame", KEY_FLAME, NULL, 0, "Collapsed stacks, for speedscope and flamegraph.pl: the ns that "
	  "calls took by themselves", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "With --summary: sort by COLUMN of --json, the greatest first, "
	  "texts from A to Z [total]", 0 },
	{ "output", 'o', "OUT", 0, "Write to OUT", 0 },
	{ "function", KEY_FUNCTION, "LIST", 0, "Only calls of functions of these names or patterns, such as "
	  "vfs_*,do_exit; with --graph and --flame with all that these called", 2 },
	{ "failed", KEY_FAILED, NULL, 0, "Only calls that returned an error", 2 },
	{ "min", KEY_MIN, "TIME", 0, "Only calls that took at least TIME: 1ms, 100us", 2 },
	{ "self", KEY_SELF, NULL, 0, "With the calls of the recorder itself", 2 },
	{ "list", KEY_LIST, NULL, 0, "List the functions that each SPEC selects, instead of reading a "
	  "trace", 1 },
	{ "why", KEY_WHY, NULL, 0, "With --list: those that are refused, or not fetched as asked, and "
	  "the reason of each", 1 },
	{ "live", KEY_LIVE, NULL, 0, "Record the calls of each SPEC now, and print them as they return, trees "
	  "and sums at the end; no trace is kept. With COMMAND those of it and of all that it creates, on "
	  "standard error", 3 },
	{ "duration", 'd', "TIME", 0, "With --live: stop after this time", 3 },
	{ "call-file", KEY_CALL_FILE, "FILE", 0, "With --list and --live: also the specs in FILE, one a line",
	  3 },
	{ "btf", KEY_BTF, "FILE", 0, "With --list: the types of another kernel: BTF, or a vmlinux that "
	  "has it", 1 },
	{ "kallsyms", KEY_SYMBOLS, "FILE", 0, "With --list: the symbols of another kernel, as in "
	  "/proc/kallsyms", 1 },
	{ "machine", KEY_MACHINE, "NAME", LT_MORE, "With --btf: the machine of that kernel, as "
	  "uname -m names it [this one's]", 1 },
	{ 0 }
};

/* An option of another part of the command would be silently ignored. */
static void check_calls(struct argp_state *state, const struct options *o)
{
	const struct lt_calls_list *l = &o->listed;

	if (l->why || l->types || l->symbols || l->machine)
		argp_error(state, "--why, --btf, --kallsyms, --machine: are for --list only");
	else if (o->chosen > 1)
		argp_error(state, "--graph, --summary and --flame: choose one");
	else if (o->calls.sort && o->calls.what != LT_CALLS_SUMMARY)
		argp_error(state, "--sort: sorts the rows of --summary; calls stand in the order in which "
			   "they returned");
	else if ((o->calls.what == LT_CALLS_GRAPH || o->calls.what == LT_CALLS_FLAME) &&
		 (o->args.format_given || o->args.columns))
		argp_error(state, "--graph and --flame: are text; --json, --csv, --format and --columns are "
			   "for calls and sums");
}

static void check_trace(struct argp_state *state, struct options *o)
{
	check_calls(state, o);
	if (o->specs_file)
		argp_error(state, "--call-file: is for --list and --live; a trace has the functions that "
			   "were recorded");
	else if (o->command)
		argp_error(state, "a command, '%s', is run with --live only", o->command[0]);
	else if (o->duration_ns)
		argp_error(state, "--duration: is for --live only");
	for (size_t i = 0; i < o->listed.n_specs; i++)
		lt_args_add_file(&o->args, o->listed.specs[i]);
	lt_args_default_file(state, &o->args);
}

static void check_live(struct argp_state *state, const struct options *o)
{
	check_calls(state, o);
	if (!o->listed.n_specs && !lt_args_list_columns(&o->args))
		argp_error(state, "--live: name functions, as in --live 'vfs_*'");
}

static void check_list(struct argp_state *state, const struct options *o)
{
	const struct lt_calls_list *l = &o->listed;

	if (o->chosen || o->calls.functions || o->calls.failed || o->calls.min || o->calls.self ||
	    o->output || !lt_filter_is_empty(&o->filter) || o->args.times_given || o->live ||
	    o->duration_ns || o->command)
		argp_error(state, "--list: reads no trace and records none; options of calls are for those");
	else if (!l->n_specs && !lt_args_list_columns(&o->args))
		argp_error(state, "--list: name functions, as in --list 'vfs_*'");
	else if (l->machine && !l->types)
		argp_error(state, "--machine: is for --btf; this kernel's machine is known");
	else if (l->symbols && !l->types)
		argp_error(state, "--kallsyms: is for --btf; this kernel's symbols are read anyway");
}

static void choose(struct options *o, enum lt_calls_what what)
{
	o->chosen += o->calls.what != what;
	o->calls.what = what;
}

static void add_file(struct options *o, const char *path)
{
	struct lt_why why;

	o->specs_file = path;
	if (!lt_fetch_read_specs(path, &o->listed.specs, &o->listed.n_specs, &why)) {
		lt_error("%s: %s", path, why.text);
		exit(LT_EXIT_BAD);
	}
}

/* The options of the calls of a trace. */
static error_t parse_trace(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'g':
		choose(o, LT_CALLS_GRAPH);
		return 0;
	case 's':
		choose(o, LT_CALLS_SUMMARY);
		return 0;
	case KEY_FLAME:
		choose(o, LT_CALLS_FLAME);
		return 0;
	case KEY_SORT:
		o->calls.sort = lt_args_sort(&lt_rows_of_call_sum, arg);
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case KEY_FUNCTION:
		o->calls.functions = arg;
		return 0;
	case KEY_FAILED:
		o->calls.failed = true;
		return 0;
	case KEY_MIN:
		o->calls.min = lt_args_duration(state, "min", arg, 1);
		return 0;
	case KEY_SELF:
		o->calls.self = true;
		return 0;
	case KEY_LIVE:
		o->live = true;
		return 0;
	case 'd':
		o->duration_ns = lt_args_duration(state, "duration", arg, 1);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct lt_calls_list *l = &o->listed;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		state->child_inputs[2] = &o->args;
		return 0;
	case KEY_LIST:
		o->list = true;
		return 0;
	case KEY_WHY:
		l->why = true;
		return 0;
	case KEY_BTF:
		l->types = arg;
		return 0;
	case KEY_SYMBOLS:
		l->symbols = arg;
		return 0;
	case KEY_MACHINE:
		l->machine = arg;
		return 0;
	case KEY_CALL_FILE:
		add_file(o, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (lt_args_command(state, &o->command))
			return 0;
		l->specs = lt_realloc_array(l->specs, l->n_specs + 1, sizeof(*l->specs));
		l->specs[l->n_specs++] = lt_strdup(arg);
		return 0;
	case ARGP_KEY_END:
		if (o->list)
			check_list(state, o);
		else if (o->live)
			check_live(state, o);
		else
			check_trace(state, o);
		return 0;
	default:
		return parse_trace(key, arg, state);
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]\n--live SPEC... [-- COMMAND [ARGUMENT...]]\n--list SPEC...",
	"Print the function calls of a trace (record --call), or with --live of this machine now, one whole "
	"line a call, in the order in which they returned; or with --list which functions of the kernel can be recorded, with their "
	"prototypes.\vA line: seconds since the trace began at which the call began, task NAME-TID, CPU, "
	"the function with the values that were recorded, behind a semicolon those of its return, its "
	"result, the time that it took, and in brackets what is unusual about it.\n"
	"\n"
	"A SPEC is a "
	"name, a pattern (vfs_*), all of a module (@kvm), and what is fetched of a call: 'vfs_read(file, "
	"count) = ret if ret < 0'. lifetrace-calls(1) has the notation.\n"
	"\n"
	"Exit status: 0 fine, 1 no function that was named can be recorded, 2 wrong usage or unusable "
	"input.",
	lt_args_table_event, NULL, NULL
};

static int read_trace(const char *file, struct lt_sink *sink)
{
	struct lt_trace *t = lt_trace_open(file);
	int err = lt_sink_read(sink, t);

	lt_trace_close(t);
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}

/*
 * Where only lines are printed the module leaves out what is not; a tree or sum needs shorter
 * calls, too.
 */
static int record(const struct options *o, struct lt_sink *sink)
{
	bool around = o->calls.what == LT_CALLS_GRAPH || o->calls.what == LT_CALLS_FLAME;
	struct lt_record_options r = {
		.events = around ? "tasks,syscall,call" : "tasks,call", .quiet = true,
		.duration_ns = o->duration_ns, .command = o->command, .only_command = o->command,
		.functions = (const char **)o->listed.specs, .n_functions = o->listed.n_specs,
		.function_min_ns = o->calls.what == LT_CALLS_LINES ? o->calls.min : 0,
	};

	return lt_record_run(&r, sink);
}

/* Standard output is the command's, as with strace. */
static int open_output(const struct options *o)
{
	if (o->output)
		return lt_output_open(o->output);
	return o->command ? STDERR_FILENO : STDOUT_FILENO;
}

static int print_calls(struct options *o)
{
	struct lt_terminal term;
	struct lt_sink *sink;
	int fd, status;

	lt_args_rows(&o->args, o->calls.what == LT_CALLS_SUMMARY ? &lt_rows_of_call_sum :
		     &lt_rows_of_call, 0, o->output);
	o->filter.doer = "function call of a task";
	if (lt_args_filter(&o->filter, o->live ? NULL : o->args.file, &o->calls.filter))
		return LT_EXIT_BAD;
	fd = open_output(o);
	if (fd < 0) {
		lt_filter_free(o->calls.filter);
		return LT_EXIT_BAD;
	}
	o->calls.format = o->args.format;
	o->calls.times = o->args.times;
	o->calls.columns = o->args.columns;
	sink = lt_calls_sink_new(&o->calls, fd);
	if (o->live) {
		status = record(o, sink);
	} else {
		lt_cmd_page(&term, !o->output && o->args.format == LT_FORMAT_TEXT);
		lt_calls_sink_width(sink, term.fit);
		status = lt_cmd_page_end(&term, read_trace(o->args.file, sink));
	}
	lt_filter_free(o->calls.filter);
	return lt_output_close(fd, status != LT_EXIT_BAD) ? LT_EXIT_BAD : status;
}

int lt_cmd_calls(int argc, char **argv)
{
	struct options o = { .args.kind = &lt_rows_of_call };
	int status;

	lt_help_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	status = o.list ? lt_calls_list(&o.listed, &o.args) : print_calls(&o);
	for (size_t i = 0; i < o.listed.n_specs; i++)
		free(o.listed.specs[i]);
	free(o.listed.specs);
	return status;
}
