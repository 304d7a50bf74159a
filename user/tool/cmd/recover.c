// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace recover: write the trace of a recording that a panic ended.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "out/log.h"
#include "out/next.h"
#include "engine/module.h"
#include "record/recover.h"

enum { KEY_MODULE_DIR = 256, KEY_FROM };

struct options {
	struct lt_args args;
	const char *dir;
	const char *from;
	const char *output;
	bool force;
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "FILE", 0, "Where to [panic.lt]", 0 },
	{ "from", KEY_FROM, "LEFT", 0,
	  "Read what the panic left from the file LEFT, not from the module", 0 },
	{ "force", 'f', NULL, 0, "Replace FILE even if it is not a trace", 0 },
	{ "module-dir", KEY_MODULE_DIR, "DIR", OPTION_HIDDEN, "The module's directory", 0 },
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
	case 'f':
		o->force = true;
		return 0;
	case KEY_FROM:
		o->from = arg;
		return 0;
	case KEY_MODULE_DIR:
		o->dir = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "",
	"Write the trace of a recording that a panic of the kernel ended.\vThe module must be "
	"loaded with panic_mem= before the panic and after it, and the recording must use "
	"--overwrite. Needs root, as record does.\n"
	"\n"
	"With --from the module is not needed: LEFT is a copy of the module's file 'panic', or "
	"what scripts/from-vmcore extracted from a dump of the kernel.\n"
	"\n"
	"Exit status: 0 written, 1 no panic has left a recording, 2 not written.",
	lt_args_nothing, NULL, NULL
};

/* As read_left(), from a file that the user names. */
static char *read_copy(const char *name, size_t *size)
{
	char *data = lt_read_text_file(name, INT_MAX, size);

	if (!data)
		lt_error("%s: %s", name, strerror(errno));
	return data;
}

/* What a panic has left, to be freed; NULL after printing why it cannot be read. */
static char *read_left(const struct options *o, char *name, size_t room, size_t *size)
{
	struct lt_module m;
	char *data = NULL;
	int fd, err;

	lt_module_init(&m, o->dir);
	/* Where it cannot be opened, debugfs may. */
	if (!o->dir)
		lt_module_use_device(&m, LT_MODULE_DEVICE);
	snprintf(name, room, "%s/%s", m.dir, LT_FILE_PANIC);
	fd = lt_module_open(&m, LT_FILE_PANIC, O_RDONLY);
	if (fd >= 0)
		data = lt_read_text(fd, INT_MAX, size);
	err = errno;
	if (fd >= 0)
		close(fd);
	lt_module_close(&m);
	if (!data)
		lt_error("%s: %s%s", name, strerror(err), err == ENOENT || err == ENOTDIR ?
			 "; is the module loaded (modprobe lifetrace)? "
			 "'lifetrace doctor' checks that" :
			 err == EACCES || err == EPERM ? "; recover needs root (sudo)" : "");
	return data;
}

static int write_trace(const struct options *o, const char *name, const char *data, size_t size)
{
	struct lt_writer *w = lt_writer_open(o->output, o->force);
	uint64_t packets, bytes;
	int ret;

	if (!w)
		return LT_EXIT_BAD;
	ret = lt_recover(name, data, size, w) || lt_writer_finish(w);
	packets = w->packets;
	bytes = w->packet_bytes;
	if (lt_writer_close(w) && !ret) {
		lt_error("%s: %s", o->output, strerror(errno));
		ret = -1;
	}
	if (ret)
		return LT_EXIT_BAD;
	fprintf(stderr, "%s: %llu packets, %llu bytes; ", o->output, (unsigned long long)packets,
		(unsigned long long)bytes);
	lt_next_say(stderr, o->output, &(struct lt_next){ .memory = true, .space = LT_SPACE_SLAB });
	return LT_EXIT_OK;
}

int lt_cmd_recover(int argc, char **argv)
{
	struct options o = { .output = "panic.lt" };
	char name[PATH_MAX + 64];
	size_t size = 0;
	char *data;
	int status;

	lt_help_parse(&argp, argc, argv, 0, &o);
	if (o.from)
		snprintf(name, sizeof(name), "%s", o.from);
	data = o.from ? read_copy(o.from, &size) : read_left(&o, name, sizeof(name), &size);
	if (!data)
		return LT_EXIT_BAD;
	if (size) {
		status = write_trace(&o, name, data, size);
	} else {
		lt_error("%s: no panic has left a recording", name);
		status = LT_EXIT_NO;
	}
	free(data);
	return status;
}
