// SPDX-License-Identifier: GPL-2.0
/*
 * A command with a pipe to it and one from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "out/log.h"
#include "stream/connect.h"

#define TERM_MS	200	/* for a command to end by itself when its pipes are closed */
#define WAIT_MS	1000	/* and before it is killed */

static void run(char **command, int in, int out)
{
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	/* ^C at the terminal is for the recorder; the connection has its end to carry. */
	signal(SIGINT, SIG_IGN);
	execvp(command[0], command);
	lt_error("%s: %s", command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void close_both(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

int lt_connect(struct lt_connection *c, char **command)
{
	int in[2], out[2], err = 0;

	*c = (struct lt_connection){ .to = -1, .from = -1 };
	if (pipe2(in, O_CLOEXEC)) {
		err = errno;
	} else if (pipe2(out, O_CLOEXEC)) {
		err = errno;
		close_both(in);
	} else {
		c->pid = fork();
		err = errno;
		if (!c->pid)
			run(command, in[0], out[1]);
		close(in[0]);
		close(out[1]);
		c->to = in[1];
		c->from = out[0];
		fcntl(c->to, F_SETFL, O_NONBLOCK);
		fcntl(c->from, F_SETFL, O_NONBLOCK);
		if (c->pid > 0)
			return 0;
		close(c->to);
		close(c->from);
	}
	c->pid = 0;
	lt_error("%s: %s", command[0], strerror(err));
	return -1;
}

void lt_connection_close_to(struct lt_connection *c)
{
	if (c->to >= 0)
		close(c->to);
	c->to = -1;
}

int lt_connection_read(struct lt_connection *c)
{
	ssize_t n;

	memmove(c->text, c->text + c->line, c->n - c->line);
	c->n -= c->line;
	c->line = 0;
	/* A line that has no room is none of a receiver's. */
	if (c->n == sizeof(c->text))
		return -1;
	n = read(c->from, c->text + c->n, sizeof(c->text) - c->n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	if (n > 0)
		c->n += (size_t)n;
	return (int)n;
}

const char *lt_connection_line(struct lt_connection *c)
{
	char *line = c->text + c->line;
	char *end = memchr(line, '\n', c->n - c->line);

	if (!end)
		return NULL;
	*end = 0;
	c->line = (size_t)(end + 1 - c->text);
	return line;
}

int lt_disconnect(struct lt_connection *c)
{
	int status = 0;
	pid_t pid = 0;

	if (!c->pid)
		return 0;
	lt_connection_close_to(c);
	close(c->from);
	for (int i = 0; !pid && i < WAIT_MS / 10; i++) {
		if (i == TERM_MS / 10)
			kill(c->pid, SIGTERM);
		pid = waitpid(c->pid, &status, WNOHANG);
		if (!pid)
			nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	if (!pid) {
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	c->pid = 0;
	return status;
}
