/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes of a Parquet file in the making: a growing buffer, and the two ways in which the format
 * writes numbers of any size.
 */
#ifndef LT_PARQUET_BYTES_H
#define LT_PARQUET_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Starts as zero. */
struct lt_bytes {
	uint8_t *data;
	size_t n;
	size_t cap;
};

void lt_bytes_free(struct lt_bytes *b);

/* Room for @n more bytes, at the end. */
uint8_t *lt_bytes_room(struct lt_bytes *b, size_t n);

void lt_bytes_add(struct lt_bytes *b, const void *data, size_t n);

/* Seven bits a byte, the lowest first. */
void lt_bytes_varint(struct lt_bytes *b, uint64_t v);

/* Little-endian, as all of the format. */
void lt_bytes_u32(struct lt_bytes *b, uint32_t v);
void lt_bytes_u64(struct lt_bytes *b, uint64_t v);

/**
 * lt_bytes_hybrid() - small numbers as runs and groups of bits
 * @values: @n of them, each less than 2^@width
 * @width: 1 to 32
 *
 * The encoding RLE of the format: eight or more equal numbers are a run, others are packed by
 * eights.
 */
void lt_bytes_hybrid(struct lt_bytes *b, const uint32_t *values, size_t n, unsigned int width);

#endif /* LT_PARQUET_BYTES_H */
