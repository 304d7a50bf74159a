// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a great many short processes and threads, of all kinds, and writes down
 * what it made: a truth about births, parents, numbers and deaths that owes
 * nothing to any tracer.
 *
 *	storm TASKS WORKERS FILE
 *
 * Every task has a serial number, and bears it in its name ("s" and the number
 * in hexadecimal; "x" after it has executed a program) and, seven bits of it,
 * in its exit status: so a trace, where numbers come again and again, can be
 * held against the file. That is struct header, then struct record for each
 * serial from 0 on, see storm.h.
 *
 * Exit status 1: what the program saw itself does not fit together.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "storm.h"

#define MAX_ALIVE	45	/* a few more may come of those there are */

struct shared *storm;
uint32_t me;

static uint32_t seed;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
	exit(2);
}

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Below n. The same numbers in every run, but for the order of the tasks. */
uint32_t rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

void complain(const char *what, uint32_t serial)
{
	if (__atomic_fetch_add(&storm->head.errors, 1, __ATOMIC_RELAXED) < 20)
		fprintf(stderr, "storm: task %x: %s\n", serial, what);
}

uint32_t new_task(enum kind kind, uint32_t creator, uint32_t parent, uint32_t group)
{
	uint32_t serial = __atomic_fetch_add(&storm->next, 1, __ATOMIC_RELAXED);
	struct record *r;

	if (serial >= storm->limit)
		return 0;
	__atomic_add_fetch(&storm->alive, 1, __ATOMIC_RELAXED);
	r = &storm->records[serial];
	r->serial = serial;
	r->creator = creator;
	r->parent = parent;
	r->group = group ? group : serial;
	r->kind = kind;
	r->code = (1 + serial % 127) << 8;
	if (kind == KIND_KILLED)
		r->code = SIGKILL;
	r->before = now();
	return serial;
}

/* The child of a vfork and a thread run this beside their creators: no libc. */
void begin(uint32_t serial)
{
	static const char digits[] = "0123456789abcdef";
	struct record *r = &storm->records[serial];
	char name[16] = "s";
	uint32_t tid;
	int i, n = 1;

	r->first = now();
	for (i = 28; i >= 0; i -= 4) {
		if (serial >> i || !i)
			name[n++] = digits[serial >> i & 15];
	}
	prctl(PR_SET_NAME, name);
	tid = (uint32_t)syscall(SYS_gettid);
	__atomic_store_n(&storm->holder[tid % STORM_PIDS], serial, __ATOMIC_RELAXED);
	/* Last: a task that finds it may kill this one. */
	__atomic_store_n(&r->self, tid, __ATOMIC_RELEASE);
}

_Noreturn void leave(uint32_t serial)
{
	_exit((int)(storm->records[serial].code >> 8));
}

bool reap(bool block)
{
	siginfo_t info = {};
	uint32_t serial;
	int status;

	/* Nobody else has its number while it is a zombie, but may the moment it is reaped. */
	if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | (block ? 0 : WNOHANG)) || !info.si_pid)
		return false;
	serial = __atomic_load_n(&storm->holder[(uint32_t)info.si_pid % STORM_PIDS],
				 __ATOMIC_RELAXED);
	if (waitpid(info.si_pid, &status, 0) != info.si_pid)
		complain("it could not be reaped", serial);
	storm->records[serial].status = (uint32_t)status;
	if (storm->records[serial].code != (uint32_t)status)
		complain("another exit status than it should have", serial);
	__atomic_sub_fetch(&storm->alive, 1, __ATOMIC_RELAXED);
	return true;
}

void reap_all(void)
{
	while (reap(true))
		;
}

static _Noreturn void work(uint32_t serial)
{
	me = serial;
	seed = 2463534242U * serial;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		complain("no subreaper", serial);
	while (__atomic_load_n(&storm->next, __ATOMIC_RELAXED) < storm->limit) {
		int32_t alive = __atomic_load_n(&storm->alive, __ATOMIC_RELAXED);

		if (alive > storm->max_alive)
			storm->max_alive = alive;
		if (alive >= MAX_ALIVE) {
			if (!reap(true))
				usleep(300);
			continue;
		}
		make_some();
		while (reap(false))
			;
	}
	reap_all();
	leave(serial);
}

static void start_workers(uint32_t workers)
{
	uint32_t i;

	for (i = 0; i < workers; i++) {
		uint32_t serial = new_task(KIND_WORKER, 0, 0, 0);
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			begin(serial);
			work(serial);
		}
		storm->records[serial].pid = (uint32_t)pid;
		storm->records[serial].after = now();
	}
}

/* A number of records that serials were given for. */
static uint32_t used(void)
{
	return storm->next < storm->limit ? storm->next : storm->limit;
}

static void check(void)
{
	uint32_t i;

	for (i = 1; i < used(); i++) {
		struct record *r = &storm->records[i];

		if (!r->pid || r->pid != r->self)
			complain("it has not the number that clone() returned", i);
		else if (!r->status && r->kind != KIND_THREAD && r->kind != KIND_THREAD_EXEC)
			complain("nobody waited for it", i);
	}
	if (storm->alive)
		complain("alive at the end, by the count", (uint32_t)storm->alive);
}

static void save(const char *path)
{
	FILE *f = fopen(path, "w");

	storm->head.count = used();
	if (!f || fwrite(&storm->head, sizeof(storm->head), 1, f) != 1 ||
	    fwrite(storm->records, sizeof(struct record), used(), f) != used() || fclose(f))
		die(path);
}

static uint32_t pid_max(void)
{
	FILE *f = fopen("/proc/sys/kernel/pid_max", "r");
	unsigned int n;

	if (!f || fscanf(f, "%u", &n) != 1)
		die("/proc/sys/kernel/pid_max");
	fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	unsigned long tasks, workers;

	/* The program that children execute. */
	if (argc == 4 && !strcmp(argv[1], "-x")) {
		prctl(PR_SET_NAME, argv[2]);
		_exit(atoi(argv[3]));
	}
	if (argc != 4) {
		fprintf(stderr, "usage: storm TASKS WORKERS FILE\n");
		return 2;
	}
	tasks = strtoul(argv[1], NULL, 10);
	workers = strtoul(argv[2], NULL, 10);
	storm = mmap(NULL, sizeof(*storm) + tasks * sizeof(struct record),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (storm == MAP_FAILED)
		die("memory");
	memcpy(storm->head.magic, STORM_MAGIC, sizeof(storm->head.magic));
	storm->head.record_size = sizeof(struct record);
	storm->head.pid_max = pid_max();
	storm->next = 1;
	storm->limit = (uint32_t)tasks;
	storm->head.begin = now();
	begin(0);
	storm->records[0].pid = storm->records[0].self;
	start_workers((uint32_t)workers);
	reap_all();
	storm->head.end = now();
	check();
	save(argv[3]);
	printf("storm: %u tasks, %d alive at once, %u errors, %llu ms\n", used(),
	       storm->max_alive, storm->head.errors,
	       (unsigned long long)(storm->head.end - storm->head.begin) / 1000000);
	return storm->head.errors ? 1 : 0;
}
