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
__attribute__((target("sse4.2")))
static uint32_t crc32c_sse42(uint32_t crc, const uint8_t *p, size_t size)
{
	uint64_t c = ~crc;

	for (; size >= 8; size -= 8, p += 8) {
		uint64_t v;

		memcpy(&v, p, sizeof(v));
		c = __builtin_ia32_crc32di(c, v);
	}
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
