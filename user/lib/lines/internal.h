/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LT_LIB_LINES_INTERNAL_H
#define LT_LIB_LINES_INTERNAL_H

#include "base/intern.h"
#include "lines/builds.h"
#include "lines/cache.h"
#include "lines/debug.h"
#include "lines/find.h"
#include "lines/lines.h"

/**
 * struct lt_object - the kernel, or a module, with its debug file
 * @name: of the module; empty: the kernel
 * @id: its build id; empty: not known
 * @debug: NULL: none is open
 * @searched: all places were looked at
 * @wanted: lines of it were asked for and could not be given
 * @cached: its cache was read
 * @base: the address in @debug of @base_of, which was asked for last
 * @why: why a file that was found is not used; empty: none was found
 */
struct lt_object {
	char name[LT_BUILD_NAME];
	char id[LT_BUILD_HEX];
	struct lt_debug *debug;
	bool searched;
	bool wanted;
	bool cached;
	struct lt_line_cache cache;
	char *base_of;
	uint64_t base;
	bool base_known;
	struct lt_why why;
};

struct lt_lines {
	const struct lt_trace *t;
	struct lt_builds builds;
	char release[256];		/* of the kernel; empty: not known */
	char *root;
	char *cache_dir;
	bool debuginfod;
	struct lt_paths modules;	/* files of modules, of a trace without build ids */
	struct lt_tree *trees;		/* of --debuginfo; then the usual ones */
	size_t n_trees;
	size_t n_given;			/* of those, of --debuginfo */
	struct lt_object **objects;	/* [0] is the kernel */
	size_t n_objects;
	size_t cap_objects;
	bool have_stext;
	uint64_t stext;
	struct lt_intern addrs;
	const struct lt_place **places;	/* by number of the address */
	bool *known;
	size_t n_places;
	size_t n_known;
	size_t resolved;
	size_t from_cache;
};

/* search.c */
/* Opens the debug file of an object, at the first call. False: there is none. */
bool lt_object_open(struct lt_lines *l, struct lt_object *o);
/* Takes a file or directory of --debuginfo. False: after lt_error(). */
bool lt_lines_take_path(struct lt_lines *l, const char *path);
/* The object of a name and build id; a new one if there is none. */
struct lt_object *lt_object_get(struct lt_lines *l, const char *name, const char *id);

#endif /* LT_LIB_LINES_INTERNAL_H */
