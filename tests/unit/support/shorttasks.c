// SPDX-License-Identifier: GPL-2.0
/* A machine that starts very many tasks. */
#include <stdio.h>

#include "shorttasks.h"

#define OBJECT(i)	(0xffff888000001000ULL + 128ULL * (i))
#define QUIET		0xffff888000000fc0ULL
#define SITE		0xffffffff81000100ULL
#define STEP		1000000ULL
#define LONG		9
#define LONG_START	900
#define STAYS		50000	/* steps */

static void one_task(struct tg *g, uint32_t i, uint64_t time, bool pid)
{
	uint32_t tid = 20 + i % 1000;
	char comm[16];

	snprintf(comm, sizeof(comm), "w%u", i % 50);
	if (pid)
		TG_PUT(g, TG_PID(0), time, TASK_NEW, .tid = tid, .tgid = tid, .start = time,
		       .cgroup = 7 + i % 3, .creator = LONG, .creator_start = LONG_START,
		       .parent = LONG, .parent_start = LONG_START);
	TG_TASK(g, 0, time + 10, .tid = tid, .tgid = tid, .start = time, .comm = comm);
	TG_KMALLOC(g, 0, time + 20, .ptr = OBJECT(i), .call_site = SITE + i % 3 * 16,
		   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	if (i % 100)
		tg_kfree(g, 0, time + 30, OBJECT(i), SITE);
	tg_task_exit(g, 0, time + 40, tid, tid, time, 1);
	if (pid)
		TG_PUT(g, TG_PID(0), time + 50, EXIT, .tid = tid, .tgid = tid, .start = time);
}

/* What the long-lived task does at step @i. */
static void go_on(struct tg *g, uint32_t i, uint64_t time, bool pid)
{
	bool changes = i % 1000 == 500, frees = i >= STAYS && !(i % 200);
	char name[16] = "long";

	if (!changes && !frees)
		return;
	if (i >= 500)
		snprintf(name, sizeof(name), "l%u", (i - 500) / 1000 % 7);
	if (changes && pid)
		TG_PUT(g, TG_PID(0), time + 60, CGROUP, .tid = LONG, .start = LONG_START,
		       .cgroup = 7 + i / 1000 % 3);
	TG_TASK(g, 0, time + 70, .tid = LONG, .tgid = LONG, .start = LONG_START, .comm = name);
	if (changes)
		TG_KMALLOC(g, 0, time + 80, .ptr = OBJECT(i) + 64, .call_site = SITE,
			   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
	if (frees)
		tg_kfree(g, 0, time + 90, OBJECT(i - STAYS), SITE);
}

uint64_t short_tasks(struct tg *g, uint32_t n, bool pid)
{
	uint64_t end = 3000 + n * STEP;

	if (pid)
		TG_PUT(g, TG_PID(0), 1000, TASK_NEW, .tid = LONG, .tgid = LONG, .start = LONG_START,
		       .cgroup = 7, .comm = "long");
	TG_TASK(g, 1, 1100, .tid = 8, .tgid = 8, .start = 800, .comm = "quiet");
	TG_KMALLOC(g, 1, 1200, .ptr = QUIET, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	tg_kfree(g, 1, 1300, QUIET, SITE);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t time = 2000 + i * STEP;

		one_task(g, i, time, pid);
		go_on(g, i, time, pid);
	}
	TG_KMALLOC(g, 1, end, .ptr = QUIET, .call_site = SITE, .bytes_req = 60, .bytes_alloc = 64,
		   .gfp = 0xcc0, .node = -1);
	return end + STEP;
}
