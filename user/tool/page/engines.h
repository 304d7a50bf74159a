/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Engines side by side as one HTML file, which needs nothing else.
 */
#ifndef LT_PAGE_ENGINES_H
#define LT_PAGE_ENGINES_H

#include "print/engines.h"

/**
 * lt_page_engines_write() - write the page
 * @command: its words, which end with NULL; NULL: not known
 * @fd: where to; a write that fails is reported, with @name as the name of the file
 * Return: 0, or -1 after reporting the error.
 */
int lt_page_engines_write(const struct lt_engines_view *v, char *const *command, int fd,
			  const char *name);

#endif /* LT_PAGE_ENGINES_H */
