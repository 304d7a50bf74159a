// SPDX-License-Identifier: GPL-2.0
/*
 * The command that runs during a recording, and the signals that stop the recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "record/internal.h"

#define CHILD_WAIT_MS	2000

void lt_record_stop_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGCHLD);
}

int lt_record_signals(bool tap)
{
	sigset_t set;
	int fd;

	lt_record_stop_set(&set);
	if (tap)
		sigaddset(&set, SIGUSR2);
	/* At the limit of a file's size and on a closed pipe write() is to return an error. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -1;
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		lt_error("signalfd: %s", strerror(errno));
	return fd;
}

/* In the child: waits for a byte in the pipe @go, then executes the command. */
static void run_command(const struct lt_record_options *o, int go, int failed)
{
	char **command = o->command;
	sigset_t set;
	char byte;
	int err;

	lt_record_stop_set(&set);
	sigaddset(&set, SIGUSR2);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(127);	/* the recorder has closed the pipe */
	/* The trace has standard output for itself. */
	if (o->output && !strcmp(o->output, "-"))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(command[0], command);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/* The errno with which the file @path cannot be started, 0: none is known before it is tried. */
static int start_errno(const char *path)
{
	char line[256], *interpreter;
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(path, &st))
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return errno;
	/* A script whose interpreter is missing looks fine until it is started. */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	line[n > 0 ? n : 0] = 0;
	if (strncmp(line, "#!", 2))
		return 0;
	interpreter = line + 2 + strspn(line + 2, " \t");
	interpreter[strcspn(interpreter, " \t\n")] = 0;
	return *interpreter && access(interpreter, X_OK) ? errno : 0;
}

/* Looks for the program where execvp() does. */
int lt_record_find_command(const struct lt_record_options *o)
{
	const char *name = o->command ? o->command[0] : NULL, *path = getenv("PATH");
	int err = ENOENT;

	if (!name)
		return 0;
	if (strchr(name, '/') || !*name) {
		err = start_errno(name);
	} else {
		for (path = path ? path : "/bin:/usr/bin"; err && path;) {
			size_t len = strcspn(path, ":");
			char *file = lt_format("%.*s%s%s", (int)len, path, len ? "/" : "", name);
			int e = start_errno(file);

			if (!e || (e != ENOENT && e != ENOTDIR))
				err = e;
			free(file);
			path = path[len] ? path + len + 1 : NULL;
		}
	}
	if (!err)
		return 0;
	lt_error("%s: %s; nothing was recorded", name, strerror(err));
	return -1;
}

/*
 * The child is forked before the session starts, so that fork() is not recorded; it
 * executes the command later, when lt_record_go() writes to the pipe.
 */
int lt_record_fork(struct lt_record_command *c, const struct lt_record_options *o)
{
	int go[2], failed[2];

	if (!o->command)
		return 0;
	if (pipe2(go, O_CLOEXEC)) {
		lt_error("pipe: %s", strerror(errno));
		return -1;
	}
	if (pipe2(failed, O_CLOEXEC)) {
		lt_error("pipe: %s", strerror(errno));
		close(go[0]);
		close(go[1]);
		return -1;
	}
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		run_command(o, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (c->pid < 0) {
		lt_error("fork: %s", strerror(errno));
		c->pid = 0;
		close(go[1]);
		close(failed[0]);
		return -1;
	}
	c->number = c->pid;
	c->go = go[1];
	c->exec = failed[0];
	return 0;
}

void lt_record_let_go(struct lt_record_command *c, const char *name)
{
	if (!c->pid || c->started)
		return;
	c->started = true;
	if (write(c->go, "", 1) != 1)
		lt_warn("%s: could not be started: %s", name, strerror(errno));
	close(c->go);
	c->go = -1;
}

void lt_record_started(struct lt_record_command *c, const char *name)
{
	int err = 0;

	if (!c->started || c->exec < 0)
		return;
	/* A successful exec closes the pipe. */
	if (read(c->exec, &err, sizeof(err)) == sizeof(err)) {
		c->failed = true;
		lt_error("%s: %s", name, strerror(err));
	}
	close(c->exec);
	c->exec = -1;
}

void lt_record_go(struct lt_record_command *c, const char *name)
{
	lt_record_let_go(c, name);
	lt_record_started(c, name);
}

/* Takes the exit status of a child that has ended; does not wait. */
bool lt_record_reap(struct lt_record_command *c)
{
	if (c->pid <= 0 || waitpid(c->pid, &c->status, WNOHANG) != c->pid)
		return false;
	c->pid = 0;
	return true;
}

void lt_record_end_command(struct lt_record_command *c, const struct lt_record_options *o)
{
	if (c->pid <= 0)
		return;
	if (!c->started) {
		close(c->go);	/* the child, which waits for this pipe, exits */
		close(c->exec);
	} else {
		kill(c->pid, SIGTERM);
	}
	for (int i = 0; i < CHILD_WAIT_MS / 10; i++) {
		if (lt_record_reap(c))
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 10 * (long)NSEC_PER_MSEC }, NULL);
	}
	lt_warn("%s (pid %d) ignores SIGTERM and runs on after the recording", o->command[0],
		(int)c->pid);
}

int lt_record_command_status(const struct lt_record_command *c)
{
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

void lt_record_on_signal(struct lt_recording *r)
{
	struct signalfd_siginfo si;

	while (read(r->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD) {
			if (lt_record_reap(&r->command) && !r->stop)
				r->stop = LT_STOP_COMMAND;
			continue;
		}
		if (si.ssi_signo == SIGUSR2) {
			if (r->sink.tap_begun)
				r->opts->tap->signal(r->opts->tap);
			continue;
		}
		r->signals++;
		if (!r->stop)
			r->stop = LT_STOP_SIGNAL;
		/* Second ^C: do not wait for the slab counters. */
		if (r->signals > 1)
			atomic_store(&r->counters.job.cancel, true);
	}
}
