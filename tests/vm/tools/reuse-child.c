// SPDX-License-Identifier: GPL-2.0
/*
 * Children that say in which namespace they have which number, and the log.
 *
 * A line of the log is a JSON object with a key "what":
 *
 *	ns	we are in a new namespace; or its pid_max is another one
 *	born	a child has got its numbers; "cyclic" 0: it was made to have this one
 *	freed	its numbers can be given again
 *	burned	a number was given to no task; "last": which, in our own namespace
 *	cursor	we wrote to ns_last_pid
 *	gen	/proc/pid_gen said so
 *	left	the namespace has ended
 *
 * Lines come in the order of what happened; t0 and t1 (CLOCK_MONOTONIC) are
 * around the act.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "reuse.h"

#define LAST_PID	"/proc/sys/kernel/ns_last_pid"

unsigned int level;

/* In memory that all have; one child is made at a time. */
struct shared {
	unsigned int names;
	struct child child[2];	/* the last one, and its peer */
	uint32_t ready[2];
};

static struct shared *shared;

_Noreturn void die(const char *what)
{
	fprintf(stderr, "reuse: level %u: %s: %s\n", level, what, strerror(errno));
	exit(2);
}

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Standard output is the log. A line is written at once, or not at all. */
void note(const char *what, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n = snprintf(line, sizeof(line), "{\"what\":\"%s\",\"level\":%u,", what, level);

	va_start(ap, fmt);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	va_end(ap);
	n += snprintf(line + n, sizeof(line) - (size_t)n, ",\"t1\":%llu}\n",
		      (unsigned long long)now());
	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		die("the log");
}

long last_pid(void)
{
	return read_number(LAST_PID);
}

#define OWN_PROC	"/tmp/reuse-proc"

/* /proc shows the initial namespace, and so does its file. */
void read_generation(void)
{
	uint64_t t0 = now();
	long value;

	if (level) {
		if ((mkdir(OWN_PROC, 0700) && errno != EEXIST) ||
		    mount("proc", OWN_PROC, "proc", 0, NULL))
			die("mount " OWN_PROC);
		value = read_number(OWN_PROC "/pid_gen");
		if (umount2(OWN_PROC, MNT_DETACH))
			die("umount " OWN_PROC);
	} else {
		value = read_number("/proc/pid_gen");
	}

	note("gen", "\"value\":%ld,\"t0\":%llu", value, (unsigned long long)t0);
}

static void wait_while(uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Our numbers: /proc is that of the initial namespace. */
static void find_numbers(struct child *c)
{
	char text[4096], *p, *end;
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		die("/proc/self/status");
	close(fd);
	text[n] = 0;
	p = strstr(text, "\nNSpid:");
	if (!p)
		die("NSpid");
	p += strlen("\nNSpid:");
	c->n_levels = 0;
	while (*p == '\t' && c->n_levels <= MAX_LEVEL) {
		c->numbers[c->n_levels++] = (pid_t)strtol(p, &end, 10);
		p = end;
	}
}

static void say_who(unsigned int which)
{
	struct child *c = &shared->child[which];

	snprintf(c->name, sizeof(c->name), "r%x", ++shared->names);
	prctl(PR_SET_NAME, c->name);
	find_numbers(c);
}

static void stay(unsigned int which)
{
	set(&shared->ready[which], 1);
	for (;;)
		pause();
}

/* What a child does until it is killed. */
static _Noreturn void live(int how)
{
	if (how & CHILD_GROUP)
		setpgid(0, 0);
	say_who(0);
	shared->child[0].kept = how & CHILD_PEER;
	if (how & CHILD_PEER) {
		if (!fork()) {
			say_who(1);
			stay(1);
		}
		wait_while(&shared->ready[1], 0);
	}
	stay(0);
	_exit(0);
}

static long clone_one(pid_t set_tid, int *pidfd)
{
	struct clone_args args = { .exit_signal = SIGCHLD };

	if (set_tid) {
		args.set_tid = (uint64_t)(uintptr_t)&set_tid;
		args.set_tid_size = 1;
	}
	if (pidfd) {
		args.flags = CLONE_PIDFD;
		args.pidfd = (uint64_t)(uintptr_t)pidfd;
	}
	return syscall(SYS_clone3, &args, sizeof(args));
}

static void note_born(const struct child *c, bool cyclic, uint64_t t0)
{
	char numbers[64];
	unsigned int i;
	int n = 0;

	for (i = 0; i < c->n_levels; i++)
		n += snprintf(numbers + n, sizeof(numbers) - (size_t)n, i ? ",%d" : "%d",
			      c->numbers[i]);
	note("born", "\"name\":\"%s\",\"numbers\":[%s],\"cyclic\":%d,\"t0\":%llu", c->name,
	     numbers, cyclic, (unsigned long long)t0);
}

/* We are the first task of a new namespace. */
void child_init(uint64_t t0)
{
	say_who(0);
	note_born(&shared->child[0], true, t0);
}

struct child child_start(pid_t set_tid, int how)
{
	uint64_t t0 = now();
	struct child c;
	long pid;

	shared->ready[0] = 0;
	shared->ready[1] = 0;
	pid = clone_one(set_tid, NULL);
	if (!pid)
		live(how);
	if (pid < 0)
		die("clone3");
	wait_while(&shared->ready[0], 0);
	c = shared->child[0];
	c.pid = (pid_t)pid;
	if (c.n_levels != level + 1 || c.numbers[level] != pid)
		die("a child has not the number that clone3 returned");
	note_born(&c, !set_tid, t0);
	if (how & CHILD_PEER) {
		struct child peer = child_peer();

		note_born(&peer, true, t0);
	}
	return c;
}

struct child child_peer(void)
{
	struct child c = shared->child[1];

	c.pid = c.numbers[level];
	c.kept = false;
	return c;
}

void child_end(struct child *c)
{
	siginfo_t info;

	kill(c->pid, SIGKILL);
	if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT))
		die("waitid");
}

void child_reap(struct child *c)
{
	uint64_t t0 = now();

	if (waitpid(c->pid, NULL, 0) != c->pid)
		die("waitpid");
	if (!c->kept)
		note("freed", "\"name\":\"%s\",\"t0\":%llu", c->name, (unsigned long long)t0);
}

struct child child_once(pid_t set_tid)
{
	struct child c = child_start(set_tid, 0);

	child_end(&c);
	child_reap(&c);
	return c;
}

void note_burned(void)
{
	note("burned", "\"last\":%ld", last_pid());
}

void fail_once(void)
{
	long pid = clone_one(0, (int *)8);

	if (pid >= 0 || errno != EFAULT)
		die("a clone3 that had to fail");
	note_burned();
}

__attribute__((constructor)) static void share(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		die("memory");
}
