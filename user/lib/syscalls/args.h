/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments and results of system calls as text: flags, signals and descriptors by what the call
 * takes, and what they point to, as far as that was recorded.
 */
#ifndef LT_SYSCALLS_ARGS_H
#define LT_SYSCALLS_ARGS_H

#include <stddef.h>

#include "syscalls/syscall.h"

#define LT_SYSCALL_TEXT	8192	/* enough for the arguments of any call, and what they point to */

/**
 * enum lt_syscall_args - how arguments are written
 * @LT_SYSCALL_ARGS_NAMED: by what the call takes: flags, signals and descriptors have their names,
 *	and
 *	in place of an address stands what it points to, if that was recorded
 * @LT_SYSCALL_ARGS_RAW: all of them as hexadecimal numbers
 * @LT_SYSCALL_ARGS_HIDDEN: as @LT_SYSCALL_ARGS_NAMED, but "address" for each that is one, or may be
 *	one, and points to nothing that was recorded
 */
enum lt_syscall_args {
	LT_SYSCALL_ARGS_NAMED,
	LT_SYSCALL_ARGS_RAW,
	LT_SYSCALL_ARGS_HIDDEN,
};

/**
 * lt_syscall_args_text() - the arguments of a call, as in C
 * @how: which form of them
 * @buf: of LT_SYSCALL_TEXT bytes
 *
 * "AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC". A bit without a name follows the others as a
 * number. Of a call that this version does not know: numbers, hexadecimal from 65536 on.
 * Return: @buf
 */
const char *lt_syscall_args_text(const struct lt_syscall *call, enum lt_syscall_args how,
				 char buf[LT_SYSCALL_TEXT]);

/* Whether the result of a call is an address. */
bool lt_syscall_returns_address(const struct lt_syscall *call);

/* Whether it is one of the program's, which is a secret as the program's own addresses are. */
bool lt_syscall_result_is_secret(const struct lt_syscall *call);

/* Whether the user_data of a request of io_uring may be an address. */
bool lt_syscall_user_data_is_secret(const struct lt_syscall *call);

#endif /* LT_SYSCALLS_ARGS_H */
