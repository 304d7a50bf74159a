// SPDX-License-Identifier: GPL-2.0
/*
 * The frame of an export: opens the trace and the output, and reads the trace as often
 * as the exporter's callbacks require: once for packets, once for tasks, once for events
 * and lifetimes together, twice for sums, and three times for a profile and its steps.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"
#include "export/export.h"
#include "export/profile.h"
#include "export/row_source.h"
#include "format/dir.h"
#include "lifetimes/read.h"
#include "out/log.h"
#include "out/output.h"
#include "tasks/read.h"
#include "trace/pass.h"

#define MAX_TRACES	2	/* passes that take events: tasks; events and lifetimes */

/**
 * struct run - an export and its exporter
 * @e: what the callbacks see
 * @source: makes the rows of an exporter with @row
 * @rows_of_lifetimes: it makes such rows
 * @traces: open traces; the last one is e.trace
 * @taken: the events of e.trace were taken: the next pass needs another trace
 * @failed: a callback has returned -1
 * @damaged: packets left out
 * @fd: of the output, which is no directory
 * @part: the directory that is being written; NULL: none, or it has its name
 */
struct run {
	struct lt_export e;
	const struct lt_exporter *x;
	struct lt_row_source source;
	bool rows_of_lifetimes;
	struct lt_trace *traces[MAX_TRACES];
	size_t n_traces;
	bool taken;
	bool failed;
	uint64_t damaged;
	int fd;
	const char *part;
};

/* ------------------------------------------------------------------------
 * The output
 */

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_stdout(const char *path)
{
	if (strcmp(path, "-"))
		return false;
	lt_error("-: standard output is one file, and these are many; choose a directory");
	return true;
}

int lt_export_make_dir(const char *path, bool add)
{
	if (is_stdout(path))
		return -1;
	if (!mkdir(path, 0700)) {
		lt_owner_give_dir(path);
		return 0;
	}
	if ((errno == EEXIST && (add ? is_directory(path) : lt_output_is_empty_dir(path))))
		return 0;
	if (errno == EEXIST)
		lt_error("%s: exists and is not %s directory; choose another", path,
			 add ? "a" : "an empty");
	else
		lt_error("%s: cannot make the directory: %s", path, strerror(errno));
	return -1;
}

/* A directory that cannot be made beside an empty one is the empty one. */
static int open_directory(struct run *r)
{
	bool is_there = is_directory(r->e.path);

	if (is_stdout(r->e.path))
		return -1;
	if (is_there && !lt_output_is_empty_dir(r->e.path))
		return lt_export_make_dir(r->e.path, false);
	r->part = lt_output_make_dir(r->e.path);
	if (r->part)
		r->e.path = r->part;
	else if (!is_there)
		return lt_export_make_dir(r->e.path, false);
	return 0;
}

static int open_output(struct run *r)
{
	if (r->x->directory && lt_owner_refuses(r->e.path, true))
		return -1;
	if (r->x->directory && r->x->tables)
		return lt_export_make_dir(r->e.path, true);
	if (r->x->directory)
		return open_directory(r);
	r->fd = lt_output_open(r->e.path);
	if (r->fd < 0)
		return -1;
	r->e.out = r->fd == STDOUT_FILENO ? stdout :
		fdopen(fcntl(r->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "wb");
	if (!r->e.out)
		lt_die("out of memory");
	return 0;
}

/* Return: 0, or -1 if it failed, or @err says that what was written is not the whole. */
static int close_output(struct run *r, int err)
{
	FILE *out = r->e.out;
	bool failed;

	if (r->part && lt_output_close_dir(r->part, !err))
		return -1;
	if (!out)
		return err;
	failed = fflush(out) || ferror(out);
	if (out != stdout && fclose(out))
		failed = true;
	if (failed)
		lt_error("%s: cannot write: %s", r->e.path, strerror(errno));
	err = failed || err ? -1 : 0;
	if (lt_output_close(r->fd, !err))
		err = -1;
	return err;
}

/* ------------------------------------------------------------------------
 * Packets
 */

static void note(void *arg, uint64_t offset, const char *text)
{
	const char *name = lt_file_place(arg, offset, &offset);

	lt_warn("%s: offset %" PRIu64 ": %s", name, offset, text);
}

static int export_stream(struct run *r, const struct lt_dir *d, const struct lt_file *f,
			 const struct lt_stream_dir *s, struct lt_buf buf[2])
{
	for (size_t i = 0; i < s->n; i++) {
		const char *name;
		struct lt_packet p;
		struct lt_why why;
		uint64_t at;
		int ret = lt_dir_load(d, f, s, &s->refs[i], &buf[0], &buf[1], &p, &why);

		if (!ret) {
			ret = r->x->packet(&r->e, &p, &why);
			if (ret < 0)
				return -1;
		}
		if (ret) {
			name = lt_file_place(f, s->refs[i].offset, &at);
			lt_warn("%s: offset %" PRIu64 ": packet left out: %s", name, at, why.text);
			r->damaged++;
		}
	}
	return 0;
}

/* A pass without a word of what is damaged: that of @packet says it. */
static void look_at_stream(struct run *r, const struct lt_dir *d, const struct lt_file *f,
			   const struct lt_stream_dir *s, struct lt_buf buf[2])
{
	for (size_t i = 0; i < s->n; i++) {
		struct lt_packet p;
		struct lt_why why;

		if (!lt_dir_load(d, f, s, &s->refs[i], &buf[0], &buf[1], &p, &why))
			r->x->look(&r->e, &p);
	}
}

static int export_packets(struct run *r)
{
	struct lt_file *f = lt_file_open(r->e.file);
	struct lt_buf buf[2] = { { 0 }, { 0 } };
	struct lt_dir d = { 0 };
	int err = 0;

	if (!f)
		return -1;
	lt_dir_read(&d, f, false, note, f);
	for (size_t i = 0; r->x->look && i < d.n_streams; i++) {
		if (d.streams[i])
			look_at_stream(r, &d, f, d.streams[i], buf);
	}
	for (size_t i = 0; i < d.n_streams && !err; i++) {
		if (d.streams[i])
			err = export_stream(r, &d, f, d.streams[i], buf);
	}
	lt_buf_free(&buf[0]);
	lt_buf_free(&buf[1]);
	lt_dir_free(&d);
	lt_file_close(f);
	return err;
}

/* ------------------------------------------------------------------------
 * Tasks, events, lifetimes
 */

/* Makes e.trace a trace of which no event was taken. */
static int rewind_trace(struct run *r)
{
	if (r->taken || !r->n_traces) {
		r->e.trace = lt_trace_open(r->e.file);
		if (!r->e.trace)
			return -1;
		r->traces[r->n_traces++] = r->e.trace;
	}
	r->taken = false;
	return 0;
}

static int put_task(struct run *r, uint32_t inst, const struct lt_task_inst *t)
{
	if (r->x->task && r->x->task(&r->e, inst, t))
		return -1;
	return r->x->row ? lt_row_source_task(&r->source, t) : 0;
}

static int export_tasks(struct run *r)
{
	const uint32_t *order;

	if (rewind_trace(r))
		return -1;
	if (!lt_trace_has_channel(r->e.trace, LT_CHANNEL_PID))
		return 0;
	r->taken = true;
	r->e.tasks = lt_tasks_for(r->e.trace, true);
	if (!r->e.tasks || lt_tasks_read(r->e.trace, r->e.tasks))
		return -1;
	order = lt_tasks_order(r->e.tasks);
	for (uint32_t i = 0; i < lt_tasks_count(r->e.tasks); i++) {
		if (put_task(r, order[i], lt_tasks_get(r->e.tasks, order[i])))
			return -1;
	}
	return 0;
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct run *r = arg;

	if (r->failed)
		return;
	if ((r->x->lifetime && r->x->lifetime(&r->e, l)) ||
	    (r->rows_of_lifetimes && lt_row_source_lifetime(&r->source, l)))
		r->failed = true;
}

static int event(void *arg, const struct lt_event *ev)
{
	struct run *r = arg;

	if (r->failed || (r->x->event && r->x->event(&r->e, ev)))
		return -1;
	return r->x->row ? lt_row_source_event(&r->source, ev) : 0;
}

static bool takes_events(const struct run *r)
{
	return (r->x->event && !r->e.no_events) || lt_row_source_needs_events(&r->e);
}

static bool takes_lifetimes(const struct run *r)
{
	return r->x->lifetime || r->rows_of_lifetimes;
}

static bool takes_tasks(const struct run *r)
{
	return r->x->task || lt_row_source_needs_tasks(&r->e);
}

static int export_events(struct run *r)
{
	bool events = takes_events(r);
	const struct lt_lifetime_pass pass = {
		.ops = { .ended = ended, .arg = r }, .event = events ? event : NULL,
		.stop = &r->failed, .bytes = events,
	};
	int err;

	if (rewind_trace(r))
		return -1;
	r->taken = true;
	err = takes_lifetimes(r) ? lt_lifetimes_pass(r->e.trace, &pass) :
	      lt_trace_pass(r->e.trace, &(struct lt_pass){ .event = event, .arg = r });
	if (!err && r->x->row)
		err = lt_row_source_finish(&r->source);
	return err || r->failed ? -1 : 0;
}

static int export_sums(struct run *r)
{
	struct lt_report *sums = lt_report_make(r->e.file, &r->x->sums_of);
	int err;

	if (!sums)
		return -1;
	err = r->x->sums(&r->e, sums);
	lt_report_free(sums);
	return err;
}

static int export_profile(struct run *r)
{
	struct lt_profile_options opts = r->e.opts->profile;
	struct lt_profile *p;
	int err;

	opts.peak = r->x->all_instants;
	opts.max = r->x->most;
	opts.step = r->x->step;
	opts.lifetime = r->x->profiled;
	opts.marker = r->x->marker;
	opts.arg = &r->e;
	if (lt_export_levels(&opts, r->e.trace, r->e.file) ||
	    !lt_space_recorded(r->e.trace, opts.report.space))
		return -1;
	p = lt_profile_make(r->e.file, &opts);
	if (!p)
		return -1;
	err = opts.report.filter ? lt_filter_finish(opts.report.filter, p->trace) : 0;
	if (!err)
		err = r->x->profile(&r->e, p);
	lt_profile_free(p);
	return err;
}

/* ------------------------------------------------------------------------
 * All of it
 */

static int make_passes(struct run *r)
{
	const struct lt_exporter *x = r->x;
	bool events = takes_events(r) || takes_lifetimes(r);

	if ((x->packet && export_packets(r)) || (takes_tasks(r) && export_tasks(r)) ||
	    (events && export_events(r)) || (x->sums && export_sums(r)) ||
	    (x->profile && export_profile(r)))
		return -1;
	return 0;
}

static int run(struct run *r)
{
	int err;

	if (open_output(r))
		return LT_EXIT_BAD;
	err = r->x->begin ? r->x->begin(&r->e) : 0;
	if (!err) {
		if (r->x->row)
			lt_row_source_begin(&r->source, &r->e, r->x);
		r->rows_of_lifetimes = lt_row_source_needs_lifetimes(&r->e);
		err = make_passes(r);
		r->e.failed = err;
		if (r->x->row)
			lt_row_source_free(&r->source);
		if (r->x->end && r->x->end(&r->e))
			err = -1;
	}
	if (close_output(r, err))
		return LT_EXIT_BAD;
	return r->damaged ? LT_EXIT_NO : LT_EXIT_OK;
}

int lt_export_run(const struct lt_exporter *x, const char *file, const char *path,
		  const struct lt_export_options *opts)
{
	static const struct lt_export_options usual = { .profile.report.no_recorder = true };
	struct run r = { .x = x, .e = { .file = file, .path = path } };
	struct lt_schema *schema = NULL;
	int status = LT_EXIT_BAD;
	const char *text;

	r.e.opts = opts ? opts : &usual;
	if (rewind_trace(&r))
		return LT_EXIT_BAD;
	text = lt_trace_text(r.e.trace, LT_BLOCK_SCHEMA, 0);
	if (text)
		schema = lt_schema_parse(text, file);
	if (schema) {
		r.e.schema = schema;
		status = run(&r);
	}
	lt_schema_free(schema);
	lt_tasks_free(r.e.tasks);
	while (r.n_traces)
		lt_trace_close(r.traces[--r.n_traces]);
	return status;
}
