// SPDX-License-Identifier: GPL-2.0
/*
 * Which columns of a kind of row a table has.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/str.h"
#include "forms/columns.h"
#include "forms/screen.h"
#include "forms/words.h"

static bool is_unit(const char *s)
{
	return !strcmp(s, "_ns") || !strcmp(s, "_bytes") || !strcmp(s, "_per_s") ||
	       !strcmp(s, "_percent");
}

/* What a column may be called: by its name, by that without its unit, or as text is headed. */
enum called { BY_NAME, WITHOUT_UNIT, BY_HEADER, N_CALLED };

static bool is_called(const struct lt_column *c, const char *name, enum called called)
{
	size_t len = strlen(name);

	switch (called) {
	case BY_NAME:
		return !strcmp(c->name, name);
	case WITHOUT_UNIT:
		return !strncmp(c->name, name, len) && is_unit(c->name + len);
	default:
		return *name && c->header && !strcmp(c->header, name);
	}
}

const struct lt_column *lt_columns_find(const struct lt_row_kind *kind, unsigned int conditions,
					const char *name)
{
	for (int called = BY_NAME; called < N_CALLED; called++) {
		for (size_t i = 0; i < kind->n; i++) {
			const struct lt_column *c = &kind->columns[i];

			if (lt_column_is_there(c, conditions) &&
			    is_called(c, name, (enum called)called))
				return c;
		}
	}
	return NULL;
}

#define LIST_WIDTH	96

static void list(const struct lt_row_kind *kind, unsigned int conditions)
{
	struct lt_str line = { .n = 0 };

	for (size_t i = 0; i < kind->n; i++) {
		const char *name = kind->columns[i].name;

		if (!lt_column_is_there(&kind->columns[i], conditions))
			continue;
		if (line.n && line.n + strlen(name) > LIST_WIDTH) {
			lt_error(" %s", line.s);
			line.n = 0;
		}
		lt_str_add(&line, " %s", name);
	}
	if (line.n)
		lt_error(" %s", line.s);
	free(line.s);
}

/* A column that is there under other conditions, or none. */
static void report(const struct lt_row_kind *kind, unsigned int conditions, const char *option,
		   const char *name)
{
	const struct lt_column *c = lt_columns_find(kind, LT_COLUMN_CONDITIONS, name);
	struct lt_nearest near;
	char hint[256];

	if (c) {
		lt_error("--%s: there is a column '%s' only %s", option, c->name,
			 c->marks & LT_COLUMN_IF_LINES ? "with --lines" :
			 c->marks & LT_COLUMN_IF_STACKS ? "of a trace with stacks" :
			 "of a trace that is a sample, or has a sample of the stacks");
		return;
	}
	lt_nearest_init(&near, name);
	for (size_t i = 0; i < kind->n; i++)
		lt_nearest_try(&near, kind->columns[i].name);
	lt_error("--%s: there is no column '%s'%s The columns are:", option, name,
		 lt_nearest_hint(&near, ".", hint, sizeof(hint)));
	list(kind, conditions);
}

const struct lt_column *lt_columns_named(const struct lt_row_kind *kind, unsigned int conditions,
					 const char *option, const char *name)
{
	const struct lt_column *c = lt_columns_find(kind, conditions, name);

	if (!c)
		report(kind, conditions, option, name);
	return c;
}

void lt_columns_offer(const struct lt_row_kind *kind, bool list)
{
	if (!lt_words_asked())
		return;
	for (size_t i = 0; i < kind->n; i++) {
		if (lt_column_is_there(&kind->columns[i], LT_COLUMN_CONDITIONS))
			lt_words_give(kind->columns[i].name, list);
	}
	lt_words_end();
}

const struct lt_column *lt_columns_sort(const struct lt_row_kind *kind, const char *name)
{
	return lt_columns_named(kind, LT_COLUMN_CONDITIONS, "sort", name);
}

/*
 * The columns of names that are separated by commas. @option: reports a name that is no column, or
 * stands twice; NULL: passes over these. Return: how many; 0 after a report.
 */
static size_t parse(const struct lt_row_kind *kind, unsigned int conditions, const char *option,
		    const char *names, const struct lt_column **columns)
{
	char *copy = lt_strdup(names), *rest = copy, *name;
	size_t n = 0;

	while ((name = strsep(&rest, ","))) {
		const struct lt_column *c = option ?
			lt_columns_named(kind, conditions, option, name) :
			lt_columns_find(kind, conditions, name);

		bool twice = false;

		for (size_t i = 0; i < n; i++)
			twice |= columns[i] == c;
		if (twice && option)
			lt_error("--%s: the column '%s' stands there twice", option, c->name);
		if (option && (!c || twice)) {
			n = 0;
			break;
		}
		if (c && !twice)
			columns[n++] = c;
	}
	free(copy);
	return n;
}

bool lt_columns_check(const struct lt_row_kind *kind, unsigned int conditions, const char *names)
{
	const struct lt_column **columns = lt_alloc_array(kind->n + 1, sizeof(*columns));
	size_t n = parse(kind, conditions, "columns", names, columns);

	free(columns);
	return n;
}

void lt_table_columns(struct lt_table *t, const struct lt_row_kind *kind, unsigned int conditions,
		      const char *names)
{
	t->owned = lt_alloc_array(kind->n + 1, sizeof(*t->owned));
	t->columns = t->owned;
	t->n_columns = 0;
	t->name = kind->name;
	if (!names && t->format == LT_FORMAT_TEXT)
		names = kind->people;
	if (names) {
		t->n_columns = parse(kind, conditions, NULL, names, t->owned);
		return;
	}
	free(t->owned);
	t->n_columns = lt_row_columns(kind, LT_COLUMN_LINES | conditions, &t->owned);
	t->columns = t->owned;
}

/* ------------------------------------------------------------------------
 * The columns as a table
 */

static const char *type_name(enum lt_value_type type)
{
	static const char *const names[] = {
		[LT_VALUE_COUNT] = "count", [LT_VALUE_SIGNED] = "number", [LT_VALUE_BYTES] = "bytes",
		[LT_VALUE_NS] = "ns", [LT_VALUE_TIME] = "time in ns", [LT_VALUE_HEX] = "hexadecimal",
		[LT_VALUE_RATE] = "a second", [LT_VALUE_PERCENT] = "percent",
		[LT_VALUE_NUMBER] = "number", [LT_VALUE_BOOL] = "yes or no",
		[LT_VALUE_LIST] = "texts", [LT_VALUE_COUNTS] = "counts",
		[LT_VALUE_INSTANT] = "time in ns", [LT_VALUE_STACK] = "texts",
	};
	size_t n = sizeof(names) / sizeof(names[0]);

	return (size_t)type < n && names[type] ? names[type] : "text";
}

#define COLUMN(C, G)	\
	C(name, "name", "column", TEXT, A, true, column->name, "name of the column")	\
	C(type, "type", "type", TEXT, A, true, type_name(column->type), "what its values are")	\
	C(meaning, "meaning", "meaning", TEXT, A, true, column->meaning, "what it is")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_column, column, void, ctx, TYPE, known, value)

COLUMN(GETTER, )
static const struct lt_column column_columns[] = { COLUMN(LT_SCREEN_COLUMN, ) };
static const struct lt_row_kind columns_kind = {
	.name = "columns", .meaning = "a column of a table", .columns = column_columns,
	.n = sizeof(column_columns) / sizeof(column_columns[0]),
};

void lt_columns_help(const struct lt_row_kind *kind, unsigned int conditions, struct lt_out *out,
		     enum lt_format format)
{
	struct lt_table t = { .out = out, .format = format };

	lt_table_columns(&t, &columns_kind, 0, NULL);
	lt_table_begin(&t);
	for (size_t i = 0; i < kind->n; i++) {
		if (lt_column_is_there(&kind->columns[i], conditions))
			lt_table_row(&t, &kind->columns[i]);
	}
	lt_table_end(&t);
}
