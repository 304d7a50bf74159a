/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of lifetrace top for node_exporter's textfile collector: a file in the text format of
 * Prometheus.
 */
#ifndef LT_TOP_METRICS_H
#define LT_TOP_METRICS_H

#include "live/live.h"
#include "top/cost.h"

#define LT_TOP_METRICS	50	/* call sites, and caches, without --number */

/**
 * struct lt_top_metrics - what the file has; { 0 } at first
 * @picked: the rows that have figures of their own, by their keys: once one has, it keeps them,
 *	since a counter that comes and goes is none
 */
struct lt_top_metrics {
	struct lt_top_picked {
		uint64_t *keys;
		size_t n;
	} picked[2];
};

void lt_top_metrics_destroy(struct lt_top_metrics *m);

/**
 * lt_top_metrics_write() - write the file anew
 * @path: its name, which it gets when it is whole
 * @most: rows of each kind at the most
 * @l: after a tick
 * @caches, @sites: its tables have these
 * @cost: of the program; NULL: it reads a file
 * Return: 0, or -1 after lt_error().
 */
int lt_top_metrics_write(struct lt_top_metrics *m, const char *path, size_t most, struct lt_live *l,
			 bool caches, bool sites, const struct lt_top_cost *cost);

#endif /* LT_TOP_METRICS_H */
