// SPDX-License-Identifier: GPL-2.0
/*
 * mkhost [OPTION...] FILE SEED HOURS: the synthetic trace of a machine that works for hours: tasks
 * of three cgroups open files and connections. The same arguments make the same file.
 *
 *	-e EVENTS	about so many allocations [2000]
 *	-d N		dentries live N times as long
 *	-k		a function does not free all that it allocates
 *	-l		events are lost at times
 *	-m		frees from bulk are not watched
 *	-s		the tasks make system calls, some of which fail
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "tracegen.h"

#define TEXT		0xffffffff81000000ULL
#define HEAP		0xffff888000000000ULL
#define N_SLOTS		20000
#define SLOT		4096
#define BOOT		1000000000ULL
#define HOUR		3600000000000ULL

static const char *const functions[] = {
	"d_alloc", "alloc_inode", "__alloc_file", "sk_prot_alloc", "skb_clone", "seq_open", "leaky_probe",
	"getname_flags",
};

/* Slab caches of the first functions; the others take kmalloc. */
static const struct {
	const char *name;
	uint32_t size;
} caches[] = { { "dentry", 192 }, { "inode_cache", 600 }, { "filp", 256 }, { "TCP", 2240 } };

static const struct {
	const char *comm;
	uint64_t cgroup;
} tasks[] = {
	{ "nginx", 11 }, { "postgres", 12 }, { "cron", 13 }, { "sshd", 13 }, { "nginx", 11 },
};

#define N_FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))
#define N_CACHES	(sizeof(caches) / sizeof(caches[0]))
#define N_TASKS		(sizeof(tasks) / sizeof(tasks[0]))
#define DENTRY		0
#define LEAKY		6

struct host {
	struct tg *g;
	uint64_t hours, events, slower;
	bool leaks, loses, calls;
	unsigned int function[N_SLOTS];
	uint64_t dies[N_SLOTS];		/* 0: free */
};

static uint64_t state;

static uint64_t step(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

static uint64_t draw(uint64_t below)
{
	uint64_t high = step();

	return (high << 31 | step()) % below;
}

static void announce(struct host *h)
{
	char text[1024];
	size_t n = 0;

	for (unsigned int i = 0; i < N_FUNCTIONS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%llx T %s\n", TEXT + 0x1000 * i,
				      functions[i]);
	tg_text(h->g, LT_BLOCK_SYMBOLS, text);
	tg_text(h->g, LT_BLOCK_CGROUPS, "11 /web.slice\n12 /db.slice\n13 /system.slice\n");
	tg_clock(h->g, BOOT, 1700000000000000000ULL, BOOT, BOOT, BOOT);
	for (uint16_t i = 0; i < N_CACHES; i++)
		TG_CACHE(h->g, 0, BOOT, .id = (uint16_t)(i + 1),
			 .ptr = 0xffff888f00000000ULL + i * 512U, .object_size = caches[i].size,
			 .size = caches[i].size, .name = caches[i].name);
	TG_PUT(h->g, TG_PID(0), BOOT, SNAP_BEGIN, .epoch = 1);
	TG_PUT(h->g, TG_PID(0), BOOT, SNAP_END, .epoch = 1, .complete = 1);
	for (uint32_t i = 0; i < N_TASKS; i++) {
		struct lt_rec_TASK_NEW task = { .tid = 100 + i, .tgid = 100 + i, .start = 500 + i,
						.cgroup = tasks[i].cgroup };

		memcpy(task.comm, tasks[i].comm, strlen(tasks[i].comm));
		tg_put(h->g, TG_PID(0), BOOT + 1 + i, LT_EV_TASK_NEW, &task);
	}
}

static uint64_t life_of(struct host *h, unsigned int f)
{
	uint64_t ns = 1000 + draw(1000) * (1ULL << draw(22));

	if (f == DENTRY)
		return (1000 + draw(100000000)) * h->slower;
	if (h->leaks && f == LEAKY && !draw(3))
		return UINT64_MAX;
	return draw(50) ? ns : ns + draw(3 * HOUR);	/* a few stay for long */
}

static void bear(struct host *h, uint64_t time, uint64_t slot)
{
	unsigned int f = (unsigned int)draw(N_FUNCTIONS);
	uint64_t ptr = HEAP + slot * SLOT, site = TEXT + 0x1000 * f + 0x20, life = life_of(h, f);

	if (f < N_CACHES)
		TG_CACHE_ALLOC(h->g, 0, time, .ptr = ptr, .call_site = site, .gfp = 0xcc0,
			       .cache = (uint16_t)(f + 1), .node = -1);
	else if (f == LEAKY)
		TG_KMALLOC(h->g, 0, time, .ptr = ptr, .call_site = site, .bytes_req = 1000,
			   .bytes_alloc = 1024, .gfp = 0xcc0, .node = -1);
	else
		TG_KMALLOC(h->g, 0, time, .ptr = ptr, .call_site = site, .bytes_req = 100 + 10 * f,
			   .bytes_alloc = f < 5 ? 128 : 192, .gfp = 0xcc0, .node = -1);
	h->function[slot] = f;
	h->dies[slot] = life > UINT64_MAX - time ? UINT64_MAX : time + life;
}

static void end(struct host *h, uint64_t time, uint64_t slot)
{
	uint64_t ptr = HEAP + slot * SLOT;
	unsigned int f = h->function[slot];

	if (f < N_CACHES)
		tg_cache_free(h->g, 0, time, ptr, TEXT + 0x1000 * f + 0x80, (uint16_t)(f + 1));
	else
		tg_kfree(h->g, 0, time, ptr, TEXT + 0x1000 * f + 0x80);
	h->dies[slot] = 0;
}

/* Ends what dies before a time, in this order. */
static void end_until(struct host *h, uint64_t time)
{
	for (;;) {
		uint64_t first = 0;

		for (uint64_t i = 1; i < h->events && i < N_SLOTS; i++) {
			if (h->dies[i] && (!h->dies[first] || h->dies[i] < h->dies[first]))
				first = i;
		}
		if (!h->dies[first] || h->dies[first] >= time)
			return;
		end(h, h->dies[first], first);
	}
}

/* openat(), of x86-64, which often finds no file; and the close() of its descriptor. */
static void call(struct host *h, uint64_t time, uint32_t task)
{
	const unsigned int channel = TG_SYSCALL(0);
	int64_t result = draw(3) ? 3 + (int64_t)draw(8) : -2;

	TG_TASK(h->g, channel, time, .tid = 100 + task, .tgid = 100 + task, .start = 500 + task,
		.comm = tasks[task].comm);
	TG_PUT(h->g, channel, time, SYS_WIDE_4, .nr = 257, .duration = 1 + draw(1000000),
	       .result = result, .arg0 = 0xffffff9c, .arg1 = 0x7ffc00001000, .arg2 = 02000000);
	if (result > 0)
		TG_PUT(h->g, channel, time, SYS_WIDE_1, .nr = 3, .duration = 0,
		       .arg0 = (uint64_t)result);
}

static uint64_t fill(struct host *h)
{
	uint64_t length = h->hours * HOUR, time = BOOT + 1000000;

	for (uint64_t i = 0; i < h->events; i++) {
		uint32_t task = (uint32_t)draw(N_TASKS);

		time += 1 + draw(2 * length / h->events);
		end_until(h, time);
		tg_context(h->g, 0, draw(20) ? LT_CTX_TASK : LT_CTX_SOFTIRQ);
		TG_TASK(h->g, 0, time, .tid = 100 + task, .tgid = 100 + task, .start = 500 + task,
			.comm = tasks[task].comm);
		bear(h, time, i % N_SLOTS);
		if (h->calls)
			call(h, time, task);
		if (h->loses && i % 400 == 399) {
			tg_close(h->g, 0, time);
			tg_lost(h->g, 0, LT_CLASS_KMALLOC, TG_FULL, 1 + draw(100));
		}
	}
	return time;
}

static int usage(void)
{
	fprintf(stderr, "usage: mkhost [-e EVENTS] [-d N] [-klms] FILE SEED HOURS\n");
	return 2;
}

int main(int argc, char **argv)
{
	static struct host h = { .events = 2000, .slower = 1 };
	struct tg_options o = { .tasks = true, .subbuf_size = 64 << 10,
				.machine = "x86_64" };
	bool unwatched = false;
	int c;

	while ((c = getopt(argc, argv, "e:d:klms")) != -1) {
		switch (c) {
		case 'e':
			h.events = strtoull(optarg, NULL, 10);
			break;
		case 'd':
			h.slower = strtoull(optarg, NULL, 10);
			break;
		case 'k':
			h.leaks = true;
			break;
		case 'l':
			h.loses = true;
			break;
		case 'm':
			unwatched = true;
			break;
		case 's':
			h.calls = true;
			break;
		default:
			return usage();
		}
	}
	if (argc - optind != 3 || !h.events || h.events > N_SLOTS)
		return usage();
	state = strtoull(argv[optind + 1], NULL, 10);
	h.hours = strtoull(argv[optind + 2], NULL, 10);
	h.g = tg_new(&o);
	tg_auto_task(h.g, true);
	if (unwatched)
		tg_text(h.g, LT_BLOCK_EVENTS, "kmalloc\ttracepoint\twatched\t-\n"
			"kmem_cache_alloc\ttracepoint\twatched\t-\n"
			"kfree\ttracepoint\twatched\t-\n"
			"kmem_cache_free\ttracepoint\twatched\t-\n"
			"bulk_free\tfunction\tnot watched\tno such function\n");
	announce(&h);
	tg_finish(h.g, fill(&h) + 1000);
	if (tg_write(h.g, argv[optind], 0)) {
		perror(argv[optind]);
		return 2;
	}
	tg_free(h.g);
	return 0;
}
