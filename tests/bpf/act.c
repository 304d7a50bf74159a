// SPDX-License-Identifier: GPL-2.0
/*
 * usage: act msg|fork|getppid|pipe|thread N [SECONDS]
 *
 * Does one thing exactly N times; with SECONDS, without counting, until they are over.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int queue;

static void msg(void)
{
	struct {
		long type;
		char text[64];
	} m = { .type = 1 };

	if (msgsnd(queue, &m, sizeof(m.text), 0) || msgrcv(queue, &m, sizeof(m.text), 0, 0) < 0)
		_exit(1);
}

static void fork_one(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		_exit(1);
}

static void ppid(void)
{
	syscall(SYS_getppid);
}

static void pipe_one(void)
{
	int fd[2];

	if (pipe(fd))
		_exit(1);
	close(fd[0]);
	close(fd[1]);
}

static void *nothing(void *arg)
{
	return arg;
}

static void thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, nothing, NULL))
		_exit(1);
	pthread_join(t, NULL);
}

static const struct {
	const char *name;
	void (*act)(void);
} acts[] = {
	{ "msg", msg }, { "fork", fork_one }, { "getppid", ppid }, { "pipe", pipe_one },
	{ "thread", thread },
};

int main(int argc, char **argv)
{
	time_t end = argc > 3 ? time(NULL) + atoi(argv[3]) : 0;
	void (*act)(void) = NULL;

	for (size_t i = 0; argc > 2 && i < sizeof(acts) / sizeof(*acts); i++) {
		if (!strcmp(argv[1], acts[i].name))
			act = acts[i].act;
	}
	if (!act)
		return 2;
	queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	if (queue < 0)
		return 1;
	if (end) {
		while (time(NULL) < end)
			act();
	} else {
		for (long n = atol(argv[2]); n > 0; n--)
			act();
	}
	return msgctl(queue, IPC_RMID, NULL) ? 1 : 0;
}
