/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source lines and stacks in the line of a lifetime, as CSV and JSON. The results are valid
 * until the next call with the same @which.
 */
#ifndef LT_PRINT_LIFETIME_NAMES_H
#define LT_PRINT_LIFETIME_NAMES_H

#include "print/lifetime_row.h"

/**
 * lt_row_source() - file, line and inlined functions of a call site
 * @w: a writer with source lines
 * @keys: what stands before each of the three columns
 * @m: birth or death
 * @which: 0: of a birth, 1: of a death
 */
const struct lt_cell *lt_row_source(struct lt_row_writer *w, const struct lt_piece *keys,
				    const struct lt_moment *m, unsigned int which);

/**
 * lt_row_stack() - the frames of a stack
 * @w: the writer
 * @before: what stands before the column
 * @stack: as in struct lt_row
 * @which: 0: of a birth, 1: of a death
 */
const struct lt_cell *lt_row_stack(struct lt_row_writer *w, const struct lt_piece *before,
				   const struct lt_stack *stack, unsigned int which);

#endif /* LT_PRINT_LIFETIME_NAMES_H */
