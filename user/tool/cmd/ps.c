// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace ps: the running tasks, proven by the pid generation.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "forms/sort.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/ps.h"
#include "ps/ps.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"

#define DEFAULT_TRIES	20
#define MAX_TRIES	1000000

struct options {
	struct lt_args args;
	const char *proc;
	bool threads;
	bool unproven;
	uint64_t tries;
	const struct lt_column *sort;
};

enum { KEY_TRIES = 256, KEY_UNPROVEN, KEY_PROC, KEY_SORT };

static const struct argp_option argp_options[] = {
	{ "threads", 't', NULL, 0, "All threads, not only their processes", 0 },
	{ "tries", KEY_TRIES, "N", 0, "At most N scans [20]", 0 },
	{ "unproven", KEY_UNPROVEN, NULL, 0, "List also if nothing can be proven", 0 },
	{ "sort", KEY_SORT, "COLUMN", 0, "By COLUMN of --json: the greatest first, texts from A to Z; "
	  "otherwise by number", 0 },
	{ "proc", KEY_PROC, "DIR", 0, "Read this directory [/proc]", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		return 0;
	case 't':
		o->threads = true;
		return 0;
	case KEY_TRIES:
		o->tries = lt_args_count(state, "tries", arg, 1, MAX_TRIES);
		return 0;
	case KEY_UNPROVEN:
		o->unproven = true;
		return 0;
	case KEY_SORT:
		o->sort = lt_args_sort(&lt_rows_of_ps, arg);
		return 0;
	case KEY_PROC:
		o->proc = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, NULL,
	"List the running tasks, with a proof that each number in the list means one task.\vPid "
	"numbers are reused. /proc/pid_gen, a file of the module lifetrace, changes when a "
	"number may have been reused: ps reads it before and after a scan of /proc, and scans "
	"again if it has changed.\n"
	"\n"
	"Exit status: 0 the list is proven, 1 it is not, because the generation changed in every "
	"scan, 2 there is no /proc/pid_gen, or /proc cannot be read.",
	lt_args_nothing_table, NULL, NULL
};

static int print(const struct options *o, const struct lt_ps *ps)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	const void **rows = lt_alloc_array(ps->n + 1, sizeof(*rows));
	struct lt_terminal term;

	for (size_t i = 0; i < ps->n; i++)
		rows[i] = &ps->rows[i];
	if (o->sort)
		lt_sort_rows(rows, ps->n, o->sort, (void *)(uintptr_t)ps);
	lt_cmd_page(&term, o->args.format == LT_FORMAT_TEXT);
	out.width = term.fit;
	lt_ps_print(&out, ps, rows, o->args.format, o->args.columns);
	free(rows);
	return lt_cmd_page_end(&term, lt_out_close(&out) ? LT_EXIT_BAD : LT_EXIT_OK);
}

/* For a machine without /proc/pid_gen. Return: LT_EXIT_OK: the list can be printed. */
static int without_generation(const struct options *o, struct lt_ps *ps)
{
	bool closed = errno == EACCES;

	if (!o->unproven) {
		lt_error("%s/pid_gen: %s; nothing can be proven without it. %s, or list without a "
			 "proof: --unproven", o->proc, strerror(errno), closed ?
			 "Run ps as root, or load the module with pid_gen=all" :
			 "Load the module (modprobe lifetrace)");
		return LT_EXIT_BAD;
	}
	return lt_ps_scan(ps) == LT_PS_OK ? LT_EXIT_OK : LT_EXIT_BAD;
}

int lt_cmd_ps(int argc, char **argv)
{
	struct options o = { .args.kind = &lt_rows_of_ps, .proc = "/proc", .tries = DEFAULT_TRIES };
	int status = LT_EXIT_OK, printed;
	struct lt_ps ps;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, &lt_rows_of_ps, 0, NULL);
	lt_ps_init(&ps, o.proc);
	ps.threads = o.threads;
	switch (lt_ps_list(&ps, (unsigned int)o.tries)) {
	case LT_PS_OK:
		if (!ps.proven)
			status = LT_EXIT_NO;
		break;
	case LT_PS_NO_GENERATION:
		status = without_generation(&o, &ps);
		break;
	default:
		status = LT_EXIT_BAD;
	}
	if (status != LT_EXIT_BAD) {
		printed = print(&o, &ps);
		status = printed ? printed : status;
	}
	if (status == LT_EXIT_NO)
		lt_error("pid numbers were reused in each of %u scans: the list is not proven. "
			 "Try again, or with more --tries", ps.scans);
	lt_ps_free(&ps);
	return status;
}
