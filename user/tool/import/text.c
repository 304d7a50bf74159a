// SPDX-License-Identifier: GPL-2.0
/*
 * The text of tracefs or of perf script: read once for which events it has, and once for these.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "import/file.h"
#include "import/text.h"
#include "out/log.h"

struct reader {
	const char *path;
	struct lt_import_file *f;	/* NULL: the first time */
	struct lt_import_source source;
	uint64_t bad;
};

static void look(struct reader *r, const struct lt_import_event *ev)
{
	r->source.kinds |= 1U << ev->kind;
	r->source.alloc_has_node |= ev->has_node;
	r->source.exit_has_group |= ev->group_dead >= 0;
	if (ev->kind == LT_IMPORT_CACHE_ALLOC && ev->name[0])
		r->source.alloc_has_name = true;
}

static void take_line(struct reader *r, struct lt_import_text *t, const char *line, size_t len,
		      uint64_t n)
{
	struct lt_import_event ev;
	struct lt_import_loss loss;
	struct lt_why why;

	switch (lt_import_text_line(t, line, len, &ev, &loss, &why)) {
	case LT_IMPORT_LINE_EVENT:
		if (!r->f) {
			look(r, &ev);
			break;
		}
		if (loss.to)
			lt_import_lost(r->f->im, &loss);
		lt_import_event(r->f->im, &ev);
		break;
	case LT_IMPORT_LINE_BAD:
		if (!r->f && !r->bad++)
			lt_warn("%s: line %" PRIu64 ": %s", r->path, n, why.text);
		break;
	default:
		break;
	}
}

static int read_lines(struct reader *r, struct lt_import_text *t)
{
	struct lt_log_reader lines = { .fd = open(r->path, O_RDONLY | O_CLOEXEC) };
	const char *line;
	size_t len;
	int more;

	if (lines.fd < 0) {
		lt_error("%s: %s", r->path, strerror(errno));
		return -1;
	}
	while ((more = lt_log_next(&lines, &line, &len)) > 0)
		take_line(r, t, line, lt_log_without_cr(line, len), lines.number);
	if (more < 0)
		lt_error("%s: line %" PRIu64 ": %s", r->path, lines.number + 1, strerror(errno));
	close(lines.fd);
	lt_log_reader_destroy(&lines);
	return more;
}

/* Lines that cannot be read are events that are missing, at a time that is not known. */
static int write_trace(struct reader *r, struct lt_import_text *t)
{
	if (lt_import_file_begin(r->f, &r->source))
		return -1;
	lt_import_missed(r->f->im, r->bad);
	if (read_lines(r, t))
		return -1;
	if (t->symbols.n)
		lt_str_put(&r->f->symbols, t->symbols.s);
	return lt_import_file_end(r->f);
}

int lt_import_lines(struct lt_import_file *f, const char *path, enum lt_log_format format)
{
	struct reader r = {
		.path = path,
		.source = {
			.tool = format == LT_LOG_PERF ? "perf script" : "tracefs", .release = "",
			.machine_name = "", .host = "", .clock = "local",
			.machine = lt_encode_this_machine(),
		},
	};
	struct lt_import_text t;
	int ret;

	lt_import_text_init(&t, format);
	ret = read_lines(&r, &t);
	r.source.hashed = t.hashed;
	lt_import_text_destroy(&t);
	if (!ret && !r.source.kinds) {
		lt_error("%s: expected events of kmem, sched, task or raw_syscalls, found none of them",
			 path);
		ret = -1;
	}
	if (ret)
		return -1;
	r.source.machine.text_base = LT_IMPORT_CODE;
	r.source.machine.ptr_base = r.source.hashed ? 0 : 0xffff800000000000ULL;
	r.source.gfp = lt_import_text_gfp(&r.source.n_gfp);
	r.f = f;
	lt_import_text_init(&t, format);
	ret = write_trace(&r, &t);
	lt_import_text_destroy(&t);
	return ret;
}
