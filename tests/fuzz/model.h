/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace file as its blocks, to be changed by what they mean and put together again
 * with lengths, CRCs, index and trailer that are right.
 */
#ifndef LT_FUZZ_MODEL_H
#define LT_FUZZ_MODEL_H

#include "image.h"

/* One changed file of another, both without what comes before them in an input. */
void fuzz_model_change(struct fuzz_image *im, size_t max);

/* Blocks and records of both. */
void fuzz_model_cross(struct fuzz_image *im, const struct fuzz_image *other, size_t max);

#endif /* LT_FUZZ_MODEL_H */
