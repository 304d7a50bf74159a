/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verdicts on the rules of a budget, as text, JSON, TAP and JUnit.
 */
#ifndef LT_PRINT_CHECK_H
#define LT_PRINT_CHECK_H

#include "forms/columns.h"
#include "compare/budget.h"

/**
 * struct lt_check_view - how to print verdicts
 * @file: the trace
 * @own: allocations of the recorder itself that were left out
 * @allow_unknown: a rule that is undecided counts as met
 * @columns: of --columns: text is a table of them, too; NULL: those of the format
 */
struct lt_check_view {
	const char *file;
	uint64_t own;
	bool allow_unknown;
	enum lt_format format;
	const char *columns;
	struct lt_out *out;
};

extern const struct lt_row_kind lt_rows_of_rule;

/* In the form of @p. */
void lt_check_print(const struct lt_checked *c, const struct lt_check_view *p);
/* Version 13 of the Test Anything Protocol. */
void lt_check_tap(const struct lt_checked *c, const struct lt_check_view *p);
/* The XML that continuous integration reads. */
void lt_check_junit(const struct lt_checked *c, const struct lt_check_view *p);

#endif /* LT_PRINT_CHECK_H */
