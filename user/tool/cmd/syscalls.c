// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace syscalls: the system calls of a trace, as strace prints them.
 */
#include <argp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calls/call.h"
#include "print/calls.h"
#include "print/log.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/with_trace.h"

struct options {
	struct lt_args args;
	struct lt_filter_spec filter;
	const char *calls;
	bool errors;
	uint64_t min;
	bool raw;
	bool summary;
};

enum { KEY_CALLS = 256, KEY_ERRORS, KEY_MIN, KEY_RAW };

static const struct argp_option argp_options[] = {
	{ "summary", 's', NULL, 0, "Sums by call, as strace -c: calls, errors, times, percentiles", 0 },
	{ "raw", KEY_RAW, NULL, 0,
	  "Arguments as hexadecimal numbers, and each part of a call that was restarted as a call", 0 },
	{ "calls", KEY_CALLS, "LIST", 0,
	  "Only calls of these names or patterns, such as open*,read", 1 },
	{ "errors", KEY_ERRORS, NULL, 0, "Only calls that fail", 1 },
	{ "min", KEY_MIN, "TIME", 0, "Only calls that take, or took so far, at least TIME: 1ms, 100us", 1 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->filter;
		break;
	case 's':
		o->summary = true;
		break;
	case KEY_RAW:
		o->raw = true;
		break;
	case KEY_CALLS:
		o->calls = arg;
		break;
	case KEY_ERRORS:
		o->errors = true;
		break;
	case KEY_MIN:
		o->min = lt_args_duration(state, "min", arg, 1);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	argp_options, parse, "[FILE]",
	"Print the system calls of a trace (record -e syscall), one whole line a call, in the order "
	"of their ends."
	"\v"
	"A line: seconds since the trace began at which the call began, task NAME-TID, the call as "
	"strace prints it, its result, the time that it took, and in brackets what is unusual about "
	"it. A call that was interrupted by a signal and restarted is one line, with the result of "
	"its last part. What an argument points to is not in the trace.",
	lt_args_file_csv_json_event, NULL, NULL
};

struct run {
	const struct options *o;
	struct lt_calls_view view;
	struct lt_calls_sums *sums;
	bool wanted;		/* by the filter of events */
	bool known;		/* a call of --calls is there */
	uint64_t n;
};

/* Whether a name is one of a list of names and patterns. */
static bool is_listed(const char *list, const char *name)
{
	char word[64];

	while (name && list) {
		size_t n = strcspn(list, ",");

		if (n < sizeof(word)) {
			memcpy(word, list, n);
			word[n] = 0;
			if (!fnmatch(word, name, 0))
				return true;
		}
		list = list[n] ? list + n + 1 : NULL;
	}
	return false;
}

static void take(void *arg, const struct lt_call *call)
{
	struct run *run = arg;
	const struct options *o = run->o;

	if (!run->wanted || (o->errors && !lt_call_error(call)) ||
	    (o->min && (!call->has_begin || lt_call_duration(call) < o->min)) ||
	    (o->calls && !is_listed(o->calls, lt_call_name(call->abi, call->nr))))
		return;
	run->n++;
	if (o->summary)
		lt_calls_sums_add(run->sums, call);
	else
		lt_calls_print(&run->view, call);
}

/* A misspelled name is an error: printing nothing would look like 'there was no such call'. */
static bool check_names(const struct options *o, const struct lt_trace *t)
{
	const char *machine = lt_trace_info(t, "machine");
	const struct lt_abi *abi = lt_abi_of(machine, false), *abi32;
	char *copy, *rest, *word;
	bool good = true;

	if (!o->calls)
		return true;
	abi32 = lt_abi_of(lt_trace_info(t, "machine"), true);
	if (!abi) {
		lt_error("%s: --calls: the names of its machine's system calls are not known",
			 lt_trace_path(t));
		return false;
	}
	copy = rest = lt_strdup(o->calls);
	while (good && (word = strsep(&rest, ","))) {
		good = false;
		for (int32_t nr = 0; nr < 512 && !good; nr++)
			good = is_listed(word, lt_call_name(abi, nr)) ||
			       is_listed(word, lt_call_name(abi32, nr));
		if (!good)
			lt_error("%s: --calls: its machine has no system call '%s'",
				 lt_trace_path(t), word);
	}
	free(copy);
	return good;
}

/* Return: as the last lt_trace_next(). */
static int read_calls(struct lt_trace *t, struct run *run, struct lt_filter *filter)
{
	struct lt_calls *calls = lt_calls_new(t, run->o->raw, take, run);
	struct lt_event ev;
	int ret;

	while ((ret = lt_trace_next(t, &ev)) > 0 && !run->view.out->error) {
		run->wanted = !filter || lt_filter_event(filter, t, &ev);
		lt_calls_event(calls, &ev);
	}
	run->wanted = !filter;
	lt_calls_finish(calls);
	lt_calls_free(calls);
	return ret;
}

static int print(struct lt_trace *t, struct lt_out *out, void *arg)
{
	const struct options *o = arg;
	struct run run = {
		.o = o, .sums = lt_calls_sums_new(),
		.view = { .out = out, .format = o->args.format, .raw = o->raw,
			  .begin = lt_trace_begin(t) },
	};
	struct lt_filter *filter = NULL;
	int status = LT_EXIT_OK;

	if (!lt_trace_has_channel(t, LT_CHANNEL_SYSCALL)) {
		lt_error("%s: system calls were not recorded: record -e syscall records them",
			 lt_trace_path(t));
		status = LT_EXIT_BAD;
	} else if (!check_names(o, t) || lt_args_filter(&o->filter, o->args.file, &filter)) {
		status = LT_EXIT_BAD;
	} else {
		if (!o->summary)
			lt_calls_begin(&run.view);
		if (read_calls(t, &run, filter) < 0 ||
		    (filter && !out->error && lt_filter_finish(filter, t)))
			status = LT_EXIT_BAD;
		if (o->summary)
			lt_calls_sums_print(run.sums, out, o->args.format);
	}
	lt_calls_sums_free(run.sums);
	lt_filter_free(filter);
	return status;
}

int lt_cmd_syscalls(int argc, char **argv)
{
	struct options o = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return lt_cmd_with_trace(o.args.file, print, &o);
}
