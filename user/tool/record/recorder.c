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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "out/log.h"
#include "record/internal.h"
#include "record/page_kinds.h"
#include "record/rotate.h"
#include "record/slab_counters.h"

#define MIN_BUFFER	(4U << 20)
#define CHILD_WAIT_MS	2000
#define NICE		(-10)

static void *slab_thread(void *arg)
{
	struct lt_slab_job *job = arg;
	struct lt_slab_request rq = {
		.when = job->start ? "start" : "end", .shrink = job->shrink,
		.page_flags = job->page_flags, .counters = job->counters, .module = job->module,
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

static void slab_begin(struct lt_recording *r, bool start)
{
	if (!r->counters.slab)
		return;
	r->counters.job.start = start;
	r->counters.job.shrink = r->opts->shrink;
	r->counters.job.page_flags = r->counters.page_flags;
	r->counters.job.counters = r->counters.slab;
	r->counters.job.normal_priority = r->session.raised_priority;
	r->counters.job.module = &r->session.module;
	r->counters.job.text = NULL;
	atomic_store(&r->counters.job.done, false);
	atomic_store(&r->counters.job.cancel_pages, false);
	if (pthread_create(&r->counters.job.thread, NULL, slab_thread, &r->counters.job)) {
		lt_warn("the slab counters are not read, coverage will be missing: no thread could be "
			"created");
		return;
	}
	r->counters.job.running = true;
}

static void slab_end(struct lt_recording *r)
{
	if (!r->counters.job.running)
		return;
	pthread_join(r->counters.job.thread, NULL);
	r->counters.job.running = false;
	if (r->counters.job.text)
		lt_record_text(r, LT_BLOCK_SLAB, true, r->counters.job.text);
	free(r->counters.job.text);
	r->counters.job.text = NULL;
}

/* One reading of the kinds of pages alone is of no use. */
static void close_page_flags(struct lt_recording *r)
{
	if (r->counters.page_flags >= 0)
		close(r->counters.page_flags);
	r->counters.page_flags = -1;
}

/* Goes on draining while the thread reads the slab counters; a signal ends that of pages. */
static void wait_for_slab(struct lt_recording *r)
{
	unsigned int signals = r->signals;

	while (r->counters.job.running && !atomic_load(&r->counters.job.done) && !r->file.error) {
		if (r->signals != signals)
			atomic_store(&r->counters.job.cancel_pages, true);
		lt_record_step(r);
	}
	if (r->file.error) {
		atomic_store(&r->counters.job.cancel, true);
		atomic_store(&r->counters.job.cancel_pages, true);
	}
	slab_end(r);
	if (atomic_load(&r->counters.job.cancel_pages))
		close_page_flags(r);
}

static int start_session(struct lt_recording *r)
{
	char *reason;
	int err;

	if (r->session.attached)
		return 0;
	err = lt_module_command(&r->session.module, "1");
	if (!err)
		return 0;
	reason = lt_module_reason(&r->session.module);
	switch (err) {
	case ENOMEM:
		lt_error("the module has no memory for its buffers%s; try a smaller --n-subbufs or "
			 "--subbuf-size", reason);
		break;
	case EINVAL:
		lt_error("the module refuses its parameters%s", reason);
		break;
	default:
		lt_error("the module could not start a session: %s%s", strerror(err), reason);
	}
	free(reason);
	return -1;
}

/*
 * The buffers must be drained in time also when the CPUs are overloaded: events are lost
 * otherwise, and draining later would cost as much. A priority that the user has set is
 * kept. The command was forked before and keeps the normal priority.
 */
static void raise_priority(struct lt_recording *r)
{
	errno = 0;
	if (!getpriority(PRIO_PROCESS, 0) && !errno)
		r->session.raised_priority = !setpriority(PRIO_PROCESS, 0, NICE);
}

/* Bytes of the buffer for reading: some packets, at least two. */
static size_t buffer_size(const struct lt_recording *r)
{
	const char *at = strstr(r->texts.info, "\nsubbuf_size=");
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
static int open_output(struct lt_recording *r)
{
	const struct lt_record_options *o = r->opts;

	if (!o->output)
		return 0;
	if (o->rotate_ns || o->rotate_bytes)
		return lt_rotate_new(r);
	r->file.w = lt_writer_open(o->output, o->force);
	if (!r->file.w)
		return -1;
	r->file.w->zstd = o->zstd;
	return 0;
}

/* What is read beside the module's buffers. */
static int open_counters(struct lt_recording *r)
{
	lt_record_watch_code(r);
	lt_record_read_symbols(r);
	if (r->opts->coverage)
		r->counters.slab = lt_slab_open();
	if (r->opts->page_kinds && r->counters.slab) {
		r->counters.page_flags = lt_page_kinds_open();
		if (r->counters.page_flags < 0)
			return -1;
	}
	return 0;
}

static int open_streams(struct lt_recording *r)
{
	const char *dirs[LT_N_CHANNELS];

	for (unsigned int i = 0; i < LT_N_CHANNELS; i++) {
		dirs[i] = r->channel_dirs[i];
		snprintf(r->channel_dirs[i], sizeof(r->channel_dirs[i]), "%s/%s",
			 r->session.module.dir, lt_channel_name(i + 1));
	}
	lt_drain_init(&r->drain, dirs, buffer_size(r), lt_record_packet, r);
	r->drain.device = r->session.module.device >= 0 ? &r->session.module : NULL;
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

	if (lt_record_find_command(o) || lt_record_signals(r) || lt_record_fork(r) ||
	    lt_module_own(&r->session.module))
		return -1;
	r->session.attached = lt_module_recording(&r->session.module);
	if (lt_record_set_parameters(r))
		return -1;
	if (open_output(r) || open_counters(r) || lt_record_functions(r))
		return -1;
	raise_priority(r);
	if (start_session(r))
		return -1;
	/* The session has its own copy. */
	lt_record_restore_parameters(r);
	lt_record_functions_started(r);
	r->started_ns = lt_now_ns();
	if (lt_record_first_texts(r) || lt_record_clock(r)) {
		if (r->file.error)
			lt_error("%s: %s", o->output, strerror(r->file.error));
		return -1;
	}
	if (r->session.flight) {
		/* They would be compared with the events of the whole session. */
		lt_slab_close(r->counters.slab);
		r->counters.slab = NULL;
	}
	if (open_streams(r) || (r->rotate && lt_rotate_begin(r)) || begin_readers(r))
		return -1;
	if (r->file.w && lt_record_no_room(r))
		return -1;
	/* Only now a trace that has this name gives way. */
	if (r->file.w && lt_writer_publish(r->file.w))
		return -1;
	r->session.begun = true;
	lt_record_keep_texts(r);
	r->file.window_begin = r->file.w ? r->file.w->offset : 0;
	return 0;
}

static void run(struct lt_recording *r)
{
	slab_begin(r, true);
	wait_for_slab(r);
	if (!r->stop) {
		lt_record_go(r);
		if (r->opts->duration_ns)
			r->deadline_ns = lt_now_ns() + r->opts->duration_ns;
		if (r->opts->snapshot_ns)
			r->next_snapshot_ns = lt_now_ns() + r->opts->snapshot_ns;
	}
	while (!r->stop)
		lt_record_step(r);
	r->deadline_ns = 0;
	r->next_snapshot_ns = 0;
	/* Where no packet fits any more there is nothing to compare the counters with. */
	if (!r->file.error && r->signals < 2 && !r->file.left_out) {
		slab_begin(r, false);
		wait_for_slab(r);
	}
	/* A tap has seen what it needs; what it keeps has no end of the session. */
	if (r->opts->tap)
		r->opts->tap->stop(r->opts->tap);
	else if (!r->file.left_out && !(r->session.flight && lt_module_frozen(&r->session.module)))
		lt_record_final_snapshot(r);
}

/* Ends a command that is still running by SIGTERM. */
static void end_child(struct lt_recording *r)
{
	if (r->command.pid <= 0)
		return;
	if (!r->command.started) {
		close(r->command.go);	/* the child, which waits for this pipe, exits */
		close(r->command.exec);
	} else {
		kill(r->command.pid, SIGTERM);
	}
	for (int i = 0; i < CHILD_WAIT_MS / 10 && r->command.pid > 0; i++) {
		lt_record_reap(r);
		if (r->command.pid > 0)
			nanosleep(&(struct timespec){ .tv_nsec = 10 * (long)NSEC_PER_MSEC }, NULL);
	}
	if (r->command.pid > 0)
		lt_warn("%s (pid %d) ignores SIGTERM and runs on after the recording",
			r->opts->command[0], (int)r->command.pid);
}

/*
 * The counters of the module do not change any more after the stop. They are written before
 * the last packets, too, and not only behind them: they have the time of the stop, by which
 * a reader of a file that is cut off among these packets decides which frees were watched.
 */
static void save_stats(struct lt_recording *r)
{
	char *stats = lt_module_text(&r->session.module, LT_FILE_STATS);

	if (stats && lt_writer_text(r->file.w, LT_BLOCK_STATS, false, stats, strlen(stats)))
		r->file.error = r->file.w->error;
	free(stats);
}

/* Stops the session, drains the rest, and writes the end of the file. */
static void finish(struct lt_recording *r)
{
	int err = lt_module_command(&r->session.module, "0");
	uint64_t clock;

	if (err)
		lt_error("%s/%s: stop: %s", r->session.module.dir, LT_FILE_ENABLE, strerror(err));
	else if (r->file.w && !r->file.error)
		save_stats(r);
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

static int close_output(struct lt_recording *r)
{
	uint64_t packets;

	if (!r->file.w)
		return 0;
	r->file.size = r->file.w->offset;
	r->file.kept_old = r->file.w->replace.old;
	packets = r->file.w->packets;
	if (!r->file.error && r->file.w->error)
		r->file.error = r->file.w->error;
	if (lt_writer_close(r->file.w) && !r->file.error)
		r->file.error = errno;
	r->file.w = NULL;
	if (!r->file.error)
		return 0;
	if (!r->session.begun)
		return -1;	/* was reported, and there is no file */
	lt_error("%s: cannot write: %s; the first %llu packets (%llu bytes) are saved and readable; "
		 "'lifetrace verify' reports what is missing", r->opts->output,
		 strerror(r->file.error), (unsigned long long)packets,
		 (unsigned long long)r->file.size);
	return -1;
}

static void clean_up(struct lt_recording *r)
{
	if (r->session.raised_priority)
		setpriority(PRIO_PROCESS, 0, 0);
	lt_record_restore_parameters(r);
	lt_rotate_free(r);
	lt_slab_close(r->counters.slab);
	close_page_flags(r);
	free(r->session.used_events);
	free(r->session.only_code);
	free(r->session.only_pid);
	lt_module_close(&r->session.module);
	lt_drain_free(&r->drain);
	lt_trace_close(r->sink.trace);
	if (r->signal_fd >= 0)
		close(r->signal_fd);
	free(r->texts.info);
	free(r->texts.schema);
	free(r->texts.clock);
	free(r->texts.events);
	free(r->texts.modules);
	free(r->texts.symbols);
	free(r->texts.builds);
	free(r->texts.cgroups);
	free(r->texts.code);
	free(r->texts.functions);
	lt_record_code_end(r);
	lt_unloaded_free(r->texts.unloaded);
	free(r->texts.stats);
}

/* That of the command, if it has ended the recording, as a shell says it. */
static int command_status(const struct lt_recording *r)
{
	if (r->stop != LT_STOP_COMMAND)
		return LT_EXIT_OK;
	return WIFSIGNALED(r->command.status) ? 128 + WTERMSIG(r->command.status) :
					      WEXITSTATUS(r->command.status);
}

int lt_record_run(const struct lt_record_options *opts, struct lt_sink *sink)
{
	struct lt_recording r = { .opts = opts, .sink = { .to = sink }, .signal_fd = -1,
				  .counters = { .page_flags = -1 } };
	int status = LT_EXIT_OK;

	lt_module_init(&r.session.module, opts->dir);
	if (begin(&r)) {
		status = LT_EXIT_BAD;
	} else {
		run(&r);
		lt_record_progress_end(&r);
		end_child(&r);
		finish(&r);
		lt_record_summary(&r);
	}
	end_child(&r);
	if (lt_rotate_end(&r))
		status = LT_EXIT_BAD;
	if (close_output(&r) || r.sink.failed || r.sink.flush_failed || r.command.failed)
		status = LT_EXIT_BAD;
	if (r.stop == LT_STOP_MODULE) {
		char *reason = lt_module_reason(&r.session.module);

		lt_error("the module has stopped the session%s. What was recorded until then is "
			 "complete", reason);
		free(reason);
		status = LT_EXIT_BAD;
	}
	if (r.sink.begun && r.sink.to->end(r.sink.to))
		status = LT_EXIT_BAD;
	if (r.sink.tap_begun)
		opts->tap->end(opts->tap);
	if (r.session.begun)
		lt_record_next(&r);
	if (opts->recorded)
		*opts->recorded = r.session.begun;
	if (status == LT_EXIT_OK)
		status = command_status(&r);
	clean_up(&r);
	return status;
}
