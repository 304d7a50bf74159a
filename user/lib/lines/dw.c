// SPDX-License-Identifier: GPL-2.0
/*
 * Loading libdw.
 */
#include "lines/lines.h"

#ifdef LT_HAVE_LIBDW

#include <dlfcn.h>
#include <string.h>

#include "lines/dw.h"

#define LIBRARY	"libdw.so.1"

static bool find(void *handle, const char *name, void *to, size_t size, struct lt_why *why)
{
	/* Symbols of libelf are found through libdw, which needs it. */
	void *symbol = dlsym(handle, name);

	if (!symbol) {
		lt_why_set(why, LIBRARY " has no function %s", name);
		return false;
	}
	memcpy(to, &symbol, size);
	return true;
}

const struct lt_dw *lt_dw_load(struct lt_why *why)
{
	static struct lt_dw functions;
	static bool loaded;
	void *handle;

	if (loaded)
		return &functions;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		lt_why_set(why, LIBRARY " cannot be loaded (Debian: apt install libdw1)");
		return NULL;
	}
#define F(name)	if (!find(handle, #name, &functions.name, sizeof(functions.name), why)) {	\
			dlclose(handle);						\
			return NULL;							\
		}
	LT_DW_FUNCTIONS(F)
#undef F
	loaded = true;
	return &functions;
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
