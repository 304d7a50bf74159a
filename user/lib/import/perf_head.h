/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines that perf script --header prints before the events:
 *
 *	# hostname : build7
 *	# os release : 6.12.9
 *	# arch : x86_64
 */
#ifndef LT_IMPORT_PERF_HEAD_H
#define LT_IMPORT_PERF_HEAD_H

#include "base/str.h"

/**
 * struct lt_import_perf_head - what they say; starts zeroed
 * @host, @release, @machine: as uname has them; empty: not said
 * @cpus: CPUs online; 0: not said, or some were offline
 * @memory: bytes; 0: not said
 * @command: of perf record; its text is to be freed
 */
struct lt_import_perf_head {
	char host[65];
	char release[65];
	char machine[65];
	unsigned int cpus;
	unsigned int cpus_avail;
	uint64_t memory;
	struct lt_str command;
};

/* Takes a line in. */
void lt_import_perf_head_line(struct lt_import_perf_head *h, const char *line, size_t len);

/* Adds lines of INFO, of what no member of struct lt_import_source is for. */
void lt_import_perf_head_info(const struct lt_import_perf_head *h, struct lt_str *info);

#endif /* LT_IMPORT_PERF_HEAD_H */
