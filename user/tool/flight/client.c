// SPDX-License-Identifier: GPL-2.0
/*
 * The other side of the control socket, see control.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "flight/flight.h"
#include "out/log.h"

static int explain(const char *control, int err)
{
	const char *why = strerror(err);

	if (err == ENOENT || err == ECONNREFUSED)
		why = "no flight recorder is running ('lifetrace record --flight' is one)";
	else if (err == EACCES || err == EPERM)
		why = "a snapshot needs root (sudo)";
	else if (err == ECONNRESET)
		why = "the flight recorder has ended";
	lt_error("%s: %s", control, why);
	return -1;
}

/* The answer, zero-terminated. Return: 0 or an errno. */
static int talk(int fd, const struct sockaddr_un *addr, const char *text, char *buf, size_t size)
{
	ssize_t n;

	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)))
		return errno;
	/*
	 * An empty message would be the end of the connection. EPIPE: the recorder has refused the
	 * connection, and its answer is there.
	 */
	if (send(fd, *text ? text : " ", *text ? strlen(text) : 1, MSG_NOSIGNAL) < 0 &&
	    errno != EPIPE)
		return errno;
	do {
		n = recv(fd, buf, size - 1, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno;
	buf[n] = 0;
	return n ? 0 : ECONNRESET;
}

int lt_flight_request(const char *control, const char *text, char **file)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char answer[4200];
	int fd, err;

	if (strlen(control) >= sizeof(addr.sun_path))
		return explain(control, ENAMETOOLONG);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", control);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return explain(control, errno);
	err = talk(fd, &addr, text, answer, sizeof(answer));
	close(fd);
	if (err)
		return explain(control, err);
	if (!strncmp(answer, "ok ", 3)) {
		*file = lt_strdup(answer + 3);
		return 0;
	}
	if (!strncmp(answer, "busy ", 5)) {
		lt_error("no snapshot now: %s; the next one will have the number of such requests",
			 answer + 5);
		return 1;
	}
	lt_error("no snapshot: %s", strncmp(answer, "failed ", 7) ? answer : answer + 7);
	return -1;
}
