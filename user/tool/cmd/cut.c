// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace cut: write a part of a trace into a file that opens by itself.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/owner.h"
#include "base/str.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/same_output.h"
#include "cmd/with_trace.h"
#include "format/set.h"
#include "out/log.h"
#include "out/next.h"
#include "out/output.h"
#include "state/cut.h"
#include "sums/moment.h"

enum {
	KEY_FROM = 256, KEY_TO, KEY_AROUND, KEY_MARGIN, KEY_TASK, KEY_ROOT, KEY_ANONYMIZE,
	KEY_PARTS,
};

#define MARGIN_NS	1000000000ULL
#define MOST_PARTS	9999	/* digits of a name */

struct options {
	struct lt_args args;
	const char *from;
	const char *to;
	const char *around;
	uint64_t margin;	/* ns; 0: not given */
	uint64_t parts;		/* 0: one file */
	const char *output;	/* NULL: not given */
	bool force;
	struct lt_filter_spec who;
	struct lt_cut cut;
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "FILE", 0, "Where to [cut.lt; with --parts the directory cut.d]", 0 },
	{ "from", KEY_FROM, "WHEN", 0, "Begin there: 2.5 or 500ms after the beginning, -5s before the "
	  "end, @TIME on the trace's clock, 10:03:21 by the wall clock, marker:TEXT [the beginning]", 0 },
	{ "to", KEY_TO, "WHEN", 0, "End there [the end]", 0 },
	{ "around", KEY_AROUND, "WHEN", 0, "Begin before that, and end behind it, by --margin", 0 },
	{ "margin", KEY_MARGIN, "TIME", 0, "How long [1s]", 0 },
	{ "task", KEY_TASK, "NAME|TID[@START]", 0, "Only what this task did, or tasks with this name at "
	  "that time: their allocations with what freed them, their calls", 0 },
	{ "root", KEY_ROOT, "NAME|PID", 0, "Only what tasks with this name, program or number did, and "
	  "all below them, as tree has them", 0 },
	{ "parts", KEY_PARTS, "N", 0, "Into N files in a directory, side by side, which are read as "
	  "one trace: a window of it takes the time of what it has", 0 },
	{ "anonymize", KEY_ANONYMIZE, NULL, 0, "Replace names of tasks, paths, cgroups and hosts, "
	  "texts of markers, and all addresses", 0 },
	{ "force", 'f', NULL, 0, "Replace FILE even if it is not a trace", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case KEY_FROM:
		o->from = arg;
		return 0;
	case KEY_TO:
		o->to = arg;
		return 0;
	case KEY_AROUND:
		o->around = arg;
		return 0;
	case KEY_MARGIN:
		o->margin = lt_args_duration(state, "margin", arg, 1);
		return 0;
	case KEY_TASK:
		lt_args_check_line(state, "task", arg);
		o->who.task = arg;
		return 0;
	case KEY_ROOT:
		lt_args_check_line(state, "root", arg);
		o->who.root = arg;
		return 0;
	case KEY_PARTS:
		o->parts = lt_args_count(state, "parts", arg, 2, MOST_PARTS);
		return 0;
	case KEY_ANONYMIZE:
		o->cut.anonymize = true;
		return 0;
	case 'f':
		o->force = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (o->around && (o->from || o->to))
			argp_error(state, "--around, and --from or --to: only one of them is possible");
		if (!o->around && o->margin)
			argp_error(state, "--margin is for --around");
		if (!o->around && !o->from && !o->to && !o->who.task && !o->who.root &&
		    !o->cut.anonymize && !o->parts)
			argp_error(state, "expected --from=WHEN, --to=WHEN, --around=WHEN, --task=WHO, "
				   "--root=WHO, --parts=N or --anonymize");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "[FILE...]",
	"Write a window of a trace, or what some tasks did, into a file of its own, which begins with what "
	"was alive, and is read as any other trace.\v"
	"Windows that lie side by side, read together, answer as the whole trace: lifetrace report "
	"a.lt b.lt.",
	lt_args_file, NULL, NULL
};

/* Return: 0, or -1 after printing what is wrong. */
static int find_window(struct options *o, const struct lt_trace *t)
{
	const char *file = o->args.file;
	uint64_t margin = o->margin ? o->margin : MARGIN_NS, at;

	o->cut.until = UINT64_MAX;
	if (o->around) {
		if (lt_moment_of(t, file, "around", o->around, &at))
			return -1;
		/*
		 * Nothing was recorded before the trace and behind it, so the window is not of
		 * that.
		 */
		o->cut.from = at > margin && at - margin > lt_trace_begin(t) ? at - margin : 0;
		if (margin < lt_trace_end(t) && at < lt_trace_end(t) - margin)
			o->cut.until = at + margin;
		return 0;
	}
	if ((o->from && lt_moment_of(t, file, "from", o->from, &o->cut.from)) ||
	    (o->to && lt_moment_of(t, file, "to", o->to, &o->cut.until)))
		return -1;
	if (o->cut.from < o->cut.until)
		return 0;
	lt_error("--from and --to: expected a window, found an end before its begin");
	return -1;
}

/* Which tasks the new file is about. Return: 0, or -1 after printing what is wrong. */
static int find_tasks(struct options *o, struct lt_str *whose)
{
	if (o->who.task)
		lt_str_add(whose, "task=%s\n", o->who.task);
	if (o->who.root)
		lt_str_add(whose, "root=%s\n", o->who.root);
	o->cut.whose = whose->s;
	if (!whose->s)
		return 0;
	o->who.doer = "event of a task";
	return lt_args_filter(&o->who, o->args.file, &o->cut.filter);
}

/* The next window, into one file. Return: 0, or -1 after printing what is wrong. */
static int write_window(const struct options *o, struct lt_cutter *c, const char *path)
{
	struct lt_writer *w = lt_writer_open(path, o->force);
	int ret, err;

	if (!w)
		return -1;
	/* The file gets its name when it is whole. */
	w->publish_last = true;
	ret = lt_cut_next(c, w);

	/* What was not ended in order must not look as if it was. */
	if (!ret)
		ret = o->cut.torn ? lt_writer_publish(w) : lt_writer_finish(w);
	err = w->error;
	if (lt_writer_close(w) && !err)
		err = errno;
	if (err)
		lt_error("%s: %s", path, strerror(err));
	return ret || err ? -1 : 0;
}

static int write_files(struct lt_cutter *c, const struct options *o, const char *dir)
{
	int err = 0;

	for (size_t i = 0; i < lt_cut_n_parts(c) && !err; i++) {
		char *path = lt_format("%s/%04zu.lt", dir, i + 1);

		err = write_window(o, c, path);
		free(path);
	}
	return err;
}

static int write_directory(struct lt_cutter *c, const struct options *o)
{
	const char *dir;
	int err;

	if (lt_owner_refuses(o->output, true))
		return -1;
	if (!access(o->output, F_OK) && !lt_output_is_empty_dir(o->output)) {
		lt_error("%s: exists and is not an empty directory; choose another", o->output);
		return -1;
	}
	dir = lt_output_make_dir(o->output);
	if (!dir) {
		lt_error("%s: cannot make the directory: %s", o->output, strerror(errno));
		return -1;
	}
	err = write_files(c, o, dir);
	return lt_output_close_dir(dir, !err) || err ? -1 : 0;
}

static int write_all(struct options *o, const struct lt_trace *t)
{
	struct lt_str whose = { .n = 0 };
	struct lt_cutter *c = NULL;
	int err;

	err = find_window(o, t) || find_tasks(o, &whose);
	if (!err)
		c = lt_cut_begin(t, &o->cut, o->parts ? o->parts : 1);
	if (c)
		err = o->parts ? write_directory(c, o) : write_window(o, c, o->output);
	lt_cut_end(c);
	lt_filter_free(o->cut.filter);
	free(whose.s);
	return c ? err : -1;
}

static void say_next(const struct lt_trace *t, const char *file)
{
	struct lt_next has = lt_next_of(lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX),
					lt_trace_info(t, "channels"));

	lt_next_say(stderr, file, &has);
}

static int run(struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct options *o = arg;

	(void)out;
	if (write_all(o, t))
		return LT_EXIT_BAD;
	if (o->cut.unread_packets)
		lt_warn("%s: %" PRIu64 " packets could not be read, and are missing in %s",
			lt_trace_path(t), o->cut.unread_packets, o->output);
	if (strcmp(o->output, "-")) {
		fprintf(stderr, "%s: %" PRIu64 " packets; ", o->output, o->cut.packets);
		say_next(t, o->output);
	}
	return LT_EXIT_OK;
}

/* Whether the new file would take the place of one that is read. */
static bool is_input(const char *file, const char *output)
{
	const struct lt_set *set;

	return !lt_set_find(file, &set) && set ? lt_output_in_set(output, set) :
						 lt_same_output(output, file);
}

int lt_cmd_cut(int argc, char **argv)
{
	struct options o = { .output = NULL };

	lt_help_parse(&argp, argc, argv, 0, &o);
	if (!o.output)
		o.output = o.parts ? "cut.d" : "cut.lt";
	if (o.parts && !strcmp(o.output, "-")) {
		lt_error("-: standard output is one file, and these are many; choose a directory");
		return LT_EXIT_BAD;
	}
	if (strcmp(o.output, "-") && is_input(o.args.file, o.output)) {
		lt_error("--output=%s: the trace that is read would be replaced; take another name",
			 o.output);
		return LT_EXIT_BAD;
	}
	return lt_cmd_with_trace(o.args.file, LT_FORMAT_JSON, run, &o);
}
