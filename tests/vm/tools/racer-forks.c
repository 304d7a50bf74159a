// SPDX-License-Identifier: GPL-2.0
/*
 * usage: racer-forks COUNT FILE [HELD]
 *
 * Makes COUNT children, one after the other; each takes a name and exits with a
 * status of its own. HELD more are made before them, and exit when three quarters
 * of the others have. FILE then has a line for each: its tid, the times before it
 * was made and after it was waited for (CLOCK_MONOTONIC, ns), its status and name.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_HELD	64

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "racer-forks: %s: %s\n", what, strerror(errno));
	exit(2);
}

struct child {
	pid_t pid;
	uint64_t before;
	char name[16];
	int status;
};

/* A child that exits when nobody has the other end of the pipe any more. */
static void make(struct child *c, const char *name, int n, const int *pipe)
{
	char byte;

	snprintf(c->name, sizeof(c->name), "%s%d", name, n);
	c->status = n % 100;
	c->before = now();
	c->pid = fork();
	if (c->pid < 0)
		die("fork");
	if (c->pid)
		return;
	prctl(PR_SET_NAME, c->name);
	if (pipe) {
		close(pipe[1]);
		if (read(pipe[0], &byte, 1))
			_exit(255);
	}
	_exit(c->status);
}

static void bury(const struct child *c, FILE *f)
{
	int status;

	if (waitpid(c->pid, &status, 0) != c->pid)
		die("waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != c->status)
		die("a child's status");
	fprintf(f, "%d %" PRIu64 " %" PRIu64 " %d %s\n", c->pid, c->before, now(), c->status,
		c->name);
}

int main(int argc, char **argv)
{
	int count = argc == 3 || argc == 4 ? atoi(argv[1]) : 0;
	int n_held = argc == 4 ? atoi(argv[3]) : 0;
	FILE *f = count > 0 ? fopen(argv[2], "w") : NULL;
	struct child held[MAX_HELD], child;
	int hold[2];

	if (!f || n_held < 0 || n_held > MAX_HELD) {
		fprintf(stderr, "usage: racer-forks COUNT FILE [HELD]\n");
		return 2;
	}
	if (pipe(hold))
		die("pipe");
	for (int i = 0; i < n_held; i++)
		make(&held[i], "held", i, hold);
	for (int i = 0; i < count; i++) {
		if (i == count * 3 / 4) {
			close(hold[1]);
			for (int k = 0; k < n_held; k++)
				bury(&held[k], f);
		}
		make(&child, "forks", i, NULL);
		bury(&child, f);
	}
	return fclose(f) ? 1 : 0;
}
