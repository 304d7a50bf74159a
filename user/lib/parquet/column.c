// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The values of a column, until their group of rows is written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "parquet/internal.h"

void lt_column_init(struct lt_column *c, const struct lt_parquet_column *desc)
{
	*c = (struct lt_column){
		.desc = desc, .min = INT64_MAX, .max = INT64_MIN,
		.has_levels = desc->optional || desc->type == LT_PARQUET_INTS,
	};
	if (desc->type == LT_PARQUET_STRING)
		lt_names_init(&c->texts);
}

void lt_column_destroy(struct lt_column *c)
{
	if (c->desc->type == LT_PARQUET_STRING)
		lt_names_destroy(&c->texts);
	free(c->ints);
	free(c->index);
	free(c->def);
	free(c->rep);
}

void lt_column_clear(struct lt_column *c)
{
	if (c->desc->type == LT_PARQUET_STRING) {
		lt_names_destroy(&c->texts);
		lt_names_init(&c->texts);
	}
	c->n = 0;
	c->n_levels = 0;
	c->nulls = 0;
	c->min = INT64_MAX;
	c->max = INT64_MIN;
}

static __attribute__((noinline)) void grow_levels(struct lt_column *c)
{
	c->cap_levels = c->cap_levels ? 2 * c->cap_levels : 1024;
	c->def = lt_realloc_array(c->def, c->cap_levels, sizeof(*c->def));
	if (c->desc->type == LT_PARQUET_INTS)
		c->rep = lt_realloc_array(c->rep, c->cap_levels, sizeof(*c->rep));
}

/* Columns that have a value in each row need no levels. */
static inline void add_level(struct lt_column *c, uint32_t def, uint32_t rep)
{
	if (!c->has_levels)
		return;
	if (c->n_levels == c->cap_levels)
		grow_levels(c);
	c->def[c->n_levels] = def;
	if (c->rep)
		c->rep[c->n_levels] = rep;
	c->n_levels++;
}

void lt_column_int(struct lt_column *c, int64_t v, bool further)
{
	if (c->n == c->cap)
		c->ints = lt_grow(c->ints, &c->cap, c->n, sizeof(*c->ints));
	c->ints[c->n++] = v;
	c->min = v < c->min ? v : c->min;
	c->max = v > c->max ? v : c->max;
	add_level(c, 1, further);
}

/* Whether the latest text of the column is this one, too. */
static inline bool is_latest(const struct lt_column *c, const char *s, size_t len)
{
	const char *latest;
	size_t n;

	if (!c->n)
		return false;
	latest = lt_names_get(&c->texts, c->index[c->n - 1], &n);
	return n == len && !memcmp(latest, s, len);
}

/* Many columns have one text in row after row, for which no hash is needed. */
void lt_column_string(struct lt_column *c, const char *s, size_t len)
{
	uint32_t number = is_latest(c, s, len) ? c->index[c->n - 1] :
			  lt_names_add(&c->texts, s, len);

	if (c->n == c->cap)
		c->index = lt_grow(c->index, &c->cap, c->n, sizeof(*c->index));
	c->index[c->n++] = number;
	add_level(c, 1, 0);
}

void lt_column_none(struct lt_column *c)
{
	c->nulls++;
	add_level(c, 0, 0);
}
