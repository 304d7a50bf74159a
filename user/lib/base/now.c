// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The time of now.
 */
#include <time.h>

#include "base/now.h"

uint64_t lt_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}
