// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A trace file in the making.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/owner.h"
#include "format/replace.h"
#include "uapi/lifetrace_file.h"

/* What is found at a name. */
enum found {
	FOUND_NOTHING,
	FOUND_EMPTY,
	FOUND_TRACE,		/* or, by force, any regular file */
	FOUND_OTHER,		/* must not be replaced; was reported */
};

static enum found find(const char *path, bool force)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	enum found found = FOUND_OTHER;
	char magic[8];
	struct stat st;
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return FOUND_NOTHING;
	if (fd < 0 || fstat(fd, &st)) {
		lt_error("%s: %s", path, strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		lt_error("%s: not a regular file; a trace is written to a file, or with '-o -' to "
			 "standard output", path);
		goto out;
	}
	n = pread(fd, magic, sizeof(magic), 0);
	if (!n)
		found = FOUND_EMPTY;
	else if (force || (n == sizeof(magic) && !memcmp(magic, LT_FILE_MAGIC, sizeof(magic))))
		found = FOUND_TRACE;
	else
		lt_error("%s: exists and is not a trace; take another name (-o), or --force to "
			 "replace it", path);
out:
	if (fd >= 0)
		close(fd);
	return found;
}

int lt_replace_open(struct lt_replace *r, const char *path, bool force)
{
	enum found found;
	int fd;

	/* What else is there is kept, or refused, and not written to. */
	if (lt_owner_refuses(path, true))
		return -1;
	/* A link stays a link to the trace. */
	r->path = realpath(path, NULL);
	if (!r->path)
		r->path = lt_strdup(path);
	r->part = lt_format("%s.part", r->path);
	found = find(r->path, force);
	if (found == FOUND_OTHER || find(r->part, force) == FOUND_OTHER)
		goto refused;
	if (found == FOUND_TRACE) {
		r->old = lt_format("%s.old", r->path);
		if (find(r->old, force) == FOUND_OTHER)
			goto refused;
	}
	/*
	 * A new file: nobody has it open, and nobody else owns it, as one who may write to
	 * the directory could have arranged. Kernel addresses are secrets.
	 */
	unlink(r->part);
	fd = open(r->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		lt_owner_give(fd);
		return fd;
	}
	lt_error("%s: %s", path, strerror(errno));
refused:
	free(r->part);
	r->part = NULL;
	return -1;
}

int lt_replace_new(struct lt_replace *r, const char *path)
{
	struct stat st;
	int fd = -1, err;

	r->path = lt_strdup(path);
	r->part = lt_format("%s.part", path);
	r->fresh = true;
	/*
	 * Others may write into the directory: what they have put there, a symbolic link above all,
	 * is neither followed nor replaced.
	 */
	if (!lstat(r->path, &st))
		errno = EEXIST;
	else
		fd = open(r->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		lt_owner_give(fd);
		return fd;
	}
	err = errno;
	lt_error("%s: %s", path, strerror(err));
	free(r->part);
	r->part = NULL;
	errno = err;
	return -1;
}

static int give_name(const struct lt_replace *r)
{
	if (r->fresh && !renameat2(AT_FDCWD, r->part, AT_FDCWD, r->path, RENAME_NOREPLACE))
		return 0;
	/* Not all file systems can do that; nothing was there when the file was made. */
	if (r->fresh && errno != EINVAL && errno != ENOSYS)
		return -1;
	return rename(r->part, r->path);
}

int lt_replace_publish(struct lt_replace *r)
{
	if (!r->part)
		return 0;
	if (r->old && rename(r->path, r->old)) {
		lt_error("%s: cannot be kept as %s: %s", r->path, r->old, strerror(errno));
		return -1;
	}
	if (give_name(r)) {
		lt_error("%s: cannot be named so: %s", r->path, strerror(errno));
		if (r->old)
			rename(r->old, r->path);
		return -1;
	}
	free(r->part);
	r->part = NULL;
	return 0;
}

void lt_replace_end(struct lt_replace *r)
{
	if (r->part)
		unlink(r->part);
	free(r->path);
	free(r->part);
	free(r->old);
	*r = (struct lt_replace){ 0 };
}
