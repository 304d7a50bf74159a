// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kinds of rows and their columns, as the API has them.
 */
#include <string.h>

#include "api/internal.h"

/* Those that are made of events alone, which sums by minute and the row of the trace are not. */
static bool has_kind(size_t i)
{
	const char *name = lt_row_kinds[i].kind->name;

	return strcmp(name, "site_minute") && strcmp(name, "trace");
}

const struct lt_row_entry *lt_api_kind(const char *name)
{
	for (size_t i = 0; i < LT_N_ROW_KINDS; i++) {
		if (has_kind(i) && name && !strcmp(lt_row_kinds[i].kind->name, name))
			return &lt_row_kinds[i];
	}
	return NULL;
}

const char *lifetrace_kind(size_t i, const char **meaning)
{
	for (size_t k = 0; k < LT_N_ROW_KINDS; k++) {
		if (!has_kind(k) || i--)
			continue;
		if (meaning)
			*meaning = lt_row_kinds[k].kind->meaning;
		return lt_row_kinds[k].kind->name;
	}
	return NULL;
}

/* A task has columns for its parts. Source lines need debug files. */
bool lt_api_has(const struct lt_column *c)
{
	return c->type != LT_VALUE_TASK && c->type != LT_VALUE_COUNTS &&
	       !(c->marks & LT_COLUMN_IF_LINES);
}

enum lifetrace_type lt_api_type(enum lt_value_type type)
{
	if (LT_VALUE_IS_TEXT(type))
		return LIFETRACE_TEXT;
	if (type == LT_VALUE_SIGNED || type == LT_VALUE_INSTANT)
		return LIFETRACE_INT;
	return type >= LT_VALUE_RATE && type <= LT_VALUE_CHANCE ? LIFETRACE_REAL : LIFETRACE_UINT;
}

static const char *unit_of(enum lt_value_type type)
{
	switch (type) {
	case LT_VALUE_NS:
	case LT_VALUE_TIME:
	case LT_VALUE_INSTANT:
		return "ns";
	case LT_VALUE_BYTES:
	case LT_VALUE_SIZE:
		return "bytes";
	default:
		return "";
	}
}

void lt_api_describe_column(const struct lt_column *c, struct lifetrace_column *column)
{
	struct lifetrace_column all = {
		.name = c->name, .meaning = c->meaning, .unit = unit_of(c->type),
		.type = (int)lt_api_type(c->type),
		.flags = (c->marks & LT_COLUMN_NULL ? LIFETRACE_NULLABLE : 0U) |
			 (c->marks & LT_COLUMN_SECRET ? LIFETRACE_SECRET : 0U) |
			 (c->marks & LT_COLUMN_SECRET ? LIFETRACE_NULLABLE : 0U) |
			 (c->marks & LT_COLUMN_LINES ? LIFETRACE_CSV : 0U) |
			 (c->type == LT_VALUE_HEX ? LIFETRACE_HEX : 0U) |
			 (c->marks & LT_COLUMN_VARIED ? LIFETRACE_VARIED : 0U),
	};

	lt_api_give(column, &all, sizeof(all));
}

int lifetrace_column_at(const char *kind, size_t i, struct lifetrace_column *column)
{
	const struct lt_row_entry *e = lt_api_kind(kind);

	for (size_t k = 0; e && k < e->kind->n; k++) {
		const struct lt_column *c = &e->kind->columns[k];

		if (!lt_api_has(c) || i--)
			continue;
		lt_api_describe_column(c, column);
		return 1;
	}
	return 0;
}
