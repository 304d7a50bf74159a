/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Engines side by side: a row for each, and a row for each difference.
 */
#ifndef LT_PRINT_ENGINES_H
#define LT_PRINT_ENGINES_H

#include "compare/engines.h"
#include "forms/columns.h"

/**
 * struct lt_engine_row - an engine
 * @engine: its name
 * @reason: why it could not record; NULL: it did
 * @side: what it saw; NULL: it could not record
 * @alone_ns: how long the command took with this engine alone; 0: not measured
 * @bare_ns: … and without any
 * @memory: it is compared what it saw of slab objects
 */
struct lt_engine_row {
	const char *engine;
	char *reason;
	const struct lt_engine_side *side;
	uint64_t alone_ns;
	uint64_t bare_ns;
	bool memory;
};

/**
 * struct lt_engines_view - what to print, and how
 * @rows: @n of them
 * @e: NULL: no engine could record
 * @differences: rows are differences, not engines
 * @top: of these so many, for people
 * @columns: of --columns; NULL: those of the format
 */
struct lt_engines_view {
	struct lt_out *out;
	const struct lt_engine_row *rows;
	size_t n;
	const struct lt_engines *e;
	bool differences;
	size_t top;
	enum lt_format format;
	const char *columns;
};

extern const struct lt_row_kind lt_rows_of_engines, lt_rows_of_engine_differences;

void lt_engines_print(const struct lt_engines_view *v);

#endif /* LT_PRINT_ENGINES_H */
