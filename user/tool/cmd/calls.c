// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace calls: which functions of the kernel can be recorded, and what of their calls.
 */
#include <argp.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/args.h"
#include "cmd/calls_list.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "out/log.h"

struct options {
	struct lt_args args;
	bool list;
	struct lt_calls_list listed;
};

enum { KEY_LIST = 256, KEY_WHY, KEY_BTF, KEY_SYMBOLS, KEY_MACHINE, KEY_CALL_FILE };

static const struct argp_option argp_options[] = {
	{ "list", KEY_LIST, NULL, 0, "List the functions that each SPEC selects, instead of reading a "
	  "trace", 1 },
	{ "why", KEY_WHY, NULL, 0, "With --list: those that are refused, or not fetched as asked, and "
	  "the reason of each", 1 },
	{ "call-file", KEY_CALL_FILE, "FILE", 0, "With --list: also the specs in FILE, one a line", 1 },
	{ "btf", KEY_BTF, "FILE", 0, "With --list: the types of another kernel: BTF, or a vmlinux that "
	  "has it", 1 },
	{ "kallsyms", KEY_SYMBOLS, "FILE", 0, "With --list: the symbols of another kernel, as in "
	  "/proc/kallsyms", 1 },
	{ "machine", KEY_MACHINE, "NAME", LT_MORE, "With --btf: the machine of that kernel, as "
	  "uname -m names it [this one's]", 1 },
	{ 0 }
};

static void check(struct argp_state *state, const struct options *o)
{
	const struct lt_calls_list *l = &o->listed;

	if (!o->list)
		argp_error(state, "--list: name functions, as in --list 'vfs_*'");
	else if (!l->n_specs && !lt_args_list_columns(&o->args))
		argp_error(state, "--list: name functions, as in --list 'vfs_*'");
	else if (l->machine && !l->types)
		argp_error(state, "--machine: is for --btf; this kernel's machine is known");
	else if (l->symbols && !l->types)
		argp_error(state, "--kallsyms: is for --btf; this kernel's symbols are read anyway");
}

static void add_file(struct options *o, const char *path)
{
	struct lt_why why;

	if (!lt_fetch_read_specs(path, &o->listed.specs, &o->listed.n_specs, &why)) {
		lt_error("%s: %s", path, why.text);
		exit(LT_EXIT_BAD);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct lt_calls_list *l = &o->listed;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		return 0;
	case KEY_LIST:
		o->list = true;
		return 0;
	case KEY_WHY:
		l->why = true;
		return 0;
	case KEY_BTF:
		l->types = arg;
		return 0;
	case KEY_SYMBOLS:
		l->symbols = arg;
		return 0;
	case KEY_MACHINE:
		l->machine = arg;
		return 0;
	case KEY_CALL_FILE:
		add_file(o, arg);
		return 0;
	case ARGP_KEY_ARG:
		l->specs = lt_realloc_array(l->specs, l->n_specs + 1, sizeof(*l->specs));
		l->specs[l->n_specs++] = lt_strdup(arg);
		return 0;
	case ARGP_KEY_END:
		check(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	argp_options, parse, "--list SPEC...",
	"List functions of the kernel whose calls can be recorded, with their prototypes.\vA SPEC is a "
	"name, a pattern (vfs_*), all of a module (@kvm), and what is fetched of a call: 'vfs_read(file, "
	"count) = ret if ret < 0'. lifetrace-calls(1) has the notation.\n"
	"\n"
	"Exit status: 0 fine, 1 no function that was named can be recorded, 2 wrong usage or unusable "
	"input.",
	lt_args_table, NULL, NULL
};

int lt_cmd_calls(int argc, char **argv)
{
	struct options o = { .args.kind = &lt_rows_of_function };
	int status;

	lt_help_parse(&argp, argc, argv, 0, &o);
	status = lt_calls_list(&o.listed, &o.args);
	for (size_t i = 0; i < o.listed.n_specs; i++)
		free(o.listed.specs[i]);
	free(o.listed.specs);
	return status;
}
