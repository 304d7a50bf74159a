// SPDX-License-Identifier: GPL-2.0
/*
 * clockmarks FILE SECONDS [PPM]: writes markers into the recording, and prints when each was
 * written. In the middle third of the time the kernel's clocks are faster by PPM (at most 500), as
 * NTP has them.
 *
 * FILE is the module's file "marker". Of some tries in a row, ten times a second, the quickest
 * is printed: N FROM TO WALL, where the marker's text is "clockmark N", and CLOCK_MONOTONIC was
 * FROM before it was written and TO behind that, in ns; and the wall clock FROM + WALL.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define TRIES	20

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void slew(long ppm)
{
	struct timex t = { .modes = ADJ_FREQUENCY, .freq = ppm << 16 };

	if (adjtimex(&t) < 0) {
		perror("adjtimex");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	bool usable = argc == 3 || argc == 4;
	long long begin = now(CLOCK_MONOTONIC), length = usable ? atoll(argv[2]) * 1000000000LL : 0;
	long ppm = argc == 4 ? atol(argv[3]) : 0, ppm_now = 0;
	int fd = usable ? open(argv[1], O_WRONLY) : -1;
	unsigned int n = 0;

	if (fd < 0) {
		perror(usable ? argv[1] : "usage: clockmarks FILE SECONDS [PPM]");
		return 2;
	}
	while (now(CLOCK_MONOTONIC) < begin + length) {
		long long best_from = 0, best_to = 0, passed = now(CLOCK_MONOTONIC) - begin;
		long wanted = passed > length / 3 && passed < length / 3 * 2 ? ppm : 0;
		unsigned int best = 0;

		if (wanted != ppm_now)
			slew(wanted);
		ppm_now = wanted;
		for (int i = 0; i < TRIES; i++) {
			char text[32];
			int len = snprintf(text, sizeof(text), "clockmark %u", ++n);
			long long from = now(CLOCK_MONOTONIC), to;

			if (write(fd, text, (size_t)len) != len) {
				perror("write");
				return 1;
			}
			to = now(CLOCK_MONOTONIC);
			if (!best || to - from < best_to - best_from) {
				best = n;
				best_from = from;
				best_to = to;
			}
		}
		printf("%u %lld %lld %lld\n", best, best_from, best_to,
		       now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC));
		usleep(100000);
	}
	return 0;
}
