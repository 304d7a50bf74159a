/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A report as one HTML file, which needs nothing else.
 */
#ifndef LT_PAGE_PAGE_H
#define LT_PAGE_PAGE_H

#include <stdbool.h>

#include "base/out.h"

/**
 * lt_page_write() - read a trace, and write the page about its slab objects
 * @file: the trace
 * @self: with what the recorder itself allocated
 * @fd: where to; a write that fails is reported
 * Return: 0, or -1 after reporting the error.
 */
int lt_page_write(const char *file, bool self, int fd);

#endif /* LT_PAGE_PAGE_H */
