/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments and results of system calls as text: flags, signals and descriptors by what the call
 * takes, and what they point to, as far as that was recorded.
 */
#ifndef LT_CALLS_ARGS_H
#define LT_CALLS_ARGS_H

#include <stddef.h>

#include "calls/call.h"

#define LT_CALL_TEXT	8192	/* enough for the arguments of any call, and what they point to */

/**
 * enum lt_call_args - how arguments are written
 * @LT_CALL_ARGS_NAMED: by what the call takes: flags, signals and descriptors have their names, and
 *	in place of an address stands what it points to, if that was recorded
 * @LT_CALL_ARGS_RAW: all of them as hexadecimal numbers
 * @LT_CALL_ARGS_HIDDEN: as @LT_CALL_ARGS_NAMED, but "address" for each that is one, or may be one,
 *	and points to nothing that was recorded
 */
enum lt_call_args {
	LT_CALL_ARGS_NAMED,
	LT_CALL_ARGS_RAW,
	LT_CALL_ARGS_HIDDEN,
};

/**
 * lt_call_args_text() - the arguments of a call, as in C
 * @how: which form of them
 * @buf: of LT_CALL_TEXT bytes
 *
 * "AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC". A bit without a name follows the others as a
 * number. Of a call that this version does not know: numbers, hexadecimal from 65536 on.
 * Return: @buf
 */
const char *lt_call_args_text(const struct lt_call *call, enum lt_call_args how,
			      char buf[LT_CALL_TEXT]);

/* Whether the result of a call is an address. */
bool lt_call_returns_address(const struct lt_call *call);

/* Whether it is one of the program's, which is a secret as the program's own addresses are. */
bool lt_call_result_is_secret(const struct lt_call *call);

/* Whether the user_data of a request of io_uring may be an address. */
bool lt_call_user_data_is_secret(const struct lt_call *call);

#endif /* LT_CALLS_ARGS_H */
