// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Traces, and what they say of themselves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "format/channel.h"
#include "format/set.h"
#include "sums/loss.h"

#ifndef LT_VERSION
#define LT_VERSION	"unknown"
#endif

const char *lifetrace_version(void)
{
	return LT_VERSION;
}

/* Return: NULL after lt_error(). */
static char *hold(const char *path, const struct lifetrace_open_options *o)
{
	const char **paths = lt_alloc_array(o->n_more + 1, sizeof(*paths));
	char *name;

	paths[0] = path;
	for (size_t i = 0; i < o->n_more; i++)
		paths[i + 1] = o->more[i];
	name = lt_set_hold(paths, o->n_more + 1);
	free(paths);
	return name;
}

/* The keys of INFO. One that cannot be printed is none. */
static void find_keys(struct lifetrace_trace *t)
{
	const char *pos = lt_trace_text(t->t, LT_BLOCK_INFO, 0), *line, *end;
	size_t len;

	while (pos && lt_line(&pos, &line, &len)) {
		end = memchr(line, '=', len);
		if (!end || end == line ||
		    lt_utf8_printable((const unsigned char *)line, (size_t)(end - line)) !=
		    (size_t)(end - line))
			continue;
		t->keys = lt_grow(t->keys, &t->cap_keys, t->n_keys, sizeof(*t->keys));
		t->keys[t->n_keys++] = lt_strndup(line, (size_t)(end - line));
	}
}

lifetrace_trace *lifetrace_open(const char *path, const struct lifetrace_open_options *options,
				struct lifetrace_error *error)
{
	struct lifetrace_open_options o;
	struct lifetrace_trace *t;

	lt_api_take(&o, sizeof(o), options);
	if (!path || !strcmp(path, "-") || (o.n_more && !o.more)) {
		lt_api_error(error, LIFETRACE_INVALID, "a trace is opened by the name of a file or a "
			     "directory; standard input is not read");
		return NULL;
	}
	t = lt_alloc(sizeof(*t));
	lt_api_begin(&t->messages);
	t->name = hold(path, &o);
	t->t = t->name ? lt_trace_open(t->name) : NULL;
	if (t->t)
		find_keys(t);
	else
		lt_api_failed(error, LIFETRACE_OPEN, &t->messages);
	lt_api_end(&t->messages);
	if (t->t)
		return t;
	lifetrace_close(t);
	return NULL;
}

void lifetrace_close(lifetrace_trace *trace)
{
	if (!trace)
		return;
	lt_api_begin(&trace->messages);
	if (trace->t)
		lt_trace_close(trace->t);
	lt_set_release(trace->name);
	lt_api_end(&trace->messages);
	for (size_t i = 0; i < trace->n_keys; i++)
		free(trace->keys[i]);
	free(trace->keys);
	free(trace->value);
	lt_api_free_messages(&trace->messages);
	free(trace);
}

void lifetrace_describe(lifetrace_trace *trace, struct lifetrace_about *about)
{
	struct lifetrace_about all = { .size = sizeof(all) };

	lt_api_begin(&trace->messages);
	all.begin_ns = lt_trace_begin(trace->t);
	all.end_ns = lt_trace_end(trace->t);
	all.cut_ns = lt_trace_cut(trace->t);
	all.file_size = lt_trace_size(trace->t);
	all.page_size = 1ULL << lt_trace_page_shift(trace->t);
	all.recorder = lt_trace_recorder(trace->t);
	all.has_wall = lt_clock_has_wall(lt_trace_clock(trace->t));
	lt_api_end(&trace->messages);
	lt_api_give(about, &all, sizeof(all));
}

uint64_t lifetrace_wall(lifetrace_trace *trace, uint64_t ns)
{
	return lt_trace_realtime(trace->t, ns);
}

const char *lifetrace_info(lifetrace_trace *trace, const char *key)
{
	const char *value = key ? lt_trace_info(trace->t, key) : NULL;

	free(trace->value);
	trace->value = NULL;
	if (value) {
		trace->value = lt_alloc(LT_ESCAPED_SIZE(strlen(value) + 1));
		lt_escape_text(value, trace->value);
	}
	return trace->value;
}

const char *lifetrace_info_key(lifetrace_trace *trace, size_t i)
{
	return i < trace->n_keys ? trace->keys[i] : NULL;
}

int lifetrace_class_at(lifetrace_trace *trace, size_t i, struct lifetrace_class *counts)
{
	for (unsigned int class = 0; class < LT_MAX_CLASSES; class++) {
		const char *name = lt_trace_class_name(trace->t, class);
		const struct lt_class_counts c = lt_trace_counts(trace->t, class);
		const struct lifetrace_class all = {
			.name = name, .channel = lt_channel_name(LT_CLASS_CHANNEL(class)),
			.seen = c.seen, .written = lt_written(&c), .lost_full = c.lost_full,
			.lost_nmi = c.lost_nmi, .lost_nested = c.lost_nested,
			.lost_nobuf = c.lost_nobuf, .filtered = c.filtered,
			.overwritten = lt_trace_overwritten(trace->t, class),
		};

		if (!name || !c.seen || i--)
			continue;
		lt_api_give(counts, &all, sizeof(all));
		return 1;
	}
	return 0;
}

/* A line of EVENTS: name, kind, "watched" or another word, reason; with tabs between. */
static bool unwatched(struct lifetrace_trace *t, const char *line, size_t len)
{
	const char *end = memchr(line, '\t', len);
	char event[sizeof(t->event) / 4], why[sizeof(t->why) / 4];

	if (!end || (size_t)(end - line) >= sizeof(event))
		return false;
	memcpy(event, line, (size_t)(end - line));
	event[end - line] = 0;
	if (!lt_line_unwatched(line, len, event, why, sizeof(why)))
		return false;
	lt_escape_text(event, t->event);
	lt_escape_text(why, t->why);
	return true;
}

int lifetrace_unwatched(lifetrace_trace *trace, size_t i, const char **event, const char **why)
{
	const char *pos = lt_trace_text(trace->t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	size_t len;

	while (pos && lt_line(&pos, &line, &len)) {
		if (!unwatched(trace, line, len) || i--)
			continue;
		*event = trace->event;
		*why = trace->why;
		return 1;
	}
	return 0;
}

const char *lifetrace_message(lifetrace_trace *trace, size_t i)
{
	return lt_api_message(&trace->messages, i);
}

void lt_api_fill_loss(const struct lt_trace *t, struct lifetrace_loss *loss)
{
	const struct lt_loss l = lt_trace_loss(t);
	const struct lifetrace_loss all = {
		.records = l.records, .lost = l.lost, .full = l.full, .nmi = l.nmi,
		.nested = l.nested, .nobuf = l.nobuf, .damaged = l.damaged, .missed = l.missed,
		.filtered = l.filtered,
		.at_least = l.at_least || lt_trace_dir(t)->torn || lt_trace_left_out(t).packets,
	};

	lt_api_give(loss, &all, sizeof(all));
}
