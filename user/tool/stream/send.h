/* SPDX-License-Identifier: GPL-2.0 */
/* A trace to another machine, through a command that may break and be run again. */
#ifndef LT_STREAM_SEND_H
#define LT_STREAM_SEND_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct lt_send_options - how a trace is sent
 * @command: connects its standard input and output to `lifetrace receive`
 * @spool: bytes that are kept until the receiver has them
 * @timeout_ns: a command whose receiver says nothing for so long, though it was sent something, is
 *	ended
 * @wait_ns: how long to go on when all of the trace has come; 0: until it is delivered
 */
struct lt_send_options {
	char **command;
	size_t spool;
	uint64_t timeout_ns;
	uint64_t wait_ns;
};

/*
 * Sends standard input. Return: an exit status: LT_EXIT_OK: the receiver has the whole trace;
 * LT_EXIT_NO: it has all that came, which is no whole trace; LT_EXIT_BAD: something was not
 * delivered, which is printed.
 */
int lt_send(const struct lt_send_options *o);

#endif /* LT_STREAM_SEND_H */
