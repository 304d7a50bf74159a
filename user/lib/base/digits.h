/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as digits, into memory that the caller has made sure of: each of these
 * writes at @p, at most LT_DIGITS bytes, and returns where it stopped. No zero
 * stands behind. They are inline because output is made of almost nothing else.
 */
#ifndef LT_LIB_DIGITS_H
#define LT_LIB_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define LT_DIGITS	24	/* of any 64-bit number, with a sign or 0x */

/* "00" to "99", one after the other. */
extern const char lt_digit_pairs[201];

/* "000 " to "999 ", one after the other: a copy of four bytes takes less than one of three. */
extern const char lt_digit_triples[4001];

/* "  0 " to "999 ". */
extern const char lt_digits_of_three[4001];

static inline char *lt_put_pair(char *p, unsigned int v)
{
	memcpy(p, &lt_digit_pairs[2 * (size_t)v], 2);
	return p + 2;
}

/* Six digits of a number below 10^6. */
static inline char *lt_put_6(char *p, uint32_t v)
{
	memcpy(p, &lt_digit_triples[4 * (size_t)(v / 1000)], 4);
	memcpy(p + 3, &lt_digit_triples[4 * (size_t)(v % 1000)], 3);
	return p + 6;
}

/*
 * The eight digits of a number below 10^8 as numbers, one in each byte, the first one in the
 * lowest: pieces of four digits become pieces of two and of one, all of them at once. The factors
 * divide by 100 and 10 exactly in that range.
 */
static inline uint64_t lt_digits_8(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32, high;

	high = x * 10486 >> 20 & 0x0000007f0000007f;
	x = high | (x - 100 * high) << 16;
	high = x * 103 >> 10 & 0x000f000f000f000f;
	return high | (x - 10 * high) << 8;
}

/* Digits, the first one in the lowest byte, as text. */
static inline void lt_put_digits(char *p, uint64_t digits)
{
	digits = htole64(digits | 0x3030303030303030);
	memcpy(p, &digits, 8);
}

/* Eight digits of a number below 10^8, with zeros in front. */
static inline char *lt_put_8(char *p, uint32_t v)
{
	lt_put_digits(p, lt_digits_8(v));
	return p + 8;
}

/* Nine digits of a number below 10^9. */
static inline char *lt_put_9(char *p, uint32_t v)
{
	memcpy(p, &lt_digit_triples[4 * (size_t)(v / 1000000)], 4);
	return lt_put_6(p + 3, v % 1000000);
}

/*
 * Of a number below 10^8, without zeros in front. Writes 8 bytes, if it has more than two digits.
 */
static inline char *lt_put_small(char *p, uint32_t v)
{
	unsigned int zeros;
	uint64_t digits;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	if (v < 100)
		return lt_put_pair(p, v);
	digits = lt_digits_8(v);
	zeros = (unsigned int)__builtin_ctzll(digits) / 8;
	lt_put_digits(p, digits >> 8 * zeros);
	return p + 8 - zeros;
}

static inline char *lt_put_u64(char *p, uint64_t v)
{
	if (v < 100000000)
		return lt_put_small(p, (uint32_t)v);
	if (v < 10000000000000000ULL) {
		p = lt_put_small(p, (uint32_t)(v / 100000000));
		return lt_put_8(p, (uint32_t)(v % 100000000));
	}
	p = lt_put_small(p, (uint32_t)(v / 10000000000000000ULL));
	v %= 10000000000000000ULL;
	p = lt_put_8(p, (uint32_t)(v / 100000000));
	return lt_put_8(p, (uint32_t)(v % 100000000));
}

static inline char *lt_put_s64(char *p, int64_t v)
{
	if (v < 0)
		*p++ = '-';
	return lt_put_u64(p, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

/* The eight digits of @v in the order in which they are read, in memory. */
static inline uint64_t lt_hex_8(uint32_t v)
{
	uint64_t x = v, letters;

	/* A nibble into each byte, by halves. Letters stand behind digits, but not at once. */
	x = (x << 16 | x) & 0x0000ffff0000ffff;
	x = (x << 8 | x) & 0x00ff00ff00ff00ff;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0f;
	letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return htobe64(x + 0x3030303030303030 + letters * ('a' - '0' - 10));
}

/* With 0x in front. */
static inline char *lt_put_hex(char *p, uint64_t v)
{
	unsigned int spare = (unsigned int)__builtin_clzll(v | 1) / 4;
	uint64_t digits[2];

	v <<= 4 * spare;
	digits[0] = lt_hex_8((uint32_t)(v >> 32));
	digits[1] = lt_hex_8((uint32_t)v);
	*p++ = '0';
	*p++ = 'x';
	memcpy(p, digits, sizeof(digits));
	return p + 16 - spare;
}

/* Seconds with nine decimals. */
static inline char *lt_put_time(char *p, uint64_t ns)
{
	p = lt_put_u64(p, ns / 1000000000);
	*p++ = '.';
	return lt_put_9(p, (uint32_t)(ns % 1000000000));
}

#endif /* LT_LIB_DIGITS_H */
