// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace history: what was at an address; the addresses of an oops explained.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/with_trace.h"
#include "out/log.h"
#include "print/history.h"
#include "sums/moment.h"

#define MAX_REPORT	(4U << 20)	/* bytes */
#define TOP		10

enum { KEY_AT = 256, KEY_OOPS };

struct options {
	struct lt_args args;
	struct lt_lines_args lines;
	const char *at;
	const char *report;
	size_t top;
	bool top_given;
	struct lt_oops oops;
	uint64_t at_ns;
};

static const struct argp_option argp_options[] = {
	{ "at", KEY_AT, "WHEN", 0, "As it was then: 2.5 or 500ms after the beginning, -5s before the end, "
	  "@TIME on the trace's clock, 10:03:21 by the wall clock, marker:TEXT", 0 },
	{ "oops", KEY_OOPS, "REPORT", 0, "Explain the addresses in this file; -: standard input",
	  0 },
	{ "number", 'n', "N", 0, "At most the newest N lifetimes of an address; 0: all [10; JSON and CSV: "
	  "all]", 0 },
	{ 0 }
};

/* An address is written with 0x, or with all of its digits, as reports have it. */
static bool is_address(const char *arg, uint64_t *addr)
{
	size_t n = strlen(arg);

	if (arg[0] == '0' && (arg[1] == 'x' || arg[1] == 'X'))
		return isxdigit((unsigned char)arg[2]) && lt_number(arg, 16, addr);
	if ((n != 16 && n != 8) || strspn(arg, "0123456789abcdefABCDEF") != n)
		return false;
	return access(arg, F_OK) && lt_number(arg, 16, addr);
}

static void add_address(struct options *o, uint64_t addr)
{
	struct lt_oops_value *v;

	o->oops.values = lt_grow(o->oops.values, &o->oops.cap_values, o->oops.n_values,
				 sizeof(*o->oops.values));
	v = &o->oops.values[o->oops.n_values++];
	*v = (struct lt_oops_value){ .value = addr, .kind = LT_OOPS_WORD };
}

static void take_argument(struct argp_state *state, struct options *o, char *arg)
{
	uint64_t addr;

	if (is_address(arg, &addr))
		add_address(o, addr);
	else if (arg[0] == '0' && (arg[1] == 'x' || arg[1] == 'X') && access(arg, F_OK))
		argp_error(state, "expected an address such as 0xffff888103a1c840, found '%s'",
			   arg);
	else
		lt_args_add_file(&o->args, arg);
}

static void check(struct argp_state *state, struct options *o)
{
	if (lt_args_list_columns(&o->args))
		return;
	lt_args_default_file(state, &o->args);
	if (o->oops.n_values && o->report)
		argp_error(state, "addresses and --oops: only one of them is possible");
	if (o->oops.n_values)
		return;
	if (!o->report && isatty(STDIN_FILENO))
		argp_error(state, "expected an ADDRESS, or the report of the kernel on standard input, as in "
			   "dmesg | lifetrace history FILE");
	if (!o->report)
		o->report = "-";
	if (!strcmp(o->report, "-") && !strcmp(o->args.file, "-"))
		argp_error(state, "standard input cannot be both the trace and the report");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		state->child_inputs[1] = &o->lines;
		state->child_inputs[2] = &o->args;
		return 0;
	case KEY_AT:
		o->at = arg;
		return 0;
	case KEY_OOPS:
		o->report = arg;
		return 0;
	case 'n':
		o->top = lt_args_count(state, "number", arg, 0, UINT32_MAX);
		o->top_given = true;
		return 0;
	case ARGP_KEY_ARG:
		take_argument(state, o, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &lt_argp_table }, { &lt_argp_lines, 0, "Source lines:", 7 },
	{ .argp = &lt_argp_times }, { 0 }
};

static const struct argp argp = {
	argp_options, parse, "ADDRESS... [FILE...]\n[--oops=REPORT] [FILE...]",
	"Print every lifetime that contained an address, the newest first: what was allocated there, by "
	"what code and task, and freed how long before the end. Without an address, explain each address in an "
	"oops, a BUG, or a report of KASAN or SLUB, which is read from standard input."
	"\v"
	"An ADDRESS begins with 0x, or has 16 (32-bit kernels: 8) hexadecimal digits. A report of "
	"another kernel than the one that was recorded is refused.",
	children, NULL, NULL
};

/* Return: 0, or -1 after printing what is wrong. */
static int read_report(struct options *o)
{
	bool in = !strcmp(o->report, "-");
	const char *name = in ? "standard input" : o->report;
	int fd = in ? STDIN_FILENO : open(o->report, O_RDONLY | O_CLOEXEC), err = -1;
	struct lt_why why;
	size_t size = 0;
	char *text = fd < 0 ? NULL : lt_read_text(fd, MAX_REPORT, &size);

	if (!text && fd >= 0 && errno == EFBIG)
		lt_error("%s: more than %u MiB; expected a report of the kernel, not a whole log",
			 name, MAX_REPORT >> 20);
	else if (!text)
		lt_error("%s: %s", name, strerror(errno));
	else if (strlen(text) != size)
		lt_error("%s: offset %zu: a zero byte; expected the text of an oops, a BUG, or of KASAN or "
			 "SLUB", name, strlen(text));
	else if (lt_oops_parse(&o->oops, text, &why))
		lt_error("%s: %s", name, why.text);
	else
		err = 0;
	free(text);
	if (!in && fd >= 0)
		close(fd);
	return err;
}

static int run(struct lt_trace *t, struct lt_out *out, void *arg)
{
	struct options *o = arg;
	struct lt_history_view v = {
		.oops = &o->oops, .file = lt_trace_path(t), .at = o->at, .format = o->args.format,
		.columns = o->args.columns, .out = out,
	};

	if (o->report && lt_history_refuses(t, &o->oops, strcmp(o->report, "-") ? o->report :
								"standard input"))
		return LT_EXIT_BAD;
	if (lt_times_init(&v.times, o->args.times, t) || lt_args_lines(&o->lines, t, &v.lines))
		return LT_EXIT_BAD;
	if (o->at)
		lt_trace_stop_at(t, o->at_ns);
	v.h = lt_history_new(t, o->top_given ? o->top : v.format == LT_FORMAT_TEXT ? TOP : 0);
	lt_history_take(v.h, &o->oops);
	lt_history_read(v.h);
	lt_history_print(&v);
	lt_args_lines_end(v.lines);
	lt_history_free(v.h);
	return LT_EXIT_OK;
}

int lt_cmd_history(int argc, char **argv)
{
	struct options o = { .args.kind = &lt_rows_of_history };
	int status = LT_EXIT_BAD;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_args_rows(&o.args, &lt_rows_of_history, 0, NULL);
	if ((!o.report || !read_report(&o)) &&
	    (!o.at || !lt_moment(o.args.file, "at", o.at, &o.at_ns)))
		status = lt_cmd_with_trace(o.args.file, o.args.format, run, &o);
	lt_oops_destroy(&o.oops);
	return status;
}
