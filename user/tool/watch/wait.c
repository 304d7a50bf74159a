// SPDX-License-Identifier: GPL-2.0
/*
 * What ends a recording: the command, and signals.
 */
#include <sys/signalfd.h>
#include <unistd.h>

#include "watch/internal.h"

void lt_watch_ended(struct lt_watch *w, int status)
{
	w->command.pid = 0;
	w->command.status = status;
	if (!w->stop)
		w->stop = LT_STOP_COMMAND;
}

void lt_watch_wait(struct lt_watch *w, int fd, int timeout_ms)
{
	struct pollfd p[2] = {
		{ .fd = w->signal_fd, .events = POLLIN }, { .fd = fd, .events = POLLIN },
	};
	struct signalfd_siginfo si;

	if (poll(p, 2, timeout_ms) <= 0 || !p[0].revents)
		return;
	while (read(w->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		/* Whose end that is the engine finds out. */
		if (si.ssi_signo == SIGCHLD)
			continue;
		w->signals++;
		if (!w->stop)
			w->stop = LT_STOP_SIGNAL;
	}
}
