// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace memory: the kernel's own figures of memory, and what the trace explains of them.
 */
#include <argp.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "print/log.h"
#include "print/memory.h"
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "cmd/help.h"

static const struct argp argp = {
	NULL, NULL, "[FILE...]",
	"Print how the kernel's own figures of memory, /proc/meminfo, changed while the trace was "
	"recorded, and how much of the change of slabs, vmalloc and per-CPU memory the trace "
	"explains; and what pages were used for.",
	lt_args_file_csv_json, NULL, NULL
};

/* Whether the event @name was recorded. */
static bool is_watched(const struct lt_trace *t, const char *name)
{
	const char *text = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	size_t len, n = strlen(name);
	char why[64];

	while (text && lt_line(&text, &line, &len)) {
		if (len > n && !strncmp(line, name, n) && line[n] == '\t')
			return !lt_line_unwatched(line, len, name, why, sizeof(why));
	}
	return false;
}

/* Return: 0, or -1 after printing what is wrong. */
static int read_areas(const struct lt_report *r, const char *file,
		      struct lt_report *areas[LT_N_MEMORY])
{
	/* Those of which /proc/meminfo has a row, and pages. */
	static const enum lt_space spaces[] = {
		LT_SPACE_PERCPU, LT_SPACE_VMALLOC, LT_SPACE_PAGE,
	};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		const struct lt_report_options o = { .by = LT_BY_SITE, .space = spaces[i] };

		if (!is_watched(r->trace, lt_space_events(spaces[i])->births[0]))
			continue;
		areas[spaces[i]] = lt_report_make(file, &o);
		if (!areas[spaces[i]])
			return -1;
	}
	return 0;
}

int lt_cmd_memory(int argc, char **argv)
{
	struct lt_report_options o = { .by = LT_BY_CACHE };
	struct lt_report *areas[LT_N_MEMORY] = { NULL };
	struct lt_out out = LT_OUT_INIT(1);
	struct lt_args a = { 0 };
	struct lt_report *r;
	int status = LT_EXIT_BAD;

	lt_help_parse(&argp, argc, argv, 0, &a);
	r = lt_report_make(a.file, &o);
	if (!r)
		return LT_EXIT_BAD;
	if (!read_areas(r, a.file, areas) &&
	    !lt_memory_print(r, areas, a.file, a.format, &out))
		status = LT_EXIT_OK;
	for (int space = 0; space < LT_N_MEMORY; space++) {
		if (areas[space])
			lt_report_free(areas[space]);
	}
	lt_report_free(r);
	return lt_out_close(&out) ? LT_EXIT_BAD : status;
}
