/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines that were found for one build, kept in a file with the name of its build id.
 *
 * The file is text: a line "lifetrace-lines 1 BUILDID CRC", the CRC-32C of all that follows in
 * eight hexadecimal digits; then for each address a line "WHERE OFFSET N", WHERE being a section
 * or symbol and OFFSET hexadecimal, and N lines "LINE\tFILE\tFUNCTION", the innermost frame
 * first. A name that is not known is empty. A file that is not so is ignored, and replaced.
 */
#ifndef LT_LIB_LINES_CACHE_H
#define LT_LIB_LINES_CACHE_H

#include "base/map.h"
#include "lines/lines.h"

/**
 * struct lt_cached - the place of an address
 * @where: a section or symbol
 * @offset: from there
 * @place: NULL: the debug file has no line for it
 */
struct lt_cached {
	char *where;
	uint64_t offset;
	struct lt_place *place;
};

struct lt_line_cache {
	char *path;		/* NULL: it is not kept */
	char id[2 * 64 + 1];
	struct lt_cached *entries;
	size_t n;
	size_t cap;
	size_t n_saved;		/* those that the file has */
	struct lt_map map;
	uint64_t seed;
};

/**
 * lt_line_cache_init() - read the cache of a build
 * @dir: the directory of all caches; NULL: none is read or kept
 * @id: the build id; empty: none is read or kept
 */
void lt_line_cache_init(struct lt_line_cache *c, const char *dir, const char *id);
void lt_line_cache_destroy(struct lt_line_cache *c);

/* Takes what the text of a file says, into an empty cache. False, and it stays empty: damaged. */
bool lt_line_cache_parse(struct lt_line_cache *c, const char *text, size_t size);

/* NULL: it is not in the cache. */
const struct lt_cached *lt_line_cache_find(const struct lt_line_cache *c, const char *where,
					   uint64_t offset);

/* Takes @place; NULL: there is no line. Return: the entry, valid until the next call. */
const struct lt_cached *lt_line_cache_add(struct lt_line_cache *c, const char *where,
					  uint64_t offset, struct lt_place *place);

/* Replaces the file, if there is something new; after lt_warn() where that fails. */
void lt_line_cache_save(struct lt_line_cache *c);

void lt_place_free(struct lt_place *p);

#endif /* LT_LIB_LINES_CACHE_H */
