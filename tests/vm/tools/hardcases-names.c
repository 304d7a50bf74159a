// SPDX-License-Identifier: GPL-2.0
/*
 * Hard cases: names and paths of any bytes, and a worker of io_uring.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hardcases.h"

#define DIR_NAME	"/tmp/hard cases"

/* What a name may have in it; all are short enough for one. */
static const char *const names[] = {
	"two words", "a) b (c", "(sd-pam)", "new\nline", "tab\tcr\r", "\xff\xfe\x80",
	"quote\"s\\", "comma,semi;", "caf\xc3\xa9", "cut\xc3", "123 S 1 1 1", "", "\x01\x1b[31m",
	"fifteen bytes!!",
};

static void copy_program(const char *path)
{
	char buf[65536];
	int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_CREAT | O_WRONLY, 0755);
	ssize_t n;

	if (from < 0 || to < 0)
		die(path);
	while ((n = read(from, buf, sizeof(buf))) > 0) {
		if (write(to, buf, (size_t)n) != n)
			die(path);
	}
	close(from);
	close(to);
}

static void run(const char *path, const char *name)
{
	pid_t pid = fork_named("path", "child");

	if (!pid) {
		note_bytes("path", "path", path, strlen(path));
		execl(path, "hardcases", "-x", name, NULL);
		die(path);
	}
	reap(pid);
}

/* A path of so many bytes, with directories. */
static void long_path(size_t length)
{
	char path[4200];
	size_t n = (size_t)snprintf(path, sizeof(path), "%s", DIR_NAME);

	while (n + 210 < length) {
		path[n++] = '/';
		memset(path + n, 'd', 200);
		n += 200;
		path[n] = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			die(path);
	}
	path[n++] = '/';
	memset(path + n, 'f', length - n);
	path[length] = 0;
	if (link(DIR_NAME "/program", path))
		die(path);
	run(path, "long-path");
}

static void case_paths(void)
{
	static const size_t lengths[] = { 55, 56, 57, 255, 256, 257, 1000, 4000 };
	char path[4096];
	size_t i;

	if (mkdir(DIR_NAME, 0755) && errno != EEXIST)
		die(DIR_NAME);
	copy_program(DIR_NAME "/program");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!*names[i])
			continue;
		snprintf(path, sizeof(path), "%s/%s", DIR_NAME, names[i]);
		if (link(DIR_NAME "/program", path))
			die(path);
		/* Its name is then that of the file: it is not changed. */
		run(path, "");
	}
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		long_path(lengths[i]);
}

static void case_comm(void)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		pid_t pid = fork_named("comm", "child");

		if (!pid) {
			note_bytes("comm", "comm", names[i], strlen(names[i]));
			set_name(names[i]);
			_exit(0);
		}
		reap(pid);
	}
}

void cases_names(void)
{
	case_comm();
	case_paths();
}

/* ------------------------------------------------------------------------
 * io_uring
 */

/* The thread that is not ours; 0: there is none. */
static pid_t find_worker(char *name, int size)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *d;
	pid_t found = 0;

	while (dir && (d = readdir(dir))) {
		char path[64];
		FILE *f;

		if (atoi(d->d_name) <= 0 || atoi(d->d_name) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d/comm", atoi(d->d_name));
		f = fopen(path, "r");
		if (f && fgets(name, size, f)) {
			name[strcspn(name, "\n")] = 0;
			found = atoi(d->d_name);
		}
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* One request that has to go to a worker. Return: 0 or an errno. */
static int read_async(int ring, const struct io_uring_params *p, int file)
{
	static char buf[64];
	size_t size = p->sq_off.array + p->sq_entries * sizeof(unsigned int);
	struct io_uring_sqe *sqe;
	unsigned int *tail;
	char *sq;

	sq = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, p->sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		   (off_t)IORING_OFF_SQES);
	if (sq == MAP_FAILED || sqe == MAP_FAILED)
		return errno;
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_READ;
	sqe->flags = IOSQE_ASYNC;
	sqe->fd = file;
	sqe->addr = (uint64_t)(uintptr_t)buf;
	sqe->len = sizeof(buf);
	tail = (unsigned int *)(void *)(sq + p->sq_off.tail);
	*(unsigned int *)(void *)(sq + p->sq_off.array) = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return errno;
	return 0;
}

void case_io_worker(void)
{
	struct io_uring_params p = { 0 };
	pid_t pid = fork_named("io_worker", "owner"), worker;
	char name[64] = "";
	int ring, err, file;

	if (pid) {
		reap(pid);
		return;
	}
	file = open("/proc/self/exe", O_RDONLY);
	ring = (int)syscall(SYS_io_uring_setup, 4, &p);
	err = ring < 0 ? errno : read_async(ring, &p, file);
	worker = find_worker(name, sizeof(name));
	if (err)
		note("io_worker", "\"role\":\"skipped\",\"why\":\"io_uring: %s\"", strerror(err));
	else if (!worker)
		note("io_worker",
		     "\"role\":\"skipped\",\"why\":\"its worker is no thread of ours\"");
	else
		note("io_worker", "\"role\":\"worker\",\"tid\":%d,\"comm\":\"%s\"", worker, name);
	_exit(0);
}
