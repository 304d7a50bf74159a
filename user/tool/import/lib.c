// SPDX-License-Identifier: GPL-2.0
/*
 * Loading libtracecmd.
 */
#ifdef LT_HAVE_TRACEEVENT

#include <dlfcn.h>
#include <string.h>

#include "base/library.h"
#include "import/lib.h"

#define N_EXTRAS	(sizeof(struct lt_tracecmd_extra) / sizeof(void *))
#define FILE_NAME	"libtracecmd.so.1"

/* In the order of struct lt_tracecmd. */
static const char *const names[] = {
	"tracecmd_open", "tracecmd_close", "tracecmd_get_tep", "tracecmd_buffer_instances",
	"tracecmd_get_traceid", "tracecmd_iterate_events", "tracecmd_set_loglevel",
	"tep_set_loglevel", "tep_find_event_by_name", "tep_find_field", "tep_read_number",
	"tep_data_type", "tep_data_pid", "tep_data_flags", "tep_data_comm_from_pid",
	"tep_find_function", "tep_find_function_address", "tep_get_long_size",
	"tep_is_file_bigendian",
};

static void find_extra(struct lt_tracecmd_extra *extra)
{
	static const char *const extras[] = {
		"tracecmd_get_trace_clock", "tracecmd_get_uname", "tracecmd_get_cpustats",
		"tracecmd_get_cursor", "tracecmd_get_cpu_file_size", "tracecmd_cpus",
		"tracecmd_buffer_instance_handle", "tracecmd_compress_is_supported",
	};
	void *handle = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL), *symbols[N_EXTRAS] = { NULL };

	_Static_assert(sizeof(extras) == sizeof(symbols), "a function for each name");
	for (unsigned int i = 0; handle && i < N_EXTRAS; i++)
		symbols[i] = dlsym(handle, extras[i]);
	memcpy(extra, symbols, sizeof(symbols));
}

const struct lt_tracecmd *lt_tracecmd_load(struct lt_tracecmd_extra *extra, struct lt_why *why)
{
	static struct lt_tracecmd functions;
	static const struct lt_library library = {
		.file = FILE_NAME, .package = "libtracecmd1", .names = names,
		.n = sizeof(names) / sizeof(names[0]),
	};

	_Static_assert(sizeof(functions) == sizeof(names), "a function for each name");
	if (!lt_library_load(&library, &functions, why))
		return NULL;
	find_extra(extra);
	return &functions;
}

#endif /* LT_HAVE_TRACEEVENT */
