/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory over time, as a plot of characters, CSV and JSON.
 */
#ifndef LT_PRINT_PLOT_H
#define LT_PRINT_PLOT_H

#include "forms/table.h"
#include "print/times.h"
#include "sums/series.h"

#define LT_PLOT_MARGIN	11	/* characters of the scale */
#define LT_PLOT_NAME	18	/* of the name of a cache, behind its line */

/**
 * struct lt_plot_view - how to plot
 * @caches: the caches to plot; none: the sum, and the greatest ones in one line each
 * @n_caches: their number
 * @times: of the trace
 * @utf8: with block characters
 * @height: lines of a plot
 * @top: caches below the sum
 */
struct lt_plot_view {
	struct lt_out *out;
	enum lt_format format;
	const char *const *caches;
	size_t n_caches;
	struct lt_times times;
	bool utf8;
	unsigned int height;
	size_t top;
};

/* Return: 0, or -1 after reporting that the trace has no such cache. */
int lt_plot_print(const struct lt_series *s, const struct lt_plot_view *p);

#endif /* LT_PRINT_PLOT_H */
