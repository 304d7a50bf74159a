// SPDX-License-Identifier: GPL-2.0
/*
 * lifetrace memory: the kernel's own figures of memory, and what the trace explains of them.
 */
#include <argp.h>

#include "print/log.h"
#include "print/memory.h"
#include "cmd/args.h"
#include "cmd/cmd.h"

static const struct argp argp = {
	NULL, NULL, "[FILE]",
	"Print how the kernel's own figures of memory, /proc/meminfo, changed while the trace was "
	"recorded, and how much of the change of slab memory the trace explains.",
	lt_args_file_json, NULL, NULL
};

int lt_cmd_memory(int argc, char **argv)
{
	struct lt_report_options o = { .by = LT_BY_CACHE };
	struct lt_out out = LT_OUT_INIT(1);
	struct lt_args a = { 0 };
	struct lt_report *r;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	r = lt_report_make(a.file, &o);
	if (!r)
		return LT_EXIT_BAD;
	status = lt_memory_print(r, a.file, a.format, &out) ? LT_EXIT_BAD : LT_EXIT_OK;
	lt_report_free(r);
	return lt_out_close(&out) ? LT_EXIT_BAD : status;
}
