// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace doctor: why recording would not work here, and what to do.
 */
#include <argp.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "out/log.h"
#include "out/terminal.h"

enum { KEY_MODULE_DIR = 256, KEY_ROOT };

struct options {
	const char *module_dir;
	const char *root;
};

static const struct argp_option argp_options[] = {
	{ "module-dir", KEY_MODULE_DIR, "DIR", OPTION_HIDDEN, "The module's directory", 0 },
	{ "root", KEY_ROOT, "DIR", OPTION_HIDDEN, "Prefix of /proc and /sys", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_MODULE_DIR:
		o->module_dir = arg;
		return 0;
	case KEY_ROOT:
		o->root = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, NULL,
	"Report why recording would not work on this machine, and what to do. Each check prints "
	"a line: ok, note, or PROBLEM, which prevents recording by the module.\vNothing is changed. Run it as "
	"root: other users cannot read all files.\n"
	"\n"
	"Exit status: 0 nothing prevents recording, 1 something does.",
	lt_args_nothing_width, NULL, NULL
};

int lt_cmd_doctor(int argc, char **argv)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	struct options o = { 0 };
	struct lt_terminal term;
	struct lt_doctor d;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_terminal_init(&term);
	out.width = term.fit;
	lt_doctor_init(&d, &out, o.root, o.module_dir);
	lt_doctor_run(&d);
	lt_out_char(&out, '\n');
	if (d.problems) {
		lt_out_u64(&out, d.problems);
		lt_out_str(&out, d.problems == 1 ? " problem" : " problems");
		lt_out_str(&out, d.programs ? ": the module cannot record here as it is; BPF programs can "
					      "(record --engine=bpf).\n" :
					      ": nothing can be recorded here as it is.\n");
	} else {
		lt_out_str(&out, "Nothing prevents recording.\n");
	}
	if (lt_out_close(&out))
		return LT_EXIT_BAD;
	return d.problems && !d.programs ? LT_EXIT_NO : LT_EXIT_OK;
}
