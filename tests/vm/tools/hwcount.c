// SPDX-License-Identifier: GPL-2.0
/*
 * Work whose instructions are known, and a counter of its own.
 *
 * usage: hwcount spin N...            a child for each N, one after the other, whose name is
 *                                     spinN and which executes a loop of two instructions N times
 *        hwcount count FILE PROGRAM…  runs PROGRAM; what it and all its descendants have executed
 *                                     in user mode, by one event that they inherit, is written to
 *                                     FILE: instructions and cycles
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void spin(unsigned long n)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#else
#error "a loop of two instructions for this machine"
#endif
}

static int spin_all(char **words)
{
	for (; *words; words++) {
		char name[16];
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (!child) {
			snprintf(name, sizeof(name), "spin%s", *words);
			prctl(PR_SET_NAME, name);
			spin(strtoul(*words, NULL, 10));
			_exit(0);
		}
		if (waitpid(child, NULL, 0) < 0)
			die("waitpid");
	}
	return 0;
}

static int open_event(pid_t pid, uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE, .config = config, .disabled = 1,
		.enable_on_exec = 1, .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);

	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static int count(const char *path, char **argv)
{
	static const uint64_t configs[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES };
	uint64_t values[2];
	int fds[2], pipes[2], status;
	pid_t child;
	char byte = 0;
	FILE *f;

	if (pipe(pipes))
		die("pipe");
	child = fork();
	if (!child) {
		/* Until its events are there. */
		if (read(pipes[0], &byte, 1) != 1)
			_exit(2);
		execv(argv[0], argv);
		_exit(127);
	}
	for (int i = 0; i < 2; i++)
		fds[i] = open_event(child, configs[i]);
	if (write(pipes[1], &byte, 1) != 1 || waitpid(child, &status, 0) < 0)
		die("the program");
	for (int i = 0; i < 2; i++) {
		if (read(fds[i], &values[i], sizeof(values[i])) != sizeof(values[i]))
			die("read");
	}
	f = fopen(path, "w");
	if (!f)
		die(path);
	fprintf(f, "%llu %llu\n", (unsigned long long)values[0], (unsigned long long)values[1]);
	return fclose(f) || status;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "spin"))
		return spin_all(argv + 2);
	if (argc > 3 && !strcmp(argv[1], "count"))
		return count(argv[2], argv + 3);
	fprintf(stderr, "usage: hwcount spin N... | count FILE PROGRAM...\n");
	return 2;
}
