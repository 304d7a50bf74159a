// SPDX-License-Identifier: GPL-2.0
/*
 * What of a system call leaves in an export: the addresses of the program in its arguments and
 * its result only with --addresses, in each format alike.
 */
#include <inttypes.h>
#include <stdio.h>

#include "export/syscalls.h"

const char *lt_export_args(const struct lt_export *e, const struct lt_syscall *call,
			   char buf[LT_SYSCALL_TEXT])
{
	return lt_syscall_args_text(call, e->opts->addresses ? LT_SYSCALL_ARGS_NAMED :
				    LT_SYSCALL_ARGS_HIDDEN, buf);
}

bool lt_export_has_result(const struct lt_export *e, const struct lt_syscall *call)
{
	return call->how <= LT_SYSCALL_INTERRUPTED &&
	       (e->opts->addresses || !lt_syscall_result_is_secret(call));
}

const char *lt_export_user_data(const struct lt_export *e, const struct lt_syscall *call,
				char buf[LT_EXPORT_USER_DATA])
{
	if (!e->opts->addresses && lt_syscall_user_data_is_secret(call))
		return NULL;
	snprintf(buf, LT_EXPORT_USER_DATA, "0x%" PRIx64, call->args[0]);
	return buf;
}
