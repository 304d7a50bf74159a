// SPDX-License-Identifier: GPL-2.0
/*
 * Files that get their names when all of them is on the disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "forms/publish.h"
#include "out/log.h"
#include "out/output.h"

static int sync_path(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags), err;

	if (fd < 0)
		return errno;
	err = fsync(fd) ? errno : 0;
	close(fd);
	return err;
}

/* The folder of a file, and those above it, which may be as new, up to @dir. */
static int sync_folders(const char *dir, const char *name)
{
	char *path = lt_strdup(name);
	int err;

	do {
		*strrchr(path, '/') = 0;
		err = sync_path(path, O_DIRECTORY);
		/* Some file systems of networks cannot do that; others' folders may not be read. */
		if (err == EINVAL || err == EACCES)
			err = 0;
	} while (!err && strlen(path) > strlen(dir));
	free(path);
	return err;
}

/* The data first: a disk may take the name before them. */
static int give_name(const char *dir, const char *name)
{
	char *part = lt_format("%s.part", name);
	int err = sync_path(part, O_NOFOLLOW);

	if (!err && rename(part, name))
		err = errno;
	free(part);
	return err ? err : sync_folders(dir, name);
}

static void *publish_thread(void *arg)
{
	struct lt_publish *p = arg;

	for (size_t i = 0; i < p->n; i++) {
		int err = give_name(p->dir, p->names[i]);

		if (!err || p->failed)
			continue;
		p->failed = p->names[i];
		p->err = err;
	}
	atomic_store(&p->done, true);
	return NULL;
}

void lt_publish_begin(struct lt_publish *p, const char *dir, char *const *names, size_t n)
{
	p->dir = dir;
	p->names = lt_alloc_array(n + 1, sizeof(*p->names));
	for (size_t i = 0; i < n; i++)
		p->names[i] = lt_strdup(names[i]);
	p->n = n;
	p->failed = NULL;
	atomic_store(&p->done, false);
	p->running = !pthread_create(&p->thread, NULL, publish_thread, p);
	if (!p->running)
		publish_thread(p);
}

bool lt_publish_ended(struct lt_publish *p)
{
	return !p->names || atomic_load(&p->done);
}

int lt_publish_wait(struct lt_publish *p)
{
	int err;

	if (!p->names)
		return 0;
	if (p->running)
		pthread_join(p->thread, NULL);
	err = p->failed ? -1 : 0;
	if (err)
		lt_error("%s: cannot be published: %s", p->failed, strerror(p->err));
	for (size_t i = 0; i < p->n; i++) {
		char *part = lt_format("%s.part", p->names[i]);

		lt_output_unwatch(part);
		free(part);
		free(p->names[i]);
	}
	free(p->names);
	*p = (struct lt_publish){ 0 };
	return err;
}
