/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The line that shows how far a command has come which reads a trace several times.
 */
#ifndef LT_OUT_PROGRESS_H
#define LT_OUT_PROGRESS_H

#include <stdbool.h>

/*
 * From here on passes over traces are shown on standard error, if that is a terminal, as a line
 * that is written again when the percentage changes. @quiet: they are not.
 */
void lt_progress_show(bool quiet);

/* Erases the line, if there is one, so that something else can be printed; it comes again. */
void lt_progress_erase(void);

/* The end of it. */
void lt_progress_hide(void);

#endif /* LT_OUT_PROGRESS_H */
