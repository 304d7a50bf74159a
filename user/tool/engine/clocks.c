// SPDX-License-Identifier: GPL-2.0
/*
 * The clocks, for engines whose clock is the monotonic one.
 */
#include <time.h>

#include "encode/texts.h"
#include "engine/clocks.h"

static uint64_t ns_of(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

void lt_engine_clock_text(struct lt_str *text)
{
	struct lt_encode_clocks c, best = { .took = UINT64_MAX };

	/* A thread may be preempted between two of them. */
	for (unsigned int i = 0; i < 5 && best.took > 1000; i++) {
		c.monotonic = ns_of(CLOCK_MONOTONIC);
		c.realtime = ns_of(CLOCK_REALTIME);
		c.boottime = ns_of(CLOCK_BOOTTIME);
		c.raw = ns_of(CLOCK_MONOTONIC_RAW);
		c.took = ns_of(CLOCK_MONOTONIC) - c.monotonic;
		c.monotonic += c.took / 2;
		c.clock = c.monotonic;
		if (c.took < best.took)
			best = c;
	}
	lt_encode_clock(text, &best);
}
