// SPDX-License-Identifier: GPL-2.0
/*
 * usage: truth-threads THREADS COMMAND
 *
 * Writes one command to lt_truth from several threads at once, so that there
 * are tasks whose tid is not their tgid, each with a name of its own.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAX_THREADS	64

static const char *command;

static void *run(void *arg)
{
	char name[16];
	int fd;

	snprintf(name, sizeof(name), "truth-user-%d", *(int *)arg);
	prctl(PR_SET_NAME, name);
	fd = open("/sys/kernel/debug/lt_truth/do", O_WRONLY);
	if (fd < 0 || write(fd, command, strlen(command)) < 0) {
		perror("truth-threads");
		exit(1);
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	int numbers[MAX_THREADS];
	int n = argc == 3 ? atoi(argv[1]) : 0;

	if (n < 1 || n > MAX_THREADS) {
		fprintf(stderr, "usage: truth-threads THREADS COMMAND\n");
		return 2;
	}
	command = argv[2];
	for (int i = 0; i < n; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, run, &numbers[i])) {
			fprintf(stderr, "truth-threads: no thread %d\n", i);
			return 1;
		}
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
