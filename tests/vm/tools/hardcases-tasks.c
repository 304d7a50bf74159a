// SPDX-License-Identifier: GPL-2.0
/*
 * Hard cases: threads, parents, numbers.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hardcases.h"
#include "raw-clone.h"

#define LAST_PID	"/proc/sys/kernel/ns_last_pid"
#define RESERVED	300
#define PAIRS		20
#define BURNED		50

static pid_t cleared;		/* the kernel clears it when the thread is gone */

static void start_thread(int (*fn)(void *), void *arg)
{
	cleared = -1;
	if (clone(fn, stack_top, THREAD, arg, NULL, NULL, &cleared) < 0)
		die("clone");
}

static void join_thread(void)
{
	while (__atomic_load_n(&cleared, __ATOMIC_ACQUIRE))
		usleep(1000);
}

static int executes(void *of)
{
	note(of, "\"role\":\"thread\",\"tid\":%ld,\"name\":\"%s\"", syscall(SYS_gettid),
	     new_name());
	execl("/proc/self/exe", "hardcases", "-x", "thread-exec", NULL);
	die("exec");
}

/* The leader dies before the exec, and the process lives on. */
static void case_thread_exec(void)
{
	pid_t pid = fork_named("thread_exec", "leader");

	if (!pid) {
		start_thread(executes, (void *)(uintptr_t)"thread_exec");
		for (;;)
			pause();
	}
	reap(pid);
}

static int outlives(void *unused)
{
	(void)unused;
	note("leader_first", "\"role\":\"thread\",\"tid\":%ld,\"name\":\"%s\"", syscall(SYS_gettid),
	     new_name());
	usleep(100000);
	note("leader_first", "\"role\":\"late\"");
	syscall(SYS_exit, 5);
	return 0;
}

static void case_leader_first(void)
{
	pid_t pid = fork_named("leader_first", "leader");

	if (!pid) {
		start_thread(outlives, NULL);
		syscall(SYS_exit, 5);
	}
	reap(pid);
}

static void case_clone_parent(void)
{
	pid_t pid = fork_named("clone_parent", "creator"), sibling;
	int status;

	if (!pid) {
		sibling = (pid_t)raw_clone(CLONE_PARENT, NULL);
		if (sibling < 0)
			die("CLONE_PARENT");
		if (!sibling) {
			note("clone_parent", "\"role\":\"sibling\",\"tid\":%d,\"name\":\"%s\"",
			     getpid(), new_name());
			_exit(0);
		}
		usleep(20000);
		_exit(0);
	}
	if (waitpid(-1, &status, 0) < 0 || waitpid(-1, &status, 0) < 0)
		die("two children");
}

static int vforked(void *unused)
{
	(void)unused;
	note("vfork", "\"role\":\"child\",\"tid\":%d,\"name\":\"%s\"", getpid(), new_name());
	execl("/proc/self/exe", "hardcases", "-x", "vforked", NULL);
	die("exec");
}

static void case_vfork(void)
{
	pid_t pid = fork_named("vfork", "parent"), child;

	if (!pid) {
		child = clone(vforked, stack_top, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
		if (child < 0)
			die("vfork");
		note("vfork", "\"role\":\"goes_on\"");
		reap(child);
		_exit(0);
	}
	reap(pid);
}

static int ends(void *unused)
{
	(void)unused;
	note("pthread", "\"role\":\"thread\",\"tid\":%ld,\"name\":\"%s\"", syscall(SYS_gettid),
	     new_name());
	syscall(SYS_exit, 9);
	return 0;
}

static void case_thread(void)
{
	pid_t pid = fork_named("pthread", "leader");

	if (!pid) {
		start_thread(ends, NULL);
		join_thread();
		/*
		 * It is joined before its exit is recorded: a leader that exits at once may be
		 * gone by then, and both are the last of the group.
		 */
		usleep(50000);
		_exit(8);
	}
	reap(pid);
}

void cases_threads(void)
{
	case_thread_exec();
	case_leader_first();
	case_clone_parent();
	case_vfork();
	case_thread();
}

/* ------------------------------------------------------------------------
 * Numbers
 */

/* The dead one's number at once to another one: its release comes after that. */
static void case_release_late(void)
{
	int i;

	for (i = 0; i < PAIRS; i++) {
		pid_t first = fork_named("release_late", "first"), second;

		if (!first)
			_exit(0);
		reap(first);
		write_number(LAST_PID, first - 1);
		second = fork_named("release_late", "second");
		if (!second) {
			usleep(60000);
			_exit(0);
		}
		note("release_late", "\"role\":\"pair\",\"first\":%d,\"second\":%d", first, second);
		if (i == PAIRS - 1)
			while (waitpid(-1, NULL, 0) > 0)
				;
	}
}

/* Numbers that are given to nobody. */
static void case_burned(void)
{
	int i;

	/* No wrap is to come in between. */
	write_number(LAST_PID, RESERVED + 5);
	note("burned", "\"role\":\"before\",\"last\":%ld", read_number(LAST_PID));
	for (i = 0; i < BURNED; i++) {
		struct clone_args args = { .flags = CLONE_PIDFD, .exit_signal = SIGCHLD,
					   .pidfd = 8 };

		if (syscall(SYS_clone3, &args, sizeof(args)) >= 0 || errno != EFAULT)
			die("a clone3 that had to fail");
	}
	note("burned", "\"role\":\"after\",\"last\":%ld,\"n\":%d", read_number(LAST_PID), BURNED);
}

/* A session whose leader is dead and waited for, and that goes on: over a full wrap. */
static void case_dead_leader(void)
{
	long pid_max = read_number("/proc/sys/kernel/pid_max"), i;
	int ready[2];
	char byte;
	pid_t leader;

	if (pipe(ready))
		die("pipe");
	leader = fork_named("dead_leader", "leader");
	if (!leader) {
		setsid();
		if (!fork_named("dead_leader", "member")) {
			if (write(ready[1], "", 1) != 1)
				die("pipe");
			for (;;)
				pause();
		}
		_exit(0);
	}
	reap(leader);
	if (read(ready[0], &byte, 1) != 1)
		die("pipe");
	note("dead_leader", "\"role\":\"begin\",\"number\":%d", leader);
	for (i = 0; i < pid_max - RESERVED + 20; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid == leader)
			die("the number of a session was given again");
		reap(pid);
	}
	note("dead_leader", "\"role\":\"end\",\"number\":%d", leader);
	kill(-leader, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	close(ready[0]);
	close(ready[1]);
}

void cases_numbers(void)
{
	case_release_late();
	case_burned();
	case_dead_leader();
}
