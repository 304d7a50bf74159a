/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings that are cut: made-up traces with everything that the lifetimes know, cut at some
 * times as the recorder cuts, and written as parts and as one file.
 */
#ifndef CUTTEST_H
#define CUTTEST_H

#include "testlib.h"
#include "tracegen.h"
#include "lifetimes/internal.h"
#include "lifetimes/carry.h"

#define CUT_SET_PARTS	6	/* at the most, of which cut_set() takes some */
#define CUT_PARTS	4	/* at the most */

/* A made-up recording. */
struct cut_options {
	uint32_t seed;
	unsigned int events;
	bool big;
	bool late_free;
	bool counter;		/* the clock is a CPU's counter, of more than 1 GHz */
	bool losses;
	bool zstd;
	bool columns;
	bool recorder;		/* one of the tasks is the recorder's */
	bool calm;		/* only slab objects, of which each free is that of a birth */
	bool rebirths;		/* calm: some frees are missing */
	/* not watched: 1: some ways to free; 2: nor caches' births, 3: nor others */
	unsigned int unwatched;
	/* a module is unloaded, and later another one is at its addresses */
	bool code;
};

struct tg *cut_make(const struct cut_options *o, uint64_t *begin, uint64_t *end);

/* A lifetime, with what its numbers stand for. */
struct cut_life {
	struct lt_lifetime l;
	uint32_t birth_tid;
	uint32_t death_tid;
	char cache[65];
	char birth_comm[17];
};

struct cut_lives {
	struct cut_life *lives;
	size_t n;
	size_t cap;
	struct lt_trace *t;
};

/*
 * How many random recordings a test makes that makes @n in `make check`: CUT_RUNS times as many.
 * What a seed finds it finds each time, so more of them are for who changed what they test.
 */
unsigned int cut_runs(unsigned int n);

/*
 * Calls @check with the files of cut_runs(@n) random recordings: calm or not, with losses or
 * without.
 */
void cut_random_files(unsigned int n, void (*check)(const char *name));

/* An event that must be carried, as text, for comparison. */
struct cut_table {
	char **lines;
	size_t n;
	size_t cap;
};

/*
 * Cuts the recording at the times, clock units, which are moved to where they can be, and writes
 * the parts to test_path("part.0") and so on. tables[i]: what was alive at the begin of the part.
 */
void cut_write(struct tg *g, const struct cut_options *o, uint64_t *cuts, size_t n,
	       struct cut_table *tables);

/* As cut_write(), where nobody asks what was alive. */
void cut_only(struct tg *g, uint64_t *cuts, size_t n);

/* All lifetimes of a file; and what is alive at its begin and end. Each may be NULL. */
void cut_read(const char *path, struct cut_lives *lives, struct cut_table *begin,
	      struct cut_table *end);

/*
 * A set of those of the parts that cut_write() has made of which @parts has the bit, in a new
 * directory.
 */
const char *cut_set(unsigned int parts, const char *what);
void cut_remove(size_t n);

/* Another byte at an offset of a part. */
void cut_damage(size_t part, uint64_t offset);

/* All that is known of a lifetime; and in the order of objects and times. */
void cut_life_text(char *text, size_t size, const struct cut_life *x);
void cut_lives_sort(struct cut_lives *lives);

/* The lifetime of an address from a time on; NULL: there is none. */
const struct lt_lifetime *cut_life_of(const struct cut_lives *lives, uint64_t ptr, uint64_t birth);
/* Fails unless there is one, with this certainty, and this end at @death. */
void cut_life_ends(const struct cut_lives *lives, uint64_t ptr, uint64_t birth,
		   enum lt_certainty certainty, enum lt_ending ending, uint64_t death);

void cut_table_of(struct cut_table *table, const struct lt_lifetimes *lf, struct lt_trace *t,
		  bool why);
void cut_lives_free(struct cut_lives *lives);
void cut_table_free(struct cut_table *table);

#endif /* CUTTEST_H */
