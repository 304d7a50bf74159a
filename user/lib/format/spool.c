// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A trace on standard input.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "format/spool.h"
#include "uapi/lifetrace_file.h"

#define CHUNK	(1U << 20)
#define ALWAYS	(64U << 20)	/* bytes for which nobody asks how much room is left */

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

/* Return: bytes, fewer than @size at the end of the input only; -1 after lt_error(). */
static ssize_t read_some(char *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(STDIN_FILENO, data + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			lt_error("standard input: %s", strerror(errno));
			return -1;
		}
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* A trace, or too little to say: then who reads the copy says what is wrong with it. */
static bool may_be_trace(const char *data, size_t size)
{
	const size_t n = sizeof(((struct lt_file_header *)0)->magic);

	return !memcmp(data, LT_FILE_MAGIC, size < n ? size : n);
}

/* A tenth of the disk is left to others, who may not know why it is full. */
static bool leaves_room(int to, uint64_t copied)
{
	struct statvfs fs;

	if (copied < ALWAYS || fstatvfs(to, &fs) || fs.f_bavail >= fs.f_blocks / 10)
		return true;
	lt_error("standard input: after %" PRIu64 " MiB the copy of it would take the last tenth of "
		 "the disk; set TMPDIR to a directory with room, or give the trace as a file",
		 copied >> 20);
	return false;
}

/* What is no trace is copied no further than it takes to see that. */
static bool copy_all(int to)
{
	char *chunk = lt_alloc(CHUNK);
	uint64_t copied = 0;
	bool good = false;
	ssize_t n;

	do {
		n = read_some(chunk, copied ? CHUNK : sizeof(struct lt_file_header));
		if (n > 0 && !write_all(to, chunk, (size_t)n)) {
			lt_error("standard input: the copy of it cannot be written: %s; set TMPDIR "
				 "to a directory with room", strerror(errno));
			break;
		}
		good = !n || (!copied && n > 0 && !may_be_trace(chunk, (size_t)n));
		copied += n > 0 ? (uint64_t)n : 0;
	} while (!good && n > 0 && leaves_room(to, copied));
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
