// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace boot: record a boot from the initramfs on.
 */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/boot.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "forms/words.h"
#include "out/log.h"

enum { KEY_NO_UPDATE = 256, KEY_ROOT, KEY_CALL };

#define NS_PER_SECOND	1000000000U
#define DEFAULT_SECONDS	120

enum action { ENABLE, DISABLE, STATUS, NO_ACTION };

static const char *const actions[] = { "enable", "disable", "status", NULL };

struct options {
	struct lt_boot boot;
	enum action action;
};

static const struct argp_option argp_options[] = {
	{ "duration", 'd', "TIME", 0, "Record for TIME after the recorder is started (120s)", 0 },
	{ "output", 'o', "FILE", 0, "Trace to write (" LT_BOOT_TRACE ")", 0 },
	{ "no-update", KEY_NO_UPDATE, NULL, 0,
	  "Do not make the initramfs again, print the command that does", 0 },
	{ "root", KEY_ROOT, "DIR", OPTION_HIDDEN, "Prefix of all paths", 0 },
	{ "call", KEY_CALL, "SPEC", OPTION_HIDDEN, "Is refused", 0 },
	{ "call-file", KEY_CALL, "FILE", OPTION_HIDDEN, "Is refused", 0 },
	{ "call-depth", KEY_CALL, "N", OPTION_HIDDEN, "Is refused", 0 },
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
	case KEY_CALL:
		argp_error(state, "function calls cannot be recorded from the initramfs on: the functions "
			   "must be found in the kernel that runs, before the module starts, and there is "
			   "no program yet that does; once the machine is up: 'lifetrace record --call'");
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
		return ARGP_ERR_UNKNOWN;
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

static int act(const struct options *o)
{
	switch (o->action) {
	case ENABLE:
		if (lt_boot_enable(&o->boot))
			return LT_EXIT_BAD;
		lt_out_str(o->boot.out, next_steps);
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
		.boot = { "", program, LT_BOOT_TRACE, DEFAULT_SECONDS, true, &out },
		.action = NO_ACTION,
	};
	int status;

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		lt_die("/proc/self/exe: cannot be read, so the path of this program is not known");
	lt_help_parse(&argp, argc, argv, 0, &o);
	status = act(&o);
	return lt_out_close(&out) ? LT_EXIT_BAD : status;
}
