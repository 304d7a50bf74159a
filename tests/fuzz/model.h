/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of a trace file that use the meaning of its blocks. The result has correct lengths,
 * CRCs, index and trailer, so that the reader comes to the changed bytes.
 */
#ifndef LT_FUZZ_MODEL_H
#define LT_FUZZ_MODEL_H

#include "image.h"

/* Changes a file. */
void fuzz_model_change(struct fuzz_image *im, size_t max);

/* Mixes the blocks and records of two files. */
void fuzz_model_cross(struct fuzz_image *im, const struct fuzz_image *other, size_t max);

#endif /* LT_FUZZ_MODEL_H */
