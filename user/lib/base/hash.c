// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The seed of the hash tables.
 */
#include <sys/random.h>
#include <time.h>

#include "base/hash.h"

uint64_t lt_hash_seed(void)
{
	struct timespec now;
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return seed;
	/* Early in boot there may be no entropy yet. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15ULL ^ (uintptr_t)&now;
}
