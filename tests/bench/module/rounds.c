// SPDX-License-Identifier: GPL-2.0
/*
 * rounds LOAD N CHUNKS: CHUNKS times N rounds of a load that needs a process, measured
 * as lt_cost measures its loops. Prints "N CHUNKS MEDIAN MEAN MIN MAX KHZ" in ticks of the
 * CPU's counter, and how many of these a ms has. LOAD is
 *
 * fork		fork, exit and wait
 * open		open and close /proc/self/status: objects that the kernel's own code
 *		allocates, a dozen calls deep
 * msg		a message of 64 bytes, sent to itself and received: one kmalloc and its kfree
 * pipe		a pipe, and both its ends closed
 * getppid	a system call that does next to nothing
 * read		a system call with three arguments, which fails at once
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void failed(void)
{
	perror("rounds");
	exit(1);
}

static void forks(unsigned int n)
{
	while (n--) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			failed();
	}
}

static void opens(unsigned int n)
{
	while (n--) {
		int fd = open("/proc/self/status", O_RDONLY);

		if (fd < 0 || close(fd))
			failed();
	}
}

static int queue = -1;

static void remove_queue(void)
{
	msgctl(queue, IPC_RMID, NULL);
}

static void messages(unsigned int n)
{
	struct {
		long type;
		char text[64];
	} m = { .type = 1 };

	if (queue < 0) {
		queue = msgget(IPC_PRIVATE, 0600);
		if (queue < 0 || atexit(remove_queue))
			failed();
	}
	while (n--)
		if (msgsnd(queue, &m, sizeof(m.text), 0) ||
		    msgrcv(queue, &m, sizeof(m.text), 0, 0) < 0)
			failed();
}

static void pipes(unsigned int n)
{
	while (n--) {
		int fd[2];

		if (pipe(fd) || close(fd[0]) || close(fd[1]))
			failed();
	}
}

static void getppids(unsigned int n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void reads(unsigned int n)
{
	char buffer[16];

	while (n--)
		if (syscall(SYS_read, -1, buffer, sizeof(buffer)) != -1)
			failed();
}

static const struct {
	const char *name;
	void (*rounds)(unsigned int n);
} loads[] = {
	{ "fork", forks },
	{ "open", opens },
	{ "msg", messages },
	{ "pipe", pipes },
	{ "getppid", getppids },
	{ "read", reads },
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned int n = argc == 4 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	unsigned int chunks = argc == 4 ? (unsigned int)strtoul(argv[3], NULL, 10) : 0;
	uint64_t *took = calloc(chunks + 1, sizeof(*took)), sum = 0, begin_ns, khz;
	void (*load)(unsigned int n) = NULL;

	for (size_t i = 0; argc == 4 && i < sizeof(loads) / sizeof(loads[0]); i++)
		if (!strcmp(argv[1], loads[i].name))
			load = loads[i].rounds;
	if (!load || !n || !chunks || !took) {
		fputs("usage: rounds fork|open|msg|pipe|getppid|read N CHUNKS\n", stderr);
		return 2;
	}
	begin_ns = now_ns();
	khz = __builtin_ia32_rdtsc();
	for (unsigned int i = 0; i < chunks; i++) {
		uint64_t begin = __builtin_ia32_rdtsc();

		load(n);
		took[i] = __builtin_ia32_rdtsc() - begin;
		sum += took[i];
	}
	khz = (__builtin_ia32_rdtsc() - khz) * 1000000 / (now_ns() - begin_ns);
	qsort(took, chunks, sizeof(*took), by_value);
	printf("%u %u %llu %llu %llu %llu %llu\n", n, chunks, (unsigned long long)took[chunks / 2],
	       (unsigned long long)(sum / chunks), (unsigned long long)took[0],
	       (unsigned long long)took[chunks - 1], (unsigned long long)khz);
	free(took);
	return 0;
}
