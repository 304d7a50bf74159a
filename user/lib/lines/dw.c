// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Loading libdw.
 */
#include "lines/lines.h"

#ifdef LT_HAVE_LIBDW

#include "base/library.h"
#include "lines/dw.h"

const struct lt_dw *lt_dw_load(struct lt_why *why)
{
	static struct lt_dw functions;
	static bool loaded;
#define NAME(name)	#name,
	/* Functions of libelf are found through libdw, which needs it. */
	static const char *const names[] = { LT_DW_FUNCTIONS(NAME) };
	static const struct lt_library libdw = {
		.file = "libdw.so.1", .package = "libdw1", .names = names,
		.n = sizeof(functions) / sizeof(functions.dwarf_child),
	};

	if (!loaded)
		loaded = lt_library_load(&libdw, &functions, why);
	return loaded ? &functions : NULL;
}

bool lt_lines_built(void)
{
	return true;
}

#else /* LT_HAVE_LIBDW */

bool lt_lines_built(void)
{
	return false;
}

#endif /* LT_HAVE_LIBDW */
