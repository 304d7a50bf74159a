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

/* The tests that all such programs have. */
#define PLAIN_TESTS							\
		cmocka_unit_test(golden_traces),			\
		cmocka_unit_test(random_recordings),			\
		cmocka_unit_test(missing_parts)

#endif /* PLAINTEST_H */
