/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of lt_cost share.
 */
#ifndef LT_COST_H
#define LT_COST_H

#include <linux/types.h>

/* The tracepoints that a mode may attach a probe to. */
enum point {
	POINT_KMALLOC,
	POINT_KFREE,
	POINT_CACHE_ALLOC,
	POINT_CACHE_FREE,
	POINT_BIRTH,
	POINT_EXIT,
	POINT_RELEASE,
	POINT_SYS_ENTER,
	POINT_SYS_EXIT,
	N_POINTS
};

/**
 * struct mode - what is attached while a loop is measured
 * @name: as written to the file "mode"
 * @open: makes what the probes need, or NULL
 * @close: gives it back, or NULL
 * @probe: the probe for a tracepoint, NULL: none, and what it gets as its data
 */
struct mode {
	const char *name;
	int (*open)(void);
	void (*close)(void);
	void *(*probe)(enum point point, void **data);
};

extern const struct mode floor_counter, floor_mono, cmpxchg_counter, cmpxchg_mono;
extern const struct mode kmemtrace_56, kmemtrace_48_24;

/* main.c */
extern unsigned int record_bytes[N_POINTS];
extern unsigned int buffer_mb;

/* probes.c */
int probes_set(const char *name, const char *group);
const char *probes_name(void);

/**
 * struct cost - what chunks of a loop took, in ticks of the CPU's counter
 */
struct cost {
	unsigned int per_chunk;
	unsigned int chunks;
	u64 median;
	u64 mean;
	u64 min;
	u64 max;
};

/* loads.c */
int lt_cost_function(void *object, unsigned long offset, unsigned long count);
int loads_init(void);
void loads_exit(void);
int loads_run(const char *name, unsigned int per_chunk, unsigned int chunks, struct cost *cost);

static __always_inline u64 cost_counter(void)
{
	return __builtin_ia32_rdtsc();
}

#endif /* LT_COST_H */
