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
 * @packets: result: how many were copied, into all files
 * @unread_packets: result: how many could not be read, and are missing in the new files, too
 * @torn: result: the latest window ends with a trace that was not ended in order; it must not be,
 *	either
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

struct lt_cutter;

/**
 * lt_cut_begin() - prepare to cut
 * @t: of a file; no event of it was taken
 * @cut: stays where it is until lt_cut_end()
 * @parts: at least 1: the window is divided into at most so many, side by side, each with about as
 *	many packets
 *
 * Return: NULL after lt_error().
 */
struct lt_cutter *lt_cut_begin(const struct lt_trace *t, struct lt_cut *cut, size_t parts);

/* How many windows there are: fewer than wanted if there are too few packets. */
size_t lt_cut_n_parts(const struct lt_cutter *c);

/**
 * lt_cut_next() - write the first or next window into a new file
 * @w: open, empty; finished by the caller, but for @cut->torn
 *
 * What is alive where it begins is found by reading on from the begin of the window before. Takes
 * the memory of lt_lifetimes_of(), and with @cut->filter that of what these tasks allocated.
 *
 * Return: 0; -1 after lt_error(), or with @w->error set.
 */
int lt_cut_next(struct lt_cutter *c, struct lt_writer *w);

/* @c may be NULL. */
void lt_cut_end(struct lt_cutter *c);

#endif /* LT_STATE_CUT_H */
