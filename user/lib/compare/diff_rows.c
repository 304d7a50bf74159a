// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rows of a difference, found by their names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "compare/diff.h"

/**
 * struct lt_diff_rows - rows in the making
 * @names: "CACHE\0SITE"; the number of a name is that of its row, plus 1
 */
struct lt_diff_rows {
	struct lt_names names;
	struct lt_diff_row *rows;
	size_t n;
	size_t cap;
	size_t n_runs;
};

struct lt_diff_rows *lt_diff_rows_new(size_t n_runs)
{
	struct lt_diff_rows *r = lt_alloc(sizeof(*r));

	lt_names_init(&r->names);
	r->n_runs = n_runs;
	return r;
}

struct lt_diff_row *lt_diff_rows_get(struct lt_diff_rows *r, const char *cache, const char *site)
{
	size_t len = strlen(cache) + 1 + strlen(site);
	char *name = lt_format("%s%c%s", cache, 0, site);
	uint32_t number = lt_names_add(&r->names, name, len);
	struct lt_diff_row *row;

	free(name);
	if (number <= r->n)
		return &r->rows[number - 1];
	r->rows = lt_grow(r->rows, &r->cap, r->n, sizeof(*r->rows));
	row = &r->rows[r->n++];
	*row = (struct lt_diff_row){ .cache = lt_strdup(cache), .site = lt_strdup(site),
				     .lifetimes_p = NAN };
	for (int i = 0; i < LT_N_DIFFS; i++)
		row->p[i] = NAN;
	for (int side = LT_OLD; side <= LT_NEW; side++) {
		lt_hist_init(&row->ended[side]);
		lt_hist_init(&row->alive[side]);
	}
	row->values = lt_alloc_array(r->n_runs * LT_N_DIFFS, sizeof(*row->values));
	return row;
}

struct lt_diff_row *lt_diff_rows_take(struct lt_diff_rows *r, size_t *n)
{
	struct lt_diff_row *rows = r->rows;

	*n = r->n;
	lt_names_destroy(&r->names);
	free(r);
	return rows;
}

void lt_diff_row_destroy(struct lt_diff_row *row)
{
	for (int side = LT_OLD; side <= LT_NEW; side++) {
		lt_hist_destroy(&row->ended[side]);
		lt_hist_destroy(&row->alive[side]);
	}
	free(row->cache);
	free(row->site);
	free(row->values);
}
