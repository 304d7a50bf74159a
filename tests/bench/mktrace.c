// SPDX-License-Identifier: GPL-2.0
/*
 * mktrace [OPTION...] FILE EVENTS [CPUS]: a synthetic trace, to measure the reader
 * with, and the truth about it.
 *
 *	-l LIVE		objects alive at a time, about [32768]
 *	-s SITES	call sites [300]
 *	-k STACKS	call stacks in all; each birth has one [0]
 *	-r		as recorded by an engine that lacks probes: one free in eight is missing, no
 *			lifetime is exact, and code comes and goes
 *	-p		one event in three is of a block of pages; the truth has these in its
 *			records alone
 *	-z		compressed, as record --zstd does
 *	-t TRUTH	file for what a reader must find
 *
 * Allocations of a few caches and sizes by a few tasks, on all CPUs at once, freed
 * by any. A site allocates from one cache, or of one size; some do much of the work, as
 * in a kernel. Which object is next is pure chance: no table of a reader stays in the
 * processor's caches for longer than it deserves. Some objects are older than the
 * trace, and of some the free is missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "chance.h"
#include "format/block.h"
#include "format/schema.h"
#include "tracegen.h"
#include "tracegen_private.h"

#define N_CACHES	50
#define N_KINDS		(2 * N_CACHES)	/* caches, and sizes of kmalloc */
#define MAX_SITES	2048		/* sites that a packet can announce */
#define N_TASKS		50
#define TEXT		0xffffffff81000000ULL
#define SLOT		256	/* bytes between two objects */
#define FRAMES		8	/* of a stack */
#define TASK_EVERY	200	/* events of one CPU until another task runs there, about */
#define OLD_EVERY	1024	/* one object in so many is older than the trace */
#define WRITE_EVERY	(1 << 20)	/* events */
#define MISS_EVERY	1024	/* of one free in so many there is no event */
#define MISS_RECORDED	8
#define RENAME_EVERY	2000	/* events until a task is renamed, about */
#define MODULE		0xffffffffc0100000ULL
#define N_BLOCKS	32768	/* of pages */
#define PAGES_EVERY	3
/* one block in so many is of the order LARGE, the others are pages */
#define LARGE_EVERY	16
#define LARGE		3

enum slot { FREE, LIVE, OLD };

struct truth {
	uint64_t events;
	uint64_t births, live, peak;
	uint64_t exact, before, bounded;
};

struct load {
	struct tg *g;
	struct lt_writer *w;
	struct truth truth;
	uint64_t n_slots, n_sites, n_stacks, events;
	uint32_t cpus;
	bool recorded;
	uint8_t *slots;
	uint8_t *blocks;	/* NULL: none */
};

static double chance(void)
{
	return (double)(rnd() >> 11) / (double)(1ULL << 53);
}

static uint64_t object(uint64_t i)
{
	return 0xffff888000000000ULL + i * SLOT;
}

/* Odd slots are of kmalloc, even ones of the caches. */
static uint16_t cache_of(uint64_t i)
{
	return (uint16_t)(1 + i / 2 % N_CACHES);
}

/* Odd slots: a size for each kind. */
static uint64_t size_of(uint64_t i)
{
	return 100 + i / 2 % N_CACHES;
}

/* One of the sites of the object's kind; the first ones of them most often. */
static uint64_t site_of(const struct load *l, uint64_t i)
{
	double u = chance();
	uint64_t kind = i / 2 % N_CACHES + (i & 1) * N_CACHES;
	uint64_t s = (uint64_t)((double)l->n_sites * u * u * u);

	return TEXT + (s - s % N_KINDS + kind) % l->n_sites * 64;
}

/* One of the stacks of a site; the first ones of them most often. Return: NULL: there are none. */
static const struct lt_encode_stack *stack_of(const struct load *l, uint64_t site)
{
	static uint64_t frames[FRAMES];
	static const struct lt_encode_stack stack = { .n = FRAMES, .frames = frames };
	double u;
	uint64_t way;

	if (!l->n_stacks)
		return NULL;
	u = chance();
	way = (uint64_t)((double)(l->n_stacks / l->n_sites) * u * u * u);
	frames[0] = site;
	for (unsigned int i = 1; i < FRAMES; i++)
		frames[i] = TEXT + 0x100000 +
			(site / 64 * 7919 + way * 104729 + i * 31) % 65536 * 16;
	return &stack;
}

static void birth(struct load *l, uint32_t cpu, uint64_t time, uint64_t i, uint64_t site)
{
	const struct lt_encode_stack *stack = stack_of(l, site);
	struct truth *t = &l->truth;

	if (l->slots[i] == LIVE)
		t->bounded++;
	else
		t->live++;
	t->births++;
	if (t->live > t->peak)
		t->peak = t->live;
	l->slots[i] = LIVE;
	if (i & 1)
		TG_KMALLOC(l->g, cpu, time, .ptr = object(i), .call_site = site,
			   .bytes_req = size_of(i), .bytes_alloc = SLOT, .gfp = 0xcc0, .node = -1,
			   .stack = stack);
	else
		TG_CACHE_ALLOC(l->g, cpu, time, .ptr = object(i), .call_site = site, .gfp = 0xcc0,
			       .cache = cache_of(i), .node = -1, .stack = stack);
}

static void death(struct load *l, uint32_t cpu, uint64_t time, uint64_t i, uint64_t site)
{
	struct truth *t = &l->truth;

	if (l->slots[i] == LIVE) {
		t->exact++;
		t->live--;
	} else {
		t->before++;
	}
	l->slots[i] = FREE;
	if (i & 1)
		tg_kfree(l->g, cpu, time, object(i), site);
	else
		tg_cache_free(l->g, cpu, time, object(i), site, cache_of(i));
}

static void one_event(struct load *l, uint32_t cpu, uint64_t time)
{
	uint64_t i = rnd() % l->n_slots;
	uint64_t site = site_of(l, i);
	bool missed = l->slots[i] == LIVE &&
		      rnd() % (l->recorded ? MISS_RECORDED : MISS_EVERY) == 0;

	if (l->slots[i] == FREE || missed)
		birth(l, cpu, time, i, site);
	else
		death(l, cpu, time, i, site + 32);
	l->truth.events++;
}

static void page_event(struct load *l, uint32_t cpu, uint64_t time)
{
	uint64_t i = rnd() % N_BLOCKS, pfn = 0x100000 + (i << LARGE);
	uint8_t order = i % LARGE_EVERY ? 0 : LARGE;

	if (l->blocks[i] == FREE)
		tg_page_alloc(l->g, cpu, time, pfn, 0xcc0, order, 0);
	else
		tg_page_free(l->g, cpu, time, pfn, order);
	l->blocks[i] = l->blocks[i] == FREE ? LIVE : FREE;
	l->truth.events++;
}

/* What is ready is written at once: the memory of a machine does not hold each trace. */
static void write_packets(struct load *l)
{
	size_t n;
	struct tg_packet *packets = tg_packets(l->g, &n);

	for (size_t i = 0; i < n; i++) {
		const struct tg_packet *p = &packets[i];

		lt_writer_packet(l->w, p->data, p->size, p->cpu, p->channel, p->seq, p->begin,
				 p->end);
		free(p->data);
	}
	tg_set_n_packets(l->g, 0);
}

static void write_text(struct load *l, unsigned int type, const char *text)
{
	lt_writer_text(l->w, type, false, text, strlen(text));
}

static void begin_file(struct load *l)
{
	write_text(l, LT_BLOCK_INFO, tg_info_text(l->g));
	write_text(l, LT_BLOCK_SCHEMA, tg_schema_text(l->g));
	for (size_t i = 0; i < l->g->n_texts; i++)
		write_text(l, l->g->texts[i].type, l->g->texts[i].text);
}

/* Return: 0, or -1 with errno set. */
static int end_file(struct load *l)
{
	char *stats = tg_stats_text(l->g);
	int err;

	write_packets(l);
	write_text(l, LT_BLOCK_STATS, stats);
	free(stats);
	lt_writer_finish(l->w);
	err = l->w->error;
	if (lt_writer_close(l->w) && !err)
		return -1;
	errno = err;
	return err ? -1 : 0;
}

/* What was not watched, and a module that was there for a while; no event is by its code. */
static void put_texts(struct load *l)
{
	char code[256];

	snprintf(code, sizeof(code), "code driver begin 0x%llx size 4096 from 0 to 2000000000 build -\n"
		 "0x%llx t driver_alloc\n", MODULE, MODULE);
	tg_text(l->g, LT_BLOCK_CODE, code);
	tg_text(l->g, LT_BLOCK_EVENTS,
		"kmalloc\ttracepoint\twatched\nkfree\ttracepoint\twatched\n"
		"kmem_cache_alloc\ttracepoint\twatched\nkmem_cache_free\ttracepoint\twatched\n"
		"bulk_alloc\tfunction\tnot watched: no functions\n"
		"bulk_free\tfunction\tnot watched: no functions\n"
		"rcu_free\tfunction\tnot watched: no functions\n"
		"kmalloc_nolock\tfunction\tnot watched: no functions\n");
}

static void make(struct load *l)
{
	uint64_t time = 1000000000;
	char name[32];

	tg_auto_task(l->g, true);
	tg_clock(l->g, time, 1700000000000000000ULL, time, time, time);
	for (uint16_t i = 1; i <= N_CACHES; i++) {
		snprintf(name, sizeof(name), "cache-%u", i);
		TG_CACHE(l->g, 0, time, .id = i, .ptr = 0xffff888f00000000ULL + i * 512U,
			 .object_size = 200, .size = SLOT, .name = name);
	}
	if (l->recorded)
		put_texts(l);
	begin_file(l);
	for (uint64_t i = 0; i < l->n_slots; i += OLD_EVERY)
		l->slots[i] = OLD;
	for (uint64_t n = 0; n < l->events; n++) {
		uint32_t cpu = n < l->cpus ? (uint32_t)n : (uint32_t)(rnd() % l->cpus);

		time += 50 + rnd() % 200;
		if (n < l->cpus || rnd() % TASK_EVERY == 0)
			TG_TASK(l->g, cpu, time, .tid = 100 + (uint32_t)(rnd() % N_TASKS),
				.tgid = 100, .start = 5000, .comm = "worker");
		if (l->recorded && (n < l->cpus || rnd() % RENAME_EVERY == 0))
			TG_PUT(l->g, TG_PID(cpu), time, RENAME, .tid = 100, .start = 5000,
			       .comm = "worker");
		if (l->blocks && rnd() % PAGES_EVERY == 0)
			page_event(l, cpu, time);
		else
			one_event(l, cpu, time);
		if (n % WRITE_EVERY == 0)
			write_packets(l);
	}
	tg_finish(l->g, time + 1);
}

/* In columns, as a recorder packs packets. */
static void compress(struct load *l)
{
	l->w->zstd = true;
	lt_writer_pack(l->w, lt_schema_parse(tg_schema_text(l->g), "mktrace"));
}

static int write_truth(const char *path, const struct load *l)
{
	const struct truth *t = &l->truth;
	/* What seems to be alive, and what birth and end are of, may be others. */
	const uint64_t uncertain = l->recorded ? t->exact + t->live : 0;
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "records %" PRIu64 "\nexact %" PRIu64 "\nopen %" PRIu64 "\nbefore %" PRIu64
		"\nbounded %" PRIu64 "\nuncertain %" PRIu64 "\n", t->events,
		l->recorded ? 0 : t->exact, l->recorded ? 0 : t->live, t->before, t->bounded,
		uncertain);
	fprintf(f, "births %" PRIu64 "\npeak_live %" PRIu64 "\ncpus %u\nsites %" PRIu64 "\n",
		t->births, t->peak, l->cpus, l->n_sites);
	return fclose(f);
}

static int usage(void)
{
	fprintf(stderr, "usage: mktrace [-l LIVE] [-s SITES] [-k STACKS] [-r] [-p] [-z] [-t TRUTH] FILE EVENTS "
		"[CPUS]\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct load l = { .n_slots = 65536, .n_sites = 300, .cpus = 2 };
	struct tg_options options = { .subbuf_size = 256 << 10 };
	const char *truth = NULL;
	bool zstd = false;
	int c;

	while ((c = getopt(argc, argv, "l:s:k:rpzt:")) != -1) {
		if (c == 'l')
			l.n_slots = 2 * strtoull(optarg, NULL, 0);
		else if (c == 's')
			l.n_sites = strtoull(optarg, NULL, 0);
		else if (c == 'k')
			l.n_stacks = strtoull(optarg, NULL, 0);
		else if (c == 'r')
			l.recorded = true;
		else if (c == 'p')
			l.blocks = calloc(N_BLOCKS, 1);
		else if (c == 'z')
			zstd = true;
		else if (c == 't')
			truth = optarg;
		else
			return usage();
	}
	argv += optind;
	argc -= optind;
	l.events = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
	l.cpus = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 2;
	if (argc < 1 || !l.cpus || !l.n_slots || !l.n_sites)
		return usage();
	l.slots = calloc(l.n_slots, 1);
	if (!l.slots)
		abort();
	options.brief = l.n_sites <= MAX_SITES;
	options.info = l.n_stacks ? "stacks=1\n" : NULL;
	l.g = tg_new(&options);
	l.w = lt_writer_open(argv[0], true);
	if (!l.w)
		return 2;
	if (zstd)
		compress(&l);
	make(&l);
	if (end_file(&l)) {
		perror(argv[0]);
		return 2;
	}
	if (truth && write_truth(truth, &l)) {
		perror(truth);
		return 2;
	}
	tg_free(l.g);
	free(l.slots);
	free(l.blocks);
	return 0;
}
