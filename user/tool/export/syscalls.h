/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What of a system call leaves in an export, and what is a secret.
 */
#ifndef LT_EXPORT_SYSCALLS_H
#define LT_EXPORT_SYSCALLS_H

#include <stdbool.h>

#include "export/export.h"
#include "syscalls/args.h"

#define LT_EXPORT_USER_DATA	20	/* enough for "0x" and 16 digits */

/**
 * lt_export_args() - the arguments of a call, as lt_syscall_args_text()
 * @buf: for the text
 *
 * Without --addresses "address" stands for each that is an address, or may be one.
 * Return: @buf
 */
const char *lt_export_args(const struct lt_export *e, const struct lt_syscall *call,
			   char buf[LT_SYSCALL_TEXT]);

/* Whether a call, or a request, has a result that may be written. */
bool lt_export_has_result(const struct lt_export *e, const struct lt_syscall *call);

/**
 * lt_export_user_data() - the user_data of a request of io_uring, as a hexadecimal number
 * @buf: for the text
 *
 * Return: @buf, or NULL if it may be an address, which is not to be written
 */
const char *lt_export_user_data(const struct lt_export *e, const struct lt_syscall *call,
				char buf[LT_EXPORT_USER_DATA]);

#endif /* LT_EXPORT_SYSCALLS_H */
