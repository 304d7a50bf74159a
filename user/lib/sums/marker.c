// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Markers by their texts. No other event is decoded.
 */
#include <string.h>

#include "base/log.h"
#include "base/quantity.h"
#include "base/text.h"
#include "format/block.h"
#include "sums/marker.h"
#include "trace/narrow.h"
#include "trace/pass.h"

#define MARKER_SIZE	sizeof(((struct lt_rec_MARKER *)NULL)->text)

struct search {
	const char *text;
	bool last;
	struct lt_nearest nearest;
	bool found;
	uint64_t time;
};

static int try_marker(void *arg, const struct lt_event *ev)
{
	char line[MARKER_SIZE + 1] = { 0 };
	struct search *s = arg;

	if (ev->id != LT_EV_MARKER || !ev->raw)
		return 0;
	memcpy(line, ev->raw, ev->raw_size < MARKER_SIZE ? ev->raw_size : MARKER_SIZE);
	lt_nearest_try(&s->nearest, line);
	if (strcmp(line, s->text))
		return 0;
	s->found = true;
	s->time = ev->time;
	return !s->last;
}

static bool is_marker(void *arg, const struct lt_event_desc *d)
{
	(void)arg;
	return d->event == LT_EV_MARKER;
}

bool lt_marker_time(const char *path, const char *option, const char *text, uint64_t *time)
{
	struct search s = { .text = text, .last = !strcmp(option, "to") };
	struct lt_trace *t = lt_trace_open(path);
	char hint[2 * LT_NEAREST_SIZE];

	if (!t)
		return false;
	lt_nearest_init(&s.nearest, text);
	lt_trace_narrow(t, &(struct lt_narrow){ .to = UINT64_MAX, .wants = is_marker });
	lt_trace_pass(t, &(struct lt_pass){ .event = try_marker, .arg = &s });
	lt_trace_close(t);
	if (s.found)
		*time = s.time;
	else
		lt_error("%s: --%s: there is no marker '%s'%s", lt_file_name(path), option, text,
			 lt_nearest_hint(&s.nearest, "; 'lifetrace dump -e marker' lists them",
					 hint, sizeof(hint)));
	return s.found;
}
