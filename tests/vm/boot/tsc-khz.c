// SPDX-License-Identifier: GPL-2.0
/*
 * tsc-khz - prints the frequency of this machine's time stamp counter, in kHz.
 *
 * Emulated guests read this counter. What they measure it with, emulated timers, comes late on a
 * busy host: one had 290 MHz for 2445, and its time ran eight times too fast.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct both {
	uint64_t tsc;
	int64_t ns;
};

/* Both clocks at one moment: of many readings the one in which the least time went by. */
static struct both now(void)
{
	struct both best = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = __rdtsc(), after;
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		best.tsc = before + least / 2;
		best.ns = t.tv_sec * 1000000000LL + t.tv_nsec;
	}
	return best;
}

int main(void)
{
	struct timespec wait = { .tv_nsec = 50000000 };
	struct both begin = now(), end;

	nanosleep(&wait, NULL);
	end = now();
	if (end.ns <= begin.ns || end.tsc <= begin.tsc)
		return 1;
	printf("%.0f\n", (double)(end.tsc - begin.tsc) * 1e6 / (double)(end.ns - begin.ns));
	return 0;
}
