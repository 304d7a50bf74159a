/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing text that is made of lines and words.
 */
#ifndef LT_FUZZ_WORDS_H
#define LT_FUZZ_WORDS_H

#include "image.h"

/* One change. */
void fuzz_text_change(struct fuzz_image *text);

/* The mutator of targets whose input is text; only where libFuzzer is linked. */
size_t fuzz_text_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed);

/* A text for a block of that type, such as a recorder writes; NULL: none is known. */
const char *fuzz_text_sample(unsigned int type);

#endif /* LT_FUZZ_WORDS_H */
