/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verdicts on the rules of a budget, as text, JSON, TAP and JUnit.
 */
#ifndef LT_PRINT_CHECK_H
#define LT_PRINT_CHECK_H

#include "base/out.h"
#include "compare/budget.h"

/**
 * struct lt_check_view - how to print verdicts
 * @file: the trace
 * @own: allocations of the recorder itself that were left out
 * @allow_unknown: a rule that is undecided counts as met
 */
struct lt_check_view {
	const char *file;
	uint64_t own;
	bool allow_unknown;
	struct lt_out *out;
};

void lt_check_text(const struct lt_checked *c, const struct lt_check_view *p);
void lt_check_json(const struct lt_checked *c, const struct lt_check_view *p);
/* Version 13 of the Test Anything Protocol. */
void lt_check_tap(const struct lt_checked *c, const struct lt_check_view *p);
/* The XML that continuous integration reads. */
void lt_check_junit(const struct lt_checked *c, const struct lt_check_view *p);

#endif /* LT_PRINT_CHECK_H */
