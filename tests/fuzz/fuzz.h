/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets share. A target is target_NAME.c with LLVMFuzzerTestOneInput(). It is
 * linked with libFuzzer, or with files.c, which runs each given file once.
 */
#ifndef LT_FUZZ_H
#define LT_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lt_trace;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
				 size_t b_size, uint8_t *out, size_t max, unsigned int seed);

/* Provided by libFuzzer; not there in programs without it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

/* Reports a wrong result: ends the program like a crash. */
void fuzz_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Puts the bytes into a file in memory. Return: its path, which is always equal. */
const char *fuzz_file(const void *data, size_t size);

/* A zero-terminated copy, to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Cuts the input at the next zero byte. Return: the text before that, to be freed. */
char *fuzz_cut(const uint8_t **data, size_t *size);

/*
 * Checks that the peak of allocated memory since fuzz_memory_begin() is within a limit. Without
 * AddressSanitizer nothing is counted.
 */
void fuzz_memory_begin(void);
void fuzz_memory_end(uint64_t limit);

/*
 * Pairs the lifetimes of a trace to its end, and checks that times do not decrease. Return:
 * the number of records.
 */
int64_t fuzz_follow(struct lt_trace *t);

/* The schema that the module of this tree writes, without the texts for people. */
const char *fuzz_schema_text(void);

#endif /* LT_FUZZ_H */
