/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source lines of code addresses of a trace, from debug files of the very builds that ran.
 *
 * Debug files are read by libdw (elfutils), which is loaded when it is needed first. Lines that
 * were found are kept in a cache, by build id: a second report opens no debug file.
 */
#ifndef LT_LIB_LINES_H
#define LT_LIB_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lt_lines;
struct lt_trace;

/**
 * struct lt_frame - a function that is in the call chain of an address
 * @function: its name by the debug file; NULL: not known
 * @file: relative to the source tree, where that is known; NULL: not known
 * @line: of an inlined function's caller, that of the call
 */
struct lt_frame {
	const char *function;
	const char *file;
	uint32_t line;
};

/**
 * struct lt_place - where an address is
 * @n: frames, at least 1: those of inlined functions, the innermost first; the last one is
 *	that of the function which the symbol of the address names
 */
struct lt_place {
	size_t n;
	struct lt_frame frames[];
};

/**
 * struct lt_lines_spec - where to look for debug files
 * @paths: files, and directories with files at any depth
 * @cache: directory of the cache; NULL: none
 * @debuginfod: ask the servers that the environment names (DEBUGINFOD_URLS)
 * @root: what stands before the usual places; "" but in tests
 */
struct lt_lines_spec {
	const char *const *paths;
	size_t n_paths;
	const char *cache;
	bool debuginfod;
	const char *root;
};

/* Whether this program was built with the headers of libdw, and could load it. */
bool lt_lines_built(void);

/**
 * lt_lines_new() - source lines of a trace
 * @t: the trace, which must stay
 * @spec: is copied
 * Return: NULL, after lt_error(), if one of the paths does not exist, or is a file that is no
 * debug file of the kernel of the trace, or of one of its modules.
 */
struct lt_lines *lt_lines_new(const struct lt_trace *t, const struct lt_lines_spec *spec);

/**
 * lt_lines_find() - the place of a return address
 * @l: the lines
 * @addr: a call site: the address of the instruction behind the call
 * Return: NULL: not known. Valid until lt_lines_free().
 */
const struct lt_place *lt_lines_find(struct lt_lines *l, uint64_t addr);

/**
 * lt_lines_finish() - keep what was found in the cache, and say what was not
 * By lt_warn(): for which of kernel and modules no debug file was found, and how to get one.
 */
void lt_lines_finish(struct lt_lines *l);

void lt_lines_free(struct lt_lines *l);

/* How many addresses were looked up in debug files, and how many were in the cache. */
void lt_lines_counts(const struct lt_lines *l, size_t *resolved, size_t *cached);

#endif /* LT_LIB_LINES_H */
