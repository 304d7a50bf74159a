// SPDX-License-Identifier: GPL-2.0
/*
 * The program: finds the command in the table of cmd/cmd.h and runs it.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/quantity.h"
#include "base/threads.h"
#include "cmd/cmd.h"
#include "lines/lines.h"
#include "out/log.h"

/* A row without a function is the title of a group. */
struct command {
	const char *name;
	const char *help;
	lt_cmd_fn *fn;
};

#define TITLE(title)		{ title, NULL, NULL },
#define ROW(name, help)		{ #name, help, lt_cmd_##name },
static const struct command commands[] = {
	LT_COMMANDS(TITLE, ROW)
};

#define N_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

/* What people type for a command: words of other tools, and lists of report. */
static const struct {
	const char *typed;
	const char *meant;
} other_words[] = {
	{ "alive", "report alive" }, { "peak", "report peak" }, { "churn", "report churn" },
	{ "slack", "report slack" }, { "short", "report short" }, { "long", "report long" },
	{ "remote", "report remote" }, { "outlives", "report outlives" },
	{ "leak", "leaks" }, { "stat", "report" }, { "stats", "info" }, { "show", "report" },
	{ "script", "dump" }, { "events", "dump" }, { "strace", "syscalls" },
	{ "trace", "record" }, { "start", "record" }, { "pstree", "tree" }, { "page", "html" },
};

static void print_help(FILE *out)
{
	fprintf(out, "usage: lifetrace COMMAND [OPTION...] [ARGUMENT...]\n"
		"       lifetrace FILE\n\n"
		"Records every allocation and free of the Linux kernel, every task, pid number and\n"
		"system call; shows what leaks, what code and task made it, and how sure that is.\n");
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (commands[i].fn)
			fprintf(out, "  %-11s%s\n", commands[i].name, commands[i].help);
		else
			fprintf(out, "\n%s\n", commands[i].name);
	}
	fprintf(out, "\n'lifetrace COMMAND --help' prints the options of a command.\n"
		"Exit status: 0 fine, 1 the answer is \"no\", 2 wrong usage or unusable input.\n");
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (commands[i].fn && !strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	struct lt_nearest nearest;
	char buf[2 * LT_NEAREST_SIZE];

	for (size_t i = 0; i < sizeof(other_words) / sizeof(other_words[0]); i++) {
		if (strcmp(other_words[i].typed, name))
			continue;
		lt_error("there is no command '%s'; see 'lifetrace %s'", name,
			 other_words[i].meant);
		return LT_EXIT_BAD;
	}
	lt_nearest_init(&nearest, name);
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (commands[i].fn)
			lt_nearest_try(&nearest, commands[i].name);
	}
	lt_error("there is no command '%s'%s", name,
		 lt_nearest_hint(&nearest, "; see 'lifetrace help'", buf, sizeof(buf)));
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

/*
 * A program may be started without standard input, output or error. Files that are opened
 * later would get these numbers, and what is printed would go into a trace. The files that
 * hold their places here refuse to be used, as a closed one does.
 */
static void fill_standard_files(void)
{
	for (int place, fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* It gets the lowest number that is free: this one. */
		place = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		if (place != fd)
			exit(LT_EXIT_BAD);
	}
}

/* For tests, and for who wants to compare. */
static void set_threads(void)
{
	const char *when = getenv("LIFETRACE_THREADS");

	if (when && !strcmp(when, "never"))
		lt_set_threads(LT_THREADS_NEVER);
	else if (when && !strcmp(when, "always"))
		lt_set_threads(LT_THREADS_ALWAYS);
	else
		lt_set_threads(LT_THREADS_IF_FASTER);
}

int main(int argc, char **argv)
{
	const struct command *cmd;

	fill_standard_files();
	/*
	 * Who ignores it leaves that to what it executes; then ends of children are said by
	 * nothing.
	 */
	signal(SIGCHLD, SIG_DFL);
	argp_err_exit_status = LT_EXIT_BAD;
	/* In the commands, too: lifetrace report --version. */
	argp_program_version = lt_lines_built() ?
		"lifetrace " LT_VERSION "\nsource lines: yes (libdw)" :
		"lifetrace " LT_VERSION "\nsource lines: no (built without libdw)";
	lt_log_to_stderr();
	set_threads();
	if (argc < 2) {
		print_help(stderr);
		return LT_EXIT_BAD;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") ||
	    !strcmp(argv[1], "version")) {
		puts(argp_program_version);
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
	if (!strcmp(argv[1], "complete"))
		return lt_cmd_complete(argc - 1, argv + 1);
	cmd = find_command(argv[1]);
	if (cmd)
		return run_command(cmd, argc - 1, argv + 1);
	/* A trace alone is a question about it; argv[0] makes room for the name of the command. */
	if (!access(argv[1], F_OK))
		return run_command(find_command("report"), argc, argv);
	return unknown_command(argv[1]);
}
