/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashing of 64-bit keys.
 */
#ifndef LT_LIB_HASH_H
#define LT_LIB_HASH_H

#include <stdint.h>

/*
 * The keys come from a file that may be hostile: with a seed that its author
 * does not know, nobody can choose keys that all fall on one place. Nothing
 * that is printed depends on it.
 */
uint64_t lt_hash_seed(void);

/*
 * Two rounds of multiply and fold (the finish of MurmurHash3). Different keys have
 * different results.
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

/* The key that lt_hash64() made @h of. */
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
