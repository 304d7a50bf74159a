// SPDX-License-Identifier: GPL-2.0
/*
 * calls stopped V1 V2: threads that do not run, inside of calls and outside. V1 and V2 are groups
 * of the freezer of cgroups of either version; "-": there is none. Prints a line for each, "end",
 * and waits for a byte on standard input:
 *
 *	TID NUMBER WHAT		it is inside of that call
 *	TID none WHAT		it is in none: the last one has returned
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#define MOST	32

#ifdef SYS_clock_nanosleep
#define NR_SLEEP	SYS_clock_nanosleep
#else
#define NR_SLEEP	SYS_clock_nanosleep_time64
#endif

static pid_t children[MOST];
static int n_children;
static int never[2];

static void line(pid_t pid, long nr, const char *what)
{
	if (nr < 0)
		printf("%d none %s\n", pid, what);
	else
		printf("%d %ld %s\n", pid, nr, what);
	fflush(stdout);
}

static pid_t child_of(void (*fn)(void))
{
	pid_t child = fork();

	if (!child) {
		fn();
		_exit(0);
	}
	if (child < 0)
		die("fork");
	children[n_children++] = child;
	return child;
}

/* ------------------------------------------------------------------------
 * What children do
 */

static void stop_itself(void)
{
	syscall(SYS_kill, getpid(), SIGSTOP);
}

static void read_nothing(void)
{
	char c;

	(void)!read(never[0], &c, 1);
}

static void sleep_long(void)
{
	struct timespec hour = { .tv_sec = 3600 };

	syscall(NR_SLEEP, CLOCK_MONOTONIC, 0, &hour, NULL);
}

static void call_always(void)
{
	for (;;)
		syscall(SYS_getppid);
}

static void traced(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
}

static void traced_signal(void)
{
	traced();
	syscall(SYS_kill, getpid(), SIGUSR1);
}

static void traced_call(void)
{
	traced();
	syscall(SYS_getppid);
}

/* By the call itself, since a library may use another one. */
static void traced_fork(void)
{
	traced();
#ifdef __s390__
	if (!syscall(SYS_clone, 0L, SIGCHLD, NULL, NULL, 0L))
#else
	if (!syscall(SYS_clone, SIGCHLD, 0L, NULL, NULL, 0L))
#endif
		_exit(0);
}

static void traced_exit(void)
{
	traced();
	syscall(SYS_exit_group, 0);
}

/* ------------------------------------------------------------------------
 * Where they are stopped
 */

static void wait_stopped(pid_t pid, int options)
{
	int status;

	if (waitpid(pid, &status, options) != pid || !WIFSTOPPED(status))
		die("a child does not stop");
}

/* A child that has stopped after traced(). */
static pid_t traced_child(void (*fn)(void), long options)
{
	pid_t pid = child_of(fn);

	wait_stopped(pid, 0);
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   options | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
		die("PTRACE_SETOPTIONS");
	return pid;
}

static void go_on(pid_t pid, int how)
{
	if (ptrace(how, pid, NULL, NULL))
		die("ptrace");
	wait_stopped(pid, __WALL);
}

static void by_tracer(void)
{
	pid_t pid = traced_child(traced_signal, 0);

	go_on(pid, PTRACE_CONT);
	line(pid, -1, "a signal is delivered");
	pid = traced_child(traced_call, 0);
	line(pid, -1, "stopped by a signal, and traced");
	pid = traced_child(traced_call, 0);
	go_on(pid, PTRACE_SYSCALL);
	line(pid, SYS_getppid, "at the begin of a call");
	pid = traced_child(traced_call, 0);
	go_on(pid, PTRACE_SYSCALL);
	go_on(pid, PTRACE_SYSCALL);
	line(pid, -1, "at the end of a call");
	pid = traced_child(traced_fork, PTRACE_O_TRACEFORK);
	go_on(pid, PTRACE_CONT);
	line(pid, SYS_clone, "in a fork");
	pid = traced_child(traced_exit, PTRACE_O_TRACEEXIT);
	go_on(pid, PTRACE_CONT);
	line(pid, SYS_exit_group, "in its exit");
	pid = traced_child(traced_call, PTRACE_O_TRACEEXIT);
	if (syscall(SYS_kill, pid, SIGTERM) || ptrace(PTRACE_CONT, pid, NULL, SIGTERM))
		die("SIGTERM");
	wait_stopped(pid, __WALL);
	line(pid, -1, "killed by a signal, and not gone");
}

static void by_signals(void)
{
	pid_t pid = child_of(stop_itself);

	wait_stopped(pid, WUNTRACED);
	line(pid, -1, "has stopped itself");
	pid = child_of(read_nothing);
	usleep(200000);
	kill(pid, SIGSTOP);
	wait_stopped(pid, WUNTRACED);
	line(pid, -1, "was stopped in read");
	pid = child_of(read_nothing);
	usleep(200000);
	line(pid, SYS_read, "in read");
}

static void put(const char *group, const char *file, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(fd);
}

static pid_t member(const char *group, void (*fn)(void))
{
	pid_t pid = child_of(fn);
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	put(group, "cgroup.procs", text);
	return pid;
}

/* @where_they_sleep: calls that say so are frozen where they sleep. */
static void by_freezer(const char *group, const char *file, const char *frozen,
		       int where_they_sleep)
{
	pid_t busy, reads, sleeps;

	if (!strcmp(group, "-"))
		return;
	busy = member(group, call_always);
	reads = member(group, read_nothing);
	sleeps = member(group, sleep_long);
	usleep(300000);
	put(group, file, frozen);
	usleep(500000);
	line(busy, -1, "frozen");
	line(reads, -1, "frozen, was in read");
	line(sleeps, where_they_sleep ? NR_SLEEP : -1, "frozen, sleeps");
}

int stopped(const char *v1, const char *v2)
{
	char c;

	if (pipe(never))
		die("pipe");
	by_tracer();
	by_signals();
	by_freezer(v1, "freezer.state", "FROZEN", 1);
	by_freezer(v2, "cgroup.freeze", "1", 0);
	puts("end");
	fflush(stdout);
	(void)!read(0, &c, 1);
	if (strcmp(v1, "-"))
		put(v1, "freezer.state", "THAWED");
	if (strcmp(v2, "-"))
		put(v2, "cgroup.freeze", "0");
	/* All are gone when this ends, so that the groups can be removed. */
	while (n_children--) {
		pid_t pid = children[n_children];
		int status;

		kill(pid, SIGKILL);
		/* One that is traced is held at its exit, or will be. */
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
			ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	return 0;
}
