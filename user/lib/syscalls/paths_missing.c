// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether a trace has all calls that descriptors need.
 */
#include <string.h>

#include "syscalls/paths.h"

const char *lt_syscall_paths_missing(const struct lt_trace *t)
{
	static const struct { const char *key, *none, *text; } options[] = {
		{ "calls", "", "--calls" }, { "calls32", "", "--calls" },
		{ "call_errors", "N", "--call-errors" }, { "call_min", "0", "--call-min" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *value = lt_trace_info(t, options[i].key);

		if (value && strcmp(value, options[i].none) && strcmp(value, "0"))
			return options[i].text;
	}
	return NULL;
}
