// SPDX-License-Identifier: GPL-2.0
/*
 * Files come and go below the root of a machine, and each change is printed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "boot/internal.h"
#include "out/log.h"

char *lt_boot_below(const struct lt_boot *b, const char *path)
{
	return lt_format("%s%s", b->root, path);
}

void lt_boot_say(const struct lt_boot *b, const char *what, const char *text)
{
	char line[PATH_MAX + 256];

	snprintf(line, sizeof(line), "%-15s  %s\n", what, text);
	lt_out_str(b->out, line);
}

int lt_boot_make_directories(char *name)
{
	for (char *slash = name + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		if (mkdir(name, 0755) && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	return 0;
}

/* Return: 0, or -1 with errno set. */
static int write_whole(const char *name, mode_t mode, const void *bytes, size_t size)
{
	FILE *out = fopen(name, "we");
	bool bad;

	if (!out)
		return -1;
	bad = fwrite(bytes, 1, size, out) != size || fflush(out) || fchmod(fileno(out), mode) ||
	      fsync(fileno(out));
	return (fclose(out) || bad) ? -1 : 0;
}

/* A boot must not find half a file: it is written under another name first. */
int lt_boot_install(const struct lt_boot *b, const char *path, mode_t mode, const void *bytes,
		    size_t size)
{
	char *name = lt_boot_below(b, path), *part = lt_format("%s.part", name);
	int err = 0;

	if (lt_boot_make_directories(name) || write_whole(part, mode, bytes, size) ||
	    rename(part, name)) {
		lt_error("%s: %s%s", name, strerror(errno), errno == EACCES ? " (sudo?)" : "");
		unlink(part);
		err = -1;
	} else {
		lt_boot_say(b, "installed", path);
	}
	free(part);
	free(name);
	return err;
}

int lt_boot_drop(const struct lt_boot *b, const char *path, bool *any)
{
	char *name = lt_boot_below(b, path);
	int err = 0;

	if (!unlink(name)) {
		lt_boot_say(b, "removed", path);
		*any = true;
	} else if (errno != ENOENT && errno != ENOTDIR) {
		lt_error("%s: %s%s", name, strerror(errno), errno == EACCES ? " (sudo?)" : "");
		err = -1;
	}
	free(name);
	return err;
}
