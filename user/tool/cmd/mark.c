// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace mark: write a marker into the trace that is being recorded.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "out/log.h"
#include "engine/marks.h"
#include "engine/module.h"

#define OWN	"lifetrace:"	/* the recorder's own markers begin so */

enum { KEY_MODULE_DIR = 256 };

struct options {
	const char *dir;
	char *text;
};

static const struct argp_option argp_options[] = {
	{ "module-dir", KEY_MODULE_DIR, "DIR", OPTION_HIDDEN, "The module's directory", 0 },
	{ 0 }
};

static void check(struct argp_state *state, const char *text)
{
	if (!text || !*text)
		argp_error(state, "expected the text of the marker");
	else if (!strncmp(text, OWN, strlen(OWN)))
		argp_error(state, "markers that begin with '" OWN "' are those of record itself");
	lt_args_check_line(state, "a marker", text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_MODULE_DIR:
		o->dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		lt_args_add_word(&o->text, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(state, o->text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "TEXT...",
	"Write a marker with TEXT into the trace that is being recorded."
	"\v"
	"report, lifetimes and dump find it: --from=marker:TEXT. Needs root, as record does.\n\n"
	"Exit status: 0 written, 2 not written.",
	lt_args_help, NULL, NULL
};

static void explain(const struct lt_module *m, int err)
{
	const char *why;

	switch (err) {
	case ENODATA:
		why = "nothing is being recorded";
		break;
	case E2BIG:
		why = "the text is too long; a marker has at most 119 bytes";
		break;
	case ENOSPC:
		why = "the buffer is full; the marker is lost";
		break;
	case ENOENT:
	case ENOTDIR:
		why = "does not exist, and no recorder with --engine=bpf is running; is the module loaded "
		      "(modprobe lifetrace)? 'lifetrace doctor' checks that";
		break;
	case EACCES:
	case EPERM:
		why = "a marker needs root (sudo)";
		break;
	default:
		why = strerror(err);
	}
	lt_error("%s/%s: %s", m->dir, LT_FILE_MARKER, why);
}

/* A kernel that is locked down closes debugfs: then by the device, where that may be used. */
static int write_to_module(struct lt_module *m, const char *text, bool given)
{
	int err = lt_module_write(m, LT_FILE_MARKER, text);

	if ((err == EPERM || err == EACCES) && !given && !lt_module_use_device(m, LT_MODULE_DEVICE))
		err = lt_module_write(m, LT_FILE_MARKER, text);
	return err;
}

/* To all that record: with the module, and without. Return: whether one has written it. */
static bool write_marker(struct lt_module *m, const char *text, bool given)
{
	int module = write_to_module(m, text, given);
	/* Another directory stands for another machine's module. */
	int others = given ? ENODATA : lt_marks_send(text);

	if (!module || !others)
		return true;
	if (others == ENODATA)
		explain(m, module);
	else
		lt_error("the recorder with --engine=bpf has not written it: %s", others == EACCES ?
			 "a marker needs root (sudo)" : strerror(others));
	return false;
}

int lt_cmd_mark(int argc, char **argv)
{
	struct options o = { 0 };
	struct lt_module m;
	bool good;

	lt_help_parse(&argp, argc, argv, 0, &o);
	lt_module_init(&m, o.dir);
	good = write_marker(&m, o.text, o.dir != NULL);
	lt_module_close(&m);
	free(o.text);
	return good ? LT_EXIT_OK : LT_EXIT_BAD;
}
