// SPDX-License-Identifier: GPL-2.0
/*
 * A log of strace -f -ttt: which processes there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "import/file.h"
#include "import/strace.h"
#include "out/log.h"

static void take(void *arg, const struct lt_import_event *ev)
{
	struct lt_import_file *f = arg;

	lt_import_event(f->im, ev);
}

static int read_lines(struct lt_import_file *f, const char *path, struct lt_import_strace *s,
		      uint64_t *bad)
{
	struct lt_log_reader lines = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	const char *line;
	size_t len;
	int more;

	if (lines.fd < 0) {
		lt_error("%s: %s", path, strerror(errno));
		return -1;
	}
	while ((more = lt_log_next(&lines, &line, &len)) > 0 && !lt_import_ret(f->im)) {
		struct lt_why why;

		if (!lt_import_strace_line(s, line, lt_log_without_cr(line, len), &why) &&
		    !(*bad)++)
			lt_warn("%s: line %" PRIu64 ": %s", path, lines.number, why.text);
	}
	if (more < 0)
		lt_error("%s: line %" PRIu64 ": %s", path, lines.number + 1, strerror(errno));
	close(lines.fd);
	lt_log_reader_destroy(&lines);
	return more < 0 ? -1 : 0;
}

int lt_import_strace_log(struct lt_import_file *f, const char *path)
{
	const struct lt_import_source source = {
		.tool = "strace", .release = "", .machine_name = "", .host = "",
		.clock = "realtime",
		.machine = lt_encode_this_machine(), .exit_has_code = true,
		.kinds = 1U << LT_IMPORT_NEWTASK | 1U << LT_IMPORT_EXEC | 1U << LT_IMPORT_EXIT,
	};
	struct lt_import_counts counts;
	struct lt_import_strace s;
	uint64_t bad = 0;
	int ret;

	if (lt_import_file_begin(f, &source))
		return -1;
	lt_import_strace_init(&s, take, f);
	ret = read_lines(f, path, &s, &bad);
	lt_import_strace_end(&s);
	lt_import_strace_destroy(&s);
	counts = lt_import_counts(f->im);
	if (!ret && !counts.events[LT_IMPORT_NEWTASK] && !counts.events[LT_IMPORT_EXEC] &&
	    !counts.events[LT_IMPORT_EXIT]) {
		lt_error("%s: expected lines of strace -f -ttt, found no process in them", path);
		ret = -1;
	}
	return ret ? -1 : lt_import_file_end(f);
}
