/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Engines that need neither module nor BPF, and record processes alone: this process watches them
 * itself, and writes what it sees as an import does.
 */
#ifndef LT_WATCH_WATCH_H
#define LT_WATCH_WATCH_H

#include "record/recorder.h"

struct lt_watch_ops;

/* The engine of a name; NULL: it is none of these. */
const struct lt_watch_ops *lt_watch_engine(const char *name);

/* As lt_record_run(). @sink: not NULL is refused: there are no lifetimes */
int lt_watch_run(const struct lt_watch_ops *ops, const struct lt_record_options *o,
		 const struct lt_sink *sink);

#endif /* LT_WATCH_WATCH_H */
