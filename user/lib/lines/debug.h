/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A debug file: an ELF file of a kernel or of a module, with DWARF.
 */
#ifndef LT_LIB_LINES_DEBUG_H
#define LT_LIB_LINES_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/why.h"
#include "lines/builds.h"

#define LT_MAX_FRAMES	32	/* of an address */

struct lt_debug;

/* What lt_debug_resolve() finds; texts are valid until its next call. */
struct lt_debug_frame {
	const char *function;	/* NULL: not known */
	char *file;		/* of malloc(); NULL: not known */
	uint32_t line;
};

/**
 * lt_debug_open() - open a debug file
 * @path: a regular file; another kind is refused, without waiting
 * @why: why not
 * Return: NULL: it cannot be used, or this program was built without libdw.
 */
struct lt_debug *lt_debug_open(const char *path, struct lt_why *why);
void lt_debug_close(struct lt_debug *d);

const char *lt_debug_path(const struct lt_debug *d);
/* Its build id in hexadecimal digits; empty: it has none. */
const char *lt_debug_id(const struct lt_debug *d);
/* Whether it is a module: its code is in sections whose places are chosen at load. */
bool lt_debug_is_module(const struct lt_debug *d);
/* Whether it says itself of which kernel release it is (debug files without code do not). */
bool lt_debug_release(const struct lt_debug *d, char *release, size_t size);
/* False, with the reason: it has no DWARF, so no lines. */
bool lt_debug_has_lines(struct lt_debug *d, struct lt_why *why);

/* The address in the file of a section, or of the only symbol with a name. */
bool lt_debug_section(struct lt_debug *d, const char *name, uint64_t *addr);
bool lt_debug_symbol(struct lt_debug *d, const char *name, uint64_t *addr);

/**
 * lt_debug_resolve() - the functions and lines at an address
 * @addr: in the file
 * @frames: the innermost first; the caller frees their files
 * Return: their number, 0: not known.
 */
size_t lt_debug_resolve(struct lt_debug *d, uint64_t addr,
			struct lt_debug_frame frames[LT_MAX_FRAMES]);

#endif /* LT_LIB_LINES_DEBUG_H */
