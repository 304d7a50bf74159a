/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace on standard input.
 */
#ifndef LT_LIB_SPOOL_H
#define LT_LIB_SPOOL_H

/**
 * lt_spool_stdin() - a descriptor of a trace on standard input that can be read at any offset
 *
 * A trace is read by offset, more than once. What comes through a pipe is first copied, as a
 * whole, into a file without a name, in $TMPDIR, /var/tmp or /tmp; this file takes the place
 * of standard input, so that a later call finds it there.
 *
 * Return: a descriptor, to be closed; -1 after lt_error().
 */
int lt_spool_stdin(void);

#endif /* LT_LIB_SPOOL_H */
