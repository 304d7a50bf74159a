/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LT_LIB_LINES_DEBUG_INTERNAL_H
#define LT_LIB_LINES_DEBUG_INTERNAL_H

#include "lines/debug.h"
#include "lines/dw.h"

/**
 * struct lt_debug - an open debug file
 * @root: the directory of the source tree, with a slash at its end; NULL: not known (yet)
 */
struct lt_debug {
	const struct lt_dw *dw;
	char *path;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	bool module;
	char id[LT_BUILD_HEX];
	char *root;
};

#endif /* LT_LIB_LINES_DEBUG_INTERNAL_H */
