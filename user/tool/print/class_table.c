// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the counters of classes, as text for people.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "print/class_table.h"

#define NAME	18	/* characters of the name of a class */

static const struct {
	const char *header;
	int width;
} columns[LT_N_CLASS_COLUMNS] = {
	[LT_CLASS_SEEN] = { "seen", 13 }, [LT_CLASS_RECORDS] = { "records", 13 },
	[LT_CLASS_FULL] = { "lost: full", 11 }, [LT_CLASS_NMI] = { "nmi", 9 },
	[LT_CLASS_NESTED] = { "nested", 9 }, [LT_CLASS_NOBUF] = { "no buffer", 9 },
	[LT_CLASS_FILTERED] = { "filtered", 11 }, [LT_CLASS_OVERWRITTEN] = { "overwritten", 13 },
	[LT_CLASS_OPEN] = { "unaccounted", 11 },
};

void lt_class_row_set(struct lt_class_row *row, const struct lt_class_counts *c)
{
	row->n[LT_CLASS_SEEN] = (int64_t)c->seen;
	row->n[LT_CLASS_FULL] = (int64_t)c->lost_full;
	row->n[LT_CLASS_NMI] = (int64_t)c->lost_nmi;
	row->n[LT_CLASS_NESTED] = (int64_t)c->lost_nested;
	row->n[LT_CLASS_NOBUF] = (int64_t)c->lost_nobuf;
	row->n[LT_CLASS_FILTERED] = (int64_t)c->filtered;
}

static bool is_zero(const struct lt_class_row *rows, size_t n, unsigned int column)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].n[column])
			return false;
	}
	return true;
}

/* How wide a column must be. */
static int needed(const struct lt_class_row *rows, size_t n, unsigned int column)
{
	int width = (int)strlen(columns[column].header);

	for (size_t i = 0; i < n; i++) {
		int len = snprintf(NULL, 0, "%" PRId64, rows[i].n[column]);

		width = len > width ? len : width;
	}
	return width;
}

static void put_zeros(struct lt_out *o, unsigned int zeros)
{
	const char *before = "  0 in all of them: ";

	for (unsigned int i = 0; i < LT_N_CLASS_COLUMNS; i++) {
		if (!(zeros & 1U << i))
			continue;
		lt_out_str(o, before);
		if (i > LT_CLASS_FULL && i <= LT_CLASS_NOBUF)
			lt_out_str(o, "lost: ");
		lt_out_str(o, columns[i].header);
		before = ", ";
	}
	if (zeros)
		lt_out_char(o, '\n');
}

/* Sets the widths of the columns. Return: the columns that are left out. */
static unsigned int fit(const struct lt_out *o, const struct lt_class_row *rows, size_t n,
			unsigned int shown, int *widths)
{
	unsigned int sum = 2 + NAME, zeros = 0;

	for (unsigned int i = 0; i < LT_N_CLASS_COLUMNS; i++) {
		widths[i] = columns[i].width;
		sum += (shown & 1U << i) ? 1 + (unsigned int)widths[i] : 0;
	}
	if (!o->width || sum <= o->width)
		return 0;
	for (unsigned int i = 0; i < LT_N_CLASS_COLUMNS; i++) {
		widths[i] = needed(rows, n, i);
		if (shown & 1U << i && is_zero(rows, n, i))
			zeros |= 1U << i;
	}
	return zeros;
}

void lt_class_table(struct lt_out *o, const struct lt_class_row *rows, size_t n,
		    unsigned int shown)
{
	int widths[LT_N_CLASS_COLUMNS];
	unsigned int zeros = fit(o, rows, n, shown, widths);
	char cell[64];

	for (size_t row = 0; row <= n; row++) {
		snprintf(cell, sizeof(cell), "  %-*s", NAME, row ? rows[row - 1].name : "class");
		lt_out_str(o, cell);
		for (unsigned int i = 0; i < LT_N_CLASS_COLUMNS; i++) {
			if (!(shown & ~zeros & 1U << i))
				continue;
			if (row)
				snprintf(cell, sizeof(cell), " %*" PRId64, widths[i],
					 rows[row - 1].n[i]);
			else
				snprintf(cell, sizeof(cell), " %*s", widths[i], columns[i].header);
			lt_out_str(o, cell);
		}
		lt_out_char(o, '\n');
	}
	put_zeros(o, zeros);
}
