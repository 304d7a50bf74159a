// SPDX-License-Identifier: GPL-2.0
/*
 * workload-time RESULT NAME COMMAND... - runs a command and appends one line to
 * RESULT: NAME, wall seconds, CPU seconds of it and of all that it waited for, its pid
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct rusage used;
	int status;
	pid_t child;
	FILE *f;

	if (argc < 4) {
		fprintf(stderr, "usage: workload-time RESULT NAME COMMAND...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	child = fork();
	if (!child) {
		execvp(argv[3], argv + 3);
		fprintf(stderr, "workload-time: %s: %s\n", argv[3], strerror(errno));
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &used)) {
		perror("workload-time");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	f = fopen(argv[1], "a");
	if (!f || fprintf(f, "%s %.4f %.4f %d\n", argv[2],
			  (double)(end.tv_sec - begin.tv_sec) +
			  (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
			  seconds(used.ru_utime) + seconds(used.ru_stime), child) < 0 ||
	    fclose(f)) {
		perror(argv[1]);
		return 2;
	}
	return status != 0;
}
