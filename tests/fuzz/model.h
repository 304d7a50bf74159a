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

/*
 * The mutator and the crossing of targets whose input is a file behind a byte, of which there are
 * @kinds; as LLVMFuzzerCustomMutator() and LLVMFuzzerCustomCrossOver().
 */
size_t fuzz_model_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed,
			 unsigned int kinds);
size_t fuzz_model_mix(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
		      uint8_t *out, size_t max, unsigned int seed);

#endif /* LT_FUZZ_MODEL_H */
