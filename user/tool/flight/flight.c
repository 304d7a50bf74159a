// SPDX-License-Identifier: GPL-2.0
/*
 * The flight recorder: takes packets into the window, and goes from a trigger to a snapshot.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/now.h"
#include "base/text.h"
#include "flight/internal.h"
#include "out/log.h"
#include "out/units.h"

#define FLUSH_NS	(1000 * NSEC_PER_MSEC)	/* T0 moves this often, or more in a short window */
#define STOPPING_NS	(2000 * NSEC_PER_MSEC)
#define EXECS_NS	(30000 * NSEC_PER_MSEC)	/* the longest wait for commands at the end */
#define SCORE_FILE	"/proc/self/oom_score_adj"
#define MEMORY_MAX	(512ULL << 20)		/* default, but not more than an eighth of all */

/* ------------------------------------------------------------------------
 * Steps
 */

static void on_signal(struct lt_record_tap *tap)
{
	lt_flight_fire((struct lt_flight *)tap, lt_now_ns(), 0, "signal");
}

static void on_reading(struct lt_record_tap *tap, const struct lt_clock_reading *reading)
{
	lt_flight_reading((struct lt_flight *)tap, reading);
}

static void on_packet(struct lt_record_tap *tap, const struct lt_packet *p)
{
	struct lt_flight *f = (struct lt_flight *)tap;

	lt_flight_sense_packet(f, p);
	lt_window_packet(&f->window, p);
}

static void handle_descriptors(struct lt_flight *f, uint64_t now)
{
	struct epoll_event ready[16];
	int n = epoll_wait(f->epoll, ready, 16, 0);

	for (int i = 0; i < n; i++) {
		unsigned int what = ready[i].data.u32;

		if (what == LT_FLIGHT_FD_LISTENER)
			lt_flight_accept(f);
		else if (what == LT_FLIGHT_FD_REPORTS)
			lt_flight_take_reports(f, now);
		else if (what == LT_FLIGHT_FD_LOG)
			lt_flight_take_log(f, now);
		else
			lt_flight_read_client(f, what - LT_FLIGHT_FD_CLIENT, now);
	}
}

/* What does not fit is said once, when it begins. */
static void say_limits(struct lt_flight *f)
{
	const struct lt_window *w = &f->window;
	char is[32], memory[32];
	bool is_short = lt_window_is_short(w);

	if (is_short && !f->said_short) {
		lt_record_progress_end(&f->r->shown);
		lt_warn("--memory: %s hold %s of packets now, not the whole window",
			lt_human_bytes(w->memory, memory, sizeof(memory)),
			lt_human_ns(lt_window_ns(w, w->read - w->t0), is, sizeof(is)));
	}
	f->said_short = is_short;
	if (lt_window_is_full(w) && !f->said_full) {
		lt_record_progress_end(&f->r->shown);
		lt_warn("--memory: the packets of the shortest possible window, and what is alive, need "
			"%s, and get it", lt_human_bytes(lt_window_memory(w), is, sizeof(is)));
		f->said_full = true;
	}
}

static void flush_if_due(struct lt_flight *f, uint64_t now)
{
	if (f->flush_error || (now < f->next_flush_ns && !lt_window_is_full(&f->window)))
		return;
	f->next_flush_ns = now + f->flush_ns;
	lt_flight_flush(f);
	/* The cause of a snapshot must not leave the window meanwhile. */
	if (f->state == LT_FLIGHT_WAITING)
		lt_window_tidy(&f->window);
	say_limits(f);
}

/*
 * A module that has stopped the session on its own flushes no more; the recording finds that by the
 * last packets, and ends.
 */
static bool cannot_flush(const struct lt_flight *f, uint64_t now)
{
	if (!f->flush_error || f->r->session.stopped || now < f->flush_failed_ns + STOPPING_NS)
		return false;
	lt_record_flush_failed(f->r->session.engine, f->flush_error);
	return true;
}

/* Also with --quiet: a service that has ended for good must have said why. */
static bool ends_at_limit(const struct lt_flight *f)
{
	if (!f->opts->max_snapshots || f->written < f->opts->max_snapshots)
		return false;
	lt_record_progress_end(&f->r->shown);
	lt_warn("limit of --max-snapshots (%" PRIu64 ") reached; the recorder ends",
		f->opts->max_snapshots);
	return true;
}

static int on_step(struct lt_record_tap *tap, uint64_t now)
{
	struct lt_flight *f = (struct lt_flight *)tap;

	handle_descriptors(f, now);
	lt_flight_reap(f, false);
	/* What is seen from here on could begin another snapshot, which on_stop() would write. */
	if (ends_at_limit(f))
		return 1;
	lt_flight_reap_execs(f);
	flush_if_due(f, now);
	/* That may have taken seconds, in which the counters went on: rates are by now. */
	now = lt_now_ns();
	lt_flight_sense(f, now);
	if (f->state == LT_FLIGHT_AFTER && lt_flight_is_due(f, now))
		lt_flight_write(f, now);
	return cannot_flush(f, now) ? -1 : 0;
}

/* The session ends: a snapshot that has begun is finished. */
static void on_stop(struct lt_record_tap *tap)
{
	struct lt_flight *f = (struct lt_flight *)tap;

	if (f->state == LT_FLIGHT_AFTER)
		lt_flight_write(f, lt_now_ns());
	lt_flight_reap(f, true);
}

/* ------------------------------------------------------------------------
 * Begin and end
 */

static uint64_t default_memory(void)
{
	char *text = lt_read_text_file("/proc/meminfo", 1 << 20, NULL);
	uint64_t total = 0, memory = MEMORY_MAX;

	if (text && lt_meminfo_bytes(text, "MemTotal", &total) && total / 8 < memory)
		memory = total / 8;
	free(text);
	return memory > LT_WINDOW_MIN ? memory : LT_WINDOW_MIN;
}

/* A trigger may be that memory is short: the recorder must not wait for it, nor be killed. */
static void protect(struct lt_flight *f)
{
	char *before = lt_read_text_file(SCORE_FILE, 64, NULL);
	int fd = open(SCORE_FILE, O_WRONLY | O_CLOEXEC);

	snprintf(f->oom_score_adj, sizeof(f->oom_score_adj), "%.*s",
		 before ? (int)strcspn(before, "\n") : 0, before ? before : "");
	free(before);
	if (fd < 0 || write(fd, "-1000", 5) != 5)
		lt_warn(SCORE_FILE ": %s; the recorder may be killed when memory is short",
			strerror(errno));
	if (fd >= 0)
		close(fd);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		lt_warn("mlockall: %s; the recorder may have to wait when memory is short",
			strerror(errno));
}

/* The window is busy with all that is alive: the buffers must not run full meanwhile. */
static void drain(void *arg)
{
	const struct lt_flight *f = arg;

	lt_record_meanwhile(f->r);
}

static int begin_window(struct lt_flight *f)
{
	const struct lt_recording *r = f->r;
	struct lt_trace *t;

	if (!f->opts->memory)
		f->opts->memory = default_memory();
	f->schema = lt_schema_parse(r->texts.schema, r->session.engine->dir);
	if (!f->schema ||
	    lt_window_init(&f->window, r->texts.info, r->texts.schema, f->opts->window_ns,
			   (size_t)f->opts->memory, f->opts->zstd))
		return -1;
	t = f->window.trace;
	if (lt_record_need_ns(t, "flight"))
		return -1;
	lt_trace_forget_gaps(t);
	lt_trace_add_text(t, LT_BLOCK_EVENTS, r->texts.events);
	lt_trace_add_text(t, LT_BLOCK_CLOCK, r->texts.clock);
	lt_window_begin(&f->window);
	f->window.busy = drain;
	f->window.busy_arg = f;
	return 0;
}

/* At once, and not only when something has happened. They may end, so the recording goes on. */
static void warn_of_threads(void)
{
	char *why = lt_flight_cannot_fork();

	if (why)
		lt_warn("no snapshot can be written: %s", why);
	free(why);
}

static int on_begin(struct lt_record_tap *tap, struct lt_recording *r)
{
	struct lt_flight *f = (struct lt_flight *)tap;
	char window[32], memory[32];

	f->r = r;
	if (begin_window(f))
		return -1;
	warn_of_threads();
	protect(f);
	lt_flight_control_begin(f);
	if (lt_flight_sense_begin(f))
		return -1;
	f->number = lt_flight_next_number(f->opts->prefix);
	f->flush_ns = f->opts->window_ns / 16 < FLUSH_NS ? f->opts->window_ns / 16 : FLUSH_NS;
	if (!r->opts->quiet)
		fprintf(stderr, "flight recorder: the last %s, in %s; '%s' writes them\n",
			lt_human_ns(f->opts->window_ns, window, sizeof(window)),
			lt_human_bytes(f->opts->memory, memory, sizeof(memory)),
			f->listener >= 0 ? "lifetrace snapshot" : "kill -USR2");
	return 0;
}

static void on_end(struct lt_record_tap *tap)
{
	struct lt_flight *f = (struct lt_flight *)tap;
	char missed[32], written[32];

	lt_flight_answer(f, "failed the recording has ended");
	lt_flight_control_end(f);
	lt_flight_sense_end(f);
	if (f->r->session.begun && !f->r->opts->quiet)
		fprintf(stderr, "snapshots: %s%s%s\n",
			lt_human_count(f->written, written, sizeof(written)),
			f->missed ? "; triggers that caused none: " : "",
			f->missed ? lt_human_count(f->missed, missed, sizeof(missed)) : "");
	lt_window_destroy(&f->window);
	lt_schema_free(f->schema);
	free(f->path);
	munlockall();
}

/* ------------------------------------------------------------------------
 * The sink of triggers on what is alive
 */

static struct lt_flight *of_sink(struct lt_sink *sink)
{
	return (struct lt_flight *)((char *)sink - offsetof(struct lt_flight, sink));
}

static int watch_begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct lt_flight *f = of_sink(sink);

	lt_trace_forget_gaps(t);
	f->watch = lt_alive_watch_new(t, f->opts->triggers);
	return 0;
}

static int watch_event(struct lt_sink *sink, const struct lt_event *ev)
{
	lt_alive_watch_event(of_sink(sink)->watch, ev);
	return 0;
}

static int watch_end(struct lt_sink *sink)
{
	struct lt_flight *f = of_sink(sink);

	lt_alive_watch_free(f->watch);
	f->watch = NULL;
	return 0;
}

/*
 * Who asks for a snapshot, and the command after it, may be in another directory. Return: @prefix
 * where this one has no name, to be freed.
 */
static char *absolute(const char *prefix)
{
	char *dir = *prefix == '/' ? NULL : getcwd(NULL, 0), *path;

	if (dir && *dir == '/')
		path = lt_format("%s%s%s", dir, dir[1] ? "/" : "", prefix);
	else
		path = lt_strdup(prefix);
	free(dir);
	return path;
}

int lt_flight_run(const struct lt_record_options *record, struct lt_flight_options *opts)
{
	struct lt_record_options own = *record;
	struct lt_flight_options own_flight = *opts;
	int epoll = epoll_create1(EPOLL_CLOEXEC), status;
	struct lt_flight f = {
		.tap = {
			on_begin, on_packet, on_reading, on_step, on_signal, on_stop, on_end, epoll,
		},
		.sink = {
			.begin = watch_begin, .event = watch_event, .end = watch_end, .fd = -1,
		},
		.opts = &own_flight, .epoll = epoll, .listener = -1, .reports = -1,
		.log = -1,
	};
	bool watches = lt_triggers_have(opts->triggers, LT_ON_LIVE);
	char *prefix;

	if (epoll < 0) {
		lt_error("epoll: %s", strerror(errno));
		return LT_EXIT_BAD;
	}
	for (size_t i = 0; i < LT_TRIGGERS; i++)
		f.pressure[i] = -1;
	for (size_t i = 0; i < LT_FLIGHT_CLIENTS; i++)
		f.clients[i].fd = -1;
	own.tap = &f.tap;
	own.output = NULL;
	own.coverage = false;
	own_flight.prefix = prefix = absolute(opts->prefix);
	status = lt_record_run(&own, watches ? &f.sink : NULL);
	/* The session is closed: another recorder can begin meanwhile. */
	lt_flight_end_execs(&f, EXECS_NS, own.quiet);
	close(epoll);
	free(f.readings);
	free(prefix);
	lt_triggers_free(opts->triggers);
	free(opts->triggers);
	return status;
}
