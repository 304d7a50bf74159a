// SPDX-License-Identifier: GPL-2.0
/*
 * A recording from start to end, in this order: own the module, start its session, write
 * the first texts, read the slab counters, start the command; drain until a reason to stop
 * comes up; read the slab counters again, let the module write the final snapshot of tasks,
 * stop the session, drain the rest, write the last texts.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "base/text.h"
#include "out/log.h"
#include "record/choose.h"
#include "record/internal.h"
#include "record/page_kinds.h"
#include "record/rotate.h"
#include "record/slab_counters.h"

#define MIN_BUFFER	(4U << 20)
#define NICE		(-10)

static void *slab_thread(void *arg)
{
	struct lt_slab_job *job = arg;
	struct lt_slab_request rq = {
		.when = job->start ? "start" : "end", .shrink = job->shrink,
		.page_flags = job->page_flags, .counters = job->counters, .engine = job->engine,
		.cancel = &job->cancel, .cancel_pages = &job->cancel_pages,
	};

	/* Linux has a priority per thread; the recorder's raised one is for draining only. */
	if (job->normal_priority)
		setpriority(PRIO_PROCESS, 0, 0);
	if (lt_slab_snapshot(&rq, &job->text))
		job->text = NULL;
	atomic_store(&job->done, true);
	return NULL;
}

static void slab_begin(struct lt_record_counters *c, const struct lt_record_session *s, bool shrink,
		       bool start)
{
	struct lt_slab_job *job = &c->job;

	if (!c->slab)
		return;
	job->start = start;
	job->shrink = shrink;
	job->page_flags = c->page_flags;
	job->counters = c->slab;
	job->normal_priority = s->raised_priority;
	job->engine = s->engine;
	job->text = NULL;
	atomic_store(&job->done, false);
	atomic_store(&job->cancel_pages, false);
	if (pthread_create(&job->thread, NULL, slab_thread, job)) {
		lt_warn("the slab counters are not read, coverage will be missing: no thread could be "
			"created");
		return;
	}
	job->running = true;
}

/* Return: the text, to be freed; NULL: nothing was read. */
static char *slab_end(struct lt_slab_job *job)
{
	char *text;

	if (!job->running)
		return NULL;
	pthread_join(job->thread, NULL);
	text = job->text;
	job->running = false;
	job->text = NULL;
	return text;
}

/* One reading of the kinds of pages alone is of no use. */
static void close_page_flags(struct lt_record_counters *c)
{
	if (c->page_flags >= 0)
		close(c->page_flags);
	c->page_flags = -1;
}

/* Goes on draining while the thread reads the slab counters; a signal ends that of pages. */
static void wait_for_slab(struct lt_recording *r)
{
	struct lt_slab_job *job = &r->counters.job;
	unsigned int signals = r->signals;
	char *text;

	while (job->running && !atomic_load(&job->done) && !r->file.error) {
		if (r->signals != signals)
			atomic_store(&job->cancel_pages, true);
		lt_record_step(r);
	}
	if (r->file.error) {
		atomic_store(&job->cancel, true);
		atomic_store(&job->cancel_pages, true);
	}
	text = slab_end(job);
	if (text)
		lt_record_text(&r->file, r->sink.trace, LT_BLOCK_SLAB, true, text);
	free(text);
	if (atomic_load(&job->cancel_pages))
		close_page_flags(&r->counters);
}

static int start_session(struct lt_record_session *s)
{
	const char *said = s->engine->ops->said;
	char *reason;
	int err;

	if (s->attached)
		return 0;
	err = lt_engine_command(s->engine, "1");
	if (!err)
		return 0;
	reason = lt_engine_reason(s->engine);
	switch (err) {
	case ENOMEM:
		lt_error("%s has no memory for its buffers%s; try a smaller --n-subbufs or --subbuf-size",
			 said, reason);
		break;
	case EINVAL:
		lt_error("%s refuses its parameters%s", said, reason);
		break;
	default:
		/* A reason says more than that something is not possible. */
		if (err == EOPNOTSUPP && *reason)
			lt_error("%s could not start a session%s", said, reason);
		else
			lt_error("%s could not start a session: %s%s", said, strerror(err), reason);
	}
	free(reason);
	return -1;
}

/*
 * The buffers must be drained in time also when the CPUs are overloaded: events are lost
 * otherwise, and draining later would cost as much. A priority that the user has set is
 * kept. The command was forked before and keeps the normal priority.
 */
static bool raise_priority(void)
{
	errno = 0;
	return !getpriority(PRIO_PROCESS, 0) && !errno && !setpriority(PRIO_PROCESS, 0, NICE);
}

/* Bytes of the buffer for reading: some packets, at least two. */
static size_t buffer_size(const char *info)
{
	const char *at = strstr(info, "\nsubbuf_size=");
	uint64_t size = 0;
	size_t len;

	if (at) {
		at++;
		len = strcspn(at, "\n");
		if (!lt_pair(at, len, "subbuf_size", &size) || size > 1U << 29)
			size = 0;
	}
	return size * 2 > MIN_BUFFER ? (size_t)size * 2 : MIN_BUFFER;
}

/* What is written to: a file, which has its name later, or the directory of --rotate. */
static int open_output(struct lt_record_file *f, const struct lt_record_options *o)
{
	if (!o->output)
		return 0;
	if (o->rotate_ns || o->rotate_bytes)
		return lt_rotate_new(f, o);
	f->w = lt_writer_open(o->output, o->force);
	if (!f->w)
		return -1;
	f->w->zstd = o->zstd;
	return 0;
}

/* What is read beside the module's buffers. */
static int open_counters(struct lt_record_counters *c, const struct lt_record_options *o)
{
	if (o->coverage)
		c->slab = lt_slab_open();
	if (!o->page_kinds || !c->slab)
		return 0;
	c->page_flags = lt_page_kinds_open();
	return c->page_flags < 0 ? -1 : 0;
}

static int open_streams(struct lt_recording *r)
{
	lt_drain_init(&r->drain, r->session.engine, buffer_size(r->texts.info),
		      lt_record_packet, r);
	return !r->session.flight && lt_drain_scan(&r->drain) < 0 ? -1 : 0;
}

/* Tap and sink, which see the packets while they are recorded. */
static int begin_readers(struct lt_recording *r)
{
	struct lt_record_tap *tap = r->opts->tap;

	if (tap) {
		r->sink.tap_begun = true;
		if (tap->begin(tap, r))
			return -1;
	}
	if (r->sink.to) {
		r->sink.begun = true;
		r->sink.to->renew = lt_record_renew_texts;
		r->sink.to->recorder = r;
		if (r->sink.to->begin(r->sink.to, r->sink.trace))
			return -1;
	}
	return 0;
}

/* Starts the session and opens the output, the streams and the sink. */
static int begin(struct lt_recording *r)
{
	const struct lt_record_options *o = r->opts;
	struct lt_record_session *s = &r->session;

	if (lt_record_find_command(o))
		return -1;
	r->signal_fd = lt_record_signals(o->tap);
	if (r->signal_fd < 0 || lt_record_fork(&r->command, o) || lt_engine_own(s->engine))
		return -1;
	s->attached = lt_engine_recording(s->engine);
	if (lt_record_set_parameters(s, o, r->command.pid) || open_output(&r->file, o) ||
	    lt_record_functions(&r->texts, s, o))
		return -1;
	lt_record_watch_code(&r->texts);
	lt_record_read_symbols(&r->texts);
	if (open_counters(&r->counters, o))
		return -1;
	s->raised_priority = raise_priority();
	if (start_session(s))
		return -1;
	/* The session has its own copy. */
	lt_record_restore_parameters(s);
	lt_record_functions_started(&r->texts, s);
	r->started_ns = lt_now_ns();
	if (lt_record_first_texts(r) || lt_record_clock(r)) {
		if (r->file.error)
			lt_error("%s: %s", o->output, strerror(r->file.error));
		return -1;
	}
	if (s->flight) {
		/* They would be compared with the events of the whole session. */
		lt_slab_close(r->counters.slab);
		r->counters.slab = NULL;
	}
	if (open_streams(r) || (r->file.rotate && lt_rotate_begin(r)) || begin_readers(r))
		return -1;
	if (r->file.w && lt_record_no_room(r->file.w, o->max_size))
		return -1;
	/* Only now a trace that has this name gives way. */
	if (r->file.w && lt_writer_publish(r->file.w))
		return -1;
	s->begun = true;
	lt_record_keep_texts(s, r->texts.info, r->file.w);
	r->file.window_begin = r->file.w ? r->file.w->offset : 0;
	return 0;
}

/* Whether it must stop, perhaps because a text could not be written. */
static bool stops(struct lt_recording *r)
{
	if (!r->stop && r->file.error)
		r->stop = LT_STOP_OUTPUT;
	return r->stop;
}

static void run(struct lt_recording *r)
{
	slab_begin(&r->counters, &r->session, r->opts->shrink, true);
	wait_for_slab(r);
	if (!stops(r)) {
		if (r->opts->command)
			lt_record_go(&r->command, r->opts->command[0]);
		if (r->opts->duration_ns)
			r->deadline_ns = lt_now_ns() + r->opts->duration_ns;
		if (r->opts->snapshot_ns)
			r->next_snapshot_ns = lt_now_ns() + r->opts->snapshot_ns;
	}
	lt_spending_begin(r);
	while (!stops(r))
		lt_record_step(r);
	r->deadline_ns = 0;
	r->next_snapshot_ns = 0;
	/* Where no packet fits any more there is nothing to compare the counters with. */
	if (!r->file.error && r->signals < 2 && !r->file.left_out) {
		slab_begin(&r->counters, &r->session, r->opts->shrink, false);
		wait_for_slab(r);
	}
	/* A tap has seen what it needs; what it keeps has no end of the session. */
	if (r->opts->tap)
		r->opts->tap->stop(r->opts->tap);
	else if (!r->file.left_out && !(r->session.flight && lt_engine_frozen(r->session.engine)))
		lt_record_final_snapshot(r);
}

/*
 * The counters of the module do not change any more after the stop. They are written before
 * the last packets, too, and not only behind them: they have the time of the stop, by which
 * a reader of a file that is cut off among these packets decides which frees were watched.
 */
static void save_stats(struct lt_record_file *f, const struct lt_engine *e)
{
	char *stats = lt_engine_text(e, LT_FILE_STATS);

	if (stats && lt_writer_text(f->w, LT_BLOCK_STATS, false, stats, strlen(stats)))
		f->error = f->w->error;
	free(stats);
}

/* Stops the session, drains the rest, and writes the end of the file. */
static void finish(struct lt_recording *r)
{
	int err = lt_engine_command(r->session.engine, "0");
	uint64_t clock;

	if (err)
		lt_error("%s/%s: stop: %s", r->session.engine->dir, LT_FILE_ENABLE, strerror(err));
	else if (r->file.w && !r->file.error)
		save_stats(&r->file, r->session.engine);
	if (!r->file.error) {
		lt_drain_scan(&r->drain);
		lt_drain_until(&r->drain, UINT64_MAX);
	}
	/* A full disk often has room for the end of the file, which is small. */
	if (r->file.w && r->file.w->error)
		r->file.w->error = 0;
	lt_record_clock(r);
	lt_record_last_texts(r);
	if (r->file.w && !r->file.w->error)
		lt_writer_finish(r->file.w);
	if (r->sink.trace && lt_stats_stopped(r->texts.stats, &clock))
		lt_trace_set_stopped(r->sink.trace, clock);
	lt_record_feed_sink(r, UINT64_MAX);
}

/* @begun: else what failed was reported, and there is no file */
static int close_output(struct lt_record_file *f, const char *name, bool begun)
{
	uint64_t packets;

	if (!f->w)
		return 0;
	f->size = f->w->offset;
	f->kept_old = f->w->replace.old;
	packets = f->w->packets;
	if (!f->error && f->w->error)
		f->error = f->w->error;
	if (lt_writer_close(f->w) && !f->error)
		f->error = errno;
	f->w = NULL;
	if (!f->error)
		return 0;
	if (begun)
		lt_error("%s: cannot write: %s; the first %llu packets (%llu bytes) are saved and "
			 "readable; 'lifetrace verify' reports what is missing", name,
			 strerror(f->error), (unsigned long long)packets,
			 (unsigned long long)f->size);
	return -1;
}

static void free_texts(struct lt_record_texts *t)
{
	free(t->info);
	free(t->schema);
	free(t->clock);
	free(t->events);
	free(t->modules);
	free(t->symbols);
	free(t->builds);
	free(t->cgroups);
	free(t->code);
	free(t->functions);
	lt_record_code_end(t);
	lt_unloaded_free(t->unloaded);
	free(t->stats);
}

static void clean_up(struct lt_recording *r)
{
	if (r->session.raised_priority)
		setpriority(PRIO_PROCESS, 0, 0);
	lt_record_restore_parameters(&r->session);
	lt_rotate_free(&r->file, r->opts);
	lt_slab_close(r->counters.slab);
	close_page_flags(&r->counters);
	free(r->session.used_events);
	free(r->session.only_code);
	free(r->session.only_pid);
	lt_engine_close(r->session.engine);
	lt_drain_free(&r->drain);
	lt_trace_close(r->sink.trace);
	if (r->signal_fd >= 0)
		close(r->signal_fd);
	free_texts(&r->texts);
}

int lt_record_run(const struct lt_record_options *opts, struct lt_sink *sink)
{
	struct lt_recording r = { .opts = opts, .sink = { .to = sink }, .signal_fd = -1,
				  .counters = { .page_flags = -1 } };
	int status = LT_EXIT_OK;

	r.session.engine = lt_record_engine(opts);
	if (!r.session.engine)
		return LT_EXIT_BAD;
	if (begin(&r)) {
		status = LT_EXIT_BAD;
	} else {
		run(&r);
		lt_record_progress_end(&r.shown);
		lt_record_end_command(&r.command, opts);
		finish(&r);
		lt_record_summary(&r);
	}
	lt_record_end_command(&r.command, opts);
	if (lt_rotate_end(r.file.rotation, opts))
		status = LT_EXIT_BAD;
	if (close_output(&r.file, opts->output, r.session.begun) || r.sink.failed ||
	    r.sink.flush_failed || r.command.failed)
		status = LT_EXIT_BAD;
	if (r.stop == LT_STOP_MODULE) {
		char *reason = lt_engine_reason(r.session.engine);

		lt_error("%s has stopped the session%s. What was recorded until then is complete",
			 r.session.engine->ops->said, reason);
		free(reason);
		status = LT_EXIT_BAD;
	}
	if (r.sink.begun && r.sink.to->end(r.sink.to))
		status = LT_EXIT_BAD;
	if (r.sink.tap_begun)
		opts->tap->end(opts->tap);
	if (r.session.begun)
		lt_record_next(&r.file, &r.texts, opts);
	if (opts->recorded)
		*opts->recorded = r.session.begun;
	if (status == LT_EXIT_OK && r.stop == LT_STOP_COMMAND)
		status = lt_record_command_status(&r.command);
	clean_up(&r);
	return status;
}
