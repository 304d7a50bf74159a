/* SPDX-License-Identifier: GPL-2.0 */
/* A trace from another machine, through a pipe or socket. */
#ifndef LT_STREAM_RECEIVE_H
#define LT_STREAM_RECEIVE_H

#include "stream/store.h"

/*
 * Receives one stream from standard input. Return: an exit status: LT_EXIT_OK: it is whole;
 * LT_EXIT_NO: what came was kept, and is not whole; LT_EXIT_BAD: nothing was kept, which is
 * printed.
 */
int lt_receive(const struct lt_store_options *o);

/* Whether a text may be the host in names of files. */
bool lt_receive_host(const char *text);

#endif /* LT_STREAM_RECEIVE_H */
