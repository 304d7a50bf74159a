// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Columns of lifetimes.
 */
#include <stdio.h>

#include "lifetimes/read.h"
#include "rows/internal.h"
#include "rows/lifetime.h"
#include "rows/place.h"

static bool lt_row_has_stack(const struct lt_lifetime_ctx *c, const struct lt_moment *m)
{
	return m->known && lt_trace_stack(c->trace, m->stack).n;
}

static const struct lt_place *lt_row_place(const struct lt_lifetime_ctx *c,
					   const struct lt_moment *m)
{
	return c->lines && m->known && m->call_site ? lt_lines_find(c->lines, m->call_site) : NULL;
}

static const char *lt_row_inlined(struct lt_lifetime_ctx *c, const struct lt_place *p)
{
	return lt_place_list(p, c->text, sizeof(c->text));
}

static const char *lt_row_why(struct lt_lifetime_ctx *c, const struct lt_lifetime *l)
{
	const char *text = l->why == LT_WHY_LOST && c->lost ? c->lost(c->arg, l) : NULL;

	if (text)
		return text;
	text = lt_cause_text((enum lt_cause)l->why);
	if (!l->unwatched)
		return text;
	/* Many in a row have the same reason, and names of events are kept once. */
	if (c->why_unwatched != l->unwatched || c->why_cause != l->why) {
		snprintf(c->why, sizeof(c->why), "%s: %s", text, l->unwatched);
		c->why_unwatched = l->unwatched;
		c->why_cause = l->why;
	}
	return c->why;
}

#define GETTER(id, name, TYPE, marks, known, value, meaning)			\
	LT_ROW_GETTER(id, struct lt_lifetime, l, struct lt_lifetime_ctx, c, TYPE, known, value)

LT_ROW_LIFETIME(GETTER)

static const struct lt_column lifetime_columns[] = { LT_ROW_LIFETIME(LT_ROW_COLUMN) };

LT_ROW_KIND(lifetime, "lifetime", "an allocation, from its birth to its end");
