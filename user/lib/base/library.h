/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Libraries that are loaded when they are needed, so that the tool runs without them.
 */
#ifndef LT_BASE_LIBRARY_H
#define LT_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/why.h"

/**
 * struct lt_library - a library
 * @file: its name
 * @package: which has it in Debian
 * @version: the first one that has all functions; NULL: each has
 * @names: of its functions that are needed, @n of them
 */
struct lt_library {
	const char *file;
	const char *package;
	const char *version;
	const char *const *names;
	size_t n;
};

/**
 * lt_library_load() - load a library
 * @functions: a struct of @n pointers to functions, in the order of the names; unchanged on failure
 *
 * Return: whether it is loaded, and has all functions; if not, @why says what is wrong. It stays
 * loaded.
 */
bool lt_library_load(const struct lt_library *l, void *functions, struct lt_why *why);

#endif /* LT_BASE_LIBRARY_H */
