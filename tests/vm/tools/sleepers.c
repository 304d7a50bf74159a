// SPDX-License-Identifier: GPL-2.0
/*
 * usage: sleepers N
 *
 * N threads sleep in read(2), each on a pipe of its own; then the line "asleep" is printed. When a
 * line comes, or the standard input ends, each is woken. Prints how many got their byte. Exit
 * status 0: all.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct sleeper {
	pthread_t thread;
	int pipe[2];
	volatile pid_t tid;
	int got;
};

static void *sleeps(void *arg)
{
	struct sleeper *s = arg;
	char c = 0;

	s->tid = syscall(SYS_gettid);
	s->got = read(s->pipe[0], &c, 1) == 1 && c == 'x';
	return NULL;
}

static int is_asleep(pid_t tid)
{
	char path[64], text[512] = "", *state;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	state = strrchr(text, ')');
	return state && state[1] && state[2] == 'S';
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0, got = 0;
	struct sleeper *all = calloc(n ? n : 1, sizeof(*all));
	pthread_attr_t attr;

	if (n <= 0 || !all)
		return 2;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 0; i < n; i++) {
		if (pipe(all[i].pipe) || pthread_create(&all[i].thread, &attr, sleeps, &all[i])) {
			perror("sleepers");
			return 2;
		}
	}
	for (int i = 0; i < n; i++)
		while (!all[i].tid || !is_asleep(all[i].tid))
			usleep(1000);
	puts("asleep");
	fflush(stdout);
	getchar();
	for (int i = 0; i < n; i++)
		if (write(all[i].pipe[1], "x", 1) != 1)
			perror("sleepers");
	for (int i = 0; i < n; i++) {
		pthread_join(all[i].thread, NULL);
		got += all[i].got;
	}
	printf("woken %d\n", got);
	return got != n;
}
