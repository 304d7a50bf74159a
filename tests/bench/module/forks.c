// SPDX-License-Identifier: GPL-2.0
/*
 * forks N CHUNKS: CHUNKS times N rounds of fork, exit and wait, measured as
 * lt_cost measures its loops. Prints "N CHUNKS MEDIAN MEAN MIN MAX" in ticks of
 * the CPU's counter.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void rounds(unsigned int n)
{
	while (n--) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid) {
			perror("forks");
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	unsigned int n = argc == 3 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
	unsigned int chunks = argc == 3 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	uint64_t *took = calloc(chunks + 1, sizeof(*took)), sum = 0;

	if (!n || !chunks || !took) {
		fputs("usage: forks N CHUNKS\n", stderr);
		return 2;
	}
	for (unsigned int i = 0; i < chunks; i++) {
		uint64_t begin = __builtin_ia32_rdtsc();

		rounds(n);
		took[i] = __builtin_ia32_rdtsc() - begin;
		sum += took[i];
	}
	qsort(took, chunks, sizeof(*took), by_value);
	printf("%u %u %llu %llu %llu %llu\n", n, chunks, (unsigned long long)took[chunks / 2],
	       (unsigned long long)(sum / chunks), (unsigned long long)took[0],
	       (unsigned long long)took[chunks - 1]);
	free(took);
	return 0;
}
