// SPDX-License-Identifier: GPL-2.0
/*
 * What a user without any right can try against the module by way of pid namespaces and
 * /proc/pid_gen. Run as such a user; makes a user namespace first, where it needs one.
 *
 *	hostile pin		opens /proc/pid_gen, and waits for a generation in each way there is
 *				(poll, also for nothing that ever comes, select, epoll), in a child
 *				each; prints "pinned", and waits for the end of standard input
 *	hostile gone ROUNDS	ROUNDS namespaces that use numbers all over the number space, and
 *				end while their /proc/pid_gen stays open; then as pin
 *	hostile fill COUNT	COUNT namespaces that do so, and stay; then as pin
 *	hostile many COUNT	COUNT namespaces, each with a process; then as pin
 *	hostile churn COUNT	COUNT namespaces that come and go, one after the other
 *	hostile spread COUNT	a namespace that uses COUNT numbers, 16 apart
 *	hostile reuse COUNT	as root: a namespace in which the number 100 is used COUNT times
 *				again
 *	hostile forks COUNT	prints the microseconds that a fork takes, with exit and wait,
 *				as the median of 20 runs
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "raw-clone.h"

#define GEN		"/proc/pid_gen"
#define LAST_NUMBER	32000	/* below the default of kernel.pid_max */
#define HOLDERS_STEP	85	/* numbers, of which there is another table each time */
#define USED_STEP	4000

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "hostile: %s: %s\n", what, strerror(errno));
	_exit(2);
}

static void ready(void)
{
	char c;

	puts("pinned");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
}

/* Become root of a user namespace. */
static void become_root(void)
{
	if (unshare(CLONE_NEWUSER))
		die("unshare");
}

/* A child with this number that ends at once. */
static void use_number(pid_t nr)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&nr,
		.set_tid_size = 1,
	};
	long child = syscall(SYS_clone3, &args, sizeof(args));

	if (!child)
		_exit(0);
	if (child < 0)
		die("clone3");
	waitpid((pid_t)child, NULL, 0);
}

static void use_numbers(int step)
{
	int nr;

	for (nr = step; nr < LAST_NUMBER; nr += step)
		use_number(nr);
}

static void send_fd(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = "", c = 0;
	struct iovec iov = { &c, 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	if (sendmsg(to, &m, 0) != 1)
		die("sendmsg");
}

static int receive_fd(int from)
{
	char control[CMSG_SPACE(sizeof(int))], c;
	struct iovec iov = { &c, 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(from, &m, 0) != 1 || !CMSG_FIRSTHDR(&m))
		die("recvmsg");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

/* In a new namespace, with its own /proc. */
static _Noreturn void live_and_end(int to)
{
	int fd;

	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL))
		die("mount");
	fd = open(GEN, O_RDONLY);
	if (fd < 0)
		die(GEN);
	send_fd(to, fd);
	use_numbers(HOLDERS_STEP);
	_exit(0);
}

static void gone(int rounds)
{
	int pair[2], status;
	long child;

	become_root();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		die("socketpair");
	while (rounds--) {
		child = raw_clone(CLONE_NEWPID | CLONE_NEWNS, NULL);
		if (!child)
			live_and_end(pair[1]);
		if (child < 0)
			die("clone");
		receive_fd(pair[0]);	/* and keeps it */
		if (waitpid((pid_t)child, &status, 0) != child || status)
			die("a namespace");
	}
	ready();
}

/* Namespaces that stay: each with a process, and with numbers in steps, 0: no others. */
static void stay(int count, int step)
{
	int pipes[2];
	char c;

	become_root();
	if (pipe(pipes))
		die("pipe");
	while (count--) {
		long child = raw_clone(CLONE_NEWPID, NULL);

		if (child < 0)
			die("clone");
		if (!child) {
			if (prctl(PR_SET_PDEATHSIG, SIGKILL))
				die("prctl");
			if (step)
				use_numbers(step);
			if (write(pipes[1], "x", 1) != 1)
				die("write");
			for (;;)
				pause();
		}
		if (read(pipes[0], &c, 1) != 1)
			die("read");
	}
	ready();
}

static void churn(int count)
{
	become_root();
	while (count--) {
		int status;
		long child = raw_clone(CLONE_NEWPID, NULL);

		if (!child)
			_exit(0);
		if (child < 0 || waitpid((pid_t)child, &status, 0) != child || status)
			die("a namespace");
	}
}

/* In a namespace of its own: @count numbers from @nr on, @step apart; each with a child. */
static void numbers(int nr, int step, int count)
{
	int status;
	long child = raw_clone(CLONE_NEWPID, NULL);

	if (!child) {
		for (; count--; nr += step)
			use_number(nr);
		_exit(0);
	}
	if (child < 0 || waitpid((pid_t)child, &status, 0) != child || status)
		die("a namespace");
}

static void spread(int count)
{
	become_root();
	numbers(16, 16, count);
}

/* Wait for a generation once. */
static void wait_once(int fd, int how)
{
	struct pollfd p = { .fd = fd, .events = how ? POLLIN : 0 };
	struct epoll_event e = { .events = EPOLLIN };
	fd_set set;
	int epoll;

	switch (how) {
	case 0:		/* for nothing but errors, which a file that is removed does not have */
	case 1:
		poll(&p, 1, -1);
		break;
	case 2:
		FD_ZERO(&set);
		FD_SET(fd, &set);
		select(fd + 1, &set, NULL, NULL, NULL);
		break;
	default:
		epoll = epoll_create1(0);
		if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e))
			die("epoll");
		epoll_wait(epoll, &e, 1, -1);
		close(epoll);
	}
}

/* One way to wait until the file, which stays open, is not there any more. */
static _Noreturn void wait_in(int how)
{
	int fd = open(GEN, O_RDONLY);
	char text[32];

	if (fd < 0 || read(fd, text, sizeof(text)) <= 0)
		die(GEN);
	do {
		wait_once(fd, how);
	} while (pread(fd, text, sizeof(text), 0) >= 0);
	_exit(0);
}

static void pin(void)
{
	pid_t child[4];
	int i;

	for (i = 0; i < 4; i++) {
		child[i] = fork();
		if (!child[i])
			wait_in(i);
	}
	usleep(500000);
	ready();
	for (i = 0; i < 4; i++) {
		int status = 0;

		if (!i || !waitpid(child[i], &status, WNOHANG))
			kill(child[i], SIGKILL);
		if (!status)
			waitpid(child[i], &status, 0);
		printf("waiter %d %s\n", i, WIFEXITED(status) && !WEXITSTATUS(status) ?
		       "left" : WIFSIGNALED(status) ? "waited" : "failed");
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int leave_at_once(void *unused)
{
	(void)unused;
	_exit(0);
}

/* As vfork() does: a child without a memory of its own, which would take most of the time. */
static void vfork_once(void)
{
	static char stack[16384] __attribute__((aligned(16)));
	pid_t child = clone(leave_at_once, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
			    NULL);

	waitpid(child, NULL, 0);
}

static void forks(int count)
{
	uint64_t took[20];
	int run, i;

	for (run = 0; run < 20; run++) {
		struct timespec t0, t1;

		clock_gettime(CLOCK_MONOTONIC, &t0);
		for (i = 0; i < count; i++)
			vfork_once();
		clock_gettime(CLOCK_MONOTONIC, &t1);
		took[run] = (uint64_t)(t1.tv_sec - t0.tv_sec) * 1000000 +
			    (uint64_t)(t1.tv_nsec / 1000) - (uint64_t)(t0.tv_nsec / 1000);
	}
	qsort(took, 20, sizeof(took[0]), by_value);
	printf("%llu\n", (unsigned long long)(took[10] / (uint64_t)count));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;
	struct rlimit files = { 4096, 4096 };

	setrlimit(RLIMIT_NOFILE, &files);
	if (!strcmp(what, "pin"))
		pin();
	else if (!strcmp(what, "gone"))
		gone(n);
	else if (!strcmp(what, "fill"))
		stay(n, USED_STEP);
	else if (!strcmp(what, "many"))
		stay(n, 0);
	else if (!strcmp(what, "churn"))
		churn(n);
	else if (!strcmp(what, "spread"))
		spread(n);
	else if (!strcmp(what, "reuse"))
		numbers(100, 0, n + 1);
	else if (!strcmp(what, "forks"))
		forks(n);
	else
		return 2;
	return 0;
}
