// SPDX-License-Identifier: GPL-2.0
/*
 * The parts in a directory: their names, how much room they take, and which one goes first.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/owner.h"
#include "out/log.h"
#include "record/parts_dir.h"

#define DIGITS	6

#define STAMP	"trace-%Y%m%dT%H%M%SZ"
#define LAST_STAMP	253402300799	/* the end of the year 9999: none is later */

/* The time in the name of a recording, s; -1: it is none. @rest: what follows. */
static time_t parse_stamp(const char *name, const char **rest)
{
	char again[LT_PART_NAME];
	struct tm tm = { 0 };
	size_t len;

	*rest = strptime(name, STAMP, &tm);
	/* It reads also what is not written so. */
	len = *rest ? strftime(again, sizeof(again), STAMP, &tm) : 0;
	if (!len || strncmp(name, again, len) || *rest != name + len)
		return -1;
	return timegm(&tm);
}

/*
 * NAME.000042.lt, and what a recorder that was killed has left: NAME.000042.lt.part. Other files,
 * as those of a flight recorder, are nobody's parts. Return: how long NAME is, with the dot; 0: it
 * is no part.
 */
static size_t parse_name(const char *name, uint64_t *number)
{
	size_t len = strlen(name), end;
	const char *rest;

	if (len > 5 && !strcmp(name + len - 5, ".part"))
		len -= 5;
	if (len < 3 || strncmp(name + len - 3, ".lt", 3))
		return 0;
	end = len - 3;
	for (len = end; len && name[len - 1] >= '0' && name[len - 1] <= '9';)
		len--;
	/* A number of more digits has no zeros before it, and ends before 2^63. */
	if (end - len < DIGITS || end - len > 18 || (end - len > DIGITS && name[len] == '0') ||
	    parse_stamp(name, &rest) < 0 || rest != name + len - 1 || *rest != '.')
		return 0;
	*number = strtoull(name + len, NULL, 10);
	return len;
}

/* By name, which has the time of its recording, and number. */
static bool is_older(const char *name, const char *other)
{
	uint64_t x = 0, y = 0;
	size_t n = parse_name(name, &x), m = parse_name(other, &y);
	int order = strncmp(name, other, n < m ? n : m);

	return order ? order < 0 : n == m ? x < y : n < m;
}

char *lt_part_path(const char *dir, const char *name, uint64_t number)
{
	return lt_format("%s/%s.%0*llu.lt", dir, name, DIGITS, (unsigned long long)number);
}

int lt_parts_dir_make(const char *dir)
{
	struct stat st;

	/* In the directory itself only new files are made, and nothing is followed. */
	if (lt_owner_refuses(dir, true))
		return -1;
	if (!mkdir(dir, 0700)) {
		lt_owner_give_dir(dir);
	} else if (errno != EEXIST) {
		lt_error("%s: %s", dir, strerror(errno));
		return -1;
	}
	if (stat(dir, &st)) {
		lt_error("%s: %s", dir, strerror(errno));
		return -1;
	}
	if (!S_ISDIR(st.st_mode)) {
		lt_error("%s: expected a directory, in which many files are written; found something else",
			 dir);
		return -1;
	}
	if (access(dir, W_OK | X_OK)) {
		lt_error("%s: %s", dir, strerror(errno));
		return -1;
	}
	return 0;
}

void lt_parts_dir_name(const char *dir, time_t now, char name[LT_PART_NAME])
{
	DIR *d = opendir(dir);
	struct dirent *e;
	const char *rest;
	struct tm tm;

	while (d && (e = readdir(d))) {
		time_t other = parse_stamp(e->d_name, &rest);

		if (other >= now && other < LAST_STAMP && *rest == '.')
			now = other + 1;
	}
	if (d)
		closedir(d);
	gmtime_r(&now, &tm);
	strftime(name, LT_PART_NAME, STAMP, &tm);
}

bool lt_parts_dir_scan(const char *dir, const char *open, struct lt_parts_found *found)
{
	const char *own = strrchr(open, '/');
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;
	uint64_t number;

	*found = (struct lt_parts_found){ 0 };
	if (!d)
		return false;
	own = own ? own + 1 : open;
	while ((e = readdir(d))) {
		if (!parse_name(e->d_name, &number) || !strncmp(e->d_name, own, strlen(own)) ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		found->bytes += (uint64_t)st.st_size;
		if (!found->oldest[0] || is_older(e->d_name, found->oldest)) {
			strcpy(found->oldest, e->d_name);
			found->oldest_bytes = (uint64_t)st.st_size;
		}
	}
	closedir(d);
	return true;
}

bool lt_parts_dir_delete(const char *dir, const struct lt_parts_found *found)
{
	char *path = lt_format("%s/%s", dir, found->oldest);
	bool done = !unlink(path);

	free(path);
	return done;
}

bool lt_parts_dir_is_full(const char *dir, unsigned int percent)
{
	struct statvfs st;

	if (!percent || statvfs(dir, &st) || !st.f_blocks)
		return false;
	return (double)st.f_bavail * 100.0 < (double)st.f_blocks * percent;
}
