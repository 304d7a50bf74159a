/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each page of memory is used for, by /proc/kpageflags.
 */
#ifndef LT_RECORD_PAGE_KINDS_H
#define LT_RECORD_PAGE_KINDS_H

#include <stdatomic.h>
#include <stdio.h>

#include "sums/pagekinds.h"

/* Opens /proc/kpageflags. Return: a descriptor, or -1 after printing why. */
int lt_page_kinds_open(void);

/**
 * lt_page_kinds_count() - count all pages of memory by kind
 * @fd: of lt_page_kinds_open()
 * @cancel: another thread sets it to true: return soon; NULL: none does
 *
 * The kernel takes some 0.2 microseconds for a page. Pages go on changing while it looks at
 * the others.
 *
 * Return: 0, or -1: cancelled, or after printing what is wrong.
 */
int lt_page_kinds_count(int fd, struct lt_page_kinds *k, const atomic_bool *cancel);

/*
 * Writes the lines of the block SLAB:
 *	pages <kind> <pages>
 *	pages_cpu_free <pages>
 *	pages_read <pages> ns <duration>
 */
void lt_page_kinds_write(FILE *out, const struct lt_page_kinds *k);

#endif /* LT_RECORD_PAGE_KINDS_H */
