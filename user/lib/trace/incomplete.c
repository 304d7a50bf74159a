// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a trace lacks though no buffer was full: there was no id, or no place, for it. The module
 * counts that in STATS.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "trace/internal.h"

static const struct {
	const char *key;
	const char *one;
	const char *many;
} kinds[] = {
	{ "cache_overflow",
	  "1 event names no slab cache: no id was free for it",
	  "events name no slab cache: no id was free for it" },
	{ "pid_ns_without_id",
	  "1 pid namespace had no id: its numbers, reuses and wraps are not recorded",
	  "pid namespaces had no id: their numbers, reuses and wraps are not recorded" },
	{ "untracked",
	  "1 new task has a number of which it is not known whether another task held it before",
	  "new tasks have numbers of which it is not known whether other tasks held them before" },
};

static uint64_t value_of(const char *stats, const char *key)
{
	size_t len, n = strlen(key);
	uint64_t value = 0;
	const char *line;
	char buf[64];

	while (lt_line(&stats, &line, &len)) {
		if (len <= n || len >= sizeof(buf) || memcmp(line, key, n) || line[n] != ' ')
			continue;
		memcpy(buf, line, len);
		buf[len] = 0;
		if (sscanf(buf + n, "%" SCNu64, &value) != 1)
			value = 0;
	}
	return value;
}

const char *lt_stats_incomplete(const char *stats, unsigned int *i, char *buf, size_t size)
{
	while (stats && *i < sizeof(kinds) / sizeof(kinds[0])) {
		unsigned int k = (*i)++;
		uint64_t n = value_of(stats, kinds[k].key);

		if (!n)
			continue;
		if (n == 1)
			snprintf(buf, size, "%s", kinds[k].one);
		else
			snprintf(buf, size, "%" PRIu64 " %s", n, kinds[k].many);
		return buf;
	}
	return NULL;
}

const char *lt_trace_incomplete(const struct lt_trace *t, unsigned int *i, char *buf, size_t size)
{
	return lt_stats_incomplete(lt_trace_stats(t), i, buf, size);
}
