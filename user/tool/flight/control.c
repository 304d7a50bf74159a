// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for snapshots: a socket that only root, and the recorder's own user, can use.
 *
 * A request is the text of its reason. The answer is one line: "ok FILE", "busy WHY" or
 * "failed WHY".
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "flight/internal.h"
#include "out/log.h"

static bool is_socket(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISSOCK(st.st_mode);
}

static int bind_socket(int fd, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	mode_t mask;
	int err = 0;

	if (strlen(path) >= sizeof(addr.sun_path))
		return ENAMETOOLONG;
	mask = umask(0177);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err = errno;
	/* One that a recorder has left that was killed: nobody listens any more. */
	if (err == EADDRINUSE && is_socket(path)) {
		int other = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

		if (connect(other, (struct sockaddr *)&addr, sizeof(addr)) &&
		    errno == ECONNREFUSED && !unlink(path))
			err = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ? errno : 0;
		close(other);
	}
	umask(mask);
	return err;
}

void lt_flight_control_begin(struct lt_flight *f)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), err;

	err = fd < 0 ? errno : bind_socket(fd, f->opts->control);
	if (!err && (listen(fd, LT_FLIGHT_CLIENTS) ||
		     lt_flight_poll(f, fd, EPOLLIN, LT_FLIGHT_FD_LISTENER)))
		err = errno;
	if (!err) {
		f->listener = fd;
		return;
	}
	lt_warn("%s: %s; 'lifetrace snapshot' does not work, SIGUSR2 does", f->opts->control,
		strerror(err));
	if (fd >= 0)
		close(fd);
}

static void close_client(struct lt_flight_client *c)
{
	close(c->fd);
	*c = (struct lt_flight_client){ .fd = -1 };
}

void lt_flight_control_end(struct lt_flight *f)
{
	for (size_t i = 0; i < LT_FLIGHT_CLIENTS; i++) {
		if (f->clients[i].fd >= 0)
			close_client(&f->clients[i]);
	}
	if (f->listener < 0)
		return;
	unlink(f->opts->control);
	close(f->listener);
	f->listener = -1;
}

static bool is_allowed(int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) &&
	       (!cred.uid || cred.uid == geteuid());
}

static void answer(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		lt_warn("the answer to 'lifetrace snapshot' could not be sent: %s",
			strerror(errno));
}

void lt_flight_accept(struct lt_flight *f)
{
	const char *refusal = NULL;
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	int fd = accept4(f->listener, (struct sockaddr *)&addr, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	unsigned int i = 0;

	if (fd < 0)
		return;
	while (i < LT_FLIGHT_CLIENTS && f->clients[i].fd >= 0)
		i++;
	if (!is_allowed(fd))
		refusal = "failed only root and the user of the recorder are answered";
	else if (i == LT_FLIGHT_CLIENTS)
		refusal = "failed too many requests are waiting";
	else if (lt_flight_poll(f, fd, EPOLLIN, LT_FLIGHT_FD_CLIENT + i))
		refusal = "failed the recorder cannot wait for the request";
	if (!refusal) {
		f->clients[i] = (struct lt_flight_client){ .fd = fd };
		return;
	}
	answer(fd, refusal);
	close(fd);
}

void lt_flight_answer(struct lt_flight *f, const char *text)
{
	for (size_t i = 0; i < LT_FLIGHT_CLIENTS; i++) {
		if (f->clients[i].fd < 0 || !f->clients[i].waits)
			continue;
		answer(f->clients[i].fd, text);
		close_client(&f->clients[i]);
	}
}

void lt_flight_read_client(struct lt_flight *f, unsigned int i, uint64_t now)
{
	struct lt_flight_client *c = &f->clients[i];
	char text[LT_FLIGHT_TEXT], why[96];
	ssize_t n;

	if (c->fd < 0)
		return;
	n = recv(c->fd, text, sizeof(text) - 1, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* The end of a client, or more than one request. */
	if (n <= 0 || c->waits) {
		close_client(c);
		return;
	}
	text[n] = 0;
	for (char *p = text; *p; p++) {
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	}
	if (lt_flight_fire(f, now, 0, "command%s%s", *text ? " " : "", text)) {
		c->waits = true;
		return;
	}
	snprintf(why, sizeof(why), "busy %s", f->state == LT_FLIGHT_WRITING ?
		 "a snapshot is being written" : "the latest snapshot is too recent (--min-interval)");
	answer(c->fd, why);
	close_client(c);
}
