/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cutting a window out of a trace: a file that begins with what was alive, as a part of a
 * recording does. Windows that lie side by side are read together as parts of one recording.
 */
#ifndef LT_STATE_CUT_H
#define LT_STATE_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/block.h"
#include "sums/filter.h"
#include "trace/trace.h"

/**
 * struct lt_cut - a window
 * @from: events from here on, ns on the trace's clock; 0: from its begin
 * @until: events before this; UINT64_MAX: to its end
 * @filter: NULL, or what wants events by their tasks: only what these tasks did is cut out
 * @whose: what @filter wants, as lines of PART
 * @anonymize: names and addresses are replaced, see anonymous.h
 * @packets: result: how many were copied
 * @unread_packets: result: how many of the window could not be read, and are missing in the new
 *	file, too
 * @torn: result: the window ends with a trace that was not ended in order; it must not be, either
 */
struct lt_cut {
	uint64_t from;
	uint64_t until;
	struct lt_filter *filter;
	const char *whose;
	bool anonymize;
	uint64_t packets;
	uint64_t unread_packets;
	bool torn;
};

/**
 * lt_cut_write() - write a window into a new file
 * @t: of a file; no event of it was taken
 * @w: open, empty; finished by the caller, but for @cut->torn
 *
 * What was alive at @cut->from is found by reading what comes before it. Takes the memory of
 * lt_lifetimes_of(), and with @cut->filter that of what these tasks allocated.
 *
 * Return: 0; -1 after lt_error(), or with @w->error set.
 */
int lt_cut_write(const struct lt_trace *t, struct lt_cut *cut, struct lt_writer *w);

#endif /* LT_STATE_CUT_H */
