/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading a trace without what plain records save: they are not decoded ahead, not merged as they
 * are, and not paired without whole structs. The answers must be the same. For programs that are
 * linked with -Wl,--wrap=lt_trace_next_plain,--wrap=lt_records_ahead.
 */
#ifndef CAREFUL_H
#define CAREFUL_H

#include "format/plain.h"
#include "trace/trace.h"

static bool careful;
static size_t n_plain;		/* events of sites that were taken so */

size_t __real_lt_trace_next_plain(struct lt_trace *t, struct lt_plain_event *evs, size_t max,
				  bool sites);
size_t __wrap_lt_trace_next_plain(struct lt_trace *t, struct lt_plain_event *evs, size_t max,
				  bool sites);
void __real_lt_records_ahead(struct lt_records *it, const struct lt_clock *clock,
			     const struct lt_task *task, struct lt_ahead *ahead, size_t max);
void __wrap_lt_records_ahead(struct lt_records *it, const struct lt_clock *clock,
			     const struct lt_task *task, struct lt_ahead *ahead, size_t max);

size_t __wrap_lt_trace_next_plain(struct lt_trace *t, struct lt_plain_event *evs, size_t max,
				  bool sites)
{
	size_t n = careful ? 0 : __real_lt_trace_next_plain(t, evs, max, sites);

	for (size_t i = 0; i < n; i++)
		n_plain += evs[i].form != 0;
	return n;
}

void __wrap_lt_records_ahead(struct lt_records *it, const struct lt_clock *clock,
			     const struct lt_task *task, struct lt_ahead *ahead, size_t max)
{
	if (careful)
		ahead->next = ahead->end;
	else
		__real_lt_records_ahead(it, clock, task, ahead, max);
}

#endif /* CAREFUL_H */
