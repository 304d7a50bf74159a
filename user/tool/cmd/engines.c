// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace engines: a command under several engines, side by side.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/counter_args.h"
#include "cmd/engines_run.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/output.h"
#include "out/terminal.h"
#include "page/engines.h"
#include "print/engines.h"

#define MOST_RUNS	1000

enum { KEY_ENGINE = 256, KEY_DIFFERENCES, KEY_ALONE, KEY_STOPWATCH, KEY_HTML, KEY_COUNTERS };

/**
 * struct options - the command line
 * @engines: those to be taken, from the one that is believed most; all NULL: all
 * @any_engine: not all
 * @paths: traces that are there, @n_paths of them
 * @dir: where the traces stay; NULL: nowhere
 * @events: of --events; NULL: it was not given
 * @html: a page that is written, too; NULL: none
 * @counters: of --counters; NULL: none
 * @runs: how often the command runs alone, and with each engine alone; 0: not
 */
struct options {
	struct lt_args args;
	char **command;
	const char *engines[LT_ENGINES_MAX];
	bool any_engine;
	const char *paths[LT_ENGINES_MAX];
	unsigned int n_paths;
	const char *dir;
	const char *events;
	const char *html;
	const char *counters;
	unsigned int runs;
	bool differences;
	size_t top;
	const char *stopwatch;
};

static const struct argp_option argp_options[] = {
	{ "engine", KEY_ENGINE, "NAME", 0, "Take this one: module, bpf, trace-cmd, proc-connector, ptrace; may be repeated "
	  "[all that can record here]", 0 },
	{ "events", 'e', "LIST", 0, "Record these, as record does: 'slab,tasks' compares allocations, too, of module, "
	  "bpf and trace-cmd [tasks]", 0 },
	{ "alone", KEY_ALONE, "N", OPTION_ARG_OPTIONAL, "Also run COMMAND N times (3) without an engine, and with "
	  "each alone: by how much it is slower", 0 },
	{ "output", 'o', "DIR", 0, "Keep the traces in DIR, as ENGINE.lt", 0 },
	{ "differences", KEY_DIFFERENCES, NULL, 0,
	  "Rows are all differences, one by one, with their cause", 0 },
	{ "number", 'n', "N", 0, "Print at most N differences below the table; 0: none [20]", 0 },
	{ "html", KEY_HTML, "PAGE", 0, "Also write a page for a browser: the table, the differences, and the processes over time", 0 },
	{ "counters", KEY_COUNTERS, "LIST", 0, "Let engines that can, read these performance counters of each task, "
	  LT_COUNTERS_HELP, 0 },
	{ "stopwatch", KEY_STOPWATCH, "FILE", OPTION_HIDDEN, "Write how long COMMAND takes", 0 },
	{ 0 }
};

static void add_path(struct argp_state *state, struct options *o, const char *path)
{
	if (o->n_paths == LT_ENGINES_MAX)
		argp_error(state, "at most %u traces are compared", LT_ENGINES_MAX);
	o->paths[o->n_paths++] = path;
}

static void check(struct argp_state *state, const struct options *o)
{
	if (lt_args_list_columns(&o->args))
		return;
	if (!o->command == !o->n_paths)
		argp_error(state, "expected a command, as in: -- make; or traces of one run");
	if (o->n_paths && (o->runs || o->dir || o->events || o->counters || o->any_engine))
		argp_error(state, "--engine, --events, --alone, --counters, --output: are for a command; traces were recorded already");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		return 0;
	case KEY_ENGINE:
		key = (int)lt_args_word(state, "engine", arg, lt_engines_names);
		o->engines[key] = lt_engines_names[key];
		o->any_engine = true;
		return 0;
	case 'e':
		o->events = arg;
		return 0;
	case KEY_ALONE:
		o->runs = arg ? (unsigned int)lt_args_count(state, "alone", arg, 1, MOST_RUNS) : 3;
		return 0;
	case 'o':
		if (!strcmp(arg, "-"))
			argp_error(state, "-o: expected a directory, found standard output");
		o->dir = arg;
		return 0;
	case KEY_DIFFERENCES:
		o->differences = true;
		o->args.kind = &lt_rows_of_engine_differences;
		return 0;
	case 'n':
		o->top = (size_t)lt_args_count(state, "number", arg, 0, 1000000000);
		return 0;
	case KEY_STOPWATCH:
		o->stopwatch = arg;
		return 0;
	case KEY_HTML:
		o->html = arg;
		return 0;
	case KEY_COUNTERS:
		lt_args_counters(state, arg, &(struct lt_record_options){ .counters = 0 });
		o->counters = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!lt_args_command(state, &o->command))
			add_path(state, o, arg);
		return 0;
	case ARGP_KEY_END:
		check(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "-- COMMAND [ARGUMENT...]\nTRACE...",
	"Run COMMAND under several engines at once, and print what each saw of the processes that it is "
	"made of: how many, what it missed or has otherwise than the others, and why.\v"
	"What is compared is COMMAND and all that it created. Of two engines that say something else, the first "
	"one of module, bpf, trace-cmd, proc-connector and ptrace is believed; of TRACE, the first one. An engine that cannot "
	"record here is named, with the reason.\n"
	"\n"
	"Exit status: 0, also if there are differences; 2: nothing could be recorded or read.",
	lt_args_table, NULL, NULL
};

/* ------------------------------------------------------------------------
 * Rows
 */

struct rows {
	struct lt_engine_row all[LT_ENGINES_MAX + 1];
	size_t n;
};

static struct lt_engine_row *add_row(struct rows *rows, const char *engine)
{
	rows->all[rows->n] = (struct lt_engine_row){ .engine = engine };
	return &rows->all[rows->n++];
}

/* What any saw, and below what each did. Rows of engines are there, or made. */
static void add_sides(struct rows *rows, struct lt_engines *e)
{
	uint64_t bare = 0;

	for (unsigned int i = 0; i < e->n_sides; i++) {
		struct lt_engine_row *r = NULL;

		for (size_t k = 0; k < rows->n; k++) {
			if (!rows->all[k].side && !rows->all[k].reason &&
			    !strcmp(rows->all[k].engine, e->sides[i].name))
				r = &rows->all[k];
		}
		if (!r)
			r = add_row(rows, e->sides[i].name);
		r->side = &e->sides[i];
		r->memory = e->sides[i].memory;
		bare = r->bare_ns;
	}
	memmove(rows->all + 1, rows->all, rows->n * sizeof(*rows->all));
	rows->n++;
	rows->all[0] = (struct lt_engine_row){
		.engine = "all", .side = &e->all, .alone_ns = bare, .memory = e->memory,
	};
}

/* Return: an exit status. */
static int write_page(const struct options *o, const struct lt_engines_view *v)
{
	int fd = lt_output_open(o->html), err = -1;

	if (fd >= 0) {
		err = lt_page_engines_write(v, o->command, fd, o->html);
		err |= lt_output_close(fd, !err);
	}
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}

static int print(const struct options *o, struct rows *rows, struct lt_engines *e)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct lt_engines_view v = {
		.out = &out, .e = e, .differences = o->differences, .top = o->top,
		.format = o->args.format, .columns = o->args.columns,
	};
	struct lt_terminal term;
	int status = LT_EXIT_OK;

	if (e)
		add_sides(rows, e);
	v.rows = rows->all;
	v.n = rows->n;
	if (o->html)
		status = write_page(o, &v);
	lt_cmd_page(&term, o->args.format == LT_FORMAT_TEXT);
	out.width = term.fit;
	lt_engines_print(&v);
	return lt_cmd_page_end(&term, lt_out_close(&out) ? LT_EXIT_BAD : status);
}

/* ------------------------------------------------------------------------
 * A command
 */

/* The engines that can record here. Return: how many. */
static size_t probe(const struct options *o, const struct lt_engines_how *how, struct rows *rows,
		    const char *engines[LT_ENGINES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; lt_engines_names[i]; i++) {
		struct lt_engine_row *r;

		if (o->any_engine && !o->engines[i])
			continue;
		r = add_row(rows, lt_engines_names[i]);
		r->reason = lt_engines_probe(how, r->engine);
		if (!r->reason)
			engines[n++] = r->engine;
	}
	if (!n)
		lt_error("no engine can record here");
	return n;
}

/* @engines: the @n rows that have no reason. Return: -1 after lt_error(). */
static int take_times(const struct options *o, const struct lt_engines_how *how,
		      const char *const *engines, size_t n, struct rows *rows)
{
	uint64_t ns[LT_ENGINES_MAX + 1];
	size_t k = 0;

	if (!o->runs)
		return 0;
	if (lt_engines_times(how, engines, n, o->runs, o->command, ns))
		return -1;
	for (size_t i = 0; i < rows->n; i++) {
		struct lt_engine_row *r = &rows->all[i];

		if (r->reason)
			continue;
		r->bare_ns = ns[0];
		r->alone_ns = ns[++k];
	}
	return 0;
}

static struct lt_engines *read_traces(const char *dir, const char *const *engines, size_t n)
{
	char *paths[LT_ENGINES_MAX];
	struct lt_engines *e;

	for (size_t i = 0; i < n; i++)
		paths[i] = lt_format("%s/%s.lt", dir, engines[i]);
	e = lt_engines_read((const char *const *)paths, (unsigned int)n);
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	return e;
}

/*
 * @made: @dir is of lt_output_make_dir(). It gets its name when the traces are whole: what was
 *	recorded is not
 * thrown away because it cannot be printed.
 */
static int run_in(const struct options *o, const char *dir, bool made)
{
	const struct lt_engines_how how = {
		.dir = dir, .events = o->events ? o->events : "tasks", .counters = o->counters,
	};
	const char *engines[LT_ENGINES_MAX];
	struct rows rows = { .n = 0 };
	struct lt_engines *e = NULL;
	size_t n = probe(o, &how, &rows, engines);
	int status = LT_EXIT_BAD, err = 0;

	if (n && !take_times(o, &how, engines, n, &rows) &&
	    lt_engines_together(&how, engines, n, o->command) >= 0)
		e = read_traces(dir, engines, n);
	if (made)
		err = lt_output_close_dir(dir, e);
	if (e)
		status = print(o, &rows, e);
	if (err)
		status = LT_EXIT_BAD;
	for (size_t i = 0; i < rows.n; i++)
		free(rows.all[i].reason);
	lt_engines_free(e);
	return status;
}

static void remove_dir(const char *dir)
{
	for (size_t i = 0; lt_engines_names[i]; i++) {
		char *path = lt_format("%s/%s.lt", dir, lt_engines_names[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

/* What is to be written is tried before the command runs. Return: 0, or -1 after lt_error(). */
static int try_outputs(const struct options *o)
{
	int fd;

	if (o->dir && !access(o->dir, F_OK) && !lt_output_is_empty_dir(o->dir)) {
		lt_error("%s: exists and is not an empty directory; choose another", o->dir);
		return -1;
	}
	if (!o->html)
		return 0;
	fd = lt_output_open(o->html);
	if (fd < 0)
		return -1;
	lt_output_close(fd, false);
	return 0;
}

static int run(const struct options *o)
{
	const char *tmp = getenv("TMPDIR"), *made;
	char *dir;
	int status;

	if (try_outputs(o))
		return LT_EXIT_BAD;
	if (o->dir) {
		made = lt_output_make_dir(o->dir);
		if (!made) {
			lt_error("%s: %s", o->dir, strerror(errno));
			return LT_EXIT_BAD;
		}
		return run_in(o, made, true);
	}
	dir = lt_format("%s/lifetrace.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir)) {
		lt_error("%s: %s", dir, strerror(errno));
		free(dir);
		return LT_EXIT_BAD;
	}
	status = run_in(o, dir, false);
	remove_dir(dir);
	free(dir);
	return status;
}

int lt_cmd_engines(int argc, char **argv)
{
	struct options o = { .args.kind = &lt_rows_of_engines, .top = 20 };
	struct rows rows = { .n = 0 };
	struct lt_engines *e;
	int status;

	/* ARGP_IN_ORDER: options behind COMMAND belong to COMMAND. */
	lt_help_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
	if (o.stopwatch)
		return lt_engines_stopwatch(o.stopwatch, o.command);
	lt_args_rows(&o.args, o.args.kind, 0, NULL);
	if (o.command)
		return run(&o);
	e = lt_engines_read(o.paths, o.n_paths);
	if (!e)
		return LT_EXIT_BAD;
	status = print(&o, &rows, e);
	lt_engines_free(e);
	return status;
}
