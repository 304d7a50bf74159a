/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where debug files may be.
 */
#ifndef LT_LIB_LINES_FIND_H
#define LT_LIB_LINES_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* Paths of files, in the order in which they are to be tried. */
struct lt_paths {
	char **paths;
	size_t n;
	size_t cap;
};

void lt_paths_destroy(struct lt_paths *p);

/**
 * struct lt_tree - the files in a directory, at any depth, that could be debug files
 * @dir: the directory
 * @read: the files were looked for, at the first use
 */
struct lt_tree {
	char *dir;
	bool read;
	struct lt_paths files;
};

void lt_tree_init(struct lt_tree *t, const char *dir);
void lt_tree_destroy(struct lt_tree *t);

/**
 * lt_tree_find() - files of a tree that could be the debug file of a build
 * @module: name of the module; NULL: the kernel
 * @id: its build id; empty: not known
 * @to: those of the build id and the name come first
 */
void lt_tree_find(struct lt_tree *t, const char *module, const char *id, struct lt_paths *to);

/* DIR/.build-id/xx/yyyy.debug, if there is such a file. */
void lt_paths_by_id(const char *dir, const char *id, struct lt_paths *to);

/* Adds a path, made as by sprintf(), if there is a file. */
void lt_paths_add(struct lt_paths *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Whether the name of a file is that of a module: "nf-nat.ko.debug" is of nf_nat. */
bool lt_file_of_module(const char *path, const char *module);

/**
 * lt_debuginfod_find() - ask the servers of DEBUGINFOD_URLS for the debug file of a build
 * @id: the build id in hexadecimal digits
 * Return: its path, to be freed; NULL: there is none, or no server is set, or libdebuginfod
 * is not installed.
 */
char *lt_debuginfod_find(const char *id);

#endif /* LT_LIB_LINES_FIND_H */
