/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs of the lifetime engine (lifetimes/lifetime.h) on events made by hand.
 *
 * Most tests are texts in the notation of scenario.h; this is what such texts are run
 * by, and what tests with loops use directly.
 */
#ifndef LIFETIME_TEST_H
#define LIFETIME_TEST_H

#include "lifetimes/lifetime.h"
#include "trace/trace.h"
#include "testlib.h"

/*
 * struct run - one run of the engine
 * @lf: the engine; NULL after run_finish()
 * @ended: the lifetimes that came out, in order; only the last RUN_KEPT of them
 * @n: how many lifetimes came out
 * @gap_end: by space, the end of the latest gap
 * @caches_unknown: the description of the slab cache has not been read yet
 * @live: bytes of objects that are in the hands of their users
 * @held: bytes of objects that the allocator has not got back
 * @pages_born, @pages_died, @pages_open: pages of blocks whose birth was seen
 * @stats: the engine's counts, after run_finish()
 */
struct run {
	struct lt_lifetimes *lf;
	struct lt_lifetime ended[64];
	unsigned int n;
	uint64_t gap_end[LT_N_MEMORY];
	bool caches_unknown;
	int64_t live;
	int64_t held;
	uint64_t pages_born, pages_died, pages_open;
	struct lt_lifetime_stats stats;
};

#define RUN_KEPT	(sizeof(((struct run *)0)->ended) / sizeof(struct lt_lifetime))

/* Every slab cache has objects of 50 bytes in slots of 56. */
extern const struct lt_cache run_cache;

/* Three tasks. The first two have the same tid: only the address of a task identifies it. */
extern const struct lt_task run_tasks[3];

/* @late_free: see struct lt_lifetime_config; the page size is 4096. */
void run_start(struct run *r, const struct lt_lifetime_config *config);
void run_start_plain(struct run *r, bool late_free);
void run_event(struct run *r, const struct lt_event *ev);
/* Ends the trace and frees the engine; nothing else has to be freed. */
void run_finish(struct run *r, uint64_t end);

/* Events of run_tasks[0], without a call site. */
void run_kmalloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr);
void run_kfree(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr);
void run_page(struct run *r, enum lt_class class, uint32_t cpu, uint64_t time, uint64_t pfn,
	      uint8_t order);

/* The lifetime that came out last. */
static inline const struct lt_lifetime *run_last(const struct run *r)
{
	return &r->ended[(r->n - 1) % RUN_KEPT];
}

#endif /* LIFETIME_TEST_H */
