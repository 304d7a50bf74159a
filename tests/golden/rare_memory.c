// SPDX-License-Identifier: GPL-2.0
/*
 * The program rare: every form of the events of memory, by CPU 2. What is made before the second
 * cut is given back behind it, or stays.
 */
#include "rare.h"

#define CPU		2
#define AREA		TG_AREA(CPU)
#define CACHE		4
#define GFP		0xcc0
#define T		(FIRST_TIME + 200 * MS)
#define LATER		(FIRST_TIME + 280 * MS)

/* Objects by their numbers, 4 KiB apart; one that is far away takes the wide form. */
#define AT(i)		(m->ptr + 0x400000 + 0x1000 * (uint64_t)(i))
#define FAR		(m->small ? 0xb0001000 : 0xffffc90000001000ULL)
/* A call site that takes the wide form, as code of a module may. */
#define FAR_SITE	(FAR_CODE(m) + 0x10)
#define CODE32(offset)	((uint32_t)(m->site + (offset) - m->text))

/* A number of five bytes, as the structs of records have it before their bytes are turned. */
#define U40(v)		{ (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16),	\
			  (uint8_t)((v) >> 24), (uint8_t)((uint64_t)(v) >> 32) }
/* As U40() for numbers that are small. */
#define U24(v)		{ (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16) }
#define U56(v)		{ (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16),	\
			  (uint8_t)((v) >> 24), (uint8_t)((uint64_t)(v) >> 32),		\
			  (uint8_t)((uint64_t)(v) >> 40), (uint8_t)((uint64_t)(v) >> 48) }
#define NARROW_TASK(g, cpu, t, NAME, of_number)						\
	TG_PUT(g, cpu, t, NAME##_NARROW, .tid = U24(19), .tgid = U24(19),		\
	       .start = U56(AGAIN_START), .number = of_number, .comm = "again")
#define BASE_OF(m)	((m)->small ? 0xc0000000ULL : 0xffff888000000000ULL)
#define SHORT(g, t, NAME, number, i)							\
	TG_PUT(g, CPU, t, NAME##_SHORT, .site = number, .ptr = U40(AT(i) - BASE_OF(m)))
#define U48(v)		{ (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16),	\
			  (uint8_t)((v) >> 24), (uint8_t)((v) >> 32), (uint8_t)((v) >> 40) }
#define TIGHT(g, t, NAME, number, i)							\
	TG_PUT(g, CPU, t, NAME##_TIGHT,							\
	       .site = U48((AT(i) - BASE_OF(m)) << LT_TIGHT_SHIFT | (number)))
#define SITE(g, t, number, offset, of_stack, ...)					\
	TG_PUT(g, CPU, t, SITE, .site = number, .call_site = CODE32(offset), .stack = of_stack, \
	       __VA_ARGS__)

enum site {
	SITE_KMALLOC = 1, SITE_CACHE, SITE_BULK, SITE_WIDE, SITE_PAGE, SITE_PAGES, SITE_PLAIN,
	SITE_FREE, SITE_CACHE_FREE,
};

/* What the sites of this packet are, and stacks of every size; one ends at an interrupt. */
static void put_sites(struct tg *g, const struct machine *m)
{
	TG_PUT(g, CPU, T, STACK, .stack = 1, .n_frames = 3,
	       .frames = { CODE32(0), CODE32(0x220), CODE32(0x240) });
	TG_PUT(g, CPU, T, STACK_16, .stack = 2, .n_frames = 9, .flags = LT_STACK_IRQ,
	       .frames = { CODE32(0x10), CODE32(0x220), CODE32(0x230), CODE32(0x240),
			   CODE32(0x250), CODE32(0x260), CODE32(0x270), CODE32(0x280),
			   CODE32(0x290) });
	TG_PUT(g, CPU, T, STACK_32, .stack = 3, .n_frames = 17, .flags = LT_STACK_CUT,
	       .frames = { CODE32(0x20), CODE32(0x220), CODE32(0x230), CODE32(0x240),
			   CODE32(0x250), CODE32(0x220), CODE32(0x230), CODE32(0x240),
			   CODE32(0x250), CODE32(0x220), CODE32(0x230), CODE32(0x240),
			   CODE32(0x250), CODE32(0x220), CODE32(0x230), CODE32(0x240),
			   CODE32(0x250) });
	TG_PUT(g, CPU, T, STACK_WIDE, .stack = 65535, .n_frames = 2,
	       .frames = { m->site + 0x30, FAR_SITE });
	SITE(g, T, SITE_KMALLOC, 0, 1, .gfp_flags = GFP, .bytes_req = 100, .bytes_alloc = 128,
	     .node = -1);
	SITE(g, T, SITE_CACHE, 0x10, 2, .gfp_flags = GFP, .cache = CACHE, .node = -1);
	SITE(g, T, SITE_BULK, 0x20, 3, .gfp_flags = GFP, .cache = CACHE_OF_TEXT, .node = 1);
	SITE(g, T, SITE_WIDE, 0x30, 65535, .gfp_flags = GFP, .bytes_req = 1000, .bytes_alloc = 1024,
	     .node = -1);
	SITE(g, T, SITE_PAGE, 0, 1, .gfp_flags = GFP, .node = -1);
	SITE(g, T, SITE_PAGES, 0x10, 2, .gfp_flags = GFP, .node = -1);
	TG_PUT(g, CPU, T, SITE_NARROW, .site = SITE_PLAIN, .call_site = CODE32(0x40),
	       .gfp_flags = GFP,
	       .bytes_req = 60, .bytes_alloc = 64, .node = -1);
	TG_PUT(g, CPU, T, SITE_FREE, .site = SITE_FREE, .call_site = CODE32(0x208));
	SITE(g, T, SITE_CACHE_FREE, 0x218, 0, .cache = CACHE);
}

/*
 * In the short and the tight forms: objects that are given back at once, by the number of another
 * site; the others stay alive at the cut. The task is named by its number meanwhile.
 */
static void put_short_forms(struct tg *g, const struct machine *m)
{
	for (unsigned int i = 0; i < 4; i += 2) {
		SHORT(g, T + i * MS, KMALLOC, SITE_KMALLOC, 4 * i);
		SHORT(g, T + i * MS, CACHE_ALLOC, SITE_CACHE, 4 * i + 1);
		SHORT(g, T + i * MS, BULK_ALLOC, SITE_BULK, 4 * i + 2);
		SHORT(g, T + i * MS, KMALLOC, SITE_PLAIN, 4 * i + 3);
		TIGHT(g, T + (i + 1) * MS, KMALLOC, SITE_KMALLOC, 4 * i + 4);
		TIGHT(g, T + (i + 1) * MS, CACHE_ALLOC, SITE_CACHE, 4 * i + 5);
		TIGHT(g, T + (i + 1) * MS, BULK_ALLOC, SITE_BULK, 4 * i + 6);
		TIGHT(g, T + (i + 1) * MS, KMALLOC, SITE_WIDE, 4 * i + 7);
	}
	SHORT(g, T + 3 * MS + 1000, KFREE, SITE_FREE, 0);
	SHORT(g, T + 3 * MS + 1000, CACHE_FREE, SITE_CACHE_FREE, 1);
	SHORT(g, T + 3 * MS + 1000, BULK_FREE, SITE_CACHE_FREE, 2);
	TG_PUT(g, CPU, T + 4 * MS, TASK_AGAIN, .number = 0);
	TIGHT(g, T + 4 * MS, KFREE, SITE_FREE, 8);
	TIGHT(g, T + 4 * MS, CACHE_FREE, SITE_CACHE_FREE, 9);
	TIGHT(g, T + 4 * MS, BULK_FREE, SITE_CACHE_FREE, 10);
	/* Their memory is given back behind the cut. */
	SHORT(g, T + 5 * MS, RCU_FREE, SITE_FREE, 3);
	TIGHT(g, T + 5 * MS, RCU_FREE, SITE_FREE, 11);
	TG_PUT(g, CPU, T + 6 * MS, PAGE_ALLOC_SHORT, .site = SITE_PAGE, .pfn = U40(0x8000),
	       .order = 2, .migratetype = 1);
	TG_PUT(g, CPU, T + 7 * MS, PAGE_BULK_SHORT, .site = SITE_PAGES, .pfn = U40(0x8010));
	TG_PUT(g, CPU, T + 7 * MS, PAGE_BULK_SHORT, .site = SITE_PAGES, .pfn = U40(0x8011));
}

/* The narrow and the wide forms, of which the first ones are those of a CPU without sites. */
static void put_long_forms(struct tg *g, const struct machine *m)
{
	const uint64_t t = T + 20 * MS, site = m->site + 0x50;

	TG_KMALLOC(g, CPU, t, .ptr = AT(20), .call_site = site, .bytes_req = 500,
		   .bytes_alloc = 512, .gfp = GFP, .node = -1);
	TG_KMALLOC(g, CPU, t + 1, .ptr = AT(21), .call_site = FAR_SITE, .bytes_req = 70000,
		   .bytes_alloc = 131072, .gfp = GFP, .node = 300);
	TG_KMALLOC(g, CPU, t + 2, .ptr = AT(22), .call_site = FAR_SITE, .bytes_req = 60,
		   .bytes_alloc = 64, .gfp = GFP, .node = -1);
	TG_CACHE_ALLOC(g, CPU, t + 3, .ptr = AT(23), .call_site = FAR_SITE, .gfp = GFP,
		       .cache = CACHE, .node = -1);
	TG_CACHE_ALLOC(g, CPU, t + 4, .ptr = AT(24), .call_site = site, .gfp = GFP, .cache = CACHE,
		       .node = 0);
	TG_BULK_ALLOC(g, CPU, t + 5, .ptr = AT(25), .call_site = site, .gfp = GFP, .cache = CACHE,
		      .node = -1);
	TG_BULK_ALLOC(g, CPU, t + 6, .ptr = FAR, .call_site = FAR_SITE, .gfp = GFP, .cache = CACHE,
		      .node = 300);
	tg_page_alloc(g, CPU, t + 7, 0x8020, GFP, 3, 0);
	TG_PUT(g, CPU, t + 8, PAGE_BULK_WIDE, .pfn = 0x8030, .call_site = site, .gfp_flags = GFP,
	       .order = 1, .single = 1);
	/* It has another size in its place, and then another one again. */
	TG_PUT(g, CPU, t + MS, RESIZE, .ptr = AT(20), .call_site = site, .bytes_req = 400);
	TG_PUT(g, CPU, t + 2 * MS, RESIZE, .ptr = AT(20), .call_site = site, .bytes_req = 450);
	tg_kfree(g, CPU, t + 3 * MS, AT(22), FAR_SITE);
	tg_cache_free(g, CPU, t + 3 * MS, AT(23), FAR_SITE, CACHE);
	tg_bulk_free(g, CPU, t + 3 * MS, FAR, FAR_SITE, CACHE);
	tg_rcu_free(g, CPU, t + 4 * MS, AT(21), FAR_SITE);
	TG_PUT(g, CPU, t + 5 * MS, ALLOC_FAILED, .call_site = site, .bytes_req = 1 << 20,
	       .gfp_flags = GFP, .node = -1, .what = LT_CLASS_KMALLOC);
	TG_PUT(g, CPU, t + 5 * MS, ALLOC_FAILED, .call_site = site, .bytes_req = 512,
	       .gfp_flags = GFP, .cache = CACHE, .what = LT_CLASS_CACHE_ALLOC);
	TG_PUT(g, CPU, t + 6 * MS, TRIGGER, .what = LT_TRIGGER_OOM_KILL, .value = 19,
	       .text = "again");
	/* Where INFO does not say that the sample may change, it does not. */
	TG_PUT(g, CPU, t + 6 * MS + 1, SAMPLE, .one_in = 4, .before = 1);
	TG_PUT(g, CPU, t + 7 * MS, TRIGGER, .what = LT_TRIGGER_USER,
	       .text = "caf\xc3\xa9; \"x\"\n");
	/* Its objects outlive it. */
	NARROW_TASK(g, CPU, t + 8 * MS, TASK, 255);
	TG_PUT(g, CPU, t + 8 * MS, TASK_EXIT_SHORT, .number = 255, .group_dead = 1);
	/* Of a task that nobody has seen. */
	tg_task_exit(g, CPU, t + 8 * MS, 999, 999, 5, 1);
}

/* Behind the cut. */
static void put_ends(struct tg *g, const struct machine *m)
{
	const uint64_t t = LATER;

	tg_kfree(g, CPU, t, AT(4), m->site + 0x208);
	tg_cache_free(g, CPU, t + 1, AT(5), m->site + 0x218, CACHE);
	tg_bulk_free(g, CPU, t + 2, AT(6), m->site + 0x218, CACHE_OF_TEXT);
	/* The grace periods are over. */
	tg_kfree(g, CPU, t + MS, AT(3), 0);
	tg_kfree(g, CPU, t + MS, AT(11), 0);
	tg_kfree(g, CPU, t + MS, AT(21), 0);
	tg_kfree(g, CPU, t + 2 * MS, AT(20), m->site + 0x208);
	tg_bulk_free(g, CPU, t + 2 * MS, AT(25), m->site + 0x218, 0);
	tg_rcu_free(g, CPU, t + 3 * MS, AT(7), m->site + 0x208);
	/* Two of its four pages, of which one comes in a batch, too. */
	tg_page_batched(g, CPU, t + 4 * MS, 0x8001);
	tg_page_free(g, CPU, t + 4 * MS, 0x8001, 0);
	tg_page_free(g, CPU, t + 5 * MS, 0x8003, 0);
	tg_page_free(g, CPU, t + 5 * MS, 0x8010, 0);
	tg_page_free(g, CPU, t + 5 * MS, 0x8020, 3);
	tg_page_free(g, CPU, t + 5 * MS, 0x8030, 1);
}

void put_memory(struct tg *g, const struct machine *m)
{
	TG_TASK(g, CPU, T, .tid = 19, .tgid = 19, .start = AGAIN_START, .comm = "again");
	put_sites(g, m);
	put_short_forms(g, m);
	tg_close(g, CPU, T + 19 * MS);
	put_long_forms(g, m);
	tg_close(g, CPU, LATER - 5 * MS);
	put_ends(g, m);
}

/* The areas by their numbers, in the order of their making. */
#define AREA_AT(i)	(m->small ? 0xd1000000 + 0x10000 * (uint64_t)(i) :		\
				    0xffffc90010000000ULL + 0x10000 * (uint64_t)(i))
#define VMALLOC_AT(t, i, of_node)							\
	TG_PUT(g, AREA, t, VMALLOC, .ptr = AREA_AT(i), .call_site = m->site + 0x60,	\
	       .gfp_flags = GFP, .bytes_req = 5000, .bytes_alloc = 8192, .node = of_node)
#define PERCPU_AT(t, i)									\
	TG_PUT(g, AREA, t, PERCPU_ALLOC, .ptr = AREA_AT(i), .call_site = m->site + 0x70, \
	       .gfp_flags = GFP, .bytes_req = 96, .bytes_alloc = 96)
#define DMA_AT(t, i, name)								\
	TG_PUT(g, AREA, t, DMA_ALLOC, .ptr = AREA_AT(i), .call_site = m->site + 0x80,	\
	       .gfp_flags = GFP, .bytes_req = 100, .bytes_alloc = 4096, .device = name)

/* One of each kind ends before the cut, one behind it, one stays; and events that are lost. */
void put_areas(struct tg *g, const struct machine *m)
{
	TG_TASK(g, AREA, T, .tid = 19, .tgid = 19, .start = AGAIN_START, .comm = "again");
	for (unsigned int i = 0; i < 3; i++) {
		VMALLOC_AT(T + i * MS, i, (int)i - 1);
		PERCPU_AT(T + i * MS, 3 + i);
		if (i)
			DMA_AT(T + i * MS, 6 + i, "0000:00:1f.2");
		else
			DMA_AT(T + i * MS, 6 + i, "");
	}
	NARROW_TASK(g, AREA, T + 4 * MS, AREA_TASK, 1);
	TG_PUT(g, AREA, T + 4 * MS, AREA_TASK_AGAIN, .number = 0);
	TG_PUT(g, AREA, T + 5 * MS, VRESIZE, .ptr = AREA_AT(1), .call_site = m->site + 0x60,
	       .bytes_req = 6000, .bytes_alloc = 8192);
	TG_PUT(g, AREA, T + 6 * MS, VRESIZE, .ptr = AREA_AT(2), .call_site = m->site + 0x60,
	       .bytes_req = 4000);
	TG_PUT(g, AREA, T + 10 * MS, VFREE, .ptr = AREA_AT(0));
	TG_PUT(g, AREA, T + 10 * MS, PERCPU_FREE, .ptr = AREA_AT(3));
	TG_PUT(g, AREA, T + 10 * MS, DMA_FREE, .ptr = AREA_AT(6), .call_site = m->site + 0x218);
	/* Of an area that was never seen, as those of ioremap() are. */
	TG_PUT(g, AREA, T + 11 * MS, VFREE, .ptr = AREA_AT(99));
	tg_close(g, AREA, T + 12 * MS);
	TG_PUT(g, AREA, LATER, VFREE, .ptr = AREA_AT(1));
	TG_PUT(g, AREA, LATER, PERCPU_FREE, .ptr = AREA_AT(4));
	TG_PUT(g, AREA, LATER, DMA_FREE, .ptr = AREA_AT(7), .call_site = m->site + 0x218);
	tg_close(g, AREA, LATER + MS);
	tg_lost(g, AREA, LT_CLASS_VFREE, TG_FULL, 2);
	VMALLOC_AT(LATER + 2 * MS, 9, -1);
}
