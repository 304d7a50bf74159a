// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Libraries that are loaded when they are needed.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"

static bool find_all(const struct lt_library *l, void *handle, void **symbols, struct lt_why *why)
{
	for (size_t i = 0; i < l->n; i++) {
		/* Also of the libraries that it needs. */
		symbols[i] = dlsym(handle, l->names[i]);
		if (symbols[i])
			continue;
		lt_why_set(why, "%s has no function %s%s%s%s", l->file, l->names[i],
			   l->version ? ": version " : "", l->version ? l->version : "",
			   l->version ? " or later is needed" : "");
		return false;
	}
	return true;
}

bool lt_library_load(const struct lt_library *l, void *functions, struct lt_why *why)
{
	void *handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL), **symbols;
	bool found;

	if (!handle) {
		lt_why_set(why, "%s cannot be loaded (Debian: apt install %s)", l->file,
			   l->package);
		return false;
	}
	symbols = lt_alloc_array(l->n, sizeof(*symbols));
	found = find_all(l, handle, symbols, why);
	/* C has no conversion of a pointer to data, which dlsym() returns, to one to a function. */
	if (found)
		memcpy(functions, symbols, l->n * sizeof(*symbols));
	else
		dlclose(handle);
	free(symbols);
	return found;
}
