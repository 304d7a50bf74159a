// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions that are not recorded, whatever is fetched of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fetch/internal.h"

/* A variant of the function that the compiler made, "NAME.isra.0", or NULL. */
static const char *variant_of(const struct lt_fetch *f, const struct lt_fetch_entry *e)
{
	static const char *const kinds[] = { "isra", "constprop", "part", "cold" };
	char name[LT_SPEC_NAME + 32];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct lt_fetch_entry *v;

		for (unsigned int n = 0; n < 3; n++) {
			snprintf(name, sizeof(name), "%.127s.%s.%u", e->name, kinds[i], n);
			v = lt_fetch_find(f, name, e->module);
			if (v && v->n_symbols)
				return v->name;
		}
	}
	return NULL;
}

enum lt_fetch_reason lt_fetch_refusal(const struct lt_fetch *f, const struct lt_fetch_entry *e,
				      char **detail)
{
	const char *variant;

	*detail = NULL;
	if (f->has_symbols && !e->n_symbols) {
		variant = variant_of(f, e);
		*detail = variant ? lt_format("the kernel has %s", variant) : lt_strdup("");
		return LT_FETCH_ABSENT;
	}
	if (e->n_symbols > 1) {
		*detail = lt_format("%u%s symbols", e->n_symbols,
				    e->n_symbols == UINT8_MAX ? " or more" : "");
		return LT_FETCH_TWICE;
	}
	if (f->has_traceable && !e->traceable) {
		*detail = lt_strdup("");
		return LT_FETCH_NOTRACE;
	}
	return LT_FETCH_NONE;
}
