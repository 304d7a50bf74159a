// SPDX-License-Identifier: GPL-2.0
/*
 * Output files that the user names.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/log.h"
#include "print/output.h"

static bool is_trace(const char *path)
{
	char magic[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool yes;

	if (fd < 0)
		return false;
	yes = pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	      !memcmp(magic, LT_FILE_MAGIC, sizeof(magic));
	close(fd);
	return yes;
}

static int open_output(const char *path, int flags, mode_t mode)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	if (!stat(path, &st) && S_ISREG(st.st_mode) && is_trace(path)) {
		lt_error("%s: is a trace, which would be lost; choose another file for the output",
			 path);
		return -1;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode);
	if (fd < 0)
		lt_error("%s: cannot open for writing: %s", path, strerror(errno));
	return fd;
}

int lt_output_open(const char *path)
{
	return open_output(path, O_TRUNC, 0600);
}

int lt_output_open_public(const char *path)
{
	return open_output(path, O_TRUNC, 0666);
}

int lt_output_open_kept(const char *path)
{
	return open_output(path, 0, 0600);
}

void lt_output_remove(int fd, const char *path)
{
	struct stat is, named;

	/* Not what is behind /dev/stdout or another link, nor a file that has the name now. */
	if (fd < 0 || fstat(fd, &is) || lstat(path, &named) || !S_ISREG(named.st_mode) ||
	    is.st_dev != named.st_dev || is.st_ino != named.st_ino)
		return;
	unlink(path);
}
