// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of lifetrace record.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/counter_args.h"
#include "cmd/function_args.h"
#include "cmd/budget_args.h"
#include "cmd/help.h"
#include "cmd/record_args.h"
#include "cmd/rotate_args.h"
#include "export/fleet/totals.h"
#include "forms/words.h"
#include "out/log.h"
#include "record/syscalls.h"

enum {
	KEY_CLOCK = 256, KEY_SUBBUF_SIZE, KEY_N_SUBBUFS, KEY_MIN_SIZE, KEY_SAMPLE, KEY_BUDGET,
		KEY_MAX_SIZE,
	KEY_ZSTD, KEY_LIFETIMES, KEY_HTML, KEY_FORCE, KEY_NO_COVERAGE, KEY_COVERAGE, KEY_SHRINK,
	KEY_PAGE_KINDS, KEY_MODULE_DIR, KEY_PID_SUBBUF_SIZE, KEY_PID_N_SUBBUFS, KEY_SNAPSHOT_EVERY,
	KEY_STACKS, KEY_NO_STACKS, KEY_STACK_MIN, KEY_STACK_DEPTH, KEY_STACKS_FREE,
	KEY_STACKS_PAGES, KEY_TOTALS, KEY_TOTALS_FORMAT, KEY_MAX_ALLOC, KEY_ONLY_CACHES,
	KEY_ONLY_CODE, KEY_ONLY_CGROUP, KEY_ONLY_COMMAND, KEY_SYSCALLS, KEY_SYSCALL_ERRORS,
	KEY_SYSCALL_MIN,
	KEY_STRINGS, KEY_OVERWRITE, KEY_FREEZE,
	KEY_ENGINE, KEY_COUNTERS,
};

static const struct argp_option argp_options[] = {
	{ NULL, 0, NULL, 0, "What to watch:", 1 },
	{ "events", 'e', "LIST", 0,
	  "slab, tasks (these two by default), pages, percpu, vmalloc, dma, syscall, uring, call, triggers, "
	  "all, or names of events, separated by commas", 1 },
	{ "stacks", KEY_STACKS, "N", OPTION_ARG_OPTIONAL,
	  "Record how the allocator was called: the stacks of births at one address in N; without N "
	  "of all births [" LT_DEFAULT_STACKS " where a stack costs little, which is on x86-64; "
	  "else none]", 1 },
	{ "no-stacks", KEY_NO_STACKS, NULL, LT_MORE, "Record no stacks", 1 },
	{ "stack-min", KEY_STACK_MIN, "BYTES", LT_MORE,
	  "Record the stacks of all allocations of BYTES or more", 1 },
	{ "stack-depth", KEY_STACK_DEPTH, "N", LT_MORE,
	  "At most N frames of a stack: 8, 16, 32 [16]", 1 },
	{ "stacks-free", KEY_STACKS_FREE, NULL, LT_MORE,
	  "Also record the stacks of frees, at the addresses that --stacks chooses", 1 },
	{ "stacks-pages", KEY_STACKS_PAGES, NULL, LT_MORE,
	  "Record pages, too, and the stacks of all allocations of pages", 1 },
	{ "calls", KEY_SYSCALLS, "LIST", 0, "Record system calls, of these names alone: names or "
	  "patterns such as open*, separated by commas", 1 },
	{ "call-errors", KEY_SYSCALL_ERRORS, NULL, LT_MORE,
	  "Record system calls, but only those that fail", 1 },
	{ "call-min", KEY_SYSCALL_MIN, "TIME", LT_MORE,
	  "Record only calls that take at least TIME: 1ms, 100us; with --call also of functions",
	  1 },
	{ "strings", KEY_STRINGS, NULL, 0,
	  "Record system calls, and what their arguments point to: paths, the arguments of programs, "
	  "addresses of sockets; there may be secrets among them", 1 },
	LT_FUNCTION_OPTIONS("Record the calls of functions of the kernel, with arguments and result: "
			    "'vfs_*', 'handle_mm_fault(vma->vm_start, flags) = ret if ret & 1'; see "
			    "lifetrace-calls(1)", LT_MORE, 1),
	{ "snapshot-every", KEY_SNAPSHOT_EVERY, "TIME", LT_MORE,
	  "Also take a snapshot of all tasks this often, not only at start and end", 1 },
	{ "coverage", KEY_COVERAGE, NULL, LT_MORE,
	  "Read the slab counters at start and end; the default", 1 },
	{ "no-coverage", KEY_NO_COVERAGE, NULL, LT_MORE,
	  "Do not read them: the report has no coverage", 1 },
	{ "shrink", KEY_SHRINK, NULL, LT_MORE, "Shrink all slab caches before each reading, so that "
	  "the coverage has a smaller error", 1 },
	{ "page-kinds", KEY_PAGE_KINDS, NULL, LT_MORE, "Also count all pages by use, for "
						       "lifetrace memory; takes a second or more "
						       "for 16 GiB", 1 },
	{ "clock", KEY_CLOCK, "NAME", LT_MORE, "mono, raw, boot, counter, or auto, the default: counter "
	  "if the kernel trusts it, else mono", 1 },

	{ "engine", KEY_ENGINE, "NAME", LT_MORE, "What records: module, or bpf, programs for machines that load no "
	  "module [module where it is, else bpf]; trace-cmd, ptrace or proc-connector, processes alone; see "
	  "lifetrace-record(1)", 1 },

	{ "counters", KEY_COUNTERS, "LIST", LT_MORE, "With --engine=ptrace: also what these performance counters have "
	  "of each task, " LT_COUNTERS_HELP, 1 },

	{ NULL, 0, NULL, 0, "Which allocations are kept; the others have no record. Function calls (--call) are "
	  "chosen by --only-command, --only-pid and --only-cgroup, too; system calls are those of all threads:", 2 },
	{ "only-pid", 'p', "PID", 0,
	  "By this process, and all that it and its descendants create", 2 },
	{ "only-command", KEY_ONLY_COMMAND, NULL, 0, "By COMMAND, and all that it creates", 2 },
	{ "only-cgroup", KEY_ONLY_CGROUP, "PATH", 0,
	  "By tasks of this cgroup and those below it, as /system.slice/x.service", 2 },
	{ "only-caches", KEY_ONLY_CACHES, "NAMES", 0,
	  "Of these slab caches: dentry,kmalloc-96,ext4*", 2 },
	{ "only-code", KEY_ONLY_CODE, "NAMES", LT_MORE,
	  "By these functions and modules of the kernel", 2 },
	{ "min-size", KEY_MIN_SIZE, "BYTES", LT_MORE, "Leave out smaller allocations", 2 },
	{ "max-alloc", KEY_MAX_ALLOC, "BYTES", LT_MORE, "Leave out larger allocations", 2 },
	{ "sample", KEY_SAMPLE, "N", 0, "Keep one address in N, with its whole lifetimes", 2 },
	{ "budget", KEY_BUDGET, "PART", 0, "Cost at most PART of all CPUs, as 2%, by such a sample", 2 },

	{ NULL, 0, NULL, 0, "How long:", 3 },
	{ "duration", 'd', "TIME", 0, "Stop after this time: 10s, 500ms, 1m", 3 },
	{ "max-size", KEY_MAX_SIZE, "BYTES", 0,
	  "Stop before FILE is larger; K, M, G may follow", 3 },
	{ "overwrite", KEY_OVERWRITE, NULL, LT_MORE,
	  "Let full buffers overwrite their oldest packets, and write the last seconds when the "
	  "recording stops", 3 },
	{ "freeze", KEY_FREEZE, NULL, LT_MORE,
	  "With --overwrite: stop at a trigger (--events=slab,tasks,triggers)", 3 },

	{ NULL, 0, NULL, 0, "Where to:", 4 },
	{ "output", 'o', "FILE", 0,
	  "Trace file [" LT_DEFAULT_FILE "]; -: standard output, to a pipe", 4 },
	{ "force", KEY_FORCE, NULL, LT_MORE, "Replace FILE even if it is not a trace", 4 },
	{ "zstd", KEY_ZSTD, NULL, 0, "Compress the packets", 4 },
	LT_ROTATE_OPTIONS(4),
	{ "lifetimes", KEY_LIFETIMES, "FILE", LT_MORE,
	  "Also write lifetimes as CSV while recording; -: standard output", 4 },
	{ "totals", KEY_TOTALS, "DIR", LT_MORE, "Add lifetimes up by minute while recording, into tables "
	  "in DIR; without -o no trace is kept", 4 },
	{ "totals-format", KEY_TOTALS_FORMAT, "NAME", LT_MORE,
	  "Of these tables: parquet (the default) or clickhouse", 4 },
	{ "html", KEY_HTML, "PAGE", 0, "Then write the page of lifetrace html about FILE", 4 },
	{ "quiet", 'q', NULL, LT_MORE, "No progress, no summary", 4 },

	{ NULL, 0, NULL, 0, "Buffers:", 6 },
	{ "subbuf-size", KEY_SUBBUF_SIZE, "BYTES", LT_MORE, "Size of a packet; K, M may follow",
	  6 },
	{ "n-subbufs", KEY_N_SUBBUFS, "N", LT_MORE, "Packets that a CPU's buffer holds", 6 },
	{ "pid-subbuf-size", KEY_PID_SUBBUF_SIZE, "BYTES", LT_MORE,
	  "Size of a packet of the channel pid (tasks)", 6 },
	{ "pid-n-subbufs", KEY_PID_N_SUBBUFS, "N", LT_MORE,
	  "Packets that a CPU's buffer of the channel pid holds", 6 },
	{ "module-dir", KEY_MODULE_DIR, "DIR", OPTION_HIDDEN, "The module's directory", 6 },
	{ 0 }
};

/* The module takes numbers without units only. */
static const char *size_text(struct argp_state *state, const char *name, const char *arg)
{
	/* The text lives as long as the program. */
	return lt_format("%llu", (unsigned long long)lt_args_size(state, name, arg, 0));
}

static const char *number_text(struct argp_state *state, const char *name, const char *arg)
{
	lt_args_count(state, name, arg, 1, UINT32_MAX);
	return arg;
}

/* Whether a list of events has one of three words. */
static bool has_event(const char *events, const char *const words[3])
{
	size_t len;

	for (; *events; events += len + (events[len] == ',')) {
		len = strcspn(events, ",");
		for (size_t i = 0; i < 3; i++) {
			if (len == strlen(words[i]) && !strncmp(events, words[i], len))
				return true;
		}
	}
	return false;
}

static bool has_pages(const char *events)
{
	static const char *const words[3] = { "all", "pages", "page_alloc" };

	return has_event(events, words);
}

/*
 * --call-min is of functions if functions are recorded, and of system calls if those are. Alone it
 * asks for system calls.
 */
static void finish_functions(struct argp_state *state, struct lt_record_options *r)
{
	static const char *const calls[3] = { "all", "syscall", "sys_exit" };
	static const char *const words[3] = { "call", "call", "call" };
	bool syscalls = r->calls || r->call_errors || r->call_texts ||
			(r->events && has_event(r->events, calls));

	if (!r->n_functions) {
		if (r->events && has_event(r->events, words))
			argp_error(state, "--events: 'call' needs functions: --call=SPEC");
		if (r->function_depth)
			argp_error(state, "--call-depth: is of functions: --call=SPEC");
		return;
	}
	r->function_min_ns = r->call_min ? strtoull(r->call_min, NULL, 10) : 0;
	if (!syscalls)
		r->call_min = NULL;
	if (!r->events)
		r->events = syscalls ? "slab,tasks,syscall,call" : "slab,tasks,call";
	/* The module records functions by name alone: they are not of "all". */
	else if (!has_event(r->events, words))
		r->events = lt_format("%s,call", r->events);
}

static error_t parse_calls(int key, char *arg, struct argp_state *state)
{
	static const char *const words[3] = { "all", "syscall", "sys_exit" };
	struct lt_record_options *r = &((struct lt_record_args *)state->input)->record;
	char *native, *compat;

	switch (key) {
	case KEY_STRINGS:
		/* These texts live as long as the program, too. */
		if (lt_record_syscall_texts_here(&native, &compat))
			exit(LT_EXIT_BAD);
		r->call_texts = native;
		r->call_texts32 = compat;
		return 0;
	case KEY_SYSCALLS:
		/* Both texts live as long as the program. */
		if (lt_record_syscall_lists_here(arg, &native, &compat))
			exit(LT_EXIT_BAD);
		r->calls = native;
		r->calls32 = compat;
		return 0;
	case KEY_SYSCALL_ERRORS:
		r->call_errors = "Y";
		return 0;
	case KEY_SYSCALL_MIN:
		r->call_min = lt_format("%llu", (unsigned long long)
					lt_args_duration(state, "call-min", arg, 1));
		return 0;
	case ARGP_KEY_END:
		finish_functions(state, r);
		if (!r->calls && !r->call_errors && !r->call_min && !r->call_texts)
			return 0;
		if (!r->events)
			r->events = "slab,tasks,syscall";
		if (!has_event(r->events, words))
			argp_error(state, "--calls, --call-errors, --call-min, --strings: --events has no "
				   "syscall");
		return 0;
	}
	return lt_args_functions(key, arg, state, r) ? 0 : ARGP_ERR_UNKNOWN;
}

static error_t parse_stacks(int key, char *arg, struct argp_state *state)
{
	static const char *const depths[] = { "8", "16", "32", NULL };
	struct lt_record_options *r = &((struct lt_record_args *)state->input)->record;

	switch (key) {
	case KEY_STACKS:
		r->stacks = arg ? number_text(state, "stacks", arg) : "1";
		return 0;
	case KEY_NO_STACKS:
		r->no_stacks = true;
		return 0;
	case KEY_STACK_MIN:
		r->stack_min = size_text(state, "stack-min", arg);
		return 0;
	case KEY_STACK_DEPTH:
		r->stack_depth = depths[lt_args_word(state, "stack-depth", arg, depths)];
		return 0;
	case KEY_STACKS_FREE:
		r->stacks_free = "Y";
		return 0;
	case KEY_STACKS_PAGES:
		r->stacks_pages = "Y";
		return 0;
	case ARGP_KEY_END:
		if (r->no_stacks && (r->stacks || r->stack_min || r->stacks_pages))
			argp_error(state, "--no-stacks: cannot be used with options that record "
					  "stacks");
		if (r->stacks_free && !r->stacks)
			argp_error(state, "--stacks-free: --stacks must choose the addresses");
		if (r->stacks_pages && !r->events)
			r->events = "slab,tasks,pages";
		if (r->stacks_pages && !has_pages(r->events))
			argp_error(state, "--stacks-pages: --events has no pages");
		break;
	}
	return parse_calls(key, arg, state);
}

/* A text that the module takes as it is. */
static const char *list_text(struct argp_state *state, const char *name, const char *arg)
{
	if (!*arg || strlen(arg) > 255 || arg[strcspn(arg, "\n\t\r")])
		argp_error(state, "--%s: expected 1 to 255 characters, found '%s'", name, arg);
	return arg;
}

/* Which births are kept. */
static error_t parse_births(int key, char *arg, struct argp_state *state)
{
	struct lt_record_options *r = &((struct lt_record_args *)state->input)->record;

	switch (key) {
	case KEY_MAX_ALLOC:
		r->max_alloc = size_text(state, "max-alloc", arg);
		break;
	case KEY_ONLY_CACHES:
		r->only_caches = list_text(state, "only-caches", arg);
		break;
	case KEY_ONLY_CODE:
		r->only_code = list_text(state, "only-code", arg);
		break;
	case 'p':
		r->only_pid = number_text(state, "only-pid", arg);
		break;
	case KEY_ONLY_COMMAND:
		r->only_command = true;
		break;
	case KEY_ONLY_CGROUP:
		r->only_cgroup = list_text(state, "only-cgroup", arg);
		break;
	default:
		return parse_stacks(key, arg, state);
	}
	/* The counters count what is left out. */
	r->coverage = false;
	return 0;
}

static void check_births(struct argp_state *state, const struct lt_record_options *r)
{
	if (r->only_command && r->only_pid)
		argp_error(state, "--only-command, --only-pid: one process");
	if (r->only_command && !r->command)
		argp_error(state, "--only-command: expected a command, as in: -- make");
	if (r->events && has_pages(r->events) && (r->only_caches || r->only_code))
		argp_error(state, "--only-caches, --only-code: pages have no cache and no caller; "
			   "leave them out of --events");
}

static error_t parse_module(int key, char *arg, struct argp_state *state)
{
	static const char *const clocks[] = { "auto", "mono", "raw", "boot", "counter", NULL };
	/* The module finds these among its groups and probes, and refuses others. */
	static const char *const events[] = {
		"slab", "tasks", "pages", "percpu", "vmalloc", "dma", "syscall", "uring", "call",
		"triggers", "all", "kmalloc", "kfree", "kmem_cache_alloc", "kmem_cache_free",
		"bulk_alloc", "bulk_free", "rcu_free", "resize", "vresize", "page_alloc",
		"page_free", NULL
	};
	static const char *const engines[] = {
		"module", "bpf", "trace-cmd", "ptrace", "proc-connector", NULL
	};
	struct lt_record_options *r = &((struct lt_record_args *)state->input)->record;

	switch (key) {
	case 'e':
		/* An empty word may be one to be completed, too. */
		lt_words_offer(events, true);
		if (!*arg)
			argp_error(state, "--events: expected names separated by commas, such as slab,tasks, found nothing");
		r->events = arg;
		return 0;
	case KEY_CLOCK:
		r->clock = clocks[lt_args_word(state, "clock", arg, clocks)];
		return 0;
	case KEY_SUBBUF_SIZE:
		r->subbuf_size = size_text(state, "subbuf-size", arg);
		return 0;
	case KEY_N_SUBBUFS:
		r->n_subbufs = number_text(state, "n-subbufs", arg);
		return 0;
	case KEY_PID_SUBBUF_SIZE:
		r->pid_subbuf_size = size_text(state, "pid-subbuf-size", arg);
		return 0;
	case KEY_PID_N_SUBBUFS:
		r->pid_n_subbufs = number_text(state, "pid-n-subbufs", arg);
		return 0;
	case KEY_MIN_SIZE:
		r->min_size = size_text(state, "min-size", arg);
		return 0;
	case KEY_BUDGET:
		lt_args_budget(state, arg, r);
		return 0;
	case KEY_SAMPLE:
		r->sample = number_text(state, "sample", arg);
		return 0;
	case KEY_MODULE_DIR:
		r->dir = arg;
		return 0;
	case KEY_COUNTERS:
		lt_args_counters(state, arg, r);
		return 0;
	case KEY_ENGINE:
		r->engine = engines[lt_args_word(state, "engine", arg, engines)];
		return 0;
	}
	return parse_births(key, arg, state);
}

static const char *const format_names[] = { "parquet", "clickhouse", NULL };
static const struct lt_exporter *const formats[] = { &lt_export_parquet, &lt_export_clickhouse };

/* Where nothing needs a trace, none is kept. */
static void check_totals(struct argp_state *state, struct lt_record_args *o)
{
	if (o->totals && o->lifetimes)
		argp_error(state, "--totals: cannot be used with --lifetimes; record a trace, "
				  "and make the other one of it");
	if (o->totals_format && !o->totals)
		argp_error(state, "--totals-format: there is no --totals");
	if (!o->record.output && !o->totals)
		o->record.output = LT_DEFAULT_FILE;
	if (!o->record.output && o->record.max_size)
		argp_error(state, "--max-size: limits a trace, and --totals keeps none without -o");
	if (!o->record.output && o->record.zstd)
		argp_error(state, "--zstd: compresses a trace, and --totals keeps none without -o");
}

static void check_page_kinds(struct argp_state *state, const struct lt_record_options *r)
{
	if (r->page_kinds && (!r->coverage || !r->output || r->rotate_ns || r->rotate_bytes))
		argp_error(state, "--page-kinds: goes with one file that has the slab counters, so not "
			   "with --no-coverage, the filters of births, --rotate, and --totals without -o");
}

/* Nothing is read while it records, and the counters are those of a longer time. */
static void check_overwrite(struct argp_state *state, struct lt_record_args *o)
{
	struct lt_record_options *r = &o->record;

	if (r->freeze && !r->overwrite)
		argp_error(state, "--freeze: needs buffers that are overwritten: --overwrite");
	if (!r->overwrite)
		return;
	if (o->lifetimes || o->totals)
		argp_error(state, "--overwrite: --lifetimes and --totals need every packet");
	if (r->max_size)
		argp_error(state, "--overwrite: the buffers bound the file: --n-subbufs, not --max-size");
	r->coverage = false;
}

/* What is written when the trace is complete. */
static void check_html(struct argp_state *state, const struct lt_record_args *o)
{
	if (!o->html)
		return;
	if (!strcmp(o->html, "-"))
		argp_error(state, "--html: expected a file, found standard output");
	if (!o->record.output || !strcmp(o->record.output, "-"))
		argp_error(state, "--html: needs a trace, and none is kept here; name a file "
				  "with -o");
}

/* Return: whether the option is one of these, which have no argument. */
static bool parse_plain(int key, struct lt_record_options *r)
{
	switch (key) {
	case KEY_FORCE:
		r->force = true;
		return true;
	case KEY_ZSTD:
		r->zstd = true;
		return true;
	case 'q':
		r->quiet = true;
		return true;
	case KEY_COVERAGE:
	case KEY_NO_COVERAGE:
		r->coverage = key == KEY_COVERAGE;
		return true;
	case KEY_SHRINK:
		r->shrink = true;
		return true;
	case KEY_PAGE_KINDS:
		r->page_kinds = true;
		return true;
	case KEY_OVERWRITE:
		r->overwrite = true;
		return true;
	case KEY_FREEZE:
		r->freeze = true;
		return true;
	default:
		return false;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lt_record_args *o = state->input;
	struct lt_record_options *r = &o->record;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->flight;
		return 0;
	case 'o':
		r->output = arg;
		break;
	case KEY_MAX_SIZE:
		r->max_size = lt_args_size(state, "max-size", arg, 1);
		break;
	case 'd':
		r->duration_ns = lt_args_duration(state, "duration", arg, 1);
		break;
	case KEY_SNAPSHOT_EVERY:
		r->snapshot_ns = lt_args_duration(state, "snapshot-every", arg, 1);
		break;
	case KEY_LIFETIMES:
		o->lifetimes = arg;
		break;
	case KEY_HTML:
		o->html = arg;
		break;
	case KEY_TOTALS:
		o->totals = arg;
		break;
	case KEY_TOTALS_FORMAT:
		o->totals_format = formats[lt_args_word(state, "totals-format", arg, format_names)];
		break;
	case ARGP_KEY_ARGS:
		r->command = state->argv + state->next;
		break;
	case ARGP_KEY_END:
		lt_args_check_rotate(state, r, o->html != NULL);
		check_totals(state, o);
		return parse_module(key, arg, state);
	case ARGP_KEY_SUCCESS:
		check_births(state, r);
		check_overwrite(state, o);
		lt_args_check_budget(state, r,
				     o->lifetimes ? "lifetimes" : o->totals ? "totals" : NULL);
		check_page_kinds(state, r);
		check_html(state, o);
		lt_flight_args_check(state, &o->flight, r, o->lifetimes ? "lifetimes" : o->totals ?
				     "totals" : o->html ? "html" : NULL);
		break;
	default:
		if (lt_args_rotate(key, arg, state, r) || parse_plain(key, r))
			return 0;
		return parse_module(key, arg, state);
	}
	return 0;
}

static const struct argp_child children[] = {
	{ &lt_argp_flight, 0, "Flight recorder:", 7 }, { 0 }
};

static const struct argp argp = {
	argp_options, parse, "[-- COMMAND [ARGUMENT...]]",
	"Record a trace into a file until COMMAND ends, a signal comes (^C), or a limit is "
	"reached.\vCOMMAND runs with the caller's privileges: under sudo that is root. When the "
	"recording ends first, COMMAND is sent SIGTERM.\n"
	"\n"
	"If a session is already recording (lifetrace.enable=1), record takes it over, with what "
	"its buffers hold.\n"
	"\n"
	"The file can be read by its owner alone: it holds addresses of the kernel.\n"
	"\n"
	"Exit status: that of COMMAND (128 + N: ended by signal N) if its end ended the "
	"recording; otherwise 0, also if events were lost (the summary has their number); 2 if "
	"nothing was recorded, or not everything could be saved.", children, NULL, NULL
};

void lt_record_args_parse(int argc, char **argv, struct lt_record_args *args)
{
	*args = (struct lt_record_args){ .record = { .coverage = true, .any_engine = true } };
	/* ARGP_IN_ORDER: options behind COMMAND belong to COMMAND. */
	lt_help_parse(&argp, argc, argv, ARGP_IN_ORDER, args);
}
