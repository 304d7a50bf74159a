// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The lines that perf script --header prints before the events.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "import/perf_head.h"

/* The value of "# KEY : VALUE" in @buf. */
static bool has(const char *line, size_t len, const char *key, char *buf, size_t size)
{
	size_t n = strlen(key);

	if (len < n + 5 || memcmp(line, "# ", 2) || memcmp(line + 2, key, n) ||
	    memcmp(line + 2 + n, " : ", 3))
		return false;
	line += n + 5;
	len -= n + 5;
	while (len && line[len - 1] == ' ')
		len--;
	snprintf(buf, size, "%.*s", (int)(len < size ? len : size - 1), line);
	return true;
}

void lt_import_perf_head_line(struct lt_import_perf_head *h, const char *line, size_t len)
{
	char buf[1024];

	if (!len || *line != '#')
		return;
	if (has(line, len, "hostname", h->host, sizeof(h->host)) ||
	    has(line, len, "os release", h->release, sizeof(h->release)) ||
	    has(line, len, "arch", h->machine, sizeof(h->machine)))
		return;
	if (has(line, len, "nrcpus online", buf, sizeof(buf))) {
		sscanf(buf, "%u", &h->cpus);
	} else if (has(line, len, "nrcpus avail", buf, sizeof(buf))) {
		sscanf(buf, "%u", &h->cpus_avail);
	} else if (has(line, len, "total memory", buf, sizeof(buf))) {
		if (sscanf(buf, "%" SCNu64 " kB", &h->memory) == 1)
			h->memory *= 1024;
	} else if (!h->command.n && has(line, len, "cmdline", buf, sizeof(buf))) {
		lt_str_put(&h->command, buf);
	}
}

void lt_import_perf_head_info(const struct lt_import_perf_head *h, struct lt_str *info)
{
	/* Which CPUs are online is said of all of them alone. */
	if (h->cpus == 1 && h->cpus_avail == 1)
		lt_str_put(info, "cpus_online=0\n");
	else if (h->cpus && h->cpus == h->cpus_avail && h->cpus <= LT_IMPORT_MAX_CPU)
		lt_str_add(info, "cpus_online=0-%u\n", h->cpus - 1);
	if (h->memory)
		lt_str_add(info, "mem_total=%" PRIu64 "\n", h->memory);
	if (h->command.n) {
		lt_str_put(info, "command=");
		for (size_t i = 0; i < h->command.n; i++)
			lt_str_add(info, "%c", (unsigned char)h->command.s[i] < ' ' ? ' ' :
				   h->command.s[i]);
		lt_str_put(info, "\n");
	}
}
