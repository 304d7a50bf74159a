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

/*
 * A cheaper one, for tables that are looked up for each event: multiplied by a number that nobody
 * knows, folded and multiplied again. The upper half of the result is as random as a hash must be.
 */
static inline uint64_t lt_mix64(uint64_t key, uint64_t seed)
{
	uint64_t h = key * (seed | 1);

	h ^= h >> 32;
	return h * 0x9e3779b97f4a7c15ULL;
}

/* What lt_unmix64() needs of a seed: the number with which the product of that factor is 1. */
static inline uint64_t lt_unmix_seed(uint64_t seed)
{
	const uint64_t odd = seed | 1;
	uint64_t x = odd;

	/* It is right in 3 bits; each step doubles them. */
	for (int i = 0; i < 5; i++)
		x *= 2 - odd * x;
	return x;
}

/* The key whose lt_mix64() is @h. */
static inline uint64_t lt_unmix64(uint64_t h, uint64_t unmix_seed)
{
	h *= 0xf1de83e19937733dULL;	/* the product with the other factor is 1 */
	h ^= h >> 32;
	return h * unmix_seed;
}

#endif /* LT_LIB_HASH_H */
