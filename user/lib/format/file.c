// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a path stands for: a file, or the files of a set as one.
 */
#include "base/mem.h"
#include "format/block.h"

static struct lt_file *open_set(const struct lt_set *set)
{
	struct lt_file *f = lt_alloc(sizeof(*f));

	f->fd = -1;
	f->parts = lt_parts_new(set);
	f->path = lt_strdup(set->name);
	f->name = f->path;
	f->size = set->size;
	f->minor = set->parts[0].minor;
	return f;
}

struct lt_file *lt_file_open(const char *path)
{
	const struct lt_set *set;

	if (lt_set_find(path, &set))
		return NULL;
	return set ? open_set(set) : lt_file_open_one(path);
}

const char *lt_file_place(const struct lt_file *f, uint64_t offset, uint64_t *at)
{
	const struct lt_set_file *part = f->parts ? lt_parts_at(f->parts, offset) : NULL;

	*at = part ? offset - part->base : offset;
	return part ? part->path : f->name;
}
