// SPDX-License-Identifier: GPL-2.0
/*
 * clockmarks FILE SECONDS: writes markers into the recording, and prints when each was written.
 *
 * FILE is the module's file "marker". Of some tries in a row, ten times a second, the quickest
 * is printed: N FROM TO WALL, where the marker's text is "clockmark N", and CLOCK_MONOTONIC was
 * FROM before it was written and TO behind that, in ns; and the wall clock FROM + WALL.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRIES	20

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long long end = argc == 3 ? now(CLOCK_MONOTONIC) + atoll(argv[2]) * 1000000000LL : 0;
	int fd = argc == 3 ? open(argv[1], O_WRONLY) : -1;
	unsigned int n = 0;

	if (fd < 0) {
		perror(argc == 3 ? argv[1] : "usage: clockmarks FILE SECONDS");
		return 2;
	}
	while (now(CLOCK_MONOTONIC) < end) {
		long long best_from = 0, best_to = 0;
		unsigned int best = 0;

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
