/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of kinds of rows (rows/column.h) as texts and times of a trace.
 */
#ifndef LT_PRINT_RESOLVE_H
#define LT_PRINT_RESOLVE_H

#include "forms/table.h"
#include "lines/lines.h"
#include "print/site.h"
#include "print/times.h"
#include "rows/column.h"
#include "trace/trace.h"

/**
 * struct lt_resolver - where the texts come from
 * @times: from where times count
 * @trace: the trace, for all but times
 * @lines: source lines; NULL: none
 * The rest is private, and starts as zero.
 */
struct lt_resolver {
	const struct lt_times *times;
	const struct lt_trace *trace;
	struct lt_lines *lines;
	struct lt_out frames;
	char text[LT_SITE_TEXT];
};

/* A value of any type becomes one that a table prints. Its text is valid until the next call. */
void lt_resolve(void *resolver, struct lt_value *v);

void lt_resolver_destroy(struct lt_resolver *r);

#endif /* LT_PRINT_RESOLVE_H */
