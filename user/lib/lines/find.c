// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where debug files may be.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "lines/find.h"

#define MAX_DEPTH	24		/* of directories in one another */
#define MAX_ENTRIES	500000		/* of all directories of a tree */

void lt_paths_destroy(struct lt_paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->paths[i]);
	free(p->paths);
	*p = (struct lt_paths){ .n = 0 };
}

/* Takes @path. */
static void add(struct lt_paths *p, char *path)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!strcmp(p->paths[i], path)) {
			free(path);
			return;
		}
	}
	p->paths = lt_grow(p->paths, &p->cap, p->n, sizeof(*p->paths));
	p->paths[p->n++] = path;
}

void lt_paths_add(struct lt_paths *p, const char *fmt, ...)
{
	char *path;
	va_list ap;

	va_start(ap, fmt);
	path = lt_vformat(fmt, ap);
	va_end(ap);
	if (access(path, F_OK))
		free(path);
	else
		add(p, path);
}

void lt_paths_by_id(const char *dir, const char *id, struct lt_paths *to)
{
	if (*id)
		lt_paths_add(to, "%s/.build-id/%.2s/%s.debug", dir, id, id + 2);
}

/* ------------------------------------------------------------------------
 * Names of files
 */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool lt_file_of_module(const char *path, const char *module)
{
	const char *name = base_name(path);
	size_t n = strcspn(name, "."), len = strlen(module);

	if (n != len || (strncmp(name + n, ".ko", 3) && strcmp(name + n, ".debug")))
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((name[i] == '-' ? '_' : name[i]) != (module[i] == '-' ? '_' : module[i]))
			return false;
	}
	return true;
}

static bool is_kernel(const char *name)
{
	return !strncmp(name, "vmlinux", 7) || !strcmp(name, "linux");
}

/* Whether a file with this name could be a debug file of a kernel or module. */
static bool could_be(const char *name)
{
	return is_kernel(name) || strstr(name, ".ko") || strstr(name, ".debug");
}

/* ------------------------------------------------------------------------
 * Trees
 */

void lt_tree_init(struct lt_tree *t, const char *dir)
{
	*t = (struct lt_tree){ .dir = lt_strdup(dir) };
}

void lt_tree_destroy(struct lt_tree *t)
{
	free(t->dir);
	lt_paths_destroy(&t->files);
	*t = (struct lt_tree){ .dir = NULL };
}

/* Directories are not entered through links, which may lead in circles. */
static void read_dir(struct lt_tree *t, const char *dir, unsigned int depth, size_t *left)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;

	while (stream && *left && (entry = readdir(stream))) {
		const char *name = entry->d_name;
		struct stat st;
		char *path;

		--*left;
		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		path = lt_format("%s/%s", dir, name);
		if (!fstatat(dirfd(stream), name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISDIR(st.st_mode)) {
			if (depth)
				read_dir(t, path, depth - 1, left);
		} else if (could_be(name)) {
			t->files.paths = lt_grow(t->files.paths, &t->files.cap, t->files.n,
						 sizeof(*t->files.paths));
			t->files.paths[t->files.n++] = path;
			path = NULL;
		}
		free(path);
	}
	if (stream)
		closedir(stream);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The order of a directory is any; the answer must not depend on it. */
static void read_tree(struct lt_tree *t)
{
	size_t left = MAX_ENTRIES;

	if (t->read)
		return;
	t->read = true;
	read_dir(t, t->dir, MAX_DEPTH, &left);
	if (t->files.n)
		qsort(t->files.paths, t->files.n, sizeof(*t->files.paths), by_path);
}

void lt_tree_find(struct lt_tree *t, const char *module, const char *id, struct lt_paths *to)
{
	lt_paths_by_id(t->dir, id, to);
	read_tree(t);
	for (size_t i = 0; i < t->files.n; i++) {
		const char *path = t->files.paths[i], *name = base_name(path);
		bool fits = module ? lt_file_of_module(path, module) : is_kernel(name);

		/* Named by build id: "0123.debug", in a directory of its first two digits. */
		if (!fits && strlen(id) > 2 && !strncmp(name, id + 2, strlen(id + 2)))
			fits = !strcmp(name + strlen(id + 2), ".debug");
		if (fits)
			add(to, lt_strdup(path));
	}
}
