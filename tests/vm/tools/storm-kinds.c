// SPDX-License-Identifier: GPL-2.0
/*
 * What the load generator makes. A worker starts one or a few tasks; what these
 * make in turn is at most a handful, so that the number of tasks that are alive
 * at once is bounded.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "raw-clone.h"
#include "storm.h"

#define STACK		16384
#define MAX_THREADS	4
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
			 CLONE_SYSVSEM | CLONE_CHILD_CLEARTID)

static char stacks[MAX_THREADS][STACK] __attribute__((aligned(16)));
static pid_t tids[MAX_THREADS];		/* the kernel clears them at the end */
static uint32_t thread_of[MAX_THREADS];
static unsigned int threads;

static void made(uint32_t serial, pid_t pid)
{
	struct record *r = &storm->records[serial];

	if (pid < 0)
		complain(strerror(errno), serial);
	r->pid = (uint32_t)pid;
	r->after = now();
}

/* Return: serial of the child, 0: could not be made; in the child *child. */
static uint32_t fork_one(enum kind kind, bool *child)
{
	uint32_t serial = new_task(kind, me, me, 0);
	pid_t pid;

	*child = false;
	if (!serial)
		return 0;
	pid = fork();
	if (pid) {
		made(serial, pid);
		return serial;
	}
	*child = true;
	me = serial;
	begin(serial);
	return serial;
}

static void execute(uint32_t serial)
{
	char name[16], code[16];

	snprintf(name, sizeof(name), "x%x", serial);
	snprintf(code, sizeof(code), "%u", storm->records[serial].code >> 8);
	execl("/proc/self/exe", "storm", "-x", name, code, NULL);
	complain("exec failed", serial);
	leave(serial);
}

/* Some live on for a while. */
static void linger(void)
{
	if (!rnd(4))
		usleep(rnd(8000));
}

static void make_fork(void)
{
	bool child;

	if (fork_one(KIND_FORK, &child) && child) {
		linger();
		leave(me);
	}
}

static void make_exec(void)
{
	bool child;

	if (fork_one(KIND_EXEC, &child) && child)
		execute(me);
}

static void make_killed(void)
{
	bool child;

	if (fork_one(KIND_KILLED, &child) && child) {
		kill(getpid(), SIGKILL);
		pause();
	}
}

static int vfork_child(void *arg)
{
	uint32_t serial = *(uint32_t *)arg;

	begin(serial);
	execute(serial);
	return 0;
}

static void make_vfork(void)
{
	uint32_t serial = new_task(KIND_VFORK_EXEC, me, me, 0);

	if (serial)
		made(serial, clone(vfork_child, stacks[0] + STACK,
				   CLONE_VM | CLONE_VFORK | SIGCHLD, &serial));
}

/* A child makes others that are its siblings. */
static void make_siblings(void)
{
	uint32_t worker = me;
	bool child;
	int i, n;

	if (!fork_one(KIND_FORK, &child) || !child)
		return;
	n = 1 + (int)rnd(2);
	for (i = 0; i < n; i++) {
		uint32_t serial = new_task(KIND_SIBLING, me, worker, 0);
		long pid;

		if (!serial)
			break;
		pid = raw_clone(CLONE_PARENT, NULL);
		if (!pid) {
			begin(serial);
			leave(serial);
		}
		made(serial, (pid_t)pid);
	}
	leave(me);
}

static int thread_leave(void *arg)
{
	uint32_t serial = *(uint32_t *)arg;

	begin(serial);
	syscall(SYS_exit, storm->records[serial].code >> 8);
	return 0;
}

/* Makes a process, which is a child of the thread's process. */
static int thread_fork(void *arg)
{
	uint32_t serial = *(uint32_t *)arg, child = new_task(KIND_BY_THREAD, serial, me, 0);
	long pid;

	begin(serial);
	if (child) {
		pid = raw_clone(0, NULL);
		if (!pid) {
			begin(child);
			leave(child);
		}
		made(child, (pid_t)pid);
	}
	syscall(SYS_exit, storm->records[serial].code >> 8);
	return 0;
}

/* Ended by the exit of its group, whose status is then its own. */
static int thread_stay(void *arg)
{
	begin(*(uint32_t *)arg);
	for (;;)
		syscall(SYS_pause);
	return 0;
}

static int thread_execute(void *arg)
{
	uint32_t serial = *(uint32_t *)arg;

	begin(serial);
	__atomic_sub_fetch(&storm->alive, 1, __ATOMIC_RELAXED);
	/* Its creator does not live to write that down later. */
	while (!__atomic_load_n(&storm->records[serial].pid, __ATOMIC_ACQUIRE))
		sched_yield();
	/* It goes on under the number and with the fate of its leader. */
	execute(me);
	return 0;
}

/* code 0: the thread ends with one of its own. */
static uint32_t start_thread(enum kind kind, int (*fn)(void *), uint32_t code)
{
	unsigned int n = threads;
	uint32_t serial;

	if (n == MAX_THREADS)
		return 0;
	serial = new_task(kind, me, storm->records[me].parent, me);
	if (!serial)
		return 0;
	if (code)
		storm->records[serial].code = code;
	thread_of[n] = serial;
	tids[n] = -1;
	threads++;
	made(serial, clone(fn, stacks[n] + STACK, THREAD_FLAGS, &thread_of[n], NULL, NULL,
			   &tids[n]));
	return serial;
}

static void join_threads(void)
{
	while (threads) {
		pid_t *tid = &tids[threads - 1], value;

		while ((value = __atomic_load_n(tid, __ATOMIC_ACQUIRE)))
			syscall(SYS_futex, tid, FUTEX_WAIT, value, NULL, NULL, 0);
		__atomic_sub_fetch(&storm->alive, 1, __ATOMIC_RELAXED);
		threads--;
	}
}

static void make_threads(void)
{
	static int (*const kinds[])(void *) = {
		thread_leave, thread_fork, thread_leave, thread_stay,
	};
	uint32_t how = rnd(4), n = 1 + rnd(MAX_THREADS), i;
	bool child;

	if (!fork_one(KIND_FORK, &child) || !child)
		return;
	/* If another task than the leader ends the group, the code of the last is the group's. */
	for (i = 0; i < n; i++)
		start_thread(KIND_THREAD, kinds[how], how > 1 ? storm->records[me].code : 0);
	if (how < 2) {
		join_threads();
		reap_all();
		leave(me);
	}
	__atomic_sub_fetch(&storm->alive, (int32_t)threads, __ATOMIC_RELAXED);
	if (how == 2)		/* the leader may be the first that is gone */
		syscall(SYS_exit, storm->records[me].code >> 8);
	/* A thread that did not begin could not write down its number. */
	for (i = 0; i < threads; i++) {
		while (!__atomic_load_n(&storm->records[thread_of[i]].self, __ATOMIC_ACQUIRE))
			sched_yield();
	}
	leave(me);
}

static void make_thread_exec(void)
{
	bool child;

	if (!fork_one(KIND_FORK, &child) || !child)
		return;
	if (!start_thread(KIND_THREAD_EXEC, thread_execute, 0))
		leave(me);
	for (;;)
		pause();
}

/* Waits until its parent is gone, and writes down its parent then. */
static _Noreturn void be_orphan(pid_t old)
{
	int i;

	for (i = 0; i < 20000 && getppid() == old; i++)
		usleep(200);
	storm->records[me].end_parent = (uint32_t)getppid();
	leave(me);
}

/* The parent dies before its children; perhaps with a process group of its own. */
static void make_orphans(void)
{
	bool group = rnd(2), child;
	int i, n = 1 + (int)rnd(3);
	pid_t pid;

	if (!fork_one(KIND_FORK, &child) || !child)
		return;
	if (group)
		setpgid(0, 0);
	pid = getpid();
	for (i = 0; i < n; i++) {
		if (fork_one(KIND_ORPHAN, &child) && child)
			be_orphan(pid);
	}
	leave(me);
}

static void make_tree(void)
{
	bool child = true;
	int depth;

	for (depth = 0; depth < 4 && child; depth++) {
		/* All but the worker wait for their child, and are gone then. */
		if (!fork_one(KIND_FORK, &child))
			break;
		if (!child && !depth)
			return;
	}
	if (!depth)
		return;
	if (!child)
		reap(true);
	leave(me);
}

void make_some(void)
{
	static void (*const kinds[])(void) = {
		make_fork, make_fork, make_fork, make_fork, make_fork, make_siblings,
		make_siblings, make_threads, make_threads, make_threads, make_orphans,
		make_orphans, make_orphans, make_tree, make_tree, make_killed, make_vfork,
	};
	uint32_t n = rnd(60);

	/* Programs take longest to start, most of all those of threads. */
	if (n == 0)
		make_thread_exec();
	else if (n < 4)
		make_exec();
	else
		kinds[rnd(sizeof(kinds) / sizeof(kinds[0]))]();
}
