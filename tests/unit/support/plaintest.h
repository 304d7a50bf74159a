/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the plain way answers, and the way that takes each event with care: of golden traces, of
 * recordings that are made up, and of parts.
 */
#ifndef PLAINTEST_H
#define PLAINTEST_H

#include "careful.h"
#include "base/hist.h"
#include "cuttest.h"
#include "same_number.h"

#define BASE		"../tests/golden/"
#define RANDOM_RUNS	24
#define SET_RUNS	8

static inline void check_hist(const char *what, const char *path, const struct lt_hist *a,
			      const struct lt_hist *b)
{
	check_number(what, path, a->n, b->n);
	check_number(what, path, a->min, b->min);
	check_number(what, path, a->max, b->max);
	assert_memory_equal(a->places, b->places, sizeof(a->places));
	for (size_t group = 0; group < sizeof(a->places); group++) {
		if (a->places[group])
			assert_memory_equal(a->sub[a->places[group] - 1],
					    b->sub[b->places[group] - 1], sizeof(*a->sub));
	}
}

static inline void plain_golden(void (*check)(const char *path))
{
	static const char *const names[] = {
		"x86_64.lt", "arm64.lt", "armhf.lt", "i386.lt", "ppc32.lt", "s390x.lt", "rare.lt", "rare32.lt",
		"arm64-zstd.lt", "s390x-zstd.lt", "rare-parts", "rare32-parts",
	};
	char path[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), BASE "%s", names[i]);
		check(path);
	}
}

/* Of three parts the second one is missing: behind it a book is read that has its own numbers. */
static inline void plain_missing_parts(unsigned int runs, void (*check)(const char *path))
{
	for (unsigned int seed = 0; seed < cut_runs(runs); seed++) {
		const struct cut_options o = {
			.seed = seed, .events = 2000, .calm = seed & 1, .big = seed & 2,
			.late_free = seed & 4,
		};
		uint64_t begin, end, cuts[2];
		struct tg *g = cut_make(&o, &begin, &end);

		cuts[0] = begin + (end - begin) / 3;
		cuts[1] = begin + (end - begin) / 2;
		cut_only(g, cuts, 2);
		tg_free(g);
		check(cut_set(7, "set"));
		check(cut_set(5, "set"));
		cut_remove(3);
	}
}

/* Both ways of one trace, whose name is valid until test_path() is called. The program has it. */
static void check_file(const char *name);

static void golden_traces(void **state)
{
	(void)state;
	plain_golden(check_file);
}

static void random_recordings(void **state)
{
	(void)state;
	cut_random_files(RANDOM_RUNS, check_file);
}

static void missing_parts(void **state)
{
	(void)state;
	plain_missing_parts(SET_RUNS, check_file);
}

/* An object that may be of any of three caches, or of kmalloc. */
static inline void put_any_birth(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr,
				 uint64_t site)
{
	const uint16_t cache = (uint16_t)(rand() % 4);

	if (cache)
		TG_CACHE_ALLOC(g, cpu, time, .ptr = ptr, .call_site = site, .gfp = 0xcc0,
			       .cache = cache, .node = -1);
	else
		TG_KMALLOC(g, cpu, time, .ptr = ptr, .call_site = site,
			   .bytes_req = 100 + (uint32_t)rand() % 2,
			   .bytes_alloc = 128, .gfp = 0xcc0, .node = -1);
}

/*
 * Objects of some sizes, and one in three is not freed but born again: after some time, or so soon
 * that the free may come later. Some rows have few objects.
 */
static inline void put_reborn(struct tg *g, unsigned int seed)
{
	enum { SLOTS = 32, EVENTS = 3000 };
	const int sites = seed % 2 ? 3 : 300, apart = seed % 4 < 2 ? 300 : 3000;
	bool alive[SLOTS] = { false };
	uint64_t time = 10000;

	srand(seed);
	for (uint16_t i = 1; i <= 3; i++)
		TG_CACHE(g, 0, time, .id = i, .ptr = 0xffff888f00000000ULL + i * 512U,
			 .object_size = 120,
			 .size = 128, .name = "cache");
	for (int i = 0; i < EVENTS; i++) {
		const int slot = rand() % SLOTS;
		const uint64_t ptr = 0xffff888000000000ULL + (uint64_t)slot * 256;
		const uint64_t site = 0xffffffff81000000ULL + (uint64_t)(rand() % sites) * 64;
		const uint32_t cpu = (uint32_t)rand() % 2;

		time += (uint64_t)(rand() % apart);
		if (rand() % 50 == 0)
			TG_TASK(g, cpu, time, .tid = 100 + (uint32_t)rand() % 3, .tgid = 100,
				.start = 50,
				.comm = "worker");
		if (alive[slot] && rand() % 3)
			tg_kfree(g, cpu, time, ptr, site + 32);
		else
			put_any_birth(g, cpu, time, ptr, site);
		alive[slot] = !alive[slot] || rand() % 16 == 0;
	}
	tg_finish(g, time + 1);
}

static void reborn(void **state)
{
	(void)state;
	for (unsigned int seed = 0; seed < cut_runs(RANDOM_RUNS); seed++) {
		struct tg *g = tg_new(&(struct tg_options){ .brief = true });
		char path[512];

		strcpy(path, test_path("reborn.lt"));
		tg_auto_task(g, true);
		if (seed % 3 == 0)
			tg_text(g, LT_BLOCK_EVENTS, "kfree\ttracepoint\twatched\n"
				"bulk_alloc\tfunction\tnot watched: no functions\n"
				"bulk_free\tfunction\tnot watched: no functions\n");
		put_reborn(g, seed);
		assert_int_equal(tg_write(g, path, 0), 0);
		tg_free(g);
		check_file(path);
	}
}

/* What is alive are as many bytes as a number has, or as one with a sign has. */
static void huge(void **state)
{
	static const uint64_t sizes[] = { INT64_MAX - 1000, 1ULL << 63, UINT64_MAX - 1000 };

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct tg *g = tg_new(&(struct tg_options){ .brief = true });
		char path[512];

		strcpy(path, test_path("huge.lt"));
		TG_KMALLOC(g, 0, 9000, .ptr = 0xffff888f00000000ULL,
			   .call_site = 0xffffffff81000000ULL,
			   .bytes_req = sizes[i], .bytes_alloc = sizes[i], .gfp = 0xcc0,
			   .node = -1);
		put_reborn(g, i);
		assert_int_equal(tg_write(g, path, 0), 0);
		tg_free(g);
		check_file(path);
	}
}

/* The tests that all such programs have. */
#define PLAIN_TESTS							\
		cmocka_unit_test(golden_traces),			\
		cmocka_unit_test(random_recordings),			\
		cmocka_unit_test(missing_parts),			\
		cmocka_unit_test(reborn),				\
		cmocka_unit_test(huge)

#endif /* PLAINTEST_H */
