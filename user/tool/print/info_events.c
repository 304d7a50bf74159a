// SPDX-License-Identifier: GPL-2.0
/*
 * The events that a recording watched, from the trace's text EVENTS.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "print/info.h"

/* A line of the text EVENTS. */
struct event_line {
	char name[64];
	char kind[32];
	bool watched;
	const char *reason;
	size_t reason_len;
};

static const char *cut(const char **line, size_t *len, size_t *n)
{
	const char *word = *line, *tab = memchr(word, '\t', *len);

	*n = tab ? (size_t)(tab - word) : *len;
	*line += *n + (tab != NULL);
	*len -= *n + (tab != NULL);
	return word;
}

static bool parse_event_line(const char *line, size_t len, struct event_line *e)
{
	const char *word;
	size_t n;

	word = cut(&line, &len, &n);
	if (!n || n >= sizeof(e->name))
		return false;
	snprintf(e->name, sizeof(e->name), "%.*s", (int)n, word);
	word = cut(&line, &len, &n);
	snprintf(e->kind, sizeof(e->kind), "%.*s", (int)(n < 31 ? n : 31), word);
	word = cut(&line, &len, &n);
	e->watched = n == strlen("watched") && !memcmp(word, "watched", n);
	e->reason = cut(&line, &len, &e->reason_len);
	return true;
}

static const char *latest_events(const struct lt_trace *t)
{
	return lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX);
}

void lt_info_events_text(struct lt_out *o, const struct lt_trace *t)
{
	const char *pos = latest_events(t), *line;
	size_t len;

	lt_out_str(o, "\n");
	if (!pos)
		lt_out_str(o, "  The file does not have the list of events.\n");
	while (pos && lt_line(&pos, &line, &len)) {
		struct event_line e;
		char buf[160];

		if (!parse_event_line(line, len, &e))
			continue;
		snprintf(buf, sizeof(buf), "  %-24s %-10s %s", e.name, e.kind,
			 e.watched ? "watched" : "NOT watched");
		lt_out_text(o, buf, strlen(buf));
		if (!e.watched) {
			lt_out_str(o, ": ");
			lt_out_text(o, e.reason, e.reason_len);
		} else if (!strncmp(e.name, "page_", 5)) {
			lt_out_str(o, ", without a caller");
		} else if (!strcmp(e.name, "ksymbol") && lt_trace_code_lost(t)) {
			snprintf(buf, sizeof(buf), ", %" PRIu64 " lost", lt_trace_code_lost(t));
			lt_out_str(o, buf);
		}
		lt_out_char(o, '\n');
	}
}

void lt_info_events_json(struct lt_json *j, const struct lt_trace *t)
{
	const char *pos = latest_events(t), *line;
	size_t len;

	lt_json_array(j, "events");
	while (pos && lt_line(&pos, &line, &len)) {
		struct event_line e;

		if (!parse_event_line(line, len, &e))
			continue;
		lt_json_object(j, NULL);
		lt_json_str(j, "name", e.name);
		lt_json_str(j, "kind", e.kind);
		lt_json_bool(j, "watched", e.watched);
		lt_json_text(j, "reason", e.reason, e.reason_len);
		lt_json_end(j);
	}
	lt_json_end(j);
}
