/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coverage: how much of the real change of the kernel's slab objects the trace
 * explains.
 *
 * The recorder read the kernel's own counters at the start and at the end, each
 * between two markers. Births minus releases between the inner markers should
 * be what the counters changed by; what happened between the two markers of a
 * reading may or may not be in it, and is part of the error.
 */
#ifndef LT_LIB_COVERAGE_H
#define LT_LIB_COVERAGE_H

#include "lifetimes/kmalloc.h"
#include "lifetimes/objtable.h"

/**
 * struct lt_coverage_row - one cache
 * @name: as in /proc/slabinfo
 * @real: change of its active objects
 * @traced: births minus releases
 * @error: by how much they may differ with nothing missing: objects that are
 *	free in a CPU's slab count as active, and events at the time of the
 *	readings may or may not be in them
 * @kmalloc: of the kmalloc family
 */
struct lt_coverage_row {
	char name[72];
	int64_t real;
	int64_t traced;
	uint64_t error;
	bool kmalloc;
};

/**
 * struct lt_coverage_sum - all caches
 * @change: sum of the absolute real changes
 * @apart: sum of the absolute differences to the traced changes
 * @beyond: of these, what is beyond each cache's error
 * @error: sum of the errors
 * @unknown_frees: releases of objects that were born before the trace, and
 *	of which only kfree was seen: which cache is not known
 */
struct lt_coverage_sum {
	uint64_t change;
	uint64_t apart;
	uint64_t beyond;
	uint64_t error;
	uint64_t unknown_frees;
};

struct lt_coverage;

struct lt_coverage *lt_coverage_new(const struct lt_trace *t);
void lt_coverage_free(struct lt_coverage *c);

/* To be told of every event, before the engine, and from the engine's callbacks. */
void lt_coverage_event(struct lt_coverage *c, const struct lt_event *ev);
void lt_coverage_born(struct lt_coverage *c, const struct lt_obj *obj);
void lt_coverage_released(struct lt_coverage *c, const struct lt_obj *obj);

/**
 * lt_coverage_rows() - compare, when the trace is at its end
 * Return: rows, the largest difference first; NULL with *why set when the trace
 * has no two readings to compare.
 */
const struct lt_coverage_row *lt_coverage_rows(struct lt_coverage *c, size_t *n,
					       struct lt_coverage_sum *sum, const char **why);

/* Percent of the change that is explained; 100 when nothing changed. */
double lt_coverage_percent(const struct lt_coverage_sum *sum, bool beyond_error);

#endif /* LT_LIB_COVERAGE_H */
