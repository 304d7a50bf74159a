// SPDX-License-Identifier: GPL-2.0
/*
 * Markers for recorders without the module.
 */
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/marks.h"

#define PREFIX		LT_MARKS_DIR "/lifetrace.mark."
#define AT_ONCE		32	/* in one look: the recorder has its buffers to read */
#define WAIT_S		2	/* for the answer; a recorder looks each 5 ms */

static void name_of(struct sockaddr_un *addr, pid_t pid)
{
	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(addr->sun_path, sizeof(addr->sun_path), PREFIX "%d", (int)pid);
}

int lt_marks_open(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1, err = 0;
	struct sockaddr_un addr;
	mode_t mask;

	if (fd < 0)
		return -1;
	name_of(&addr, getpid());
	/* Of one that was killed, and had this number. */
	unlink(addr.sun_path);
	mask = umask(0177);
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err = errno;
	umask(mask);
	if (!err)
		return fd;
	close(fd);
	errno = err;
	return -1;
}

void lt_marks_close(int fd)
{
	struct sockaddr_un addr;

	if (fd < 0)
		return;
	name_of(&addr, getpid());
	unlink(addr.sun_path);
	close(fd);
}

/* ------------------------------------------------------------------------
 * The recorder
 */

static bool is_allowed(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct ucred cred;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS ||
	    c->cmsg_len != CMSG_LEN(sizeof(cred)))
		return false;
	memcpy(&cred, CMSG_DATA(c), sizeof(cred));
	return !cred.uid || cred.uid == geteuid();
}

/* One line, not as the recorder's own markers begin. */
static int check(const char *text, size_t n)
{
	static const char own[] = "lifetrace:";

	if (n > LT_MARK_TEXT)
		return E2BIG;
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] < ' ')
			return EINVAL;
	}
	return n && strncmp(text, own, strlen(own)) ? 0 : EINVAL;
}

/* Return: false: none has come. */
static bool take_one(int fd, int (*mark)(void *arg, const char *text), void *arg)
{
	char text[LT_MARK_TEXT + 2];
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct sockaddr_un from = { 0 };
	struct iovec iov = { text, sizeof(text) - 1 };
	struct msghdr m = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int32_t answer;

	if (n < 0)
		return errno == EINTR;
	text[n] = 0;
	answer = is_allowed(&m) ? check(text, (size_t)n) : EPERM;
	if (!answer)
		answer = mark(arg, text);
	/* Who has gone gets none. */
	if (m.msg_namelen)
		sendto(fd, &answer, sizeof(answer), MSG_DONTWAIT | MSG_NOSIGNAL,
		       (struct sockaddr *)&from, m.msg_namelen);
	return true;
}

void lt_marks_take(int fd, int (*mark)(void *arg, const char *text), void *arg)
{
	for (unsigned int i = 0; fd >= 0 && i < AT_ONCE; i++) {
		if (!take_one(fd, mark, arg))
			break;
	}
}

/* ------------------------------------------------------------------------
 * The command
 */

static int send_to(const char *path, const char *text)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct sockaddr own = { .sa_family = AF_UNIX };
	struct timeval wait = { .tv_sec = WAIT_S };
	int32_t answer = EPROTO;

	if (fd < 0)
		return errno;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	/* An address of its own, of no file, for the answer. */
	if (bind(fd, &own, sizeof(own.sa_family)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 ||
	    recv(fd, &answer, sizeof(answer), 0) < 0)
		err = errno == EAGAIN ? ETIMEDOUT : errno;
	close(fd);
	return err ? err : answer;
}

/* Not a file that somebody has put there. */
static bool is_socket(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISSOCK(st.st_mode);
}

int lt_marks_send(const char *text)
{
	glob_t found = { 0 };
	int ret = ENODATA;

	if (glob(PREFIX "*", GLOB_NOSORT, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int err = is_socket(found.gl_pathv[i]) ? send_to(found.gl_pathv[i], text) :
			ENOTSOCK;

		/* One that was killed has left its file. */
		if (err == ECONNREFUSED || err == ENOENT || err == ENOTSOCK)
			continue;
		if (!err || ret)
			ret = err;
	}
	globfree(&found);
	return ret;
}
