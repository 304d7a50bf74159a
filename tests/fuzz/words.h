/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of text that consists of lines and words.
 */
#ifndef LT_FUZZ_WORDS_H
#define LT_FUZZ_WORDS_H

#include "image.h"

/* Makes one change. */
void fuzz_text_change(struct fuzz_image *text);

/* The mutator of targets whose input is text; for programs with libFuzzer only. */
size_t fuzz_text_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed);

/* A text as a recorder writes it into a block of this type; NULL: it writes none. */
const char *fuzz_text_sample(unsigned int type);

#endif /* LT_FUZZ_WORDS_H */
