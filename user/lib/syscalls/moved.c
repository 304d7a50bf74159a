// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which paths have been renamed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "syscalls/moved.h"

#define MOST	65536U	/* names; a program may rename files for ever */

struct name {
	uint64_t time;
	size_t size;
	char *text;
};

void lt_moved_init(struct lt_moved *m)
{
	*m = (struct lt_moved){ .seed = lt_hash_seed() };
	lt_pool_init(&m->names, sizeof(struct name));
	lt_map_init(&m->map);
}

static struct name *name_at(const struct lt_moved *m, uint32_t number)
{
	return lt_pool_at(&m->names, number);
}

static void forget(struct lt_moved *m)
{
	for (uint32_t i = 1; i <= m->n; i++)
		free(name_at(m, i)->text);
	lt_pool_destroy(&m->names);
	lt_map_destroy(&m->map);
}

void lt_moved_destroy(struct lt_moved *m)
{
	forget(m);
}

void lt_moved_add_all(struct lt_moved *m, uint64_t time)
{
	const uint64_t seed = m->seed;

	forget(m);
	lt_moved_init(m);
	m->seed = seed;
	m->all = time;
}

/* Continues from the hash of what stands before. */
static uint64_t hash_of(const struct lt_moved *m, uint64_t before, const char *text, size_t size)
{
	uint64_t h = before;

	for (size_t i = 0; i < size; i++)
		h = lt_hash64(h ^ (unsigned char)text[i], m->seed);
	return h;
}

static struct name *find(const struct lt_moved *m, uint64_t hash, const char *text, size_t size)
{
	uint32_t number;

	lt_map_for_each(number, at, &m->map, (uint32_t)hash) {
		struct name *n = name_at(m, number);

		if (n->size == size && !memcmp(n->text, text, size))
			return n;
	}
	return NULL;
}

void lt_moved_add(struct lt_moved *m, const char *path, uint64_t time)
{
	size_t size = strlen(path);
	const char *slash;
	struct name *n;
	uint32_t number;
	uint64_t hash;

	while (size > 1 && path[size - 1] == '/')
		size--;
	if (path[0] != '/') {
		slash = memrchr(path, '/', size);
		size -= slash ? (size_t)(slash + 1 - path) : 0;
		path = slash ? slash + 1 : path;
	}
	hash = hash_of(m, 0, path, size);
	n = find(m, hash, path, size);
	if (n) {
		n->time = time;
		return;
	}
	if (m->n == MOST) {
		lt_moved_add_all(m, time);
		return;
	}
	number = lt_pool_get(&m->names);
	*name_at(m, number) = (struct name){ time, size, lt_strndup(path, size) };
	lt_map_add(&m->map, (uint32_t)hash, number);
	m->n++;
	m->bare |= path[0] != '/';
}

uint64_t lt_moved_at(const struct lt_moved *m, const char *path)
{
	uint64_t latest = m->all, hash = 0;
	size_t begin, end = 0, hashed = 0;
	const struct name *n;

	while (m->n && path[end]) {
		begin = end + (path[end] == '/');
		end = begin + strcspn(path + begin, "/");
		hash = hash_of(m, hash, path + hashed, end - hashed);
		hashed = end;
		n = find(m, hash, path, end);
		if (n && n->time > latest)
			latest = n->time;
		n = m->bare ? find(m, hash_of(m, 0, path + begin, end - begin), path + begin,
				   end - begin) : NULL;
		if (n && n->time > latest)
			latest = n->time;
	}
	return latest;
}
