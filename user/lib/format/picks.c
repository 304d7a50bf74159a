// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "base/mem.h"
#include "format/picks.h"

void lt_picks_init(struct lt_picks *p, const char *const *names, unsigned int n, uint64_t arrays)
{
	*p = (struct lt_picks){ .names = names, .n = n, .arrays = arrays };
}

void lt_picks_destroy(struct lt_picks *p)
{
	for (size_t i = 0; i < LT_SCHEMA_IDS; i++)
		free(p->of[i]);
}

const struct lt_picked *lt_picks_of(struct lt_picks *p, const struct lt_event_desc *d)
{
	struct lt_picked *of = p->of[d->id];

	if (of)
		return of;
	of = lt_alloc(sizeof(*of) + p->n * sizeof(of->fields[0]));
	p->of[d->id] = of;
	of->desc = d;
	for (unsigned int i = 0; i < p->n; i++) {
		const struct lt_field *f = lt_schema_field(d, p->names[i]);
		bool array = i < 64 && p->arrays >> i & 1;
		bool chars = f && f->type == LT_TYPE_CHARS;

		if (f && (array ? chars || f->size == 1 : !chars && f->count == 1))
			of->fields[i] = f;
	}
	return of;
}
