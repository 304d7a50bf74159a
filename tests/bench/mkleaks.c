// SPDX-License-Identifier: GPL-2.0
/*
 * mkleaks FILE [areas]: a synthetic trace of a minute with a call site that leaks, one that keeps
 * what it makes, and one that frees all; with markers, and with a shell that runs many processes of
 * one name. What must be found: one object of 200 of leaky() stays; 40 "cat" and 3 "cp" below "sh".
 * With "areas" also areas of vmalloc(), of which every fourth stays, and buffers of two devices.
 */
#include <stdio.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "tracegen.h"

#define TEXT		0xffffffff80000000ULL
#define HEAP		0xffff888000000000ULL
#define LEAKY		(TEXT + 0x1010)
#define KEEPS		(TEXT + 0x2010)
#define CYCLES		(TEXT + 0x3010)
#define AREAS		0xffffc90000000000ULL
#define BUFFERS		0xffff888800000000ULL
#define MS		1000000ULL
#define STEPS		24000U		/* of 2.5 ms */
#define FORGET		200U		/* leaky() forgets one object of so many */
#define N_CATS		40U
#define N_CPS		3U
#define CHILDREN	(N_CATS + N_CPS)
#define SHELL		100U
#define FIRST_CHILD	200U

static uint64_t start_of(uint32_t child)
{
	return 1000 * MS + child * 1200 * MS;
}

static const char *name_of(uint32_t child)
{
	return child % 14 == 13 ? "cp" : "cat";
}

static void put_state(struct tg *g, uint64_t time, uint32_t epoch, uint32_t tid, const char *comm)
{
	struct lt_rec_STATE rec = {
		.epoch = epoch, .tid = tid, .tgid = tid, .start = tid == 1 ? 1 : 2,
		.parent = tid != 1, .parent_start = tid != 1, .ns = 1, .nr = tid, .state = "S",
	};

	strcpy(rec.comm, comm);
	tg_put(g, TG_PID(0), time, LT_EV_STATE, &rec);
}

static void snapshot(struct tg *g, uint64_t time, uint32_t epoch, uint8_t purpose)
{
	TG_PUT(g, TG_PID(0), time, SNAP_BEGIN, .epoch = epoch, .purpose = purpose);
	put_state(g, time, epoch, 1, "init");
	put_state(g, time, epoch, SHELL, "sh");
	TG_PUT(g, TG_PID(0), time, SNAP_END, .epoch = epoch, .complete = 1, .tasks = 2);
	TG_PUT(g, TG_PID(0), time, PID_NS, .ns = 1, .exact = 1, .allocated = CHILDREN,
	       .born = epoch == 1 ? 0 : CHILDREN);
}

static void run(struct tg *g, uint64_t time, uint32_t child)
{
	uint32_t tid = FIRST_CHILD + child;
	struct lt_rec_RENAME name = { .tid = tid, .start = time, .old = "sh" };

	strcpy(name.comm, name_of(child));
	TG_PUT(g, TG_PID(0), time, TASK_NEW, .tid = tid, .tgid = tid, .start = time,
	       .creator = SHELL, .creator_start = 2, .parent = SHELL, .parent_start = 2,
	       .clone_flags = 17, .ns = 1, .nr = tid, .comm = "sh");
	tg_put(g, TG_PID(0), time, LT_EV_RENAME, &name);
}

static void end(struct tg *g, uint64_t time, uint32_t child)
{
	uint32_t tid = FIRST_CHILD + child;
	struct lt_rec_EXIT rec = {
		.tid = tid, .tgid = tid, .start = start_of(child), .group_dead = 1,
		.parent = SHELL, .parent_start = 2,
	};

	strcpy(rec.comm, name_of(child));
	tg_put(g, TG_PID(0), time, LT_EV_EXIT, &rec);
	TG_PUT(g, TG_PID(0), time, RELEASE, .tid = tid, .start = start_of(child));
}

/* Which child runs; the shell is what runs before the first and after the last. */
static void switch_to(struct tg *g, uint64_t time, uint32_t *child)
{
	if (*child && *child <= CHILDREN)
		end(g, time, *child - 1);
	if (++*child > CHILDREN) {
		TG_TASK(g, 0, time, .tid = SHELL, .tgid = SHELL, .start = 2, .comm = "sh");
		return;
	}
	run(g, time, *child - 1);
	TG_TASK(g, 0, time, .tid = FIRST_CHILD + *child - 1, .tgid = FIRST_CHILD + *child - 1,
		.start = time, .comm = name_of(*child - 1));
}

static void put_areas(struct tg *g, uint64_t time, unsigned int i)
{
	uint64_t area = AREAS + i * 65536ULL, buffer = BUFFERS + i * 4096ULL;

	TG_PUT(g, TG_AREA(0), time, VMALLOC, .ptr = area, .call_site = i % 8 ? CYCLES : KEEPS,
	       .bytes_req = 8000, .bytes_alloc = 8192, .node = -1);
	TG_PUT(g, TG_AREA(0), time + 100, DMA_ALLOC, .ptr = buffer, .call_site = CYCLES,
	       .bytes_req = 4096, .bytes_alloc = 4096, .device = "nvme0");
	if (i % 4)
		TG_PUT(g, TG_AREA(0), time + MS, VFREE, .ptr = area);
	TG_PUT(g, TG_AREA(0), time + MS + 100, DMA_FREE, .ptr = buffer);
}

static uint64_t fill(struct tg *g, bool areas)
{
	uint64_t time = 0, ptr = HEAP;
	uint32_t child = 0;

	TG_TASK(g, 0, 1000, .tid = SHELL, .tgid = SHELL, .start = 2, .comm = "sh");
	for (unsigned int i = 0; i < STEPS; i++, ptr += 4096) {
		time = 10 * MS + i * 5 * MS / 2;
		if (child <= CHILDREN && time >= start_of(child))
			switch_to(g, start_of(child), &child);
		if (i == STEPS / 5)
			tg_marker(g, 0, time, "first");
		if (i == STEPS / 2)
			tg_marker(g, 0, time, "second <i>");
		if (areas && i % 40 == 0)
			put_areas(g, time, i / 40);
		TG_KMALLOC(g, 0, time, .ptr = ptr, .call_site = LEAKY, .bytes_req = 100,
			   .bytes_alloc = 128, .gfp = 0xcc0, .node = -1);
		if (i % FORGET)
			tg_kfree(g, 0, time + 1000, ptr, LEAKY + 64);
		TG_KMALLOC(g, 0, time + 2000, .ptr = ptr + 1024, .call_site = CYCLES,
			   .bytes_req = 4000, .bytes_alloc = 4096, .gfp = 0xcc0, .node = -1);
		if (i % FORGET == 1)
			TG_KMALLOC(g, 0, time + 3000, .ptr = ptr + 2048, .call_site = KEEPS,
				   .bytes_req = 60, .bytes_alloc = 64, .gfp = 0xcc0, .node = -1);
		tg_kfree(g, 0, time + 2 * MS, ptr + 1024, CYCLES + 64);
	}
	return time + 10 * MS;
}

int main(int argc, char **argv)
{
	struct tg_options o = { .subbuf_size = 1U << 18, .tasks = true };
	uint64_t last;
	struct tg *g;

	bool areas = argc == 3 && !strcmp(argv[2], "areas");

	if (argc != 2 && !areas) {
		fprintf(stderr, "usage: mkleaks FILE [areas]\n");
		return 2;
	}
	g = tg_new(&o);
	tg_text(g, LT_BLOCK_SYMBOLS, "ffffffff80001000 T leaky\nffffffff80002000 T keeps\n"
		"ffffffff80003000 T cycles\nffffffff80004000 T behind\n");
	tg_auto_task(g, true);
	TG_PUT(g, TG_PID(0), 1000, PID_NS, .ns = 1, .exact = 1);
	snapshot(g, 2000, 1, 0);
	last = fill(g, areas);
	snapshot(g, last, 2, 2);
	tg_finish(g, last + 1000);
	if (tg_write(g, argv[1], 0)) {
		perror(argv[1]);
		return 2;
	}
	tg_free(g);
	return 0;
}
