// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How a system call ended.
 */
#include "syscalls/syscall.h"

#define MAX_ERROR	4095

const char *lt_syscall_end_name(enum lt_syscall_end how)
{
	static const char *const words[] = {
		[LT_SYSCALL_RETURNED] = "returned", [LT_SYSCALL_INTERRUPTED] = "interrupted",
		[LT_SYSCALL_DIED] = "died", [LT_SYSCALL_AT_END] = "open",
		[LT_SYSCALL_OVERTAKEN] = "unseen", };

	return words[how];
}

unsigned int lt_syscall_error(const struct lt_syscall *call)
{
	if (call->how != LT_SYSCALL_RETURNED || call->result >= 0 || call->result < -MAX_ERROR)
		return 0;
	return (unsigned int)-call->result;
}

uint64_t lt_syscall_duration(const struct lt_syscall *call)
{
	return call->has_begin && call->end > call->begin ? call->end - call->begin : 0;
}
