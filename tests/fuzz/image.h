/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace file in memory, to be spoiled; and the numbers that decide how. The same
 * seed spoils the same way.
 */
#ifndef LT_FUZZ_IMAGE_H
#define LT_FUZZ_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace_file.h"

#define FUZZ_HEADER		sizeof(struct lt_block_header)
#define FUZZ_FIRST_BLOCK	sizeof(struct lt_file_header)
#define FUZZ_MAX_BLOCKS		255	/* further ones are left as they are */

struct fuzz_image {
	uint8_t *data;
	size_t size;
};

void fuzz_image_set(struct fuzz_image *im, const void *data, size_t size);
void fuzz_image_free(struct fuzz_image *im);

/* Random numbers. */
void fuzz_seed(uint64_t seed);
uint64_t fuzz_draw(void);
size_t fuzz_below(size_t n);			/* 0 if @n is 0 */
uint64_t fuzz_interesting(void);		/* at the edges of what numbers can be */

/* Integers of 1 to 8 bytes. */
uint64_t fuzz_get(const uint8_t *p, unsigned int size, bool big);
void fuzz_put(uint8_t *p, unsigned int size, uint64_t v, bool big);

/*
 * Offsets of the blocks, as far as the lengths lead, the end of the last one behind
 * them: FUZZ_MAX_BLOCKS + 1 numbers. Return: how many blocks there are.
 */
size_t fuzz_find_blocks(const struct fuzz_image *im, size_t *at);

/* So that what was changed is believed, and looked at. */
void fuzz_fix_crcs(struct fuzz_image *im);

/* Puts a copy of [from, from + size) before @to; a move when @take. */
void fuzz_copy_range(struct fuzz_image *im, size_t from, size_t size, size_t to, bool take);

/* One change, of which the format is known no more than what a block is. */
void fuzz_change(struct fuzz_image *im);

#endif /* LT_FUZZ_IMAGE_H */
