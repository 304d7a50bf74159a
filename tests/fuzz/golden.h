/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole traces, made by tracegen, from which the mutations start: all kinds of records, both
 * byte orders, with and without index, compressed, in columns.
 */
#ifndef LT_FUZZ_GOLDEN_H
#define LT_FUZZ_GOLDEN_H

#include "image.h"

#define FUZZ_N_GOLDEN	18

/* @schema: text of the SCHEMA block; NULL: the text that the module writes. */
void fuzz_golden_make(struct fuzz_image golden[FUZZ_N_GOLDEN], const char *schema);

/* Whether golden trace @i has the channel pid. */
bool fuzz_golden_tasks(unsigned int i);
void fuzz_golden_free(struct fuzz_image golden[FUZZ_N_GOLDEN]);

#endif /* LT_FUZZ_GOLDEN_H */
