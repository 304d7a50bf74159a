// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who owns the files that a command makes, and those that it finds. sudo says in SUDO_UID and
 * SUDO_GID who has called it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/owner.h"
#include "base/text.h"

#define MAX_LINKS	40

/* An id that is one: not that which means "none". */
static bool id_of(const char *name, uint64_t *id)
{
	const char *text = getenv(name);

	return text && lt_number(text, 10, id) && *id < UINT32_MAX;
}

static bool caller(uid_t *uid, gid_t *gid)
{
	uint64_t u, g;

	if (geteuid() || !id_of("SUDO_UID", &u) || !id_of("SUDO_GID", &g) || !u)
		return false;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return true;
}

static void give(int fd, uid_t uid, gid_t gid)
{
	int kept = errno;

	/* Without it root owns the file, which is whole all the same. */
	if (fchown(fd, uid, gid))
		errno = kept;
}

void lt_owner_give(int fd)
{
	uid_t uid;
	gid_t gid;

	if (caller(&uid, &gid))
		give(fd, uid, gid);
}

/* ------------------------------------------------------------------------
 * What others have put there
 */

static bool is_trusted(uid_t owner)
{
	uid_t uid;
	gid_t gid;

	return !owner || (caller(&uid, &gid) && owner == uid);
}

/* Whether others may put something into the directory of a name. */
static bool is_open_to_others(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? lt_strndup(path, (size_t)(slash - path) + 1) : lt_strdup(".");
	struct stat st;
	bool open = !stat(dir, &st) && (!is_trusted(st.st_uid) || st.st_mode & 002 ||
					(st.st_mode & 020 && st.st_gid));

	free(dir);
	return open;
}

/* Terminals and disks are given to users by the system: nobody else can make one. */
static bool is_made_by_users(mode_t mode, bool links)
{
	return S_ISLNK(mode) || (!links && (S_ISREG(mode) || S_ISFIFO(mode) || S_ISSOCK(mode)));
}

/* What a link leads to, to be freed; NULL: @path is none, or cannot be read. */
static char *target_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return NULL;
	target[n] = 0;
	if (*target == '/' || !slash)
		return lt_strdup(target);
	return lt_format("%.*s%s", (int)(slash - path + 1), path, target);
}

bool lt_owner_refuses(const char *path, bool links)
{
	char *name, *next;
	bool planted = false;
	struct stat st;

	if (geteuid())
		return false;
	name = lt_strdup(path);
	for (unsigned int i = 0; i < MAX_LINKS && name && !lstat(name, &st); i++) {
		planted = is_made_by_users(st.st_mode, links) && !is_trusted(st.st_uid) &&
			  is_open_to_others(name);
		if (planted)
			break;
		next = target_of(name);
		free(name);
		name = next;
	}
	if (planted)
		lt_error("%s: %s%s%sbelongs to user %u, who could have put it there so that root writes "
			 "to it: remove it, or choose another name", path,
			 strcmp(path, name) ? name : "", strcmp(path, name) ? " " : "",
			 S_ISLNK(st.st_mode) ? "is a symbolic link that " : "",
			 (unsigned int)st.st_uid);
	free(name);
	return planted;
}

/* ------------------------------------------------------------------------
 * Giving away
 */

static bool is_empty(int fd)
{
	int copy = dup(fd);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	bool empty = true;
	struct dirent *e;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	while (empty && (e = readdir(d)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	closedir(d);
	return empty;
}

void lt_owner_give_dir(const char *path)
{
	struct stat st;
	uid_t uid;
	gid_t gid;
	int fd;

	if (!caller(&uid, &gid))
		return;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && !st.st_uid && !(st.st_mode & 077) && is_empty(fd))
		give(fd, uid, gid);
	close(fd);
}
