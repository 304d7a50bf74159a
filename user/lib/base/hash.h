/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hashing of 64-bit keys.
 */
#ifndef LT_LIB_HASH_H
#define LT_LIB_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A random seed. The keys come from a file that may be hostile; its author does not know
 * the seed, and so cannot choose keys that collide. No output depends on the seed.
 */
uint64_t lt_hash_seed(void);

/*
 * Two rounds of multiply and fold (the finalizer of MurmurHash3). It is a bijection:
 * different keys have different hashes.
 */
static inline uint64_t lt_hash64(uint64_t key, uint64_t seed)
{
	uint64_t h = key ^ seed;

	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdULL;
	h ^= h >> 33;
	h += seed;
	h *= 0xc4ceb9fe1a85ec53ULL;
	h ^= h >> 33;
	return h;
}

/* Of a text. The seed is mixed in at each step, so that nobody can choose texts that collide. */
static inline uint32_t lt_hash_text(const char *s, size_t len, uint64_t seed)
{
	uint64_t h = len;

	while (len) {
		size_t k = len < 8 ? len : 8;
		uint64_t word = 0;

		memcpy(&word, s, k);
		h = lt_hash64(h ^ word, seed);
		s += k;
		len -= k;
	}
	return (uint32_t)lt_hash64(h, seed);
}

/* The key whose lt_hash64() is @h. */
static inline uint64_t lt_unhash64(uint64_t h, uint64_t seed)
{
	h ^= h >> 33;
	h *= 0x9cb4b2f8129337dbULL;
	h -= seed;
	h ^= h >> 33;
	h *= 0x4f74430c22a54005ULL;
	h ^= h >> 33;
	return h ^ seed;
}

#endif /* LT_LIB_HASH_H */
