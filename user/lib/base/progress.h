/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How far a pass over a trace has come, for a program that shows it.
 */
#ifndef LT_BASE_PROGRESS_H
#define LT_BASE_PROGRESS_H

#include <stdint.h>

/* @done: packets of @all that were read; a number less than that of the last call begins a pass. */
typedef void lt_progress_fn(void *arg, uint64_t done, uint64_t all);

/*
 * Installs the function; NULL, the default: none. Process-wide; called by
 * whichever thread reads a file.
 */
void lt_set_progress(lt_progress_fn *fn, void *arg);

/* The library calls it at each packet of a file. */
void lt_progress(uint64_t done, uint64_t all);

#endif /* LT_BASE_PROGRESS_H */
