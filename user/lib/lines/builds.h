/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The block BUILDS of a trace: build ids, and where the code of modules is.
 */
#ifndef LT_LIB_LINES_BUILDS_H
#define LT_LIB_LINES_BUILDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_BUILD_ID	64		/* bytes of the longest build id */
#define LT_BUILD_HEX	(2 * LT_BUILD_ID + 1)
#define LT_BUILD_NAME	64

struct lt_section {
	char *name;
	uint64_t addr;
};

/**
 * struct lt_build - the kernel, or a module where it was loaded
 * @name: of the module; empty: the kernel
 * @id: its build id in hexadecimal digits; empty: not known
 * @sections: where its code is; of the kernel none
 */
struct lt_build {
	char name[LT_BUILD_NAME];
	char id[LT_BUILD_HEX];
	struct lt_section *sections;
	size_t n_sections;
	size_t cap_sections;
};

struct lt_builds {
	struct lt_build *builds;
	size_t n;
	size_t cap;
};

/* Adds those of a text; lines that are not as format.rst says are skipped. */
void lt_builds_add(struct lt_builds *b, const char *text);
void lt_builds_destroy(struct lt_builds *b);

/* Whether @id is a build id in hexadecimal digits; one of one byte is none. */
bool lt_build_id_valid(const char *id);

#endif /* LT_LIB_LINES_BUILDS_H */
