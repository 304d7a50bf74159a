// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of a report: the rows that have most of anything.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "page/internal.h"

/* What somebody may look for the greatest of. */
static const char *const ranks[] = {
	"bytes", "alive_bytes", "peak_bytes", "allocations", "slack_bytes", "maybe_alive_bytes",
};

#define N_RANKS	(sizeof(ranks) / sizeof(ranks[0]))

/* Takes the rows in turn from the lists of all ranks, until there are enough. */
void lt_page_rows_init(struct lt_page_rows *rows, struct lt_report *r,
		       const struct lt_timeline *time)
{
	struct lt_report_ctx c = { .r = r, .people = true };
	struct lt_report_row **lists[N_RANKS];
	bool *taken = lt_alloc(r->n_rows + 1);
	size_t n;

	*rows = (struct lt_page_rows){ .r = r, .time = time };
	rows->rows = lt_alloc_array(LT_PAGE_ROWS, sizeof(struct lt_report_row *));
	for (size_t k = 0; k < N_RANKS; k++)
		lists[k] = lt_report_sorted(r, &c, lt_report_column(r, ranks[k]), false, &n);
	rows->total = n;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < N_RANKS && rows->n < LT_PAGE_ROWS; k++) {
			if (taken[lists[k][i] - r->rows])
				continue;
			taken[lists[k][i] - r->rows] = true;
			rows->rows[rows->n++] = lists[k][i];
		}
	}
	for (size_t k = 0; k < N_RANKS; k++)
		free(lists[k]);
	free(taken);
}

void lt_page_rows_destroy(struct lt_page_rows *rows)
{
	free(rows->rows);
}

void lt_page_columns_json(struct lt_json *j, const struct lt_column *const *columns, size_t n)
{
	lt_json_array(j, "columns");
	for (size_t i = 0; i < n; i++)
		lt_json_word(j, NULL, columns[i]->name);
	lt_json_end(j);
}

void lt_page_values_json(struct lt_json *j, const struct lt_column *const *columns, size_t n,
			 const void *row, void *ctx)
{
	lt_json_break(j);
	lt_json_array(j, NULL);
	for (size_t i = 0; i < n; i++) {
		struct lt_value v = { .type = LT_VALUE_NONE };

		columns[i]->get(row, ctx, &v);
		lt_value_print(lt_json_value(j, NULL), LT_FORMAT_JSON, &v);
	}
	lt_json_end(j);
}

void lt_page_rows_json(struct lt_json *j, const char *name, const struct lt_page_rows *rows)
{
	const struct lt_column **columns;
	struct lt_report_ctx c = { .r = rows->r, .people = true };
	size_t n = lt_row_columns(lt_report_kind(rows->r->opts.by),
				  LT_COLUMN_LINES | lt_report_conditions(rows->r, false), &columns);

	lt_json_object(j, name);
	lt_page_columns_json(j, columns, n);
	lt_json_u64(j, "total_rows", rows->total);
	lt_json_array(j, "rows");
	for (size_t i = 0; i < rows->n; i++)
		lt_page_values_json(j, columns, n, rows->rows[i], &c);
	lt_json_end(j);
	lt_json_end(j);
	free(columns);
}

/* ------------------------------------------------------------------------
 * By time
 */

/* Without the zeros at the end. */
static void put_parts(struct lt_json *j, const uint64_t parts[LT_TIMELINE_PARTS])
{
	unsigned int n = LT_TIMELINE_PARTS;

	while (n && !parts[n - 1])
		n--;
	lt_json_array(j, NULL);
	for (unsigned int i = 0; i < n; i++)
		lt_json_u64(j, NULL, parts[i]);
	lt_json_end(j);
}

static void put_series(struct lt_json *j, const struct lt_timeline_row *row)
{
	lt_json_array(j, NULL);
	put_parts(j, row->births);
	put_parts(j, row->bytes);
	put_parts(j, row->ends);
	put_parts(j, row->ended_bytes);
	if (row->older) {
		lt_json_array(j, NULL);
		lt_json_u64(j, NULL, row->older);
		lt_json_u64(j, NULL, row->older_bytes);
		lt_json_end(j);
	}
	lt_json_end(j);
}

static void subtract(struct lt_timeline_row *from, const struct lt_timeline_row *row)
{
	for (unsigned int i = 0; i < LT_TIMELINE_PARTS; i++) {
		from->births[i] -= row->births[i];
		from->bytes[i] -= row->bytes[i];
		from->ends[i] -= row->ends[i];
		from->ended_bytes[i] -= row->ended_bytes[i];
	}
	from->older -= row->older;
	from->older_bytes -= row->older_bytes;
}

static const struct lt_timeline_row *by_time(const struct lt_page_rows *rows,
					     const struct lt_report_row *row)
{
	return rows->r->opts.by == LT_BY_SITE ? lt_timeline_row(&rows->time->sites, row->site) :
						lt_timeline_row(&rows->time->caches, row->cache);
}

/*
 * The first rows of the table, in its order, and last what is left. A cache or call site that is
 * not known has the key 0.
 */
void lt_page_series_json(struct lt_json *j, const char *name, const struct lt_page_rows *rows)
{
	struct lt_timeline_row rest = rows->time->all;

	lt_json_array(j, name);
	for (size_t i = 0; i < rows->n && i < LT_PAGE_SERIES; i++) {
		const struct lt_timeline_row *row = by_time(rows, rows->rows[i]);

		lt_json_break(j);
		if (!row) {
			lt_json_null(j, NULL);
			continue;
		}
		subtract(&rest, row);
		put_series(j, row);
	}
	lt_json_break(j);
	put_series(j, &rest);
	lt_json_end(j);
}

bool lt_page_growth(const struct lt_page_rows *rows, const struct lt_report_row *row,
		    int64_t *bytes)
{
	const struct lt_timeline_row *parts = by_time(rows, row);
	uint64_t sum = 0;

	if (!parts)
		return false;
	for (unsigned int i = LT_TIMELINE_PARTS / 2; i < LT_TIMELINE_PARTS; i++)
		sum += parts->bytes[i] - parts->ended_bytes[i];
	*bytes = (int64_t)sum;
	return true;
}

void lt_page_growth_json(struct lt_json *j, const char *name, const struct lt_page_rows *rows)
{
	lt_json_array(j, name);
	for (size_t i = 0; i < rows->n; i++) {
		int64_t bytes = 0;
		bool known = lt_page_growth(rows, rows->rows[i], &bytes);

		lt_json_s64_if(j, NULL, known, bytes);
	}
	lt_json_end(j);
}

/* ------------------------------------------------------------------------
 * Lifetimes
 */

static void put_powers(struct lt_json *j, const struct lt_hist *h, unsigned int from,
		       unsigned int to)
{
	lt_json_array(j, NULL);
	for (unsigned int i = from; i < to; i++)
		lt_json_u64(j, NULL, lt_hist_log2(h, i));
	lt_json_end(j);
}

#define N_AGES	20

/* The ages at which 5, 10, ... 95, 99 % have ended; an array that ends where none is known. */
static void put_survival(struct lt_json *j, const struct lt_report_row *row)
{
	double percents[N_AGES];
	uint64_t ns[N_AGES];
	size_t n;

	for (unsigned int i = 0; i < N_AGES - 1; i++)
		percents[i] = 5 * (i + 1);
	percents[N_AGES - 1] = 99;
	n = lt_report_percentiles(row, percents, N_AGES, ns);
	lt_json_array(j, NULL);
	for (size_t i = 0; i < n; i++)
		lt_json_u64(j, NULL, ns[i]);
	lt_json_end(j);
}

static void put_life(struct lt_json *j, const struct lt_report_row *row)
{
	unsigned int from = 0, to = 64;

	while (from < to && !lt_hist_log2(&row->life, from) && !lt_hist_log2(&row->ages, from))
		from++;
	while (to > from && !lt_hist_log2(&row->life, to - 1) && !lt_hist_log2(&row->ages, to - 1))
		to--;
	lt_json_array(j, NULL);
	lt_json_u64(j, NULL, from);
	put_powers(j, &row->life, from, to);
	put_powers(j, &row->ages, from, to);
	put_survival(j, row);
	lt_json_end(j);
}

/* First that of all, then those of the first rows of the table, in its order. */
void lt_page_lives_json(struct lt_json *j, const char *name, const struct lt_page_rows *rows)
{
	lt_json_array(j, name);
	put_life(j, &rows->r->all);
	for (size_t i = 0; i < rows->n && i < LT_PAGE_LIVES; i++) {
		lt_json_break(j);
		put_life(j, rows->rows[i]);
	}
	lt_json_end(j);
}
