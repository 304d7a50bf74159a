/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For the files of this folder: short names of the outputs that have a column.
 */
#ifndef LT_ROWS_INTERNAL_H
#define LT_ROWS_INTERNAL_H

#include "rows/kind.h"

#define L	LT_COLUMN_LINES
#define F	LT_COLUMN_FLEET
#define Q	LT_COLUMN_SQL
#define N	LT_COLUMN_NULL
#define V	LT_COLUMN_VARIED

#endif /* LT_ROWS_INTERNAL_H */
