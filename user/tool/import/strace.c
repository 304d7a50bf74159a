// SPDX-License-Identifier: GPL-2.0
/*
 * A log of strace -f -ttt: which processes there were.
 */
#include <inttypes.h>

#include "import/file.h"
#include "import/strace.h"
#include "out/log.h"

static void take(void *arg, const struct lt_import_event *ev)
{
	struct lt_import_file *f = arg;

	lt_import_event(f->im, ev);
}

struct reader {
	const char *path;
	struct lt_import_file *f;
	struct lt_import_strace s;
	uint64_t bad;
};

static int take_line(void *arg, const char *line, size_t len, uint64_t n)
{
	struct reader *r = arg;
	struct lt_why why;

	if (!lt_import_strace_line(&r->s, line, len, &why) && !r->bad++)
		lt_warn("%s: line %" PRIu64 ": %s", r->path, n, why.text);
	return lt_import_ret(r->f->im);
}

int lt_import_strace_log(struct lt_import_file *f, const char *path)
{
	const struct lt_import_source source = {
		.tool = "strace", .release = "", .machine_name = "", .host = "",
		.clock = "realtime",
		.machine = lt_encode_this_machine(), .exit_has_code = true,
		.kinds = 1U << LT_IMPORT_NEWTASK | 1U << LT_IMPORT_EXEC | 1U << LT_IMPORT_EXIT,
	};
	struct reader r = { .path = path, .f = f };
	struct lt_import_counts counts;
	int ret;

	if (lt_import_file_begin(f, &source))
		return -1;
	lt_import_strace_init(&r.s, take, f);
	ret = lt_import_each_line(path, take_line, &r, &f->cut);
	lt_import_strace_end(&r.s);
	f->others = r.s.others;
	lt_import_strace_destroy(&r.s);
	counts = lt_import_counts(f->im);
	if (!ret && !counts.events[LT_IMPORT_NEWTASK] && !counts.events[LT_IMPORT_EXEC] &&
	    !counts.events[LT_IMPORT_EXIT]) {
		lt_error("%s: expected lines of strace -f -ttt, found no process in them", path);
		ret = -1;
	}
	/* An end, or a birth, may have been in a line that cannot be read. */
	lt_import_missed(f->im, r.bad);
	return ret ? -1 : lt_import_file_end(f);
}
