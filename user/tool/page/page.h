/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A report as one HTML file, which needs nothing else.
 */
#ifndef LT_PAGE_PAGE_H
#define LT_PAGE_PAGE_H

#include <stdbool.h>

#include "base/out.h"
#include "sums/filter.h"

/**
 * struct lt_page_options - what a page is about; all zero: all slab objects but the recorder's
 * @space: of which memory; LT_SPACE_NONE: slab objects
 * @self: with what the recorder itself allocated
 * @filter: NULL, or those that it chooses, not by their end
 * @chosen: of @filter: as it was written
 */
struct lt_page_options {
	enum lt_space space;
	bool self;
	struct lt_filter *filter;
	const struct lt_filter_spec *chosen;
};

/**
 * lt_page_write() - read a trace, and write the page about one kind of memory in it
 * @file: the trace
 * @fd: where to; a write that fails is reported, with @name as the name of the file
 * Return: 0, or -1 after reporting the error.
 */
int lt_page_write(const char *file, const struct lt_page_options *opts, int fd,
		  const char *name);

#endif /* LT_PAGE_PAGE_H */
