// SPDX-License-Identifier: GPL-2.0
/*
 * A trace on standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "format/spool.h"

#define CHUNK	(1U << 20)

/* A new file without a name, which nobody else can open. */
static int temporary(void)
{
	const char *const dirs[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char *name;
		int fd;

		if (!dirs[i] || !*dirs[i])
			continue;
		name = lt_format("%s/lifetrace-XXXXXX", dirs[i]);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
		free(name);
		if (fd >= 0)
			return fd;
	}
	lt_error("standard input: a copy of it is needed, and there is no room for one: %s; set "
		 "TMPDIR to a directory", strerror(errno));
	return -1;
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

static bool copy_all(int to)
{
	char *chunk = lt_alloc(CHUNK);
	bool good = false;
	ssize_t n;

	for (;;) {
		n = read(STDIN_FILENO, chunk, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			lt_error("standard input: %s", strerror(errno));
		good = !n;
		if (n <= 0)
			break;
		if (!write_all(to, chunk, (size_t)n)) {
			lt_error("standard input: the copy of it cannot be written: %s; set TMPDIR "
				 "to a directory with room", strerror(errno));
			break;
		}
	}
	free(chunk);
	return good;
}

int lt_spool_stdin(void)
{
	struct stat st;
	int fd;

	if (fstat(STDIN_FILENO, &st)) {
		lt_error("standard input: %s", strerror(errno));
		return -1;
	}
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
		if (isatty(STDIN_FILENO)) {
			lt_error("standard input: expected a trace file, found a terminal");
			return -1;
		}
		fd = temporary();
		if (fd < 0)
			return -1;
		if (!copy_all(fd) || dup2(fd, STDIN_FILENO) < 0) {
			close(fd);
			return -1;
		}
		return fd;
	}
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		lt_error("standard input: %s", strerror(errno));
	return fd;
}
