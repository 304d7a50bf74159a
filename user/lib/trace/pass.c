// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The pass over the events of a trace.
 */
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

static int pass_plain(struct lt_trace *t, const struct lt_pass *pass)
{
	struct lt_plain_event evs[LT_PASS_MAX];
	struct lt_event ev;
	int more = 1, ret;
	size_t n;

	do {
		n = lt_trace_next_plain(t, evs, LT_PASS_MAX, pass->some);
		if (n) {
			ret = pass->plain(pass->arg, evs, n);
			continue;
		}
		if (pass->some) {
			more = lt_trace_next_some(t, &ev, 1, &n);
			ret = pass->some(pass->arg, &ev, n);
		} else {
			more = lt_trace_next(t, &ev);
			ret = more > 0 ? pass->event(pass->arg, &ev) : 0;
		}
	} while (more > 0 && !ret);
	return ret;
}

int lt_trace_pass(struct lt_trace *t, const struct lt_pass *pass)
{
	if (pass->plain)
		return pass_plain(t, pass);
	return pass->some ? pass_some(t, pass) : pass_each(t, pass);
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
		.plain = sink->plain ? sink_plain : NULL, .arg = sink,
	};
	int ret = -1;

	if (t && !sink->begin(sink, t))
		ret = lt_trace_pass(t, &pass);
	/* It frees the sink, so it is called also after a failure. */
	return sink->end(sink) || ret < 0 ? -1 : 0;
}
