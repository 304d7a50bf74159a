// SPDX-License-Identifier: GPL-2.0
/*
 * How a system call ended.
 */
#include "calls/call.h"

#define MAX_ERROR	4095

const char *lt_call_end_name(enum lt_call_end how)
{
	static const char *const words[] = {
		[LT_CALL_RETURNED] = "returned", [LT_CALL_INTERRUPTED] = "interrupted",
		[LT_CALL_DIED] = "died", [LT_CALL_AT_END] = "open", [LT_CALL_OVERTAKEN] = "unseen",
	};

	return words[how];
}

unsigned int lt_call_error(const struct lt_call *call)
{
	if (call->how != LT_CALL_RETURNED || call->result >= 0 || call->result < -MAX_ERROR)
		return 0;
	return (unsigned int)-call->result;
}

uint64_t lt_call_duration(const struct lt_call *call)
{
	return call->has_begin && call->end > call->begin ? call->end - call->begin : 0;
}
