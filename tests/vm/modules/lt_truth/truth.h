/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lt_truth: makes allocations and writes down the truth about them itself.
 *
 * Each object has a row in a table: what was asked for, what came, and for its
 * birth and its death who did it, where, and two readings of the clock with the
 * call in between. tests/vm/compare/ holds a trace against that table.
 *
 * The table is laid out here and read by tests/vm/compare/table.py.
 */
#ifndef LT_TRUTH_H
#define LT_TRUTH_H

#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "compat.h"

#define TRUTH_MAGIC	0x3148545254ULL		/* "TRTH1" */

enum truth_kind {
	TRUTH_KMALLOC = 1,
	TRUTH_CACHE,
	TRUTH_BULK,
	TRUTH_PAGES,
	TRUTH_N_KINDS,
};

enum truth_how {
	TRUTH_ALIVE,
	TRUTH_KFREE,
	TRUTH_CACHE_FREE,
	TRUTH_BULK_FREE,
	TRUTH_RCU,		/* kfree_rcu(pointer, head) */
	TRUTH_RCU_HEADLESS,
	TRUTH_FREE_PAGES,
};

enum truth_state {
	TRUTH_UNUSED,
	TRUTH_LIVE,
	TRUTH_DEAD,
	TRUTH_FAILED,		/* the allocator returned nothing */
};

/* Set from outside: which objects were born before, or died after the trace. */
enum truth_phase {
	TRUTH_BEFORE,
	TRUTH_DURING,
	TRUTH_AFTER,
};

/* The call happened at or after @lo and at or before @hi (monotonic, ns). */
struct truth_moment {
	u64 lo;
	u64 hi;
	u64 start;		/* of the running task */
	u32 tid;
	u32 tgid;
	char comm[16];
	u8 cpu_lo;		/* a task may move between the two readings */
	u8 cpu_hi;
	u8 context;		/* enum lt_context */
	u8 phase;
} __packed;

struct truth_object {
	u64 ptr;		/* of pages: page frame number */
	u64 size;		/* asked for */
	u64 alloc;		/* given, 0: not known */
	u32 gfp;
	s32 node;
	u16 cache;		/* number of an own cache, 0xffff: none */
	u8 kind;
	u8 order;
	u8 how;
	u8 state;
	u16 reserved;
	struct truth_moment birth;
	struct truth_moment death;
} __packed;

struct truth_header {
	u64 magic;
	u32 object_size;
	u32 n_objects;
} __packed;

#define TRUTH_NO_CACHE	0xffff
#define TRUTH_MAX_CACHES 256

/* Own caches that live as long as the module; cycled ones follow. */
enum truth_cache_index {
	TRUTH_CACHE_CTOR,	/* has a constructor, and an odd size */
	TRUTH_CACHE_PLAIN,	/* cannot be merged */
	TRUTH_CACHE_FIRST,	/* can be merged, */
	TRUTH_CACHE_MERGED,	/* and is, with the one before: it has its name */
	TRUTH_N_CACHES,
};

struct truth_cache {
	struct kmem_cache *s;	/* NULL: destroyed */
	unsigned long address;	/* stays */
	unsigned int size;
	char name[32];
};

/* No other allocation of pages has these flags together. */
#define TRUTH_PAGE_GFP	(__GFP_WRITE | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* What did not become an object. */
struct truth_counts {
	atomic_t failed_kmalloc;
	atomic_t failed_cache;
	atomic_t failed_pages;
	atomic_t null_frees;	/* kfree of NULL and of ZERO_SIZE_PTR */
	atomic_t irq_steps;
	atomic_t softirq_steps;
};

/* Who makes steps: a state for random numbers. Not shared between contexts. */
struct truth_actor {
	u32 rng;
};

static inline u32 truth_random(struct truth_actor *a)
{
	u32 x = a->rng;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return a->rng = x;
}

/* table.c */
extern struct truth_counts truth_counts;
extern struct truth_cache truth_caches[TRUTH_MAX_CACHES];
extern unsigned int truth_phase, truth_n_caches;
int truth_table_init(unsigned int max_objects);
void truth_table_exit(void);
struct truth_object *truth_row(void);
struct truth_object *truth_row_at(unsigned int index);
unsigned int truth_index(const struct truth_object *o);
unsigned int truth_n_objects(void);
size_t truth_table_bytes(void);
const void *truth_table(void);
void truth_begin(struct truth_moment *m);
void truth_end(struct truth_moment *m);

/* object.c */
unsigned int truth_make(struct truth_actor *a, u32 *made, unsigned int max);
void truth_free(struct truth_actor *a, const u32 *rows, unsigned int n);
bool truth_make_kmalloc(struct truth_object *o, size_t size, gfp_t gfp);
bool truth_make_pages(struct truth_object *o, unsigned int order, gfp_t gfp);
void truth_free_one(struct truth_object *o, enum truth_how how);
struct truth_object *truth_make_cached(unsigned int cache, gfp_t gfp);

/* actors.c */
void truth_step(struct truth_actor *a);
void truth_fill(struct truth_actor *a, unsigned int n);
int truth_run_kthreads(unsigned int steps, unsigned int per_cpu, bool interrupts);
void truth_pairs(struct truth_actor *a, unsigned int n, unsigned int sleep_us);
void truth_free_all(void);

/* special.c */
int truth_caches_init(void);
void truth_caches_exit(void);
int truth_cycle_caches(unsigned int n);
void truth_edge_cases(unsigned int n);
int truth_exhaust(void);
int truth_mark_cpus(bool begin);

#endif /* LT_TRUTH_H */
