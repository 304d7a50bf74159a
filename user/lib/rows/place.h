/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The values of a source line.
 */
#ifndef LT_ROWS_PLACE_H
#define LT_ROWS_PLACE_H

#include "lines/lines.h"
#include "rows/value.h"

/* The frame of the function that the symbol names: the last one. */
static inline const struct lt_frame *lt_place_function(const struct lt_place *p)
{
	return &p->frames[p->n - 1];
}

/* NULL: not known, as of a @p that is NULL. */
const char *lt_place_file(const struct lt_place *p);

/* With lt_place_file() only. */
uint32_t lt_place_line(const struct lt_place *p);

/* A frame of an inlined function: "kmalloc include/linux/slab.h:600". Return: @buf. */
const char *lt_place_inlined(const struct lt_frame *f, char *buf, size_t size);

/* All of them, with a newline between two, for a value of the type LIST. Return: @buf. */
const char *lt_place_list(const struct lt_place *p, char *buf, size_t size);

#endif /* LT_ROWS_PLACE_H */
