// SPDX-License-Identifier: GPL-2.0
/*
 * How the racer's tasks come into being, and end.
 *
 * The kernel writes the number of a new task into the log before the task runs
 * (CLONE_PARENT_SETTID): so it is known even if its creator is killed
 * within the call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "racer.h"
#include "raw-clone.h"

#define STACK_SIZE	32768

/* Threads of this process. */
static struct slot {
	char stack[STACK_SIZE] __attribute__((aligned(64)));
	pid_t tid;		/* 0: free; cleared by the kernel; -1: taken */
	int serial;		/* of the last task here */
	role_fn role;
} slots[N_SLOTS];

static void begin(struct actor *a, int serial, int slot)
{
	a->self = serial;
	a->slot = slot;
	a->seed = now() * 2654435761U + (uint64_t)serial;
	log_mark(&log_->tasks[serial].born[1]);
	rename_self(a);
}

/* In a new process: of its parent's threads there is only the one that forked. */
static void forget_threads(int but)
{
	for (int i = 0; i < N_SLOTS; i++) {
		slots[i].serial = -1;
		slots[i].tid = i == but ? -1 : 0;
	}
}

/* Returns the serial of the new process, -1: none. The new one calls ROLE. */
int start_process(struct actor *a, role_fn role, unsigned long flags)
{
	const struct task *me = &log_->tasks[a->self];
	int parent = (flags & CLONE_PARENT) ? log_->tasks[me->process].parent : me->process;
	int serial = log_task(a->self, PROCESS, parent), slot = a->slot;
	long pid;

	if (serial < 0)
		return -1;
	pid = raw_clone(flags | CLONE_PARENT_SETTID, &log_->tasks[serial].tid);
	if (!pid) {
		forget_threads(slot);
		begin(a, serial, slot);
		role(a);
		end_process(a);
	}
	log_mark(&log_->tasks[serial].born[1]);
	return pid > 0 ? serial : -1;
}

static struct {
	char stack[STACK_SIZE] __attribute__((aligned(64)));
	int serial;
	role_fn role;
} shared;

static int run_shared(void *unused)
{
	struct actor a;

	(void)unused;
	begin(&a, shared.serial, -1);
	shared.role(&a);
	end_process(&a);
	return 0;
}

/* A process in the same memory; one at the most. */
int start_shared(struct actor *a, role_fn role)
{
	int serial = log_task(a->self, SHARED, a->self);

	if (serial < 0)
		return -1;
	shared.serial = serial;
	shared.role = role;
	if (clone(run_shared, shared.stack + STACK_SIZE,
		  CLONE_VM | CLONE_PARENT_SETTID | SIGCHLD, NULL, &log_->tasks[serial].tid) < 0)
		die("clone");
	log_mark(&log_->tasks[serial].born[1]);
	return serial;
}

static int run_thread(void *arg)
{
	struct slot *s = arg;
	struct actor a;

	begin(&a, s->serial, (int)(s - slots));
	s->role(&a);
	log_mark(&log_->tasks[a.self].exit[0]);
	return 0;
}

/* Return: whether the last task here is gone, also as a zombie. */
static bool is_gone(const struct slot *s)
{
	struct task *last = s->serial >= 0 ? &log_->tasks[s->serial] : NULL;

	if (!last || last->exit[1])
		return true;
	if (!syscall(SYS_tgkill, log_->tasks[last->process].tid, last->tid, 0) || errno != ESRCH)
		return false;
	log_mark(&last->exit[1]);
	return true;
}

/* The first free slot, which is then taken. */
static struct slot *take_slot(void)
{
	for (int i = 0; i < N_SLOTS; i++) {
		pid_t free = 0;

		if (!__atomic_compare_exchange_n(&slots[i].tid, &free, -1, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		if (is_gone(&slots[i]))
			return &slots[i];
		__atomic_store_n(&slots[i].tid, 0, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Returns the serial of the new thread, -1: none. */
int start_thread(struct actor *a, role_fn role)
{
	int parent = log_->tasks[log_->tasks[a->self].process].parent, serial;
	struct slot *s = take_slot();

	if (!s)
		return -1;
	serial = log_task(a->self, THREAD, parent);
	s->serial = serial;
	s->role = role;
	if (serial < 0 ||
	    clone(run_thread, s->stack + STACK_SIZE,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		  CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
		  s, &log_->tasks[serial].tid, NULL, &s->tid) < 0) {
		s->serial = -1;
		__atomic_store_n(&s->tid, 0, __ATOMIC_RELEASE);
		return -1;
	}
	log_mark(&log_->tasks[serial].born[1]);
	return serial;
}

/* This process with all its threads. */
void end_process(struct actor *a)
{
	struct task *t = &log_->tasks[log_->tasks[a->self].process];

	log_mark(&t->gone[0]);
	syscall(SYS_exit_group, 0);
}

/* This task alone. */
void end_task(struct actor *a)
{
	log_mark(&log_->tasks[a->self].exit[0]);
	syscall(SYS_exit, 0);
}

/* Wait for children, as long as there are some that are dead. */
void reap(pid_t which, int options)
{
	pid_t pid;

	while ((pid = waitpid(which, NULL, options)) > 0) {
		int serial = log_find(pid);

		if (serial >= 0)
			log_mark(&log_->tasks[serial].gone[1]);
		if (which > 0)
			break;
	}
}
