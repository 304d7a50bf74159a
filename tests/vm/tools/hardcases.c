// SPDX-License-Identifier: GPL-2.0
/*
 * The cases in which tools that follow tasks go wrong, one of each, and a log of
 * what was done: to standard output, a JSON object a line, with the keys "case",
 * "role" and what is to be known. Text that may be anything is in hexadecimal.
 *
 *	hardcases DIRECTORY
 *
 * Root. kernel.pid_max is some hundreds. A cgroup file system of version 2 is at
 * DIRECTORY.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hardcases.h"

char *stack_top;
static unsigned int *names;	/* given so far; in memory that all have */
static const char *cgroups;

_Noreturn void die(const char *what)
{
	fprintf(stderr, "hardcases: %s: %s\n", what, strerror(errno));
	exit(2);
}

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void put_line(char *line, size_t n)
{
	line[n++] = '\n';
	if (write(STDOUT_FILENO, line, n) != (ssize_t)n)
		die("the log");
}

void note(const char *of, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n = snprintf(line, sizeof(line), "{\"case\":\"%s\",\"t\":%llu,", of,
			 (unsigned long long)now());

	va_start(ap, fmt);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 2, fmt, ap);
	va_end(ap);
	line[n++] = '}';
	put_line(line, (size_t)n);
}

void note_bytes(const char *of, const char *key, const char *bytes, size_t n)
{
	char line[9000];
	int at = snprintf(line, sizeof(line), "{\"case\":\"%s\",\"tid\":%ld,\"%s\":\"", of,
			  syscall(SYS_gettid), key);

	for (size_t i = 0; i < n; i++)
		at += snprintf(line + at, sizeof(line) - (size_t)at, "%02x",
			       (unsigned char)bytes[i]);
	line[at++] = '"';
	line[at++] = '}';
	put_line(line, (size_t)at);
}

void set_name(const char *name)
{
	if (prctl(PR_SET_NAME, name))
		die("PR_SET_NAME");
}

const char *new_name(void)
{
	static char name[16];

	snprintf(name, sizeof(name), "h%x", __atomic_add_fetch(names, 1, __ATOMIC_RELAXED));
	set_name(name);
	return name;
}

pid_t fork_named(const char *of, const char *role)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid)
		note(of, "\"role\":\"%s\",\"tid\":%d,\"name\":\"%s\"", role, getpid(), new_name());
	return pid;
}

void reap(pid_t pid)
{
	if (waitpid(pid, NULL, 0) != pid)
		die("waitpid");
}

/* ------------------------------------------------------------------------
 * What tasks change: oom_score_adj, user, cgroup
 */

static int shares_memory(void *unused)
{
	(void)unused;
	note("oom_shared", "\"role\":\"sharer\",\"tid\":%ld,\"name\":\"%s\"", syscall(SYS_gettid),
	     new_name());
	pause();
	return 0;
}

/* A process that only shares the memory has no event of its own. */
static void case_oom(void)
{
	pid_t pid = fork_named("oom", "child"), sharer;

	if (pid) {
		reap(pid);
		return;
	}
	write_text("/proc/self/oom_score_adj", "300");
	sharer = clone(shares_memory, stack_top, CLONE_VM | SIGCHLD, NULL);
	if (sharer < 0)
		die("clone");
	usleep(100000);
	write_text("/proc/self/oom_score_adj", "500");
	kill(sharer, SIGKILL);
	reap(sharer);
	_exit(0);
}

static void case_cred(void)
{
	pid_t pid = fork_named("cred", "child");

	if (pid) {
		reap(pid);
		return;
	}
	/* A raw system call: libc would change the other threads, too. */
	if (syscall(SYS_setresgid, 1001, 1002, 1003) || syscall(SYS_setresuid, 2001, 2002, 2003))
		die("setres[ug]id");
	_exit(0);
}

static void case_cgroup(void)
{
	char path[256];
	struct stat st;
	pid_t pid = fork_named("cgroup", "child");

	if (pid) {
		reap(pid);
		return;
	}
	snprintf(path, sizeof(path), "%s/hard", cgroups);
	if ((mkdir(path, 0755) && errno != EEXIST) || stat(path, &st))
		die(path);
	note("cgroup", "\"role\":\"group\",\"id\":%llu", (unsigned long long)st.st_ino);
	strcat(path, "/cgroup.procs");
	write_text(path, "0");
	_exit(0);
}

static void cases_changes(void)
{
	case_oom();
	case_cred();
	case_cgroup();
}

int main(int argc, char **argv)
{
	char *stack;

	/* The program that children execute; argv[2] is to be its name. */
	if (argc == 3 && !strcmp(argv[1], "-x")) {
		if (*argv[2])
			set_name(argv[2]);
		return 7;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: hardcases DIRECTORY\n");
		return 2;
	}
	cgroups = argv[1];
	names = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (names == MAP_FAILED || stack == MAP_FAILED)
		die("memory");
	stack_top = stack + STACK;
	note("main", "\"role\":\"main\",\"tid\":%d,\"name\":\"%s\"", getpid(), new_name());
	cases_threads();
	case_io_worker();
	cases_names();
	cases_changes();
	cases_numbers();
	note("end", "\"role\":\"main\"");
	return 0;
}
