// SPDX-License-Identifier: GPL-2.0
/*
 * The text of tracefs or of perf script: read once for which events it has, and once for these.
 */
#include <inttypes.h>

#include <stdlib.h>

#include "import/file.h"
#include "import/perf_head.h"
#include "import/text.h"
#include "out/log.h"

struct reader {
	const char *path;
	struct lt_import_file *f;	/* NULL: the first time */
	struct lt_import_text t;
	struct lt_import_source source;
	struct lt_import_perf_head head;
	uint64_t bad;
	bool in_chain;
};

static void look(struct reader *r, const struct lt_import_event *ev)
{
	r->source.kinds |= 1U << ev->kind;
	r->source.alloc_has_node |= ev->has_node;
	r->source.exit_has_group |= ev->group_dead >= 0;
	if (ev->kind == LT_IMPORT_CACHE_ALLOC && ev->name[0])
		r->source.alloc_has_name = true;
}

/* What is left out is counted while events are taken in. */
static void leave_out(struct reader *r, enum lt_import_line kind)
{
	r->f->others += kind == LT_IMPORT_LINE_OTHER_EVENT;
	r->f->chains += kind == LT_IMPORT_LINE_CALLER && !r->in_chain;
	r->in_chain = kind == LT_IMPORT_LINE_CALLER;
}

static int take_line(void *arg, const char *line, size_t len, uint64_t n)
{
	struct reader *r = arg;
	struct lt_import_event ev;
	struct lt_import_loss loss;
	enum lt_import_line kind;
	struct lt_why why;

	kind = lt_import_text_line(&r->t, line, len, &ev, &loss, &why);
	if (r->f)
		leave_out(r, kind);
	switch (kind) {
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
		if (!r->f && r->t.parser.format == LT_LOG_PERF)
			lt_import_perf_head_line(&r->head, line, len);
		break;
	}
	return r->f ? lt_import_ret(r->f->im) : 0;
}

/* Lines that cannot be read are events that are missing, at a time that is not known. */
static int write_trace(struct reader *r)
{
	struct lt_import_loss loss;

	if (lt_import_file_begin(r->f, &r->source))
		return -1;
	lt_import_missed(r->f->im, r->bad);
	if (lt_import_each_line(r->path, take_line, r, &r->f->cut))
		return -1;
	while (lt_import_text_rest(&r->t, &loss))
		lt_import_lost(r->f->im, &loss);
	if (r->t.symbols.n)
		lt_str_put(&r->f->symbols, r->t.symbols.s);
	return lt_import_file_end(r->f);
}

/* What was learnt before the events are taken in. */
static void take_head(struct reader *r, struct lt_str *info)
{
	r->source.release = r->head.release;
	r->source.machine_name = r->head.machine;
	r->source.host = r->head.host;
	lt_import_perf_head_info(&r->head, info);
	if (r->t.parser.format != LT_LOG_PERF)
		return;
	if (!r->t.has_losses)
		lt_str_put(info, "losses_unknown=1\n");
	if (r->source.kinds & 1U << LT_IMPORT_SYS_ENTER && !r->head.machine[0])
		lt_warn("%s: names no machine, so system calls have numbers; perf script --header names it",
			r->path);
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
	struct lt_str info = { .n = 0 };
	int ret;

	lt_import_text_init(&r.t, format);
	ret = lt_import_each_line(path, take_line, &r, &f->cut);
	r.source.hashed = r.t.hashed;
	take_head(&r, &info);
	lt_import_text_destroy(&r.t);
	if (!ret && !r.source.kinds) {
		lt_error("%s: expected events of kmem, sched, task or raw_syscalls, found none of them",
			 path);
		ret = -1;
	}
	if (ret)
		goto out;
	r.source.machine.text_base = LT_IMPORT_CODE;
	r.source.machine.ptr_base = r.source.hashed ? 0 : 0xffff800000000000ULL;
	r.source.gfp = lt_import_text_gfp(&r.source.n_gfp);
	r.f = f;
	f->info = info.n ? info.s : NULL;
	lt_import_text_init(&r.t, format);
	ret = write_trace(&r);
	f->info = NULL;
	lt_import_text_destroy(&r.t);
out:
	free(r.head.command.s);
	free(info.s);
	return ret;
}
