// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From a trace to its tasks: events in their order, gaps, and events that were not watched.
 */
#include <stdio.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/log.h"
#include "tasks/read.h"
#include "base/text.h"
#include "trace/pass.h"
#include "trace/trace.h"

/* INFO of an import has a list of what the events do not say. */
static unsigned int unknown_of(const struct lt_trace *t)
{
	static const char *const names[] = { "usage", "code", "owner", "group" };
	const char *list = lt_trace_info(t, "tasks_unknown");
	unsigned int unknown = 0;

	for (unsigned int i = 0; list && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strstr(list, names[i]))
			unknown |= 1U << i;
	}
	return unknown;
}

struct lt_tasks *lt_tasks_for(struct lt_trace *t, bool history)
{
	struct lt_tasks_config config = {
		.history = history, .begin = lt_trace_begin(t), .unknown = unknown_of(t),
	};

	if (!lt_trace_has_channel(t, LT_CHANNEL_PID)) {
		lt_error("%s: holds no events of tasks (the channel pid was not recorded)",
			 lt_trace_path(t));
		return NULL;
	}
	config.begin_boot = lt_clock_boottime(lt_trace_clock(t), config.begin);
	return lt_tasks_new(&config);
}

/* The kinds of events that a class of the channel has; see enum lt_task_loss. */
static unsigned int what_is_lost(unsigned int class)
{
	switch (class) {
	case LT_CLASS_BIRTH:
		return LT_LOST_BIRTHS;
	case LT_CLASS_EXIT:
		return LT_LOST_ENDS;
	case LT_CLASS_EXEC:
		return LT_LOST_ENDS | LT_LOST_CHANGES;
	case LT_CLASS_RENAME:
	case LT_CLASS_OOM:
	case LT_CLASS_CRED:
	case LT_CLASS_CGROUP:
		return LT_LOST_CHANGES;
	case LT_CLASS_WRAP:
		return LT_LOST_NUMBERS;
	case LT_CLASS_STATE:
		return LT_LOST_STATES;
	default:
		return 0;
	}
}

static void add_gap(struct lt_tasks *tb, const struct lt_gap *gap)
{
	struct lt_task_gap g = { .begin = gap->begin, .end = gap->end, .cpu = gap->cpu };
	uint64_t sum = 0;

	if (gap->channel != LT_CHANNEL_PID)
		return;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		unsigned int what = what_is_lost(LT_CLASS(LT_CHANNEL_PID, i));

		if (!gap->lost[i])
			continue;
		sum += gap->lost[i];
		g.what |= what;
		if (what & LT_LOST_BIRTHS)
			g.births += gap->lost[i];
		if (what & LT_LOST_ENDS)
			g.ends += gap->lost[i];
	}
	g.unknown = !sum;
	g.nested = sum && sum == gap->nested;
	if (g.unknown)
		g.what = LT_N_LOSSES - 1;
	if (g.what)
		lt_tasks_gap(tb, &g);
}

/* Without these events it is not known which tasks live. */
static const char *const needed[] = { "task_new", "exit", "exec" };

/* Index of the next needed event that EVENTS lists as not watched, and why; -1: none. */
static int next_unwatched(const char **text, char *why, size_t size)
{
	const char *line;
	size_t len;

	while (*text && lt_line(text, &line, &len)) {
		for (int i = 0; i < (int)(sizeof(needed) / sizeof(needed[0])); i++) {
			if (lt_line_unwatched(line, len, needed[i], why, size))
				return i;
		}
	}
	return -1;
}

/* An event that was not watched is one that may have been lost at any time. */
static void add_unwatched(const struct lt_trace *t, struct lt_tasks *tb)
{
	const char *text = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX);
	struct lt_task_gap gap = { .end = UINT64_MAX, .unwatched = true };
	char why[121];
	int i;

	while ((i = next_unwatched(&text, why, sizeof(why))) >= 0)
		gap.what |= i ? LT_LOST_ENDS : LT_LOST_BIRTHS;
	if (gap.what)
		lt_tasks_gap(tb, &gap);
}

struct reader {
	struct lt_trace *t;
	struct lt_tasks *tb;
	struct lt_task_decoder *decoder;
	size_t gaps;		/* that were taken */
};

static void take_gaps(struct reader *r)
{
	const struct lt_gap *gaps;

	for (size_t n = lt_trace_gaps(r->t, &gaps); r->gaps < n; r->gaps++)
		add_gap(r->tb, &gaps[r->gaps]);
}

static int take(void *arg, const struct lt_event *ev)
{
	struct reader *r = arg;
	struct lt_task_event e;
	int ok;

	take_gaps(r);
	if (ev->channel != LT_CHANNEL_PID)
		return 0;
	ok = lt_task_decode(r->decoder, lt_trace_packet(r->t), lt_trace_desc(r->t), ev, &e);
	if (ok > 0)
		lt_tasks_event(r->tb, &e);
	return ok < 0 ? -1 : 0;
}

/* These are of memory. */
static int skip(void *arg, const struct lt_plain_event *evs, size_t n)
{
	(void)evs;
	(void)n;
	take_gaps(arg);
	return 0;
}

int lt_tasks_read(struct lt_trace *t, struct lt_tasks *tb)
{
	struct reader r = { .t = t, .tb = tb, .decoder = lt_task_decoder_new() };
	int err = lt_trace_pass(t, &(struct lt_pass){ .event = take, .plain = skip, .arg = &r });

	take_gaps(&r);
	lt_task_decoder_free(r.decoder);
	add_unwatched(t, tb);
	lt_tasks_finish(tb, lt_trace_end(t));
	return err;
}

const char *lt_tasks_unwatched(const struct lt_trace *t, char *buf, size_t size)
{
	const char *text = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX);
	char why[121];
	int i = next_unwatched(&text, why, sizeof(why));

	if (i < 0)
		return NULL;
	snprintf(buf, size, "the event %s was not watched%s%s", needed[i], *why ? ": " : "", why);
	return buf;
}
