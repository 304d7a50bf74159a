// SPDX-License-Identifier: GPL-2.0
/*
 * workload-storm N PARALLEL - N processes, so many at a time, each of which runs
 * another program and ends
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "workload-storm: %s: %s\n", what, strerror(errno));
	exit(2);
}

int main(int argc, char **argv)
{
	long n, parallel, running = 0;
	int status, failed = 0;
	char self[4096] = "";

	if (argc == 2 && !strcmp(argv[1], "leaf"))
		return 0;
	if (argc != 3) {
		fprintf(stderr, "usage: workload-storm N PARALLEL\n");
		return 2;
	}
	/* So that they have this name, and not that of the link. */
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("/proc/self/exe");
	n = strtol(argv[1], NULL, 10);
	parallel = strtol(argv[2], NULL, 10);
	while (n || running) {
		pid_t child;

		if (n && running < parallel) {
			child = fork();
			if (child < 0)
				die("fork");
			if (!child) {
				execl(self, "workload-storm", "leaf", NULL);
				_exit(127);
			}
			n--;
			running++;
			continue;
		}
		if (wait(&status) < 0)
			die("wait");
		running--;
		if (status)
			failed++;
	}
	return failed != 0;
}
