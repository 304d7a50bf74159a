// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The pass over the events of a trace.
 */
#include "base/progress.h"
#include "base/threads.h"
#include "trace/ahead.h"
#include "trace/pass.h"

static int pass_each(struct lt_trace *t, const struct lt_pass *pass)
{
	struct lt_event ev;
	int ret = 0;

	while (!ret && lt_trace_next(t, &ev) > 0)
		ret = pass->event(pass->arg, &ev);
	return ret;
}

static int pass_some(struct lt_trace *t, const struct lt_pass *pass)
{
	struct lt_event evs[LT_PASS_MAX];
	int more, ret;
	size_t n;

	do {
		more = lt_trace_next_some(t, evs, LT_PASS_MAX, &n);
		ret = pass->some(pass->arg, evs, n);
	} while (more > 0 && !ret);
	return ret;
}

/*
 * How many events in a short form are taken before the second thread is started, and how many must
 * have been made by the time it stops: fewer do not pay for starting and stopping it. After each
 * time that it did not pay it is started later.
 */
#define LEAST	1024
#define MOST	(64 * LEAST)

/* If this thread has to sleep more often, it is looked whether the other one gets a CPU. */
#define SLEEPS(n_batches)	(2 + (n_batches) / 256)

/**
 * struct plain_pass - a pass of events in a short form
 * @packets: of the trace, that were read, as of the last batch
 * @wait: so many events are taken before the second thread is started; UINT64_MAX: it never is
 * @more: what the last lt_trace_next() has returned
 */
struct plain_pass {
	struct lt_trace *t;
	const struct lt_pass *pass;
	uint64_t packets;
	uint64_t wait;
	int more;
};

/* An event that needs care. Return: as the callback. */
static int pass_careful(struct plain_pass *p)
{
	const struct lt_pass *pass = p->pass;
	struct lt_event ev;
	size_t n;

	if (pass->some) {
		p->more = lt_trace_next_some(p->t, &ev, 1, &n);
		return pass->some(pass->arg, &ev, n);
	}
	p->more = lt_trace_next(p->t, &ev);
	return p->more > 0 ? pass->event(pass->arg, &ev) : 0;
}

/* In one thread, until the second one is to be started, or all was read. */
static int pass_alone(struct plain_pass *p)
{
	const struct lt_pass *pass = p->pass;
	struct lt_plain_event evs[LT_PASS_MAX];
	uint64_t n, left = p->wait;
	int ret;

	do {
		n = lt_trace_next_plain(p->t, evs, LT_PASS_MAX, pass->some || pass->announced);
		ret = n ? pass->plain(pass->arg, evs, n) : pass_careful(p);
		left -= n < left ? n : left;
	} while (p->more > 0 && !ret && (left || !n));
	return ret;
}

/*
 * The second thread reads on, and stops at an event that needs care, or a packet about which
 * something is to be said. All that it changes of a trace is where the streams are, how many
 * records were read, and the stacks and forms that records announce. Of these the first thread uses
 * only stacks and forms that events which it has taken refer to, unless it calls lt_trace_hold()
 * before: both are written before the batch is handed over, stay where they are, and are not
 * changed any more.
 */
static bool read_on(void *arg, struct lt_fed *batch)
{
	struct plain_pass *p = arg;
	size_t more;

	batch->n = 0;
	do {
		struct lt_plain_event *evs = batch->evs + batch->n;

		more = lt_trace_next_plain(p->t, evs, LT_PASS_MAX - batch->n, p->pass->some);
		if (!more && p->pass->some)
			more = lt_trace_take_task(p->t, evs);
		batch->n += more;
	} while (more && (!p->t->taken || lt_trace_go_on(p->t)) && batch->n < LT_PASS_MAX);
	batch->packets = p->t->packets_read;
	return batch->n == LT_PASS_MAX && !p->t->taken;
}

static int take_fed(struct plain_pass *p, const struct lt_fed *batch)
{
	if (batch->packets != p->packets)
		lt_progress(batch->packets, p->t->dir.packets);
	p->packets = batch->packets;
	return p->pass->plain(p->pass->arg, batch->evs, batch->n);
}

/* The second thread does not pay. */
static void wait_longer(struct plain_pass *p)
{
	p->wait = p->wait < MOST / 2 ? 2 * p->wait + LEAST : MOST;
}

/* With the second thread, until it stops. */
static int pass_fed(struct plain_pass *p)
{
	struct lt_feeder *f = p->t->feeder;
	const bool always = lt_threads() == LT_THREADS_ALWAYS;
	const struct lt_fed *batch;
	size_t n_batches = 0;
	uint64_t n = 0;
	bool slow = false;
	int ret = 0;

	p->packets = p->t->packets_read;
	lt_feeder_start(f);
	while (!ret && (batch = lt_feeder_next(f))) {
		ret = take_fed(p, batch);
		n += batch->n;
		n_batches++;
		/* Behind the hold some batches are left. */
		if (slow || always || lt_feeder_sleeps(f) <= SLEEPS(n_batches) ||
		    !lt_feeder_lacks_cpu(f))
			continue;
		slow = true;
		lt_feeder_hold(f);
	}
	if (always || (n >= LEAST && !slow))
		p->wait = 0;
	else
		wait_longer(p);
	return ret;
}

/* Whether a second thread may read ahead. */
static bool may_feed(const struct plain_pass *p)
{
	/*
	 * Announcements must be in the packets that they were taken from, so they are in batches of
	 * this thread alone.
	 */
	if (p->pass->announced)
		return false;
	switch (lt_threads()) {
	case LT_THREADS_NEVER:
		return false;
	case LT_THREADS_IF_FASTER:
		return p->t->file && p->pass->slow && lt_have_second_cpu();
	case LT_THREADS_ALWAYS:
		break;
	}
	return p->t->file;
}

/* Return: whether there is a second thread, and a CPU for it. */
static bool begin_feeding(struct plain_pass *p)
{
	if (p->wait && lt_threads() != LT_THREADS_ALWAYS && !lt_have_idle_cpu()) {
		wait_longer(p);
		return false;
	}
	if (p->t->feeder)
		return true;
	p->t->feeder = lt_feeder_new(read_on, p);
	if (!p->t->feeder) {
		p->wait = UINT64_MAX;
		return false;
	}
	lt_forms_stay(&p->t->forms);
	lt_trace_load_symbols(p->t);
	return true;
}

static int pass_plain(struct lt_trace *t, const struct lt_pass *pass)
{
	struct plain_pass p = { .t = t, .pass = pass, .more = 1 };
	int ret;

	p.wait = !may_feed(&p) ? UINT64_MAX : lt_threads() == LT_THREADS_ALWAYS ? 0 : LEAST;
	for (;;) {
		ret = pass_alone(&p);
		if (ret || p.more <= 0)
			break;
		ret = begin_feeding(&p) ? pass_fed(&p) : 0;
		if (ret)
			break;
	}
	lt_feeder_free(t->feeder);
	t->feeder = NULL;
	return ret;
}

int lt_trace_pass(struct lt_trace *t, const struct lt_pass *pass)
{
	int ret;

	/* Who takes several events at once takes none that are about nothing. */
	t->forms_only = pass->plain && pass->some;
	t->announced = pass->plain && pass->announced;
	if (pass->plain)
		ret = pass_plain(t, pass);
	else
		ret = pass->some ? pass_some(t, pass) : pass_each(t, pass);
	t->forms_only = t->announced = false;
	return ret;
}

static int sink_event(void *arg, const struct lt_event *ev)
{
	struct lt_sink *sink = arg;

	return sink->event(sink, ev);
}

static int sink_some(void *arg, const struct lt_event *evs, size_t n)
{
	struct lt_sink *sink = arg;

	return sink->some(sink, evs, n);
}

static int sink_plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	struct lt_sink *sink = arg;

	return sink->plain(sink, evs, n);
}

int lt_sink_read(struct lt_sink *sink, struct lt_trace *t)
{
	const struct lt_pass pass = {
		.event = sink_event, .some = sink->some ? sink_some : NULL,
		.plain = sink->plain ? sink_plain : NULL, .slow = true, .arg = sink,
	};
	int ret = -1;

	if (t && !sink->begin(sink, t))
		ret = lt_trace_pass(t, &pass);
	/* It frees the sink, so it is called also after a failure. */
	return sink->end(sink) || ret < 0 ? -1 : 0;
}
