// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace resolve: the lines of another tool's record, each with the task that its number means.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "out/terminal.h"
#include "print/whose.h"
#include "tasks/read.h"

struct options {
	struct lt_args args;
	const char *log;
	enum lt_log_format from;
	bool from_given;
	struct lt_log_options how;
	struct lt_whose_options whose;
	struct lt_log_reader reader;
};

enum { KEY_LOG = 256, KEY_CLOCK, KEY_LATE, KEY_UNCERTAIN, KEY_PID, KEY_TIME, KEY_UNIT };

static const struct argp_option argp_options[] = {
	{ "log", KEY_LOG, "FORMAT", 0, "What the log is: strace, syslog, journal, audit, perf, dmesg, ftrace, "
	  "json [by its first lines]", 0 },
	{ "clock", KEY_CLOCK, "CLOCK", 0, "Of the times in the log: auto, real, boot, mono, local [auto: what "
	  "the format has]", 0 },
	{ "uncertainty", KEY_UNCERTAIN, "TIME", 0, "The clock of the log may be wrong by TIME [what is known of "
	  "it; local: 1s]", 0 },
	{ "late", KEY_LATE, "TIME", 0, "A line may have been stamped TIME after it was true [journal, syslog: "
	  "2s; ends in strace: 1s; others: 0]", 0 },
	{ "pid-field", KEY_PID, "NAME", 0, "JSON: the member with the number of the task [pid, tid, "
	  "process.pid]", 1 },
	{ "time-field", KEY_TIME, "NAME", 0, "JSON: the member with the time [time, ts, timestamp, @timestamp]",
	  1 },
	{ "unit", KEY_UNIT, "UNIT", 0, "JSON: of a time that is a number: auto, s, ms, us, ns [auto: by its "
	  "digits]", 1 },
	{ 0 }
};

static const char *const format_words[] = {
	"strace", "syslog", "journal", "audit", "perf", "dmesg", "ftrace", "json", NULL
};
static const char *const clock_words[] = { "real", "boot", "mono", "local", "auto", NULL };
static const char *const unit_words[] = { "auto", "s", "ms", "us", "ns", NULL };

static void check(struct argp_state *state, struct options *o)
{
	if (lt_args_list_columns(&o->args))
		return;
	if (!o->log)
		argp_error(state, "expected a LOG: a file with lines of another tool; -: standard input");
	lt_args_default_file(state, &o->args);
	if (!strcmp(o->log, "-") && !strcmp(o->args.file, "-"))
		argp_error(state, "standard input cannot be both the trace and the log");
	if (o->from_given && o->from != LT_LOG_JSON &&
	    (o->how.pid_field || o->how.time_field || o->how.unit))
		argp_error(state, "--pid-field, --time-field and --unit are of --log=json");
	if (o->how.pid_field || o->how.time_field || o->how.unit) {
		o->from = LT_LOG_JSON;
		o->from_given = true;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &o->args;
		return 0;
	case KEY_LOG:
		o->from = (enum lt_log_format)lt_args_word(state, "log", arg, format_words);
		o->from_given = true;
		return 0;
	case KEY_CLOCK:
		/* auto is behind the clocks. */
		o->whose.clock = (enum lt_log_clock)lt_args_word(state, "clock", arg, clock_words);
		return 0;
	case KEY_LATE:
		o->whose.late = lt_args_duration(state, "late", arg, 0);
		return 0;
	case KEY_UNCERTAIN:
		o->whose.uncertain = lt_args_duration(state, "uncertainty", arg, 0);
		return 0;
	case KEY_PID:
		o->how.pid_field = arg;
		return 0;
	case KEY_TIME:
		o->how.time_field = arg;
		return 0;
	case KEY_UNIT:
		o->how.unit = (enum lt_log_unit)lt_args_word(state, "unit", arg, unit_words);
		return 0;
	case ARGP_KEY_ARG:
		if (o->log)
			lt_args_add_file(&o->args, arg);
		else
			o->log = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &lt_argp_table }, { .argp = &lt_argp_times }, { 0 }
};

static const struct argp argp = {
	argp_options, parse, "LOG [FILE...]",
	"Print the lines of another tool's record, each with the task that it means. Such a record names tasks "
	"by number, and numbers are reused: the trace FILE, of the same time, says who had the number then. LOG "
	"is text of strace -f, journalctl, auditd, perf script, dmesg or trace_pipe, or JSON, an object a line."
	"\v"
	"Where the clock does not decide, a line is undecided, with the tasks that it may mean; it is never a "
	"guess. Lines that name no task stay as they are. Exit status: 0, or 2: LOG or FILE cannot be read.",
	children, NULL, NULL
};

static const char *log_name(const struct options *o)
{
	return strcmp(o->log, "-") ? o->log : "standard input";
}

/* The format, by the first lines. Return: 0, or -1 after printing what is wrong. */
static int guess(struct options *o, const char *text, size_t len)
{
	unsigned int n = lt_log_guess(text, len, &o->how, &o->from);
	const char *hint;
	size_t shown;

	if (n || !len) {
		if (n)
			lt_warn("%s: read as lines of %s, which the first ones are; --log=FORMAT says "
				"otherwise", log_name(o), lt_log_format_text(o->from));
		return 0;
	}
	for (shown = 0; shown < len && shown < 60 && text[shown] != '\n'; shown++)
		;
	hint = lt_log_hint(text, len);
	lt_error("%s: line 1: expected a line of strace -f -ttt, journalctl, auditd, perf script, dmesg or "
		 "trace_pipe, or an object of JSON, found '%.*s'; %s",
		 log_name(o), (int)shown, text, hint ? hint : "--log=FORMAT says what it is");
	return -1;
}

/* Looks at the first lines. Return: 0, or -1 after printing what is wrong. */
static int begin(struct options *o)
{
	struct lt_why why;
	const char *text;
	unsigned int n;
	size_t len;

	if (lt_log_peek(&o->reader, &text, &len)) {
		lt_error("%s: %s", log_name(o), strerror(errno));
		return -1;
	}
	if (!o->from_given && guess(o, text, len))
		return -1;
	n = lt_log_refused(text, len, o->from, &o->how, &why);
	if (n)
		lt_error("%s: line %u: %s", log_name(o), n, why.text);
	return n ? -1 : 0;
}

/* Return: 0, or -1 after printing what is wrong. */
static int read_lines(struct options *o, const struct lt_whose *w, struct lt_whose_view *view)
{
	struct lt_log_parser parser;
	bool any_unread = false;
	const char *line;
	size_t len;
	int more;

	lt_log_parser_init(&parser, o->from, &o->how);
	while ((more = lt_log_next(&o->reader, &line, &len)) > 0) {
		struct lt_whose_answer answer;
		struct lt_log_line named;
		struct lt_why why;

		switch (lt_log_parse(&parser, line, len, &named, &why)) {
		case LT_LOG_NO_TASK:
			lt_whose_view_line(view, line, len, NULL, NULL);
			break;
		case LT_LOG_TASK:
			if (!lt_whose_has_clock(w, named.clock)) {
				lt_error("%s: has no reading of the clock of %s", o->args.file,
					 log_name(o));
				return -1;
			}
			lt_whose_find(w, &named, &answer);
			lt_whose_view_line(view, line, len, &named, &answer);
			break;
		default:
			/*
			 * Some program has written into the log, or it was cut: the others are
			 * good.
			 */
			if (!any_unread)
				lt_warn("%s: line %" PRIu64 ": %s", log_name(o), o->reader.number,
					why.text);
			any_unread = true;
			lt_whose_unread(&answer);
			lt_whose_view_line(view, line, len, NULL, &answer);
			break;
		}
	}
	if (more < 0 && errno == EFBIG)
		lt_error("%s: line %" PRIu64 ": expected at most %u MiB, found more", log_name(o),
			 o->reader.number + 1, LT_LOG_LINE_MAX >> 20);
	else if (more < 0)
		lt_error("%s: %s", log_name(o), strerror(errno));
	return more;
}

static int resolve(struct options *o, struct lt_trace *t, struct lt_tasks *tb, struct lt_out *out)
{
	struct lt_whose *w = lt_whose_new(t, tb, &o->whose);
	struct lt_cgroups *cgroups = lt_cgroups_named(t);
	struct lt_whose_counts counts;
	struct lt_whose_view *view;
	struct lt_terminal term;
	struct lt_times times;
	char text[1024];
	int err = lt_times_init(&times, o->args.times, t);

	if (!err) {
		/* Also if a pager stands before it. */
		lt_terminal_init(&term);
		view = lt_whose_view_new(out, w, tb, cgroups, &times, o->args.format,
					 o->args.columns, term.is);
		err = read_lines(o, w, view);
		lt_whose_view_end(view, &counts);
	}
	if (!err)
		lt_warn("%s: %s", log_name(o), lt_whose_counts_text(&counts, text, sizeof(text)));
	lt_cgroups_free(cgroups);
	lt_whose_free(w);
	return err ? LT_EXIT_BAD : LT_EXIT_OK;
}

static int run(struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct options *o = arg;
	struct lt_tasks *tb = lt_tasks_for(t, true);
	int err, status;

	if (!tb)
		return LT_EXIT_BAD;
	/* A line is as long as it is. */
	out->width = 0;
	err = lt_tasks_read(t, tb);
	if (lt_clock_has_wall(lt_trace_clock(t))) {
		o->how.from = lt_trace_realtime(t, lt_trace_begin(t));
		o->how.to = lt_trace_realtime(t, lt_trace_end(t));
	}
	status = begin(o) ? LT_EXIT_BAD : resolve(o, t, tb, out);
	lt_tasks_free(tb);
	return err ? LT_EXIT_BAD : status;
}

int lt_cmd_resolve(int argc, char **argv)
{
	struct options o = {
		.args.kind = &lt_rows_of_log_line,
		.whose = { .clock = LT_N_LOG_CLOCKS, .late = UINT64_MAX, .uncertain = UINT64_MAX },
	};
	int status;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, &lt_rows_of_log_line, 0, NULL);
	o.reader.fd = strcmp(o.log, "-") ? open(o.log, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (o.reader.fd < 0) {
		lt_error("%s: %s", o.log, strerror(errno));
		return LT_EXIT_BAD;
	}
	status = lt_cmd_with_trace(o.args.file, o.args.format, run, &o);
	if (o.reader.fd != STDIN_FILENO)
		close(o.reader.fd);
	lt_log_reader_destroy(&o.reader);
	return status;
}
