// SPDX-License-Identifier: GPL-2.0
/*
 * Load, and users of the module that break the rules of its files.
 *
 *	hammer fork CPU		processes are made and die, on that CPU
 *	hammer files DIR	every file there is opened, read and polled
 *	hammer control DIR	sessions are started, flushed, stopped and
 *				abandoned, and snapshots asked for, at random
 *				moments
 *	hammer generation PATH	that file, /proc/pid_gen, is read and polled
 *	hammer read FILE	that file is read again and again, without a rest
 *
 * While the file "calm" exists here, the three before that take long breaks: if somebody
 * always has a file open, the module can never be unloaded.
 *
 * Each goes on until it is killed. What the module refuses is no fault here:
 * the kernel's log, and what works afterwards, decide.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "hammer: %s: %s\n", what, strerror(errno));
	exit(2);
}

/*
 * A pause of up to so many µs. When it shall be calm, one of up to some seconds, as long as
 * a session takes to start and stop in an emulated machine.
 */
static void pause_for(int us)
{
	int ms = rand() % 4000;

	usleep(rand() % us);
	for (; ms > 0 && !access("calm", F_OK); ms -= 10)
		usleep(10000);
}

static void fork_for_ever(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("pinning");
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

/* One file, in the ways that a program may touch it. */
static int touch(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	static char buf[65536];
	struct pollfd p = { .events = POLLIN };
	void *map;
	int fd, i;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	/* To open "enable" is to own it: that is for "hammer control". */
	if (strstr(path, "/enable"))
		return 0;
	pause_for(300);
	if (strstr(path, "/marker")) {
		fd = open(path, O_WRONLY);
		if (fd >= 0 && write(fd, "hammer\n", 7) < 0 && errno == EFAULT)
			die("write to marker");
	} else {
		fd = open(path, O_RDONLY);
	}
	if (fd < 0)
		return 0;
	p.fd = fd;
	for (i = 0; i < 3; i++) {
		poll(&p, 1, rand() % 3);
		if (read(fd, buf, rand() % 2 ? sizeof(buf) : 1000) <= 0)
			break;
	}
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		munmap(map, 4096);
	close(fd);
	return 0;
}

static void files_for_ever(const char *dir)
{
	for (;;) {
		/* Between two modules there is nothing to walk. */
		if (nftw(dir, touch, 8, FTW_PHYS))
			usleep(1000);
		pause_for(2000);
	}
}

static void ask_for_snapshot(const char *dir)
{
	static const char *const words[] = { "1", "final", "bad" };
	const char *word = words[rand() % 3];
	char path[200];
	int fd;

	snprintf(path, sizeof(path), "%s/snapshot", dir);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return;
	if (write(fd, word, strlen(word)) < 0 && errno == EFAULT)
		die("write to snapshot");
	close(fd);
}

static void generation_for_ever(const char *path)
{
	for (;;) {
		struct pollfd p = { .fd = open(path, O_RDONLY), .events = POLLIN };
		int n = rand() % 4;
		char text[32];

		while (p.fd >= 0 && n--) {
			poll(&p, 1, rand() % 20);
			/* EIO: the module was unloaded meanwhile. */
			if (pread(p.fd, text, sizeof(text), rand() % 2) < 0 && errno != EIO)
				die("read of the generation");
		}
		if (p.fd >= 0)
			close(p.fd);
		pause_for(20000);
	}
}

static void read_for_ever(const char *path)
{
	static char buf[65536];
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		die(path);
	for (;;) {
		if (read(fd, buf, sizeof(buf)) < 0)
			die(path);
	}
}

static void control_for_ever(const char *dir)
{
	static const char *const words[] = { "1", "0", "flush", "flush", "1", "bad" };
	char path[200], text[64];

	snprintf(path, sizeof(path), "%s/enable", dir);
	for (;;) {
		int fd = open(path, O_RDWR), n = access("calm", F_OK) ? rand() % 6 : 0;

		if (fd < 0) {
			pause_for(2000);
			continue;
		}
		while (n--) {
			const char *word = words[rand() % 6];

			if (write(fd, word, strlen(word)) < 0 && errno == EFAULT)
				die("write to enable");
			if (pread(fd, text, sizeof(text), 0) < 0 && errno == EFAULT)
				die("read from enable");
			if (!(rand() % 4))
				ask_for_snapshot(dir);
			usleep(rand() % 3000);
		}
		close(fd);
		pause_for(20000);
	}
}

int main(int argc, char **argv)
{
	srand(getpid() ^ time(NULL));
	if (argc == 3 && !strcmp(argv[1], "fork"))
		fork_for_ever(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "files"))
		files_for_ever(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "control"))
		control_for_ever(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "generation"))
		generation_for_ever(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "read"))
		read_for_ever(argv[2]);
	fprintf(stderr, "usage: hammer fork CPU | files DIR | control DIR | generation PATH | "
		"read FILE\n");
	return 2;
}
