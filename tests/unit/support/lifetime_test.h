/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of the lifetime engine: events made by hand, lifetimes as text.
 */
#ifndef LIFETIME_TEST_H
#define LIFETIME_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lifetimes/lifetime.h"
#include "trace/trace.h"

#define SITE_ALLOC	0xffffffff81000100ULL
#define SITE_FREE	0xffffffff81000200ULL

/* One run of the engine. Events are made with @task, @context and @gap_end. */
struct run {
	struct lt_lifetimes *lf;
	const struct lt_task *task;
	uint8_t context;
	uint64_t gap_end;
	bool cache_hidden;		/* no cache is known */
	struct lt_lifetime last;	/* latest that came out */
	unsigned int n;			/* how many did */
	uint64_t seq;
	int64_t live;			/* bytes by born() and gone() */
	int64_t held;			/* bytes by born() and released() */
	uint64_t pages_born, pages_died, pages_open;
	struct lt_lifetime_stats stats;	/* after finish() */
};

struct run run_new(bool late_free);
/* The end of the trace. Frees the engine; there is nothing else to free. */
void finish(struct run *r, uint64_t end, uint64_t gap_end);
const struct lt_lifetime_stats *stats(struct run *r);

/* That exactly these lifetimes came out since the last time, a line each. */
void expect_at(struct run *r, const char *expected, const char *file, int line);
#define expect(r, expected)	expect_at(r, expected, __FILE__, __LINE__)

void kmalloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t req,
	     uint64_t alloc);
void kfree(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr);
void cache_alloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint16_t cache);
void cache_free(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint16_t cache);
void bulk_alloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint16_t cache);
void bulk_free(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr, uint16_t cache);
void rcu_free(struct run *r, uint32_t cpu, uint64_t time, uint64_t ptr);
void page_alloc(struct run *r, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order);
void page_free(struct run *r, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order);

#endif /* LIFETIME_TEST_H */
