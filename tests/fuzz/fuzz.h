/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets have in common. A target is target_NAME.c with
 * LLVMFuzzerTestOneInput(); it is linked with libFuzzer, or with files.c, which runs
 * the files that it is given, once each.
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

/* libFuzzer's own; absent where the mutators run without it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

/* The answer is wrong: ends the program as a crash does. */
void fuzz_wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Puts the bytes into a file in memory. Return: its path, the same each time. */
const char *fuzz_file(const void *data, size_t size);

/* Text with a zero behind it, to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Cuts the input at the next zero byte. Return: what is before it, to be freed. */
char *fuzz_cut(const uint8_t **data, size_t *size);

/*
 * Memory: the most that was allocated at a time since fuzz_memory_begin() must not be
 * more than the limit. Without AddressSanitizer nothing is counted.
 */
void fuzz_memory_begin(void);
void fuzz_memory_end(uint64_t limit);

/*
 * Follows all allocations of a trace to its end; its times must not go back. Return: the
 * number of records.
 */
int64_t fuzz_follow(struct lt_trace *t);

/* The schema that this tree's module writes, without what is for people. */
const char *fuzz_schema_text(void);

#endif /* LT_FUZZ_H */
