/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace file in memory that is to be damaged, and the random numbers that decide how. The
 * result depends on the seed alone.
 */
#ifndef LT_FUZZ_IMAGE_H
#define LT_FUZZ_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace_file.h"

#define FUZZ_HEADER		sizeof(struct lt_block_header)
#define FUZZ_FIRST_BLOCK	sizeof(struct lt_file_header)
#define FUZZ_MAX_BLOCKS		255	/* blocks beyond these are not changed */

struct fuzz_image {
	uint8_t *data;
	size_t size;
};

void fuzz_image_set(struct fuzz_image *im, const void *data, size_t size);
void fuzz_image_free(struct fuzz_image *im);

/* Random numbers. fuzz_interesting(): limits of types, sizes and counts. */
void fuzz_seed(uint64_t seed);
uint64_t fuzz_draw(void);
size_t fuzz_below(size_t n);			/* 0 if @n is 0 */
uint64_t fuzz_interesting(void);

/* Integers of 1 to 8 bytes. */
uint64_t fuzz_get(const uint8_t *p, unsigned int size, bool big);
void fuzz_put(uint8_t *p, unsigned int size, uint64_t v, bool big);

/*
 * Offsets of the blocks, as far as their lengths are valid, and the end of the last block:
 * @at has room for FUZZ_MAX_BLOCKS + 1. Return: the number of blocks.
 */
size_t fuzz_find_blocks(const struct fuzz_image *im, size_t *at);

/* Corrects the CRCs, so that the reader does not refuse the changed blocks. */
void fuzz_fix_crcs(struct fuzz_image *im);

/* Copies the bytes @from to @from + @size - 1 before @to; @take: moves them. */
void fuzz_copy_range(struct fuzz_image *im, size_t from, size_t size, size_t to, bool take);

/* Makes one change that uses nothing of the format but the frames of blocks. */
void fuzz_change(struct fuzz_image *im);

#endif /* LT_FUZZ_IMAGE_H */
