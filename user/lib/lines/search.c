// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The debug files of the kernel and the modules of a trace. A file is used if its build id is
 * that of what ran. Of a trace that has no build ids, files are chosen by the kernel's release.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "lines/internal.h"

#define MAX_OBJECTS	16384

struct lt_object *lt_object_get(struct lt_lines *l, const char *name, const char *id)
{
	struct lt_object *o;

	for (size_t i = 0; i < l->n_objects; i++) {
		o = l->objects[i];
		if (!strcmp(o->name, name) && (!strcmp(o->id, id) || !*id))
			return o;
	}
	if (l->n_objects >= MAX_OBJECTS || strlen(name) >= sizeof(o->name))
		return NULL;
	l->objects = lt_grow(l->objects, &l->cap_objects, l->n_objects, sizeof(*l->objects));
	o = lt_alloc(sizeof(*o));
	l->objects[l->n_objects++] = o;
	strcpy(o->name, name);
	strcpy(o->id, id);
	return o;
}

static const char *what(const struct lt_object *o)
{
	return *o->name ? o->name : "the kernel";
}

/* Whether a file is the one of an object whose build id the trace does not have. */
static bool same_release(const struct lt_lines *l, const struct lt_object *o,
			 const struct lt_debug *d, struct lt_why *why)
{
	char release[sizeof(l->release)];

	if (!lt_debug_release(d, release, sizeof(release)) || !strcmp(release, l->release))
		return true;
	lt_why_set(why, "is of kernel %s; expected one of %s, which the trace is of (it has no build "
		   "id of %s)", release, *l->release ? l->release : "an unknown release", what(o));
	return false;
}

/* Whether an open file is that of the object. */
static bool fits(const struct lt_lines *l, const struct lt_object *o, struct lt_debug *d,
		 struct lt_why *why)
{
	const char *id = lt_debug_id(d);

	if (lt_debug_is_module(d) != (*o->name != 0)) {
		lt_why_set(why, "is %s; expected one of %s", *o->name ? "of no module" : "of a module",
			   what(o));
		return false;
	}
	if (*o->id && strcmp(o->id, id)) {
		lt_why_set(why, "has the build id %s; expected %s, of %s", *id ? id : "(none)",
			   o->id, what(o));
		return false;
	}
	if (!*o->id && !same_release(l, o, d, why))
		return false;
	return lt_debug_has_lines(d, why);
}

static void use(struct lt_object *o, struct lt_debug *d)
{
	o->debug = d;
	if (*o->id)
		return;
	lt_warn("%s: used for %s by its kernel release and name, since the trace has no build id of "
		"it: lines are right only if it is of the very build that ran", lt_debug_path(d),
		what(o));
}

static bool try_file(struct lt_lines *l, struct lt_object *o, const char *path)
{
	struct lt_why why = { "" };
	struct lt_debug *d = lt_debug_open(path, &why);

	if (d && fits(l, o, d, &why)) {
		use(o, d);
		return true;
	}
	/* The first one is the one that was expected to be right. */
	if (!*o->why.text)
		lt_why_set(&o->why, "%s: %s", path, why.text);
	lt_debug_close(d);
	return false;
}

/* Takes the paths. */
static bool try_files(struct lt_lines *l, struct lt_object *o, struct lt_paths *p)
{
	bool found = false;

	for (size_t i = 0; i < p->n && !found; i++)
		found = try_file(l, o, p->paths[i]);
	lt_paths_destroy(p);
	return found;
}

/* Files of --debuginfo that were named when it was not known yet which modules are needed. */
static bool search_modules(struct lt_lines *l, struct lt_object *o)
{
	bool found = false;

	for (size_t i = 0; *o->name && i < l->modules.n && !found; i++)
		found = lt_file_of_module(l->modules.paths[i], o->name) &&
			try_file(l, o, l->modules.paths[i]);
	return found;
}

static bool search_trees(struct lt_lines *l, struct lt_object *o, size_t from, size_t to)
{
	struct lt_paths paths = { .n = 0 };

	for (size_t i = from; i < to; i++)
		lt_tree_find(&l->trees[i], *o->name ? o->name : NULL, o->id, &paths);
	return try_files(l, o, &paths);
}

static bool search_usual(struct lt_lines *l, struct lt_object *o)
{
	struct lt_paths paths = { .n = 0 };
	const char *root = l->root, *rel = l->release;
	char *debug = lt_format("%s/usr/lib/debug", root);

	lt_paths_by_id(debug, o->id, &paths);
	if (!*o->name && *rel) {
		lt_paths_add(&paths, "%s/boot/vmlinux-%s", debug, rel);
		lt_paths_add(&paths, "%s/lib/modules/%s/vmlinux", debug, rel);
		lt_paths_add(&paths, "%s/usr/lib/modules/%s/vmlinux", debug, rel);
		lt_paths_add(&paths, "%s/lib/modules/%s/build/vmlinux", root, rel);
		lt_paths_add(&paths, "%s/lib/modules/%s/vmlinux", root, rel);
		lt_paths_add(&paths, "%s/boot/vmlinux-%s", root, rel);
	}
	free(debug);
	if (try_files(l, o, &paths))
		return true;
	return *o->name && search_trees(l, o, l->n_given, l->n_trees);
}

bool lt_object_open(struct lt_lines *l, struct lt_object *o)
{
	char *path;
	bool found;

	if (o->debug || o->searched)
		return o->debug;
	o->searched = true;
	if (search_modules(l, o) || search_trees(l, o, 0, l->n_given) || search_usual(l, o))
		return true;
	path = l->debuginfod ? lt_debuginfod_find(o->id) : NULL;
	found = path && try_file(l, o, path);
	free(path);
	return found;
}

/* ------------------------------------------------------------------------
 * --debuginfo
 */

/* The object whose debug file this is; NULL: of none, with the reason. */
static struct lt_object *object_of(struct lt_lines *l, struct lt_debug *d, const char *path,
				   struct lt_why *why)
{
	struct lt_object *same = NULL, *named = NULL;

	for (size_t i = 0; i < l->n_objects && !same; i++) {
		struct lt_object *o = l->objects[i];

		if (*o->id && !strcmp(o->id, lt_debug_id(d)))
			same = o;
		else if (*o->name ? lt_file_of_module(path, o->name) : !lt_debug_is_module(d))
			named = named ? named : o;
	}
	if (same && fits(l, same, d, why))
		return same;
	if (!same && named && fits(l, named, d, why))
		return named;
	if (!same && !named)
		lt_why_set(why, "has the build id %s, which is that of no module of the trace",
			   lt_debug_id(d));
	return NULL;
}

/* A module of a trace without build ids is known by its name only, when it is asked for. */
static bool by_name(const struct lt_lines *l, struct lt_debug *d)
{
	return lt_debug_is_module(d) && !l->builds.n;
}

static bool take_file(struct lt_lines *l, const char *path)
{
	struct lt_why why = { "" };
	struct lt_debug *d = lt_debug_open(path, &why);
	struct lt_object *o = d && !by_name(l, d) ? object_of(l, d, path, &why) : NULL;

	if (o && !o->debug) {
		use(o, d);
		return true;
	}
	if (o || (d && by_name(l, d))) {
		if (!o)
			lt_paths_add(&l->modules, "%s", path);
		lt_debug_close(d);
		return true;
	}
	lt_error("--debuginfo: %s: %s", path, why.text);
	lt_debug_close(d);
	return false;
}

bool lt_lines_take_path(struct lt_lines *l, const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		lt_error("--debuginfo: %s: %s", path, strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode)) {
		l->trees = lt_realloc_array(l->trees, l->n_trees + 1, sizeof(*l->trees));
		lt_tree_init(&l->trees[l->n_trees++], path);
		return true;
	}
	return take_file(l, path);
}
