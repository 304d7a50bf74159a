// SPDX-License-Identifier: GPL-2.0
/*
 * Who owns the files that a command makes. sudo says in SUDO_UID and SUDO_GID who has called it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"
#include "base/text.h"

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
