// SPDX-License-Identifier: GPL-2.0
/*
 * reading-run COMMAND [ARGUMENT...]: runs it with its standard output to /dev/null
 * and prints, on one line: ns by the clock, ns of CPU, most KiB of memory, exit
 * status.
 *
 * A process begins with the peak of the one that it was forked from: so this one
 * must be small, or it is its own memory that is measured.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long ns(struct timeval t)
{
	return t.tv_sec * 1000000000LL + t.tv_usec * 1000LL;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	long long begin, end;
	int status, null;
	pid_t pid;

	if (argc < 2)
		return 2;
	begin = now();
	pid = fork();
	if (pid < 0)
		return 2;
	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
			_exit(126);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		return 2;
	end = now();
	printf("%lld %lld %ld %d\n", end - begin, ns(usage.ru_utime) + ns(usage.ru_stime),
	       usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
