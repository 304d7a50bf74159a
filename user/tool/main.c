// SPDX-License-Identifier: GPL-2.0
/*
 * The program: finds the command in the table of cmd/cmd.h and runs it.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "base/mem.h"
#include "print/log.h"

struct command {
	const char *name;
	const char *help;
	lt_cmd_fn *fn;
};

#define ROW(name, help)		{ #name, help, lt_cmd_##name },
static const struct command commands[] = {
	LT_COMMANDS(ROW)
};

#define N_COMMANDS	(sizeof(commands) / sizeof(commands[0]))
#define NAME_MAX_LEN	32

static void print_help(FILE *out)
{
	fprintf(out, "usage: lifetrace COMMAND [OPTION...] [ARGUMENT...]\n\n"
		"Records how long allocations of the Linux kernel live, and every task and pid\n"
		"number, and answers questions about them.\n\nCommands:\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-11s%s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n'lifetrace COMMAND --help' prints the options of a command.\n"
		"Exit status: 0 fine, 1 the answer is \"no\", 2 wrong usage or unusable input.\n");
}

/* Levenshtein distance of two names; NAME_MAX_LEN if one is longer than that. */
static unsigned int edit_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned int row[NAME_MAX_LEN + 1];

	if (la > NAME_MAX_LEN || lb > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int diag = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int best = diag + (a[i - 1] != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diag = row[j];
			row[j] = best;
		}
	}
	return row[lb];
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	const struct command *best = NULL;
	unsigned int best_distance = NAME_MAX_LEN;

	for (size_t i = 0; i < N_COMMANDS; i++) {
		unsigned int d = edit_distance(name, commands[i].name);

		if (strlen(name) >= 3 && !strncmp(name, commands[i].name, strlen(name)))
			d = 1;
		if (d < best_distance) {
			best_distance = d;
			best = &commands[i];
		}
	}
	if (best && best_distance <= strlen(best->name) / 2)
		lt_error("there is no command '%s'; did you mean '%s'?", name, best->name);
	else
		lt_error("there is no command '%s'; see 'lifetrace help'", name);
	return LT_EXIT_BAD;
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	char *full = lt_format("lifetrace %s", cmd->name);
	int ret;

	argv[0] = full;
	program_invocation_short_name = full;
	ret = cmd->fn(argc, argv);

	/* A full disk behind stdout must not look like success. */
	if (fflush(stdout) || ferror(stdout)) {
		if (errno != EPIPE)
			lt_error("standard output: %s", strerror(errno));
		ret = LT_EXIT_BAD;
	}
	free(full);
	return ret;
}

int main(int argc, char **argv)
{
	const struct command *cmd;

	argp_err_exit_status = LT_EXIT_BAD;
	lt_log_to_stderr();
	if (argc < 2) {
		print_help(stderr);
		return LT_EXIT_BAD;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		printf("lifetrace %s\n", LT_VERSION);
		return LT_EXIT_OK;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h")) {
		char *args[] = { NULL, (char *)"--help", NULL };

		if (argc < 3) {
			print_help(stdout);
			return LT_EXIT_OK;
		}
		cmd = find_command(argv[2]);
		return cmd ? run_command(cmd, 2, args) : unknown_command(argv[2]);
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		return unknown_command(argv[1]);
	return run_command(cmd, argc - 1, argv + 1);
}
