// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The open files of a set. A set may have more files than a process may open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "format/set.h"

struct lt_parts *lt_parts_new(const struct lt_set *set)
{
	struct lt_parts *p = lt_alloc(sizeof(*p));

	p->set = set;
	return p;
}

void lt_parts_free(struct lt_parts *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		close(p->fds[i].fd);
	free(p);
}

static bool is_in(const struct lt_set_file *part, uint64_t offset)
{
	return offset >= part->base && offset - part->base < part->size;
}

const struct lt_set_file *lt_parts_at(struct lt_parts *p, uint64_t offset)
{
	const struct lt_set_file *parts = p->set->parts;
	size_t low = 0, high = p->set->n;

	if (is_in(&parts[p->last], offset))
		return &parts[p->last];
	/* The last part that begins at or before the offset. */
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (parts[mid].base <= offset)
			low = mid;
		else
			high = mid;
	}
	p->last = low;
	return &parts[low];
}

/* The file as it was when the set was made, also if it has got its final name since. */
static int open_part(const struct lt_set_file *part)
{
	const char *const unfinished = ".part";
	size_t len = strlen(part->path), cut = strlen(unfinished);
	int fd = open(part->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 && errno == ENOENT && len > cut && !strcmp(part->path + len - cut, unfinished)) {
		char *name = lt_strndup(part->path, len - cut);

		fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		free(name);
	}
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_dev == part->device && st.st_ino == part->inode)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

static size_t longest_unused(const struct lt_parts *p)
{
	size_t slot = 0;

	for (size_t i = 1; i < p->n; i++) {
		if (p->fds[i].used < p->fds[slot].used)
			slot = i;
	}
	return slot;
}

/* Opens a part. Return: where it stands; SIZE_MAX: errno is set. */
static size_t add_part(struct lt_parts *p, const struct lt_set_file *part)
{
	size_t slot = p->n;
	int fd = p->n < LT_PARTS_OPEN ? open_part(part) : -1;

	/* A process may have fewer. */
	if (fd < 0 && p->n && (p->n == LT_PARTS_OPEN || errno == EMFILE || errno == ENFILE)) {
		slot = longest_unused(p);
		close(p->fds[slot].fd);
		p->fds[slot] = p->fds[--p->n];
		slot = p->n;
		fd = open_part(part);
	}
	if (fd < 0)
		return SIZE_MAX;
	p->fds[slot].fd = fd;
	p->fds[slot].part = (size_t)(part - p->set->parts);
	p->n++;
	return slot;
}

int lt_parts_fd(struct lt_parts *p, const struct lt_set_file *part)
{
	size_t number = (size_t)(part - p->set->parts), slot = p->latest;

	p->clock++;
	if (slot >= p->n || p->fds[slot].part != number) {
		for (slot = 0; slot < p->n && p->fds[slot].part != number; slot++)
			;
		if (slot == p->n)
			slot = add_part(p, part);
		if (slot == SIZE_MAX)
			return -1;
		p->latest = slot;
	}
	p->fds[slot].used = p->clock;
	return p->fds[slot].fd;
}
