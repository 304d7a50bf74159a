// SPDX-License-Identifier: GPL-2.0
/*
 * Has numbers of tasks used again, in every way that there is, in the initial
 * pid namespace and in nested ones, and writes down to standard output what it
 * did; see reuse-child.c for the log.
 *
 *	reuse PID_MAX DIRECTORY
 *
 * Root. kernel.pid_max is PID_MAX; where namespaces have one of their own, it is
 * set there, too. A cgroup file system of version 2 with the controller "pids"
 * is at DIRECTORY.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "raw-clone.h"
#include "reuse.h"

#define LAST_PID	"/proc/sys/kernel/ns_last_pid"
#define PID_MAX		"/proc/sys/kernel/pid_max"
#define RESERVED	300	/* lower numbers are given only once */
#define PAIRS		25
#define ZOMBIES		5

static long pid_max;
static const char *cgroups;

static void set_cursor(long last)
{
	write_number(LAST_PID, last);
	note("cursor", "\"last\":%ld", last);
}

/* The number of a dead child once more: the cursor is put back. */
static void part_rewind(void)
{
	int i;

	for (i = 0; i < PAIRS; i++) {
		struct child c = child_once(0);

		set_cursor(c.pid - 1);
		child_once(0);
	}
	read_generation();
}

/* Numbers by set_tid: the cursor does not move; also numbers ahead of the cursor. */
static void part_set_tid(void)
{
	int i;

	for (i = 0; i < PAIRS; i++) {
		struct child c = child_once(0);

		child_once(c.pid);
		if (i % 5 == 0 && c.pid + 3 < pid_max) {
			child_once(c.pid + 3);
			read_generation();
		}
	}
}

/* So many numbers that the cursor comes round. */
static void once_round(void)
{
	long i;

	for (i = 0; i < pid_max - RESERVED + 10; i++) {
		child_once(0);
		if (i % 50 == 0)
			read_generation();
	}
}

static void part_fail(void)
{
	long i;

	for (i = 0; i < pid_max - RESERVED + 10; i++)
		fail_once();
	read_generation();
	/* And some beside those that do not fail. */
	for (i = 0; i < 40; i++) {
		child_once(0);
		fail_once();
	}
	read_generation();
}

/* A cgroup that is full: the number has been given before that is found out. */
static void part_full(void)
{
	char path[200];
	pid_t pid;
	int i, status;

	snprintf(path, sizeof(path), "%s/level%u", cgroups, level);
	if (mkdir(path, 0755) && errno != EEXIST)
		die(path);
	strcat(path, "/pids.max");
	write_number(path, 1);
	strcpy(strrchr(path, '/'), "/cgroup.procs");
	/* We go there ourselves, and come back. */
	write_text(path, "0");
	for (i = 0; i < PAIRS; i++) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0) {
			waitpid(pid, &status, 0);
			errno = 0;
			die("a fork that had to fail");
		}
		note_burned();
	}
	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroups);
	write_text(path, "0");
	read_generation();
}

/* Dead children that nobody waits for keep their numbers. */
static void part_zombies(void)
{
	struct child c[ZOMBIES];
	int i;

	for (i = 0; i < ZOMBIES; i++) {
		c[i] = child_start(0, 0);
		child_end(&c[i]);
	}
	once_round();
	for (i = 0; i < ZOMBIES; i++)
		child_reap(&c[i]);
	once_round();
}

/* So does the dead leader of a group or session that goes on. */
static void part_group(void)
{
	struct child leader = child_start(0, CHILD_GROUP | CHILD_PEER);
	struct child peer = child_peer();

	child_end(&leader);
	child_reap(&leader);
	once_round();
	child_end(&peer);
	child_reap(&peer);
	note("freed", "\"name\":\"%s\"", leader.name);
	once_round();
}

static void say_namespace(uint64_t t0)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st))
		die("/proc/self/ns/pid");
	note("ns", "\"inum\":%llu,\"pid_max\":%ld,\"last\":%ld,\"t0\":%llu",
	     (unsigned long long)st.st_ino, read_number(PID_MAX), last_pid(),
	     (unsigned long long)t0);
}

/* Numbers up to RESERVED are given only once: most do not go that way. */
static void all_parts(bool rewind)
{
	if (rewind)
		set_cursor(RESERVED - 20);
	once_round();
	part_rewind();
	part_set_tid();
	part_fail();
	part_full();
	part_zombies();
	part_group();
	read_generation();
}

static void below(int times, bool deeper);

/* The first task of a new namespace. */
static _Noreturn void inside(int time, bool deeper, uint64_t t0)
{
	child_init(t0);
	if (read_number(PID_MAX) != pid_max) {
		/* A namespace has its own one here; it is not the same. */
		pid_max -= 20;
		write_number(PID_MAX, pid_max);
	}
	say_namespace(t0);
	read_generation();
	all_parts(time > 0 || level > 1);
	if (deeper)
		below(1, false);
	read_generation();
	exit(0);
}

/* So many namespaces in this one, one after the other. */
static void below(int times, bool deeper)
{
	int i, status;

	for (i = 0; i < times; i++) {
		uint64_t t0 = now();
		pid_t pid;

		pid = (pid_t)raw_clone(CLONE_NEWPID, NULL);
		if (pid < 0)
			die("a new namespace");
		if (!pid) {
			level++;
			inside(i, deeper, t0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			die("what was in a nested namespace");
		note("left", "\"number\":%d", pid);
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: reuse PID_MAX DIRECTORY\n");
		return 2;
	}
	pid_max = strtol(argv[1], NULL, 10);
	cgroups = argv[2];
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		die("no subreaper");
	say_namespace(now());
	all_parts(false);
	below(2, true);
	read_generation();
	return 0;
}
