// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of `calls blocked` that sleep in calls of two dozen kinds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

static int never[2], full[2], pair[2];
static int futexes[128];
static char lock_path[64], fifo_path[64];
static const struct timespec hour = { .tv_sec = 3600 };
static sem_t inside;

/* Return: a socket that nobody connects to. */
static int listening(void)
{
	struct sockaddr sa = { .sa_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, &sa, sizeof(sa.sa_family)) || listen(fd, 1))
		die("socket");
	return fd;
}

/* Calls on descriptors. */
static long block_on_file(long kind)
{
	struct flock whole = { .l_type = F_WRLCK };
	char c = 0;
	struct iovec v = { .iov_base = &c, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	struct mmsghdr mm = { .msg_hdr = m };
	struct sockaddr peer;
	socklen_t length = sizeof(peer);
	fd_set set;

	switch (kind) {
	case 8:
		return readv(never[0], &v, 1);
	case 9:
		return recvmsg(pair[0], &m, 0);
	case 10:
		return recvmmsg(pair[0], &mm, 1, 0, NULL);
	case 11:
		return accept4(listening(), &peer, &length, 0);
	case 12:
		FD_ZERO(&set);
		FD_SET(never[0], &set);
		return pselect(never[0] + 1, &set, NULL, NULL, &hour, NULL);
	case 13:
		return splice(never[0], NULL, full[1], NULL, 1, 0);
	case 14:
		return tee(never[0], full[1], 1, 0);
	case 15:
		return flock(open(lock_path, O_RDWR), LOCK_EX);
	case 16:
		return fcntl(open(lock_path, O_RDWR), F_SETLKW, &whole);
	case 17:
		return open(fifo_path, O_RDONLY);
	default:
		return write(full[1], &c, 1);
	}
}

/* Calls on System V's objects, on signals and on children. */
static long block_on_other(long kind)
{
	struct sembuf down = { .sem_op = -1 };
	char message[64];
	sigset_t set;

	sigemptyset(&set);
	switch (kind) {
	case 19:
		return msgrcv(msgget(IPC_PRIVATE, 0600), message, 8, 0, 0);
	case 20:
		return semop(semget(IPC_PRIVATE, 1, 0600), &down, 1);
	case 21:
		return wait4(-1, NULL, 0, NULL);
	case 22:
		return sigsuspend(&set);
	default:
		sigaddset(&set, SIGUSR2);
		return sigtimedwait(&set, NULL, &hour);
	}
}

static void *block(void *arg)
{
	struct pollfd p = { .fd = never[0], .events = POLLIN };
	long i = (long)arg;
	struct epoll_event e;
	char c;
	int fd;

	sem_post(&inside);
	switch (i % 24) {
	case 0:
		return read(never[0], &c, 1) < 0 ? NULL : arg;
	case 1:
		syscall(SYS_futex, &futexes[i], FUTEX_WAIT, 0, NULL, NULL, 0);
		break;
	case 2:
		ppoll(&p, 1, &hour, NULL);
		break;
	case 3:
		clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL);
		break;
	case 4:
		recv(pair[0], &c, 1, 0);
		break;
	case 5:
		fd = epoll_create1(0);
		epoll_wait(fd, &e, 1, -1);
		break;
	case 6:
		fd = eventfd(0, 0);
		return read(fd, &e, 8) < 0 ? NULL : arg;
	case 7:
		syscall(SYS_waitid, P_ALL, 0, NULL, WEXITED, NULL);
		break;
	default:
		return (i % 24 < 19 ? block_on_file : block_on_other)(i % 24) < 0 ? NULL : arg;
	}
	return NULL;
}

/* Return: a child, which holds a lock, and ends when it is killed. */
static pid_t make_obstacles(void)
{
	struct flock whole = { .l_type = F_WRLCK }, held = whole;
	char c[4096] = { 0 };
	pid_t child;
	int fd;

	if (pipe(never) || pipe(full) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		die("pipe");
	fcntl(full[1], F_SETFL, O_NONBLOCK);
	while (write(full[1], c, sizeof(c)) > 0)
		;
	fcntl(full[1], F_SETFL, 0);
	snprintf(lock_path, sizeof(lock_path), "/tmp/calls.lock.%d", getpid());
	snprintf(fifo_path, sizeof(fifo_path), "/tmp/calls.fifo.%d", getpid());
	fd = open(lock_path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || flock(fd, LOCK_EX) || mkfifo(fifo_path, 0600))
		die(lock_path);
	child = fork();
	if (!child) {
		fcntl(fd, F_SETLK, &whole);
		pause();
		_exit(0);
	}
	while (!fcntl(fd, F_GETLK, &held) && held.l_type == F_UNLCK) {
		held = whole;
		usleep(1000);
	}
	return child;
}

int blocked(int n)
{
	struct sigaction act = { .sa_handler = wake };
	pthread_t *t = calloc((size_t)n, sizeof(*t));
	pid_t child;
	char c;

	if (!t)
		die("calloc");
	sigaction(SIGUSR1, &act, NULL);
	sem_init(&inside, 0, 0);
	child = make_obstacles();	/* waitid and wait4 wait for it */
	for (long i = 0; i < n; i++) {
		if (pthread_create(&t[i], NULL, block, (void *)i))
			die("pthread_create");
	}
	for (int i = 0; i < n; i++)
		sem_wait(&inside);
	usleep(200000);
	if (write(1, "blocked\n", 8) != 8 || read(0, &c, 1) < 0)
		die("standard output");
	for (int i = 0; i < n; i++)
		pthread_kill(t[i], SIGUSR1);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
