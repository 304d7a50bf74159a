// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CRC-32C: by the instruction of the CPU if it has one, else by tables.
 */
#include <pthread.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/crc32c.h"

#define POLY	0x82f63b78U	/* 0x1edc6f41 with the bits reversed */

/* tables[k][b]: the CRC of byte b followed by k zero bytes ("slicing by 8"). */
static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t crc = b;

		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? POLY : 0);
		tables[0][b] = crc;
	}
	for (uint32_t b = 0; b < 256; b++) {
		for (int k = 1; k < 8; k++) {
			uint32_t prev = tables[k - 1][b];

			tables[k][b] = prev >> 8 ^ tables[0][prev & 0xff];
		}
	}
}

uint32_t lt_crc32c_table(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;

	pthread_once(&tables_once, make_tables);
	crc = ~crc;
	for (; size >= 8; size -= 8, p += 8) {
		uint32_t lo = lt_get32(p, false) ^ crc;
		uint32_t hi = lt_get32(p + 4, false);

		crc = tables[7][lo & 0xff] ^ tables[6][lo >> 8 & 0xff] ^
		      tables[5][lo >> 16 & 0xff] ^ tables[4][lo >> 24] ^
		      tables[3][hi & 0xff] ^ tables[2][hi >> 8 & 0xff] ^
		      tables[1][hi >> 16 & 0xff] ^ tables[0][hi >> 24];
	}
	for (; size; size--, p++)
		crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
	return ~crc;
}

#if defined(__x86_64__)
/*
 * The instruction takes three cycles, but three of them can run at a time: of three lanes of bytes.
 */
#define LANE	512

/* shifted[k][b]: what byte k of a CRC, being b, becomes behind LANE zero bytes. */
static uint32_t shifted[4][256];
static pthread_once_t shifted_once = PTHREAD_ONCE_INIT;

__attribute__((target("sse4.2")))
static void make_shifted(void)
{
	for (unsigned int bit = 0; bit < 32; bit++) {
		uint32_t *table = shifted[bit / 8];
		unsigned int b = 1U << bit % 8;
		uint64_t c = 1U << bit;

		for (unsigned int i = 0; i < LANE; i += 8)
			c = __builtin_ia32_crc32di(c, 0);
		for (unsigned int low = 0; low < b; low++)
			table[b + low] = table[low] ^ (uint32_t)c;
	}
}

static inline uint64_t shift_lane(uint64_t c)
{
	return shifted[0][c & 0xff] ^ shifted[1][c >> 8 & 0xff] ^ shifted[2][c >> 16 & 0xff] ^
	       shifted[3][c >> 24 & 0xff];
}

__attribute__((target("sse4.2")))
static uint64_t three_lanes(uint64_t c, const uint8_t *p)
{
	uint64_t second = 0, third = 0;

	for (const uint8_t *end = p + LANE; p < end; p += 16) {
		c = __builtin_ia32_crc32di(c, lt_get64(p, false));
		second = __builtin_ia32_crc32di(second, lt_get64(p + LANE, false));
		third = __builtin_ia32_crc32di(third, lt_get64(p + 2 * LANE, false));
		c = __builtin_ia32_crc32di(c, lt_get64(p + 8, false));
		second = __builtin_ia32_crc32di(second, lt_get64(p + LANE + 8, false));
		third = __builtin_ia32_crc32di(third, lt_get64(p + 2 * LANE + 8, false));
	}
	return shift_lane(shift_lane(c) ^ second) ^ third;
}

__attribute__((target("sse4.2")))
static uint32_t crc32c_sse42(uint32_t crc, const uint8_t *p, size_t size)
{
	uint64_t c = ~crc;

	if (size >= 3 * LANE)
		pthread_once(&shifted_once, make_shifted);
	for (; size >= 3 * LANE; size -= 3 * LANE, p += 3 * LANE)
		c = three_lanes(c, p);
	for (; size >= 8; size -= 8, p += 8)
		c = __builtin_ia32_crc32di(c, lt_get64(p, false));
	for (; size; size--, p++)
		c = __builtin_ia32_crc32qi((uint32_t)c, *p);
	return ~(uint32_t)c;
}

uint32_t lt_crc32c(uint32_t crc, const void *data, size_t size)
{
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(crc, data, size);
	return lt_crc32c_table(crc, data, size);
}
#else
uint32_t lt_crc32c(uint32_t crc, const void *data, size_t size)
{
	return lt_crc32c_table(crc, data, size);
}
#endif
