// SPDX-License-Identifier: GPL-2.0
/*
 * Leaves kernel objects behind: files with their dentries and inodes, sockets,
 * pipes, and processes that keep them open after this one has ended.
 *
 * usage: leave DIRECTORY FILES SOCKETS PROCESSES
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "leave: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void make_files(const char *dir, int n)
{
	char path[4096];

	for (int i = 0; i < n; i++) {
		int fd;

		if (i % 500 == 0) {
			snprintf(path, sizeof(path), "%s/d%d", dir, i / 500);
			if (mkdir(path, 0755))
				die(path);
		}
		snprintf(path, sizeof(path), "%s/d%d/a file with a long name, number %d", dir,
			 i / 500, i);
		fd = open(path, O_CREAT | O_WRONLY, 0644);
		if (fd < 0)
			die(path);
		close(fd);
	}
}

/* Each holds some; all sleep until the machine goes down. */
static void make_process(int sockets)
{
	for (int i = 0; i < sockets; i++) {
		int pair[2];

		switch (i % 4) {
		case 0:
			if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
				die("socketpair");
			if (write(pair[0], "unread", 6) != 6)
				die("write");
			break;
		case 1:
			if (socket(AF_INET, SOCK_STREAM, 0) < 0)
				die("socket");
			break;
		case 2:
			if (pipe(pair))
				die("pipe");
			break;
		default:
			if (epoll_create1(0) < 0 || eventfd(0, 0) < 0)
				die("epoll");
		}
	}
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct rlimit files = { 65536, 65536 };
	int processes, sockets;

	if (argc != 5) {
		fprintf(stderr, "usage: leave DIRECTORY FILES SOCKETS PROCESSES\n");
		return 2;
	}
	setrlimit(RLIMIT_NOFILE, &files);
	sockets = atoi(argv[3]);
	processes = atoi(argv[4]);
	make_files(argv[1], atoi(argv[2]));
	for (int i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid)
			make_process(sockets / processes);
	}
	sleep(1);	/* until the children are done */
	return 0;
}
