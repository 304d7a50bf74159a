// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace boot: record a boot from the initramfs on.
 */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "boot/boot.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/function_args.h"
#include "cmd/help.h"
#include "forms/words.h"
#include "out/log.h"

enum { KEY_NO_UPDATE = 256, KEY_ROOT, KEY_CALL_MIN };

#define NS_PER_SECOND	1000000000U
#define DEFAULT_SECONDS	120

enum action { ENABLE, DISABLE, STATUS, NO_ACTION };

static const char *const actions[] = { "enable", "disable", "status", NULL };

/* @calls: its functions alone */
struct options {
	struct lt_boot boot;
	struct lt_record_options calls;
	enum action action;
};

static const struct argp_option argp_options[] = {
	{ "duration", 'd', "TIME", 0, "Record for TIME after the recorder is started (120s)", 0 },
	{ "output", 'o', "FILE", 0, "Trace to write (" LT_BOOT_TRACE ")", 0 },
	{ "no-update", KEY_NO_UPDATE, NULL, 0,
	  "Do not make the initramfs again, print the command that does", 0 },
	{ "root", KEY_ROOT, "DIR", OPTION_HIDDEN, "Prefix of all paths", 0 },
	LT_FUNCTION_OPTIONS("Record the calls of functions of the running kernel, when it is booted again, "
			    "with arguments and result, as 'lifetrace record --call' does", 0, 0),
	{ "call-min", KEY_CALL_MIN, "TIME", 0, "Record only calls that take at least TIME: 1ms, 100us", 0 },
	{ 0 }
};

/* Whether it can become a word of a unit of systemd, as it is. */
static bool is_word(const char *path)
{
	return path[0] == '/' && !path[strcspn(path, " \t\n\"'\\%$;@")];
}

static void check(struct argp_state *state, const struct options *o)
{
	if (o->action == NO_ACTION)
		argp_error(state, "expected enable, disable or status");
	if (!is_word(o->boot.trace))
		argp_error(state, "--output: expected an absolute path without blanks, quotes, "
			   "%%, $, @ and \\, found '%s'", o->boot.trace);
	if (o->action == ENABLE && !is_word(o->boot.program))
		argp_error(state, "this program is %s: expected a path without blanks, quotes, %%, $, @ "
			   "and \\; install it (make install)", o->boot.program);
	if (o->action != ENABLE &&
	    (o->boot.seconds != DEFAULT_SECONDS || strcmp(o->boot.trace, LT_BOOT_TRACE)))
		argp_error(state, "--duration and --output are for 'boot enable'");
	if (o->action != ENABLE && o->calls.n_functions)
		argp_error(state, "--call is for 'boot enable'");
	if (!o->calls.n_functions && (o->calls.function_depth || o->calls.function_min_ns))
		argp_error(state, "--call-depth and --call-min are of functions: --call=SPEC");
}

static error_t parse_calls(int key, char *arg, struct argp_state *state)
{
	struct lt_record_options *r = &((struct options *)state->input)->calls;

	if (lt_args_functions(key, arg, state, r))
		return 0;
	if (key != KEY_CALL_MIN)
		return ARGP_ERR_UNKNOWN;
	r->function_min_ns = lt_args_duration(state, "call-min", arg, 1);
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'd':
		o->boot.seconds = lt_args_duration(state, "duration", arg, 1) / NS_PER_SECOND;
		if (!o->boot.seconds)
			argp_error(state, "--duration: expected a second at least, found '%s'",
				   arg);
		return 0;
	case 'o':
		o->boot.trace = arg;
		return 0;
	case KEY_NO_UPDATE:
		o->boot.update = false;
		return 0;
	case KEY_ROOT:
		o->boot.root = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->action != NO_ACTION)
			return ARGP_ERR_UNKNOWN;
		lt_words_offer(actions, false);
		for (o->action = ENABLE; actions[o->action] && strcmp(actions[o->action], arg);)
			o->action++;
		if (o->action == NO_ACTION)
			argp_error(state, "expected enable, disable or status, found '%s'", arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o);
		return 0;
	default:
		return parse_calls(key, arg, state);
	}
}

static const struct argp argp = {
	argp_options, parse, "enable|disable|status",
	"Record what happens from the initramfs on, at boots whose kernel command line has "
	"lifetrace.enable=1: the module is loaded first, and a unit of systemd takes over the "
	"recording when a file system can be written.\venable installs the files of "
	"initramfs-tools, dracut and systemd that do so, and makes the initramfs again; disable "
	"removes them; status prints what is installed. Boots without lifetrace.enable=1 are not "
	"changed. Needs root, and an installed module (make install), or a kernel with the "
	"module built in.\n"
	"\n"
	"Exit status: 0 done, or enabled; 1 status: not enabled; 2 not done.",
	lt_args_help, NULL, NULL
};

static const char next_steps[] =
	"\nTo record the next boot, add to the kernel's command line (in GRUB's menu: e):\n\n"
	"    lifetrace.enable=1 lifetrace.n_subbufs=128\n\n"
	"n_subbufs * 256 KiB a CPU must hold what happens before the recorder is started;\n"
	"'lifetrace verify' says of the trace whether it did.\n";

static const char calls_too[] =
	"\nFor the function calls, of this kernel alone, the command line also needs\n\n"
	"    lifetrace.events=slab,tasks,call\n\n"
	"Another kernel, or another build of this one, records none: enable them there again.\n";

static int enable(const struct options *o)
{
	struct lt_boot b = o->boot;
	struct utsname name;
	void *calls = NULL;
	int err;

	uname(&name);
	b.release = name.release;
	if (o->calls.n_functions) {
		calls = lt_record_functions_of_boot(&o->calls, &b.calls_size);
		if (!calls)
			return -1;
	}
	b.calls = calls;
	err = lt_boot_enable(&b);
	free(calls);
	return err;
}

static int act(const struct options *o)
{
	switch (o->action) {
	case ENABLE:
		if (enable(o))
			return LT_EXIT_BAD;
		lt_out_str(o->boot.out, next_steps);
		if (o->calls.n_functions)
			lt_out_str(o->boot.out, calls_too);
		return LT_EXIT_OK;
	case DISABLE:
		return lt_boot_disable(&o->boot) ? LT_EXIT_BAD : LT_EXIT_OK;
	default:
		return lt_boot_status(&o->boot) ? LT_EXIT_OK : LT_EXIT_NO;
	}
}

int lt_cmd_boot(int argc, char **argv)
{
	struct lt_out out = LT_OUT_INIT(STDOUT_FILENO);
	char program[PATH_MAX] = "";
	struct options o = {
		.boot = { .root = "", .program = program, .trace = LT_BOOT_TRACE,
			  .seconds = DEFAULT_SECONDS, .update = true, .out = &out },
		.action = NO_ACTION,
	};
	int status;

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		lt_die("/proc/self/exe: cannot be read, so the path of this program is not known");
	lt_help_parse(&argp, argc, argv, 0, &o);
	status = act(&o);
	return lt_out_close(&out) ? LT_EXIT_BAD : status;
}
