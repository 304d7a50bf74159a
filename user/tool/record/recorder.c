// SPDX-License-Identifier: GPL-2.0
/*
 * Recording: the order of things.
 *
 * Own the module, start its session, write the first texts, read the slab
 * counters, let the command go; drain until something says stop; read the slab
 * counters again, have the last snapshot of tasks made, stop the session, drain
 * what is left, write the last texts.
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

#include "print/log.h"
#include "record/internal.h"
#include "record/slab_counters.h"
#include "base/text.h"

#define POLL_NS		(100 * NSEC_PER_MSEC)
#define SCAN_NS		(1000 * NSEC_PER_MSEC)	/* look for new CPUs this often */
#define FLUSH_NS	(200 * NSEC_PER_MSEC)	/* feed the sink this often */
#define MIN_BUFFER	(4U << 20)
#define CHILD_WAIT_MS	2000
#define NICE		(-10)

static void *slab_thread(void *arg)
{
	struct lt_slab_job *job = arg;
	struct lt_slab_request rq = {
		.when = job->start ? "start" : "end", .shrink = true, .module = job->module,
		.cancel = &job->cancel,
	};

	/* This can wait. On Linux a priority is a thread's own. */
	if (job->later)
		setpriority(PRIO_PROCESS, 0, 0);
	if (lt_slab_snapshot(&rq, &job->text))
		job->text = NULL;
	atomic_store(&job->done, true);
	return NULL;
}

static void slab_begin(struct lt_recording *r, bool start)
{
	if (!r->opts->coverage)
		return;
	r->slab.start = start;
	r->slab.later = r->first;
	r->slab.module = &r->module;
	r->slab.text = NULL;
	atomic_store(&r->slab.done, false);
	if (pthread_create(&r->slab.thread, NULL, slab_thread, &r->slab)) {
		lt_warn("the slab counters could not be read: no thread");
		return;
	}
	r->slab.running = true;
}

static void slab_end(struct lt_recording *r)
{
	if (!r->slab.running)
		return;
	pthread_join(r->slab.thread, NULL);
	r->slab.running = false;
	if (r->slab.text)
		lt_record_text(r, LT_BLOCK_SLAB, true, r->slab.text);
	free(r->slab.text);
	r->slab.text = NULL;
}

/* One packet, from the drain. */
static int on_packet(void *arg, const struct lt_packet *p)
{
	struct lt_recording *r = arg;

	if (r->w && !r->write_error &&
	    lt_writer_packet(r->w, p->data, p->size, p->cpu, p->channel, p->seq, p->begin,
			     p->end)) {
		r->write_error = r->w->error;
		r->stop = LT_STOP_OUTPUT;
		return -1;
	}
	if (r->trace && !r->sink_failed)
		lt_trace_push(r->trace, p->data, p->size);
	if (!r->stop && r->opts->max_size && r->w && r->w->offset >= r->opts->max_size)
		r->stop = LT_STOP_SIZE;
	return 0;
}

/* Hands the sink everything that is certainly complete. */
static void feed_sink(struct lt_recording *r, uint64_t watermark)
{
	struct lt_event ev;

	if (!r->trace || r->sink_failed)
		return;
	lt_trace_watermark(r->trace, watermark);
	while (lt_trace_next(r->trace, &ev) > 0) {
		if (!r->sink->event(r->sink, &ev))
			continue;
		r->sink_failed = true;
		if (!r->stop)
			r->stop = LT_STOP_SINK;
		return;
	}
}

/* When the module began to detach its probes, from its counters' text. */
static bool stopped_at(const char *stats, uint64_t *clock)
{
	const char *at = stats ? strstr(stats, "\nstopped ") : NULL;
	char number[32];

	if (!at)
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)strcspn(at + 9, "\n"), at + 9);
	return lt_number(number, 10, clock);
}

/*
 * Without being asked. A packet says so first, the module itself has the last word. The
 * sink must know before it is given anything that was recorded after the stop.
 */
static bool module_stopped(struct lt_recording *r)
{
	uint64_t clock;
	char *stats;

	if (r->module_stopped || !r->drain.finished)
		return r->module_stopped;
	stats = lt_module_text(&r->module, LT_FILE_STATS);
	r->module_stopped = stats && strncmp(stats, "state recording\n", 16);
	if (r->module_stopped && r->trace && stopped_at(stats, &clock))
		lt_trace_set_stopped(r->trace, clock);
	free(stats);
	return r->module_stopped;
}

static int flush_sink(struct lt_recording *r)
{
	uint64_t clock;
	int err;

	/* A CPU whose file is not open yet would be missing below. */
	if (lt_drain_scan(&r->drain) < 0)
		return -1;
	err = lt_module_flush(&r->module, &clock);
	if (err) {
		lt_error("%s/%s: flush: %s", r->module.dir, LT_FILE_ENABLE, strerror(err));
		return -1;
	}
	if (lt_drain_until(&r->drain, clock))
		return -1;
	/* The module neither flushes nor tells the time while it stops: @clock is not in between. */
	module_stopped(r);
	/*
	 * One flush behind: what a CPU lost while its buffer was full is told by
	 * the next packet only, which is made when there is room again: at the
	 * latest by this flush, after the draining of the one before. Up to that
	 * one's time all losses are known now, and no lifetime that one of them
	 * may concern is called exact. Events of exactly that time may be missing.
	 */
	if (r->flushed)
		feed_sink(r, r->flushed - 1);
	r->flushed = clock;
	return 0;
}

static int timeout_ms(const struct lt_recording *r, uint64_t now)
{
	uint64_t next = now + (r->poll_ns ? r->poll_ns : POLL_NS);

	if (r->deadline_ns && r->deadline_ns < next)
		next = r->deadline_ns;
	if (r->trace && r->next_flush_ns < next)
		next = r->next_flush_ns;
	if (r->next_snapshot_ns && r->next_snapshot_ns < next)
		next = r->next_snapshot_ns;
	return next <= now ? 0 : (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

void lt_record_turn(struct lt_recording *r)
{
	struct pollfd extra = { .fd = r->signal_fd, .events = POLLIN };
	uint64_t now = lt_now_ns();
	bool hurt = false, ready;

	ready = lt_drain_wait(&r->drain, &extra, 1, timeout_ms(r, now), &hurt);
	if (extra.revents)
		lt_record_on_signal(r);
	now = lt_now_ns();
	if (hurt || now >= r->next_scan_ns) {
		lt_drain_scan(&r->drain);
		r->next_scan_ns = now + SCAN_NS;
	}
	/* Ready, but nothing there: an error is pending, not data. */
	if (ready && !lt_drain_round(&r->drain))
		nanosleep(&(struct timespec){ .tv_nsec = 10 * (long)NSEC_PER_MSEC }, NULL);
	if (r->trace && now >= r->next_flush_ns) {
		if (!r->write_error && !r->flush_failed && flush_sink(r)) {
			r->flush_failed = true;
			if (!r->stop)
				r->stop = LT_STOP_FLUSH;
		}
		r->next_flush_ns = now + FLUSH_NS;
	}
	if (!r->stop && r->deadline_ns && now >= r->deadline_ns)
		r->stop = LT_STOP_TIME;
	if (module_stopped(r) && !r->stop)
		r->stop = LT_STOP_MODULE;
	lt_record_snapshot_due(r, now);
	lt_record_progress(r, now);
}

/* Drains while the slab counters are read. */
static void turn_until_slab(struct lt_recording *r)
{
	while (r->slab.running && !atomic_load(&r->slab.done) && !r->write_error)
		lt_record_turn(r);
	if (r->write_error)
		atomic_store(&r->slab.cancel, true);
	slab_end(r);
}

static int set_parameters(struct lt_recording *r)
{
	const struct lt_record_options *o = r->opts;
	const struct {
		const char *name;
		const char *value;
	} parameters[] = {
		{ "events", o->events }, { "clock", o->clock },
		{ "subbuf_size", o->subbuf_size }, { "n_subbufs", o->n_subbufs },
		{ "pid_subbuf_size", o->pid_subbuf_size },
		{ "pid_n_subbufs", o->pid_n_subbufs },
		{ "min_size", o->min_size }, { "sample", o->sample },
	};

	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		if (!parameters[i].value)
			continue;
		if (r->attached) {
			lt_error("a session is already recording (lifetrace.enable=1): its %s cannot be "
				 "changed; leave the option out", parameters[i].name);
			return -1;
		}
		if (lt_module_set(&r->module, parameters[i].name, parameters[i].value))
			return -1;
	}
	return 0;
}

static int start_session(struct lt_recording *r)
{
	int err;

	if (r->attached)
		return 0;
	err = lt_module_command(&r->module, "1");
	switch (err) {
	case 0:
		return 0;
	case ENOMEM:
		lt_error("the module has no memory for its buffers: try a smaller --n-subbufs or "
			 "--subbuf-size");
		break;
	case EINVAL:
		lt_error("the module refuses its parameters; the kernel log (dmesg) says which");
		break;
	default:
		lt_error("the module could not start: %s; the kernel log (dmesg) says why",
			 strerror(err));
	}
	return -1;
}

/*
 * The buffers must be emptied in time also when every CPU has more to do than it
 * can: what is not taken now is lost, and later would not cost less. Whoever has
 * chosen a priority knows better. The command has been forked before.
 */
static void come_first(struct lt_recording *r)
{
	errno = 0;
	if (!getpriority(PRIO_PROCESS, 0) && !errno)
		r->first = !setpriority(PRIO_PROCESS, 0, NICE);
}

/* The buffer for reading: some packets at a time, at least one. */
static size_t buffer_size(const struct lt_recording *r)
{
	const char *at = strstr(r->info, "\nsubbuf_size=");
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

/* From nothing to a running session whose packets are being taken. */
static int begin(struct lt_recording *r)
{
	const char *const dirs[LT_N_CHANNELS] = { r->kmem_dir, r->pid_dir };
	const struct lt_record_options *o = r->opts;

	if (lt_record_signals(r) || lt_record_fork(r) || lt_module_own(&r->module))
		return -1;
	r->attached = lt_module_recording(&r->module);
	if (set_parameters(r))
		return -1;
	if (o->output) {
		r->w = lt_writer_open(o->output, o->force);
		if (!r->w)
			return -1;
		r->w->zstd = o->zstd;
	}
	lt_record_read_symbols(r);
	come_first(r);
	if (start_session(r))
		return -1;
	r->started_ns = lt_now_ns();
	if (lt_record_first_texts(r)) {
		if (r->write_error)
			lt_error("%s: %s", o->output, strerror(r->write_error));
		return -1;
	}
	snprintf(r->kmem_dir, sizeof(r->kmem_dir), "%s/%s", r->module.dir, LT_DIR_KMEM);
	snprintf(r->pid_dir, sizeof(r->pid_dir), "%s/%s", r->module.dir, LT_DIR_PID);
	lt_drain_init(&r->drain, dirs, buffer_size(r), on_packet, r);
	if (lt_drain_scan(&r->drain) < 0)
		return -1;
	if (r->sink) {
		r->sink_begun = true;
		if (r->sink->begin(r->sink, r->trace))
			return -1;
	}
	return 0;
}

static void run(struct lt_recording *r)
{
	slab_begin(r, true);
	turn_until_slab(r);
	if (!r->stop) {
		lt_record_go(r);
		if (r->opts->duration_ns)
			r->deadline_ns = lt_now_ns() + r->opts->duration_ns;
		if (r->opts->snapshot_ns)
			r->next_snapshot_ns = lt_now_ns() + r->opts->snapshot_ns;
	}
	while (!r->stop)
		lt_record_turn(r);
	r->deadline_ns = 0;
	r->next_snapshot_ns = 0;
	if (!r->write_error && r->signals < 2) {
		slab_begin(r, false);
		turn_until_slab(r);
	}
	lt_record_final_snapshot(r);
}

/* A command that outlives the recording is asked to end. */
static void end_child(struct lt_recording *r)
{
	if (r->child <= 0)
		return;
	if (!r->child_started) {
		close(r->child_go);	/* it ends by itself */
		close(r->child_exec);
	} else {
		kill(r->child, SIGTERM);
	}
	for (int i = 0; i < CHILD_WAIT_MS / 10 && r->child > 0; i++) {
		lt_record_reap(r);
		if (r->child > 0)
			nanosleep(&(struct timespec){ .tv_nsec = 10 * (long)NSEC_PER_MSEC }, NULL);
	}
	if (r->child > 0)
		lt_warn("%s (pid %d) goes on after the recording", r->opts->command[0],
			(int)r->child);
}

/*
 * The counters of the module do not change any more: they are written before the last
 * packets as well as behind them. Without the time of the stop nobody could tell of a
 * file that is cut off among those which frees in it were watched.
 */
static void save_stats(struct lt_recording *r)
{
	char *stats = lt_module_text(&r->module, LT_FILE_STATS);

	if (stats && lt_writer_text(r->w, LT_BLOCK_STATS, false, stats, strlen(stats)))
		r->write_error = r->w->error;
	free(stats);
}

/* Stops the session and takes what it has left. */
static void finish(struct lt_recording *r)
{
	int err = lt_module_command(&r->module, "0");
	uint64_t clock;

	if (err)
		lt_error("%s/%s: stop: %s", r->module.dir, LT_FILE_ENABLE, strerror(err));
	else if (r->w && !r->write_error)
		save_stats(r);
	if (!r->write_error) {
		lt_drain_scan(&r->drain);
		lt_drain_until(&r->drain, UINT64_MAX);
	}
	/* A full disk often has room for what is small: the end of the file. */
	if (r->w && r->w->error)
		r->w->error = 0;
	lt_record_last_texts(r);
	if (r->w && !r->w->error)
		lt_writer_finish(r->w);
	if (r->trace && stopped_at(r->stats, &clock))
		lt_trace_set_stopped(r->trace, clock);
	feed_sink(r, UINT64_MAX);
}

static int close_output(struct lt_recording *r)
{
	uint64_t size, packets;

	if (!r->w)
		return 0;
	size = r->w->offset;
	packets = r->w->packets;
	if (!r->write_error && r->w->error)
		r->write_error = r->w->error;
	if (lt_writer_close(r->w) && !r->write_error)
		r->write_error = errno;
	r->w = NULL;
	if (!r->write_error)
		return 0;
	lt_error("%s: %s; saved are %llu packets, %llu bytes, and they are readable; "
		 "'lifetrace verify' tells what is missing", r->opts->output,
		 strerror(r->write_error), (unsigned long long)packets,
		 (unsigned long long)size);
	return -1;
}

static void clean_up(struct lt_recording *r)
{
	if (r->first)
		setpriority(PRIO_PROCESS, 0, 0);
	lt_module_close(&r->module);
	lt_drain_free(&r->drain);
	lt_trace_close(r->trace);
	if (r->signal_fd >= 0)
		close(r->signal_fd);
	free(r->info);
	free(r->schema);
	free(r->events);
	free(r->modules);
	free(r->symbols);
	free(r->stats);
}

int lt_record_run(const struct lt_record_options *opts, struct lt_sink *sink)
{
	struct lt_recording r = { .opts = opts, .sink = sink, .signal_fd = -1 };
	int status = LT_EXIT_OK;

	lt_module_init(&r.module, opts->dir);
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
	if (close_output(&r) || r.sink_failed || r.flush_failed || r.child_failed)
		status = LT_EXIT_BAD;
	if (r.stop == LT_STOP_MODULE) {
		lt_error("the module has stopped the session; the kernel log (dmesg) says why. "
			 "What was recorded until then is complete");
		status = LT_EXIT_BAD;
	}
	if (r.sink_begun && r.sink->end(r.sink))
		status = LT_EXIT_BAD;
	clean_up(&r);
	return status;
}
