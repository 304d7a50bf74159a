// SPDX-License-Identifier: GPL-2.0
/*
 * Totals: what export.c does with a file and the exporters of tables, done with the events of a
 * running session.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/owner.h"
#include "export/fleet/fleet.h"
#include "export/fleet/totals.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "state/forget.h"

/**
 * struct totals - the sink
 * @x: the exporter
 * @opts: for @e
 * @e: what the exporter sees
 * @lf: the pairing; NULL: the exporter has not begun
 * @hour: since 1970, plus 1, when that was last looked at; 0: it was not
 * @look: time from which on it is looked at again
 * @renew: time from which on the names of the trace are renewed
 * @forget: of tasks
 */
struct totals {
	struct lt_sink sink;
	const struct lt_exporter *x;
	struct lt_export_options opts;
	struct lt_export e;
	struct lt_lifetimes *lf;
	uint64_t hour;
	uint64_t look;
	uint64_t renew;
	struct lt_forget forget;
};

#define LOOK_NS		1000000000ULL
#define RENEW_NS	(60 * LOOK_NS)

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct totals *s = arg;

	if (!s->e.failed && s->x->lifetime(&s->e, l))
		s->e.failed = true;
}

static int begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct totals *s = (struct totals *)sink;
	const struct lt_lifetime_ops ops = { .ended = ended, .arg = s };

	s->e.trace = t;
	if (s->x->begin(&s->e))
		return -1;
	s->lf = lt_lifetimes_of(t, &ops);
	lt_lifetimes_restore(s->lf, t);
	lt_trace_forget_gaps(t);
	return 0;
}

/* A module that is loaded now may have the addresses of one that had them before. */
static void before_names(struct lt_sink *sink)
{
	struct totals *s = (struct totals *)sink;

	if (s->lf && !s->e.failed)
		lt_fleet_flush(&s->e);
}

static void renew_names(struct totals *s, uint64_t time)
{
	s->renew = time + RENEW_NS;
	if (s->sink.renew)
		s->sink.renew(s->sink.recorder);
}

/* A machine that fails loses an hour at most. A clock that is set back begins an hour, too. */
static void publish_hour(struct totals *s, uint64_t time)
{
	uint64_t hour = lt_minute_of(s->e.trace, time) / 60 + 1;

	if (s->hour && hour != s->hour) {
		renew_names(s, time);
		if (lt_fleet_publish(&s->e, time))
			s->e.failed = true;
	}
	s->hour = hour;
}

static void look(struct totals *s, uint64_t time)
{
	if (time < s->look)
		return;
	s->look = time + LOOK_NS;
	/* The names that the trace begins with are new enough. */
	if (!s->renew)
		s->renew = time + RENEW_NS;
	if (time >= s->renew)
		renew_names(s, time);
	if (lt_fleet_step(&s->e))
		s->e.failed = true;
	else
		publish_hour(s, time);
	/* Rows have the names of tasks, and not the tasks. */
	lt_forget_tasks(&s->forget, s->e.trace, s->lf, s->sink.also, lt_fleet_cgroups(&s->e), time);
}

static int event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct totals *s = (struct totals *)sink;
	struct lt_trace *t = s->e.trace;

	look(s, ev->time);
	lt_fleet_event(&s->e, ev);
	if (ev->time <= lt_trace_end(t))
		lt_lifetimes_take(s->lf, t, ev);
	return s->e.failed ? -1 : 0;
}

static void finish(struct totals *s)
{
	if (!s->e.failed)
		lt_lifetimes_end(s->lf, s->e.trace);
	lt_lifetimes_free(s->lf);
}

static int end(struct lt_sink *sink)
{
	struct totals *s = (struct totals *)sink;
	int err = 0;

	if (s->lf) {
		finish(s);
		err = s->x->end(&s->e);
	}
	free(s);
	return err;
}

struct lt_sink *lt_totals_sink(const struct lt_exporter *x, const char *dir)
{
	struct totals *s;

	if (lt_owner_refuses(dir, true) || lt_export_make_dir(dir, true))
		return NULL;
	s = lt_alloc(sizeof(*s));
	s->sink = (struct lt_sink){
		.begin = begin, .event = event, .end = end, .fd = -1, .before_names = before_names,
	};
	s->x = x;
	s->opts.tables = 1U << LT_FLEET_SITE_MINUTE;
	s->opts.profile.report.no_recorder = true;
	s->e.path = dir;
	s->e.opts = &s->opts;
	return &s->sink;
}
