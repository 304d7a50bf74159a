// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What /proc/meminfo said when the slab counters were read.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/mem.h"
#include "base/text.h"
#include "sums/meminfo.h"

#define MAX_KIB	(1ULL << 50)	/* a larger number is damaged */

static bool read_line(const char *line, size_t len, struct lt_meminfo_row *row, uint64_t *kib)
{
	char buf[128];

	snprintf(buf, sizeof(buf), "%.*s", (int)(len < 120 ? len : 120), line);
	return sscanf(buf, "meminfo %63s %" SCNu64, row->name, kib) == 2 && *kib <= MAX_KIB;
}

static struct lt_meminfo_row *find(struct lt_meminfo_row *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

/* Return: the number of rows, each name once. */
static size_t read_text(const char *text, const char *when, struct lt_meminfo_row *rows)
{
	const char *line;
	uint64_t kib;
	size_t len, n = 0;

	if (!text || strncmp(text, "when=", 5) || strncmp(text + 5, when, strlen(when)))
		return 0;
	while (n < LT_MEMINFO_MAX && lt_line(&text, &line, &len)) {
		if (!read_line(line, len, &rows[n], &kib) || find(rows, n, rows[n].name))
			continue;
		rows[n++].bytes[0] = kib * 1024;
	}
	return n;
}

size_t lt_meminfo_read(const struct lt_trace *t, struct lt_meminfo_row **rows)
{
	struct lt_meminfo_row *start = lt_alloc_array(LT_MEMINFO_MAX, sizeof(*start));
	struct lt_meminfo_row *end = lt_alloc_array(LT_MEMINFO_MAX, sizeof(*end));
	size_t n_start = read_text(lt_trace_text(t, LT_BLOCK_SLAB, 0), "start", start);
	size_t n_end = read_text(lt_trace_text(t, LT_BLOCK_SLAB, SIZE_MAX), "end", end);
	size_t n = 0;

	for (size_t i = 0; i < n_start; i++) {
		const struct lt_meminfo_row *later = find(end, n_end, start[i].name);

		if (!later)
			continue;
		start[n] = start[i];
		start[n++].bytes[1] = later->bytes[0];
	}
	free(end);
	*rows = start;
	return n;
}
