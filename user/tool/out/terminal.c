// SPDX-License-Identifier: GPL-2.0
/*
 * Standard output as a terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "out/terminal.h"

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* As in other programs, $COLUMNS is stronger than what the terminal says. */
static unsigned int find_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { 0 };
	int width = columns ? atoi(columns) : 0;

	if (width <= 0 && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (width <= 0 || width > LT_WIDTH_MAX)
		return LT_TEXT_WIDTH;
	return width < LT_WIDTH_MIN ? LT_WIDTH_MIN : (unsigned int)width;
}

/* What the terminal was before a pager took its place. */
static struct lt_terminal behind_pager;

/* What --width says; -1: nothing. */
static int chosen_width = -1;

void lt_terminal_choose_width(unsigned int width)
{
	chosen_width = (int)width;
}

bool lt_terminal_width_is_chosen(void)
{
	return chosen_width >= 0;
}

static void set_width(struct lt_terminal *t)
{
	if (t->is)
		t->width = t->fit = find_width();
	if (lt_terminal_width_is_chosen())
		t->width = t->fit = (unsigned int)chosen_width;
}

void lt_terminal_init(struct lt_terminal *t)
{
	const char *term = getenv("TERM");

	if (behind_pager.is) {
		*t = behind_pager;
		return;
	}

	*t = (struct lt_terminal){ .width = LT_TEXT_WIDTH, .is = isatty(STDOUT_FILENO) };
	set_width(t);
	if (!t->is)
		return;
	setlocale(LC_CTYPE, "");
	t->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	t->bold = !is_set("NO_COLOR") && term && strcmp(term, "dumb");
}

/* Whether a command of one word is a program in $PATH; the shell has to judge all others. */
static bool may_run(const char *command)
{
	char *path, *rest, *dir;
	bool found = false;

	if (strpbrk(command, " \t\n/|&;<>()$`\\\"'*?[#~=%"))
		return true;
	path = lt_strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	rest = path;
	while (!found && (dir = strsep(&rest, ":"))) {
		char *file = lt_format("%s/%s", *dir ? dir : ".", command);

		found = !access(file, X_OK);
		free(file);
	}
	free(path);
	return found;
}

/* The child. less ends at once if all fits on the screen, and leaves the text there. */
static void run_pager(const char *command, int fd)
{
	dup2(fd, STDIN_FILENO);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/*
 * A pager waits for keys: of the terminal that the process belongs to. A script of a boot has none.
 */
static bool has_keys(void)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void lt_terminal_page(struct lt_terminal *t)
{
	const char *command = getenv("PAGER");
	int fds[2];

	if (!command)
		command = "less";
	if (!t->is || !has_keys() || !*command || !strcmp(command, "cat") || !may_run(command) ||
	    pipe2(fds, O_CLOEXEC))
		return;
	fflush(stdout);
	t->pager = fork();
	if (!t->pager)
		run_pager(command, fds[0]);
	if (t->pager > 0) {
		/* A pager that ends early is an error of write(), not the end of this program. */
		signal(SIGPIPE, SIG_IGN);
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		dup2(fds[1], STDOUT_FILENO);
		behind_pager = *t;
		behind_pager.pager = 0;
	} else {
		t->pager = 0;
	}
	close(fds[0]);
	close(fds[1]);
}

bool lt_terminal_end(struct lt_terminal *t)
{
	struct pollfd pipe = { .fd = STDOUT_FILENO };

	if (!t->pager)
		return false;
	/* Nobody reads any more. */
	t->left = poll(&pipe, 1, 0) > 0 && pipe.revents & POLLERR;
	behind_pager = (struct lt_terminal){ .is = false };
	/* The pager sees the end of its input when no descriptor of the pipe is open any more. */
	close(STDOUT_FILENO);
	while (waitpid(t->pager, NULL, 0) < 0 && errno == EINTR)
		;
	t->pager = 0;
	return true;
}
