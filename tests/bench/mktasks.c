// SPDX-License-Identifier: GPL-2.0
/*
 * mktasks [-l LIVE] [-p NS] [-t TRUTH] [-s LOG [-n LINES]] FILE TASKS [CPUS]: a synthetic trace
 * of many short tasks, to measure the reader with; TRUTH is a file for what it must find, LIVE
 * how many are alive at a time, at the most [2000], NS the mean time between two events [220].
 * LOG gets lines as strace -f -ttt writes them, LINES [1] after each birth and death, of tasks
 * that are alive: each ends with its identity.
 *
 * Each is born, executes a program, exits and is released; some are threads, some
 * live long. Numbers go round as the kernel's do, below 32768, so that a million tasks
 * wrap 30 times; each reuse is reported. Initial and final snapshot hold.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "chance.h"
#include "tracegen.h"

#define PID_MAX		32768U
#define RESERVED	300U
#define MAX_LIVE	20000U
#define REALTIME	1700000000000000000ULL	/* when the trace begins */
#define BEGIN		1000000000ULL
#define OLDER		2	/* init and the shell are older than the trace */

struct task {
	uint32_t tid;
	uint32_t tgid;
	uint64_t start;
};

struct number {
	struct task holder;
	uint64_t death;
	uint32_t holders;
};

static struct number numbers[PID_MAX];
static struct task live[MAX_LIVE];
static uint32_t n_live, max_live = 2000, cursor = RESERVED, n_cpus;
static uint64_t now = BEGIN, generation, born, threads;

static FILE *lines;
static unsigned long n_lines = 1, gap_ns = 220;

static const struct task shell = { 100, 100, 4 };

static uint32_t cpu(void)
{
	now += gap_ns / 11 + rnd() % (gap_ns / 11 * 20);
	return TG_PID(rnd() % n_cpus);
}

static uint32_t next_number(struct tg *g)
{
	do {
		if (++cursor == PID_MAX) {
			cursor = RESERVED;
			generation++;
			TG_PUT(g, cpu(), now, WRAP, .ns = 1, .generation = generation, .why = 1,
			       .nr = cursor, .old_cursor = PID_MAX, .wraps = generation);
		}
	} while (numbers[cursor].holder.tid && !numbers[cursor].death);
	return cursor;
}

static void birth(struct tg *g)
{
	struct task parent = n_live && rnd() % 4 ? live[rnd() % n_live] : shell;
	bool thread = rnd() % 8 == 0 && parent.tid == parent.tgid && parent.tid != shell.tid;
	uint32_t nr = next_number(g), c = cpu();
	struct number *n = &numbers[nr];
	struct task t = { nr, thread ? parent.tid : nr, now };

	/* A thread is no parent here: its leader is. */
	if (parent.tid != parent.tgid)
		parent = shell;
	TG_PUT(g, c, now, TASK_NEW, .tid = t.tid, .tgid = t.tgid, .start = t.start,
	       .creator = parent.tid, .creator_start = parent.start,
	       .parent = thread ? shell.tid : parent.tid,
	       .parent_start = thread ? shell.start : parent.start,
	       .clone_flags = thread ? 0x10000 : 17, .ns = 1, .nr = nr, .generation = generation,
	       .uid = 1000, .gid = 1000, .cgroup = 77, .comm = "make");
	if (n->holder.tid)
		TG_PUT(g, c, now, NUMBER_REUSED, .ns = 1, .nr = nr, .generation = generation,
		       .holders = n->holders + 1, .old_tid = n->holder.tid,
		       .old_start = n->holder.start, .old_death = n->death, .tid = t.tid,
		       .start = t.start);
	*n = (struct number){ t, 0, n->holders + 1 };
	live[n_live++] = t;
	born++;
	threads += thread;
	if (thread)
		return;
	TG_PUT(g, cpu(), now, RENAME, .tid = t.tid, .start = t.start, .old = "make", .comm = "cc1");
	TG_PUT(g, cpu(), now, EXEC, .tid = t.tid, .start = t.start, .old_tid = t.tid,
	       .old_start = t.start, .file = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1");
}

static bool has_threads(const struct task *t)
{
	for (uint32_t i = 0; i < n_live; i++) {
		if (live[i].tgid == t->tid && live[i].tid != t->tid)
			return true;
	}
	return false;
}

static void death(struct tg *g)
{
	uint32_t i = (uint32_t)(rnd() % n_live), c;
	struct task t = live[i];
	struct lt_rec_EXIT rec;

	/* The leader goes last, so that its exit is the group's. */
	if (t.tid == t.tgid && has_threads(&t))
		return;
	c = cpu();
	rec = (struct lt_rec_EXIT){
		.tid = t.tid, .tgid = t.tgid, .start = t.start, .group_dead = t.tid == t.tgid,
		.parent = shell.tid, .parent_start = shell.start, .utime = 1000000,
		.stime = 500000, .runtime = 1400000, .maxrss = 1 << 20,
	};
	strcpy(rec.comm, t.tid == t.tgid ? "cc1" : "make");
	tg_put(g, c, now, LT_EV_EXIT, &rec);
	numbers[t.tid].death = now;
	live[i] = live[--n_live];
	TG_PUT(g, c, now, RELEASE, .tid = t.tid, .start = t.start);
}

static void put_state(struct tg *g, uint32_t epoch, const struct task *t)
{
	bool first = t->tid == 1;
	struct lt_rec_STATE rec = {
		.epoch = epoch, .tid = t->tid, .tgid = t->tgid, .start = t->start,
		.parent = !first, .parent_start = !first, .ns = 1, .nr = t->tid, .uid = 1000,
		.gid = 1000, .cgroup = 77, .state = "S",
		.file = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
	};

	strcpy(rec.comm, first ? "init" :
	       t->tid == t->tgid && t->tid != shell.tid ? "cc1" : "make");
	tg_put(g, cpu(), now, LT_EV_STATE, &rec);
}

static void snapshot(struct tg *g, uint32_t epoch, uint8_t purpose)
{
	const struct task first = { 1, 1, 1 };

	TG_PUT(g, cpu(), now, SNAP_BEGIN, .epoch = epoch, .purpose = purpose);
	put_state(g, epoch, &first);
	put_state(g, epoch, &shell);
	for (uint32_t i = 0; i < n_live; i++)
		put_state(g, epoch, &live[i]);
	TG_PUT(g, cpu(), now, SNAP_END, .epoch = epoch, .complete = 1, .tasks = n_live + OLDER);
	TG_PUT(g, cpu(), now, PID_NS, .ns = 1, .exact = 1, .generation = generation,
	       .wraps = generation, .allocated = born, .born = born);
}

/* strace cuts what is less than a microsecond. */
static void put_line(void)
{
	const struct task *t = &live[rnd() % n_live];
	uint64_t us = (REALTIME + (now - BEGIN)) / 1000;

	fprintf(lines, "%u  %" PRIu64 ".%06" PRIu64 " getpid() = %u@%" PRIu64 "\n", t->tid,
		us / 1000000, us % 1000000, t->tid, t->start);
}

static int write_truth(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "tasks %" PRIu64 "\nthreads %" PRIu64 "\nopen %u\n", born + OLDER, threads,
		n_live + OLDER);
	return fclose(f);
}

static int make(const char *path, const char *truth, uint64_t tasks)
{
	struct tg *g = tg_new(&(struct tg_options){ .subbuf_size = 256 << 10, .tasks = true });
	int err;

	tg_clock(g, now, REALTIME, now, now, now);
	TG_PUT(g, cpu(), now, PID_NS, .ns = 1, .exact = 1, .cursor = cursor);
	snapshot(g, 1, 0);
	while (born < tasks) {
		if (n_live < max_live && (n_live < 10 || rnd() % 2))
			birth(g);
		else
			death(g);
		for (unsigned long i = 0; lines && n_live && i < n_lines; i++)
			put_line();
	}
	/* A task that was born before it begins is in it. */
	snapshot(g, 2, 2);
	tg_finish(g, now + 1);
	err = tg_write(g, path, 0);
	tg_free(g);
	if (err)
		perror(path);
	if (err || !truth)
		return err;
	err = write_truth(truth);
	if (err)
		perror(truth);
	return err;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: mktasks [-l LIVE] [-p NS] [-t TRUTH] [-s LOG [-n LINES]] FILE TASKS [CPUS]\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *truth = NULL, *log = NULL;
	uint64_t tasks;
	int c;

	while ((c = getopt(argc, argv, "l:n:p:s:t:")) != -1) {
		if (c == 'l')
			max_live = (uint32_t)strtoul(optarg, NULL, 0);
		else if (c == 'n')
			n_lines = strtoul(optarg, NULL, 0);
		else if (c == 'p')
			gap_ns = strtoul(optarg, NULL, 0);
		else if (c == 's')
			log = optarg;
		else if (c == 't')
			truth = optarg;
		else
			return usage();
	}
	argv += optind;
	argc -= optind;
	tasks = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
	n_cpus = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 2;
	if (argc < 1 || !n_cpus || gap_ns < 22 || gap_ns > 1000000000 || max_live < 10 ||
	    max_live > MAX_LIVE)
		return usage();
	lines = log ? fopen(log, "w") : NULL;
	if ((log && !lines) || make(argv[0], truth, tasks) || (lines && fclose(lines))) {
		perror(log ? log : argv[0]);
		return 2;
	}
	return 0;
}
