// SPDX-License-Identifier: GPL-2.0
/* Made-up recordings, for tests of cutting them. */
#include "cuttest.h"

#define CPUS		3
#define ADDRESSES	24
#define PAGES		64
#define TASKS		5
#define CALM_ADDRESSES	200
#define BASE		0xffff888000000000ULL
#define TEXT		0xffffffff80000000ULL
#define MODULE		0xffffffffc0000000ULL

struct random {
	uint32_t state;
};

static uint32_t below(struct random *r, uint32_t n)
{
	r->state = r->state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(r->state >> 4) * n >> 28);
}

static bool one_in(struct random *r, uint32_t n)
{
	return !below(r, n);
}

static uint64_t object(struct random *r)
{
	/* One of them is far away, so that it takes the wide form. */
	uint32_t i = below(r, ADDRESSES);

	return i ? BASE + 0x1000 + 64 * (uint64_t)i : 0xffffc90000001000ULL;
}

static uint64_t site(struct random *r)
{
	uint32_t i = below(r, 9);

	return i ? TEXT + 0x100 * (uint64_t)i : MODULE + 16;
}

static void slab_event(struct tg *g, struct random *r, uint32_t cpu, uint64_t now)
{
	uint16_t cache = (uint16_t)(1 + below(r, 3));
	uint64_t ptr = object(r);
	uint32_t gfp = one_in(r, 3) ? 0xcc0 : 0xa20;

	switch (below(r, 12)) {
	case 0:
	case 1:
		TG_KMALLOC(g, cpu, now, .ptr = ptr, .call_site = site(r),
			   .bytes_req = 8 + below(r, 4), .bytes_alloc = 16, .gfp = gfp, .node = -1);
		break;
	case 2:
		TG_KMALLOC(g, cpu, now, .ptr = ptr, .call_site = site(r), .bytes_req = 9000,
			   .bytes_alloc = 16384, .gfp = gfp, .node = (int32_t)below(r, 2));
		break;
	case 3:
	case 4:
		TG_CACHE_ALLOC(g, cpu, now, .ptr = ptr, .call_site = site(r), .gfp = gfp,
			       .cache = cache, .node = -1);
		break;
	case 5:
		TG_BULK_ALLOC(g, cpu, now, .ptr = ptr, .call_site = site(r), .gfp = gfp,
			      .cache = cache, .node = -1);
		break;
	case 6:
		tg_kfree(g, cpu, now, ptr, site(r));
		break;
	case 7:
	case 8:
		tg_cache_free(g, cpu, now, ptr, site(r), cache);
		break;
	case 9:
		tg_bulk_free(g, cpu, now, ptr, site(r), one_in(r, 2) ? cache : 0);
		break;
	case 10:
		tg_rcu_free(g, cpu, now, ptr, site(r));
		break;
	default:
		TG_PUT(g, cpu, now, RESIZE, .ptr = ptr, .call_site = TEXT + 0x999,
		       .bytes_req = 1 + below(r, 8));
		break;
	}
}

/*
 * A birth at a free address, or the free of what is there. @held: by address, its cache plus 1; 0:
 * nothing.
 * @rebirths: some are births at an address that is not free.
 */
static void calm_event(struct tg *g, struct random *r, uint32_t cpu, uint64_t now, uint8_t *held,
		       bool rebirths)
{
	uint32_t i = below(r, CALM_ADDRESSES), size = 16U << below(r, 4);
	uint64_t ptr = BASE + 0x1000 + 256 * (uint64_t)i;
	uint16_t cache = (uint16_t)(1 + below(r, 3));

	if (rebirths && one_in(r, 6))
		held[i] = 0;
	if (held[i] == 1) {
		tg_kfree(g, cpu, now, ptr, site(r));
		held[i] = 0;
	} else if (held[i]) {
		tg_cache_free(g, cpu, now, ptr, site(r), held[i] - 1);
		held[i] = 0;
	} else if (one_in(r, 3)) {
		TG_CACHE_ALLOC(g, cpu, now, .ptr = ptr, .call_site = site(r), .gfp = 0xcc0,
			       .cache = cache, .node = -1);
		held[i] = (uint8_t)(cache + 1);
	} else {
		TG_KMALLOC(g, cpu, now, .ptr = ptr, .call_site = site(r), .bytes_req = size - 4,
			   .bytes_alloc = size, .gfp = 0xcc0, .node = -1);
		held[i] = 1;
	}
}

/* A page of a bulk allocation, which the generator does not know. */
static void bulk_page(struct tg *g, struct random *r, uint32_t cpu, uint64_t now, uint64_t pfn)
{
	TG_PUT(g, cpu, now, PAGE_BULK_WIDE, .pfn = pfn, .call_site = site(r), .gfp_flags = 0xcc0,
	       .order = 0, .single = (uint8_t)below(r, 2));
}

static void page_event(struct tg *g, struct random *r, uint32_t cpu, uint64_t now)
{
	uint8_t order = (uint8_t)(one_in(r, 2) ? 0 : below(r, 4));
	uint64_t pfn = 4096 + (below(r, PAGES) & ~((1U << order) - 1));

	if (one_in(r, 2))
		tg_page_free(g, cpu, now, pfn, order);
	else if (one_in(r, 4))
		bulk_page(g, r, cpu, now, pfn);
	else
		tg_page_alloc(g, cpu, now, pfn, 0xcc0, order, 0);
}

static void area_event(struct tg *g, struct random *r, uint32_t cpu, uint64_t now)
{
	uint64_t ptr = 0xffffc90000000000ULL + 0x1000 * (uint64_t)below(r, 12);

	cpu = TG_AREA(cpu);
	switch (below(r, 7)) {
	case 0:
		TG_PUT(g, cpu, now, VMALLOC, .ptr = ptr, .call_site = site(r), .gfp_flags = 0xcc0,
		       .bytes_req = 5000 + below(r, 9), .bytes_alloc = 8192, .node = -1);
		break;
	case 1:
		TG_PUT(g, cpu, now, VFREE, .ptr = ptr);
		break;
	case 2:
		TG_PUT(g, cpu, now, PERCPU_ALLOC, .ptr = ptr, .call_site = site(r),
		       .gfp_flags = 0xcc0, .bytes_req = 32, .bytes_alloc = 32);
		break;
	case 3:
		TG_PUT(g, cpu, now, PERCPU_FREE, .ptr = ptr);
		break;
	case 4:
		TG_PUT(g, cpu, now, DMA_ALLOC, .ptr = ptr, .call_site = site(r), .gfp_flags = 0xcc0,
		       .bytes_req = 100, .bytes_alloc = 4096, .device = "eth0");
		break;
	case 5:
		TG_PUT(g, cpu, now, DMA_FREE, .ptr = ptr, .call_site = site(r));
		break;
	default:
		TG_PUT(g, cpu, now, VRESIZE, .ptr = ptr, .call_site = site(r),
		       .bytes_req = 5000 + below(r, 2000), .bytes_alloc = one_in(r, 2) ? 12288 : 0);
		break;
	}
}

static void switch_task(struct tg *g, struct random *r, uint32_t cpu, uint64_t now)
{
	static const char *const names[] = { "sh", "cat", "make", "cc1", "ld", "as" };
	uint32_t i = below(r, TASKS);

	TG_TASK(g, cpu, now, .tid = i, .tgid = i, .start = 500 + i,
		.comm = i ? names[below(r, 6)] : "swapper");
	if (i > 2 && one_in(r, 12))
		tg_task_exit(g, cpu, now, i, i, 500 + i, 1);
}

static void lose(struct tg *g, struct random *r, uint32_t cpu)
{
	static const unsigned int classes[] = {
		LT_CLASS_KFREE, LT_CLASS_CACHE_ALLOC, LT_CLASS_PAGE_FREE, LT_CLASS_PAGE_ALLOC,
	};

	tg_lost(g, cpu, classes[below(r, 4)], one_in(r, 2) ? TG_FULL : TG_NMI, 1 + below(r, 3));
}

/* What the recording says of itself beside INFO. */
static void put_texts(struct tg *g, const struct cut_options *o, uint64_t begin)
{
	char code[512], text[512] = "kmalloc\ttracepoint\twatched\nkfree\ttracepoint\twatched\n";
	static const char *const events[] = {
		"bulk_free\tfunction\tnot watched: no kprobes\nrcu_free\tfunction\twatched\n",
		"bulk_alloc\tfunction\tnot watched: no kprobes\n",
		"kmalloc_nolock\tfunction\tnot watched: no kprobes\n",
	};

	for (unsigned int i = 0; i < o->unwatched; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", events[i]);
	if (o->unwatched)
		tg_text(g, LT_BLOCK_EVENTS, text);
	if (!o->code)
		return;
	snprintf(code, sizeof(code), "code old begin 0x%llx size 4096 from 0 to %llu build -\n"
		 "0x%llx t old_alloc\n"
		 "code new begin 0x%llx size 4096 from %llu to 0 build -\n0x%llx t new_alloc\n",
		 MODULE, (unsigned long long)begin + 300000000, MODULE, MODULE,
		 (unsigned long long)begin + 600000000, MODULE);
	tg_text(g, LT_BLOCK_CODE, code);
}

struct tg *cut_make(const struct cut_options *o, uint64_t *begin, uint64_t *end)
{
	struct random r = { o->seed * 2654435761u + 1 };
	struct tg_options options = {
		.big_endian = o->big, .late_free = o->late_free, .brief = below(&r, 2) || o->calm,
		.clock = o->counter ? "counter" : "mono",
		.clock_freq = o->counter ? 2693511000 : 1000000000, .subbuf_size = 2048,
		.info = o->recorder ? "channels=kmem,area\nrecorder_tgid=3\n"
				      "recorder_pid_ns=4026531836\n" : "channels=kmem,area\n",
	};
	struct tg *g = tg_new(&options);
	uint8_t held[CALM_ADDRESSES] = { 0 };
	uint64_t now = 5000000000ULL;

	if (o->counter)
		tg_clock(g, now - 1000, 1600000000000000000ULL, 1000000000ULL, 1000000000ULL,
			 1000000000ULL);
	*begin = now;
	put_texts(g, o, now);
	tg_auto_task(g, true);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		switch_task(g, &r, cpu, now);
		for (uint16_t id = 1; cpu == 0 && id <= 3; id++)
			TG_CACHE(g, cpu, now, .id = id, .ptr = BASE + id, .object_size = 100 * id,
				 .size = 128 * id,
				 .name = id == 1 ? "dentry" : id == 2 ? "inode_cache" : "filp");
		tg_context(g, cpu, LT_CTX_TASK);
	}
	for (unsigned int i = 0; i < o->events; i++) {
		uint32_t cpu = below(&r, CPUS);

		now += one_in(&r, 40) ? 20000000 + below(&r, 30000000) : below(&r, 700);
		if (one_in(&r, 10))
			switch_task(g, &r, cpu, now);
		if (one_in(&r, 20))
			tg_context(g, cpu, below(&r, 3));
		if (one_in(&r, 25))
			tg_close(g, one_in(&r, 5) ? TG_AREA(cpu) : cpu, now);
		if (o->losses && one_in(&r, 150))
			lose(g, &r, cpu);
		if (o->calm)
			calm_event(g, &r, cpu, now, held, o->rebirths);
		else if (one_in(&r, 4))
			page_event(g, &r, cpu, now);
		else if (one_in(&r, 5))
			area_event(g, &r, cpu, now);
		else
			slab_event(g, &r, cpu, now);
	}
	*end = now + 1000;
	tg_finish(g, *end);
	return g;
}
