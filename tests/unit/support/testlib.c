// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/log.h"
#include "testlib.h"

static char dir[64];
static char captured[65536];
static int saved_stderr = -1;

/* Tests compare the messages of the library as the tool prints them. */
__attribute__((constructor)) static void install_log(void)
{
	lt_log_to_stderr();
}

static void remove_dir(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	if (system(cmd))
		fprintf(stderr, "could not remove %s\n", dir);
}

const char *test_path(const char *name)
{
	static char path[512];

	if (!dir[0]) {
		strcpy(dir, "/tmp/lifetrace-unit-XXXXXX");
		if (!mkdtemp(dir))
			abort();
		atexit(remove_dir);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

void test_stderr_begin(void)
{
	int fd;

	fflush(stderr);
	saved_stderr = dup(2);
	fd = open(test_path("stderr"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || dup2(fd, 2) < 0)
		abort();
	close(fd);
}

const char *test_stderr_end(void)
{
	ssize_t n;
	int fd;

	fflush(stderr);
	dup2(saved_stderr, 2);
	close(saved_stderr);
	fd = open(test_path("stderr"), O_RDONLY);
	n = read(fd, captured, sizeof(captured) - 1);
	close(fd);
	captured[n > 0 ? n : 0] = 0;
	return captured;
}
