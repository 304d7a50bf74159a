// SPDX-License-Identifier: GPL-2.0
/*
 * usage: thread-exec PROGRAM [ARGUMENT...]
 *
 * Another thread than the first one executes the program, and gets the first one's number thereby.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *execute(void *program)
{
	char **argv = program;

	execv(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2 || pthread_create(&thread, NULL, execute, argv + 1))
		return 2;
	for (;;)
		pause();
}
