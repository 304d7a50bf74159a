/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stores that pass by the cache. Lines that another CPU has read are in its cache: to take such
 * lines over takes longer than to make what is in them.
 */
#ifndef LT_BASE_PAST_CACHE_H
#define LT_BASE_PAST_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The thread sanitizer does not see such stores. */
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
#include <emmintrin.h>
#define LT_PAST_CACHE	1
#else
#define LT_PAST_CACHE	0
#endif

/**
 * lt_copy_past_cache() - copy to where another CPU reads
 * @to, @from: aligned to 16 bytes
 * @size: bytes; up to 15 further ones may be copied
 *
 * lt_past_cache_end() is called before the other CPU learns of it.
 */
static inline void lt_copy_past_cache(void *to, const void *from, size_t size)
{
#if LT_PAST_CACHE
	for (size_t i = 0; i * sizeof(__m128i) < size; i++)
		_mm_stream_si128((__m128i *)to + i, ((const __m128i *)from)[i]);
#else
	memcpy(to, from, size);
#endif
}

/* Stores of 8 bytes, in order and to all of a line: copied from registers. */
#if LT_PAST_CACHE && defined(__x86_64__) && defined(__LP64__)
#define LT_PAST_CACHE_WORDS	1
static inline void lt_store_past_cache(void *to, uint64_t v)
{
	_mm_stream_si64(to, (long long)v);
}
#else
#define LT_PAST_CACHE_WORDS	0
#endif

static inline void lt_past_cache_end(void)
{
#if LT_PAST_CACHE
	_mm_sfence();
#endif
}

#endif /* LT_BASE_PAST_CACHE_H */
