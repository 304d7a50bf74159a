/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Packets that a second thread reads and checks ahead of the one that takes their records: where
 * few records are taken, most of the time goes there. And the first packets of many streams, which
 * are all wanted before the first record.
 */
#ifndef LT_TRACE_LOADER_H
#define LT_TRACE_LOADER_H

#include "trace/internal.h"

struct lt_loader;

/*
 * Begins to read packets: of a trace that is narrowed those that may be wanted, in the order in
 * which they stand; of another one the first packet of each stream. NULL: there are too few, there
 * is no CPU for a second thread, or there can be none.
 */
struct lt_loader *lt_loader_new(const struct lt_trace *t);

/* NULL is allowed. */
void lt_loader_free(struct lt_loader *l);

/*
 * lt_dir_load() for a stream, of a packet that the second thread has read, or is reading, with its
 * tally, and, if only some of its records are taken, what lt_packet_find() finds. @ret: what
 * lt_dir_load() returned.
 * Return: false: the caller has to read it.
 */
bool lt_loader_take(struct lt_loader *l, struct lt_stream *s, const struct lt_packet_ref *ref,
		    struct lt_why *why, int *ret);

#endif /* LT_TRACE_LOADER_H */
