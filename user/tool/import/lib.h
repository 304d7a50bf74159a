/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libtracecmd and libtraceevent, which are loaded when they are needed: lifetrace runs where they
 * are not installed.
 */
#ifndef LT_TOOL_IMPORT_LIB_H
#define LT_TOOL_IMPORT_LIB_H

#include <sched.h>

#include <event-parse.h>

#include "base/why.h"

/*
 * Debian's header of libtracecmd needs that of libtracefs, on which its package does not depend: so
 * what is called is declared here.
 */
struct tracecmd_input;

typedef int lt_tracecmd_event_fn(struct tracecmd_input *handle, struct tep_record *record, int cpu,
				 void *arg);

#define LT_TRACECMD_NO_PLUGINS	1	/* they are code for printing */

struct lt_tracecmd {
	struct tracecmd_input *(*open)(const char *file, int flags);
	void (*close)(struct tracecmd_input *handle);
	struct tep_handle *(*get_tep)(struct tracecmd_input *handle);
	int (*buffer_instances)(struct tracecmd_input *handle);
	unsigned long long (*get_traceid)(struct tracecmd_input *handle);
	int (*iterate)(struct tracecmd_input *handle, cpu_set_t *cpus, int cpu_size,
		       lt_tracecmd_event_fn *fn, void *arg);
	void (*set_loglevel)(enum tep_loglevel level);
	void (*tep_set_loglevel)(enum tep_loglevel level);
	struct tep_event *(*find_event_by_name)(struct tep_handle *tep, const char *sys,
						const char *name);
	struct tep_format_field *(*find_field)(struct tep_event *event, const char *name);
	unsigned long long (*read_number)(struct tep_handle *tep, const void *ptr, int size);
	int (*data_type)(struct tep_handle *tep, struct tep_record *record);
	int (*data_pid)(struct tep_handle *tep, struct tep_record *record);
	int (*data_flags)(struct tep_handle *tep, struct tep_record *record);
	const char *(*comm_from_pid)(struct tep_handle *tep, int pid);
	const char *(*find_function)(struct tep_handle *tep, unsigned long long addr);
	unsigned long long (*find_function_address)(struct tep_handle *tep,
						    unsigned long long addr);
	int (*get_long_size)(struct tep_handle *tep);
	bool (*is_bigendian)(struct tep_handle *tep);
};

/* What not every version has; NULL each. */
struct lt_tracecmd_extra {
	const char *(*get_trace_clock)(struct tracecmd_input *handle);
	const char *(*get_uname)(struct tracecmd_input *handle);
	const char *(*get_cpustats)(struct tracecmd_input *handle);
	unsigned long long (*get_cursor)(struct tracecmd_input *handle, int cpu);
	unsigned long long (*get_cpu_file_size)(struct tracecmd_input *handle, int cpu);
	int (*cpus)(struct tracecmd_input *handle);
	struct tracecmd_input *(*buffer_instance_handle)(struct tracecmd_input *handle, int i);
	bool (*compress_is_supported)(const char *name, const char *version);
};

/* NULL: it cannot be loaded. */
const struct lt_tracecmd *lt_tracecmd_load(struct lt_tracecmd_extra *extra, struct lt_why *why);

#endif /* LT_TOOL_IMPORT_LIB_H */
