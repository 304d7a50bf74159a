// SPDX-License-Identifier: GPL-2.0
/*
 * One step of a recording: wait a little, take the packets that are ready, feed the sink,
 * and find out whether the recording must stop.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/now.h"
#include "base/text.h"
#include "record/internal.h"
#include "trace/pass.h"

#define POLL_NS		(100 * NSEC_PER_MSEC)
#define SCAN_NS		(1000 * NSEC_PER_MSEC)	/* look for new CPUs this often */
#define FLUSH_NS	(200 * NSEC_PER_MSEC)	/* feed the sink this often */
#define MEANWHILE_NS	(10 * NSEC_PER_MSEC)
#define MEANWHILE_EVERY	1024	/* events */
#define MEANWHILE_BYTES	(128LL << 20)	/* of packets, in a step */

static int write_packet(struct lt_recording *r, const struct lt_packet *p)
{
	if (!lt_record_has_room(&r->file, r->opts->max_size, p)) {
		lt_record_leave_out(&r->file, &r->drain, p);
	} else if (lt_writer_packet(r->file.w, p->data, p->size, p->cpu, p->channel, p->seq,
				    p->begin, p->end)) {
		r->file.error = r->file.w->error;
		r->stop = LT_STOP_OUTPUT;
		return -1;
	}
	if (!r->stop && lt_record_is_full(&r->file, r->opts->max_size))
		r->stop = LT_STOP_SIZE;
	return 0;
}

int lt_record_packet(void *arg, const struct lt_packet *p)
{
	struct lt_recording *r = arg;

	if (r->file.w && !r->file.error && write_packet(r, p))
		return -1;
	if (r->file.rotate)
		r->file.rotate->packet(r->file.rotation, p);
	if (r->sink.trace && (!r->sink.done || r->file.rotate))
		lt_trace_push(r->sink.trace, p->data, p->size);
	if (r->sink.tap_begun)
		r->opts->tap->packet(r->opts->tap, p);
	return 0;
}

void lt_record_meanwhile(struct lt_recording *r)
{
	uint64_t now = lt_now_ns();
	ssize_t n;

	if (now < r->next_meanwhile_ns || r->meanwhile_bytes >= MEANWHILE_BYTES)
		return;
	lt_record_next_window(&r->file, now);
	n = lt_drain_round(&r->drain);
	r->meanwhile_bytes += n > 0 ? n : 0;
	r->next_meanwhile_ns = lt_now_ns() + MEANWHILE_NS;
}

/* What a function of the sink has returned is not 0. */
static void end_sink(struct lt_record_sink *s, enum lt_stop *stop, int ret)
{
	s->done = true;
	s->failed = ret < 0;
	if (!*stop)
		*stop = ret < 0 ? LT_STOP_SINK : LT_STOP_ENOUGH;
}

struct feeding {
	struct lt_recording *r;
	bool at_end;
	uint64_t n;
};

static int feed_event(void *arg, const struct lt_event *ev)
{
	struct feeding *f = arg;
	struct lt_recording *r = f->r;
	int ret;

	/* At the end there is nothing left to be drained. */
	if (++f->n % MEANWHILE_EVERY == 0 && !f->at_end)
		lt_record_meanwhile(r);
	if (r->file.rotate)
		r->file.rotate->event(r->file.rotation, r->sink.trace, ev);
	if (!r->sink.to || r->sink.done)
		return 0;
	ret = r->sink.to->event(r->sink.to, ev);
	if (ret)
		end_sink(&r->sink, &r->stop, ret);
	return ret && !r->file.rotate;
}

void lt_record_feed_sink(struct lt_recording *r, uint64_t watermark)
{
	struct feeding f = { .r = r, .at_end = watermark == UINT64_MAX };

	if (!r->sink.trace || (r->sink.done && !r->file.rotate))
		return;
	lt_trace_watermark(r->sink.trace, watermark);
	lt_trace_pass(r->sink.trace, &(struct lt_pass){ .event = feed_event, .arg = &f });
}

static void step_sink(struct lt_record_sink *s, enum lt_stop *stop)
{
	int ret;

	if (!s->begun || s->done || !s->to->step)
		return;
	ret = s->to->step(s->to);
	if (ret)
		end_sink(s, stop, ret);
}

static void step_tap(struct lt_recording *r, uint64_t now)
{
	int ret;

	if (!r->sink.tap_begun || r->stop)
		return;
	ret = r->opts->tap->step(r->opts->tap, now);
	r->sink.failed |= ret < 0;
	if (ret && !r->stop)
		r->stop = ret < 0 ? LT_STOP_SINK : LT_STOP_ENOUGH;
}

/*
 * Whether the module has stopped the session on its own. The last packet of a stream is the
 * first sign of that, the state in the module's counters decides. The trace of the sink
 * gets the time of the stop before any event that was recorded after it.
 */
static bool module_stopped(struct lt_record_session *s, const struct lt_drain *d,
			   struct lt_trace *sink)
{
	uint64_t clock;
	char *stats;

	if (s->stopped || !d->finished)
		return s->stopped;
	stats = lt_engine_text(s->engine, LT_FILE_STATS);
	s->stopped = stats && strncmp(stats, "state recording\n", 16);
	if (s->stopped && sink && lt_stats_stopped(stats, &clock))
		lt_trace_set_stopped(sink, clock);
	free(stats);
	return s->stopped;
}

static int flush_sink(struct lt_recording *r)
{
	uint64_t clock;
	int err = lt_record_flush(r->session.engine, &r->drain, &clock);

	if (err)
		return lt_record_flush_failed(r->session.engine, err);
	/*
	 * The module takes no flush while it stops a session, so @clock is not within a stop;
	 * if it is after a stop, module_stopped() finds that.
	 */
	module_stopped(&r->session, &r->drain, r->sink.trace);
	/*
	 * The sink is fed one flush behind. The events that a CPU lost while its buffer was
	 * full are counted in its next packet, which begins when the buffer has room again:
	 * at the latest with this flush, because the previous flush was drained. So all
	 * losses up to the time of the previous flush are known now, and no lifetime that
	 * they may concern comes out as exact. Events of exactly that time may be missing.
	 */
	/* The code of all these events; what it is at an address depends on the time. */
	lt_record_code(r);
	if (r->flushed)
		lt_record_feed_sink(r, r->flushed - 1);
	r->flushed = clock;
	return r->file.rotate ? r->file.rotate->step(r, lt_now_ns()) : 0;
}

static int timeout_ms(const struct lt_recording *r, uint64_t now)
{
	uint64_t next = now + (r->poll_ns ? r->poll_ns : POLL_NS);

	if (r->deadline_ns && r->deadline_ns < next)
		next = r->deadline_ns;
	if (r->sink.trace && r->next_flush_ns < next)
		next = r->next_flush_ns;
	if (r->next_snapshot_ns && r->next_snapshot_ns < next)
		next = r->next_snapshot_ns;
	return next <= now ? 0 : (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

/* Starts the periodic snapshots of --snapshot-every. */
static void start_snapshot_if_due(struct lt_recording *r, uint64_t now)
{
	int err;

	if (!r->next_snapshot_ns || now < r->next_snapshot_ns)
		return;
	r->next_snapshot_ns = now + r->opts->snapshot_ns;
	err = lt_engine_snapshot(r->session.engine, "1");
	if (!err || err == EBUSY)
		return;		/* EBUSY: the previous snapshot has not ended yet */
	r->next_snapshot_ns = 0;
	lt_warn("%s/%s: %s; no snapshots will be taken%s", r->session.engine->dir, LT_FILE_SNAPSHOT,
		strerror(err), err == ENODATA ? ": tasks are not recorded (--events)" : "");
}

void lt_record_step(struct lt_recording *r)
{
	struct pollfd extra[3] = { { .fd = r->signal_fd, .events = POLLIN } };
	uint64_t now = lt_now_ns();
	bool broken = false, ready;
	size_t n = 1;

	if (r->sink.to && r->sink.to->step && r->sink.to->fd >= 0 && !r->sink.done)
		extra[n++] = (struct pollfd){ .fd = r->sink.to->fd, .events = POLLIN };
	if (r->sink.tap_begun && r->opts->tap->fd >= 0)
		extra[n++] = (struct pollfd){ .fd = r->opts->tap->fd, .events = POLLIN };
	ready = lt_drain_wait(&r->drain, extra, n, timeout_ms(r, now), &broken);
	if (extra[0].revents)
		lt_record_on_signal(r);
	now = lt_now_ns();
	r->meanwhile_bytes = 0;
	lt_record_next_window(&r->file, now);
	if (broken || now >= r->next_scan_ns) {
		if (!r->session.flight)
			lt_drain_scan(&r->drain);
		else if (!r->stop && r->opts->freeze && lt_engine_frozen(r->session.engine))
			r->stop = LT_STOP_TRIGGER;
		r->next_scan_ns = now + SCAN_NS;
	}
	/* A file that is ready and has no data has an error pending: do not spin. */
	if (ready && !lt_drain_round(&r->drain))
		nanosleep(&(struct timespec){ .tv_nsec = 10 * (long)NSEC_PER_MSEC }, NULL);
	lt_record_clock_if_due(r, now);
	lt_record_code_if_due(r, now);
	if (r->sink.trace && now >= r->next_flush_ns) {
		if (!r->file.error && !r->sink.flush_failed && flush_sink(r)) {
			r->sink.flush_failed = true;
			if (!r->stop)
				r->stop = LT_STOP_FLUSH;
		}
		r->next_flush_ns = now + FLUSH_NS;
		/* That may have taken seconds, in which the counters went on. */
		now = lt_now_ns();
	}
	step_sink(&r->sink, &r->stop);
	step_tap(r, now);
	lt_spending_step(r, now);
	if (!r->stop && r->deadline_ns && now >= r->deadline_ns)
		r->stop = LT_STOP_TIME;
	if (module_stopped(&r->session, &r->drain, r->sink.trace) && !r->stop)
		r->stop = LT_STOP_MODULE;
	start_snapshot_if_due(r, now);
	lt_record_progress(r, now);
}
