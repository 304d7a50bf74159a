/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coverage as text: the events between two readings of the kernel's slab counters in the notation
 * of scenarios (scenario.h), and the rows and sums that are made of them.
 *
 *	{ .name = "one object is born", .start = START KM64(50), .end = END KM64(51), .text =
 *	  "c0 1000 start | c0 1001 start | c0 1100 kmalloc 0 64/64 | c0 5000 end | c0 5001 end |"
 *	  "end 6000 -> kmalloc-64 real 1; kmalloc-64 traced 1; sum apart 0" },
 *
 * Steps, separated by "|":
 *
 *	cCPU TIME kmalloc OBJECT REQ/GIVEN [gfp N] [site N]	OBJECT: its offset from others; V:
 *					memory of vmalloc
 *	cCPU TIME cache_alloc|cache_free OBJECT CACHE
 *	cCPU TIME kfree|rcu_free OBJECT
 *	cCPU TIME cache ID SIZE NAME	a record of a cache
 *	cCPU TIME start|end		a marker of the first or second reading
 *	cCPU TIME marker NAME		another one
 *	repeat N every TIME apart OFFSET ( STEP | STEP... )
 *	end TIME			of the trace
 *
 * A NAME ends at a blank or stands between backquotes. After "->" what is found, separated by ";":
 *
 *	NAME real|traced|error|kmalloc N	a member of the row of a cache
 *	sum MEMBER [below] N		of struct lt_coverage_sum
 *	rows N				how many there are
 *	none `TEXT`			there is no coverage, and a part of the reason
 */
#ifndef COVERAGE_SCRIPT_H
#define COVERAGE_SCRIPT_H

#include "testlib.h"

/**
 * struct coverage_scenario - a trace and its coverage
 * @name: of the test
 * @text: the notation
 * @start, @end: the texts of the first and of the second reading; NULL: there is none
 */
struct coverage_scenario {
	const char *name;
	const char *text;
	const char *start, *end;
};

/* Return: NULL if all is as expected, or what is wrong, valid until the next call. */
const char *coverage_scenario_error(const struct coverage_scenario *cs);

/* Runs a table of them, and C tests. Return: the exit status for main(). */
int coverage_scenarios_main(const char *group, const struct coverage_scenario *scenarios, size_t n,
			    const struct CMUnitTest *tests, size_t n_tests);

#endif /* COVERAGE_SCRIPT_H */
