// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is unusual about a system call.
 */
#include <inttypes.h>
#include <stdio.h>

#include "syscalls/numbers.h"
#include "syscalls/remarks.h"
#include "syscalls/texts.h"

/* A tracer has put -1 in place of its number, so that the kernel skips it. */
static bool is_cancelled(const struct lt_syscall *call)
{
	const unsigned int other = LT_SYS_BEFORE | LT_SYS_FIRST | LT_SYS_SKIPPED | LT_SYS_NO_SLOT;

	return call->nr == -1 && call->how == LT_SYSCALL_RETURNED && !(call->flags & other) &&
	       call->abi != lt_abi_of_requests();
}

bool lt_syscall_has_late_text(const struct lt_syscall *call)
{
	for (unsigned int i = 0; i < call->n_args; i++) {
		if (lt_syscall_has_text(call, i) && lt_syscall_text_is_late(call, i))
			return true;
	}
	return false;
}

const char *lt_syscall_remarks(const struct lt_syscall *call, char *buf, size_t size)
{
	static const struct {
		uint8_t flag;
		const char *text;
	} flags[] = {
		{ LT_SYS_BEFORE, "began before the trace" }, { LT_SYS_FIRST, "in the new thread" },
		{ LT_SYS_SKIPPED, "not executed" }, { LT_SYS_NO_SLOT, "begin not known" },
		{ LT_SYS_NO_ARGS, "arguments not known" },
	};
	static const char *const ends[] = {
		[LT_SYSCALL_INTERRUPTED] = "interrupted", [LT_SYSCALL_DIED] = "the thread ended",
		[LT_SYSCALL_AT_END] = "open at the end", [LT_SYSCALL_OVERTAKEN] = "end not seen",
	};
	size_t n = 0;

	buf[0] = 0;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!(call->flags & flags[i].flag))
			continue;
		/* Of the reasons why a begin is not known one holds. */
		n += (size_t)snprintf(buf + n, size - n, "%s%s",
				      !n ? "" : flags[i].flag & LT_SYS_NO_ARGS ? ", " : " or ",
				      call->abi == lt_abi_of_requests() ? "submission not seen" :
				      flags[i].text);
	}
	if (is_cancelled(call))
		n += (size_t)snprintf(buf + n, size - n, "%snot executed", n ? ", " : "");
	if (call->how != LT_SYSCALL_RETURNED)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", ends[call->how]);
	if (call->compat)
		n += (size_t)snprintf(buf + n, size - n, "%s32 bits", n ? ", " : "");
	if (lt_abi_is_x32(call->abi))
		n += (size_t)snprintf(buf + n, size - n, "%sx32", n ? ", " : "");
	if (call->queued)
		n += (size_t)snprintf(buf + n, size - n, "%sby a worker", n ? ", " : "");
	if (call->goes_on)
		n += (size_t)snprintf(buf + n, size - n, "%sgoes on", n ? ", " : "");
	if (call->uncertain)
		n += (size_t)snprintf(buf + n, size - n, "%sperhaps the end of another one",
				      n ? ", " : "");
	if (call->no_texts)
		n += (size_t)snprintf(buf + n, size - n, "%sstrings not known", n ? ", " : "");
	if (call->parts > 1)
		snprintf(buf + n, size - n, "%s%" PRIu32 " parts", n ? ", " : "", call->parts);
	return buf;
}
