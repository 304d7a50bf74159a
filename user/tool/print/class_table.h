/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of the counters of classes, as text for people.
 */
#ifndef LT_PRINT_CLASS_TABLE_H
#define LT_PRINT_CLASS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "format/packet.h"

/* What the columns are of, in their order. */
enum lt_class_column {
	LT_CLASS_SEEN, LT_CLASS_RECORDS, LT_CLASS_FULL, LT_CLASS_NMI, LT_CLASS_NESTED,
	LT_CLASS_NOBUF, LT_CLASS_FILTERED, LT_CLASS_OVERWRITTEN, LT_CLASS_OPEN, LT_N_CLASS_COLUMNS,
};

struct lt_class_row {
	const char *name;
	int64_t n[LT_N_CLASS_COLUMNS];
};

/* Sets the columns that counters have. */
void lt_class_row_set(struct lt_class_row *row, const struct lt_class_counts *c);

/**
 * lt_class_table() - print the table
 * @shown: bit n: there is the column n
 *
 * If @o has less width than the table, a column is as wide as it must be, and columns that are 0 in
 * all rows are named in a last line.
 */
void lt_class_table(struct lt_out *o, const struct lt_class_row *rows, size_t n,
		    unsigned int shown);

#endif /* LT_PRINT_CLASS_TABLE_H */
