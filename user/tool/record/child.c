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
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "record/internal.h"

static void stop_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGCHLD);
}

int lt_record_signals(struct lt_recording *r)
{
	sigset_t set;

	stop_set(&set);
	/* At the limit of a file's size and on a closed pipe write() is to return an error. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -1;
	r->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (r->signal_fd >= 0)
		return 0;
	lt_error("signalfd: %s", strerror(errno));
	return -1;
}

/* In the child: waits for a byte in the pipe @go, then executes the command. */
static void run_command(char **command, int go, int failed)
{
	sigset_t set;
	char byte;
	int err;

	stop_set(&set);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(127);	/* the recorder has closed the pipe */
	execvp(command[0], command);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/*
 * The child is forked before the session starts, so that fork() is not recorded; it
 * executes the command later, when lt_record_go() writes to the pipe.
 */
int lt_record_fork(struct lt_recording *r)
{
	int go[2], failed[2];

	if (!r->opts->command)
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
	r->child = fork();
	if (!r->child) {
		close(go[1]);
		run_command(r->opts->command, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (r->child < 0) {
		lt_error("fork: %s", strerror(errno));
		r->child = 0;
		close(go[1]);
		close(failed[0]);
		return -1;
	}
	r->child_go = go[1];
	r->child_exec = failed[0];
	return 0;
}

void lt_record_go(struct lt_recording *r)
{
	int err = 0;

	if (!r->child || r->child_started)
		return;
	r->child_started = true;
	if (write(r->child_go, "", 1) != 1)
		lt_warn("%s: could not be started: %s", r->opts->command[0], strerror(errno));
	close(r->child_go);
	r->child_go = -1;
	/* A successful exec closes the pipe. */
	if (read(r->child_exec, &err, sizeof(err)) == sizeof(err)) {
		r->child_failed = true;
		lt_error("%s: %s", r->opts->command[0], strerror(err));
	}
	close(r->child_exec);
	r->child_exec = -1;
}

/* Takes the exit status of a child that has ended; does not wait. */
void lt_record_reap(struct lt_recording *r)
{
	if (r->child <= 0 || waitpid(r->child, &r->child_status, WNOHANG) != r->child)
		return;
	r->child = 0;
	if (!r->stop)
		r->stop = LT_STOP_COMMAND;
}

void lt_record_on_signal(struct lt_recording *r)
{
	struct signalfd_siginfo si;

	while (read(r->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD) {
			lt_record_reap(r);
			continue;
		}
		r->signals++;
		if (!r->stop)
			r->stop = LT_STOP_SIGNAL;
		/* Second ^C: do not wait for the slab counters. */
		if (r->signals > 1)
			atomic_store(&r->slab.cancel, true);
	}
}
