// SPDX-License-Identifier: GPL-2.0
/*
 * What happened when: births and ends by time, and the markers of users.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "out/units.h"
#include "page/internal.h"

/* The recorder's own, around its readings of the kernel's counters. */
static bool is_own(const char *text)
{
	return !strncmp(text, "lifetrace: slab ", 16);
}

void lt_page_marker(void *arg, const struct lt_profile *p, uint64_t time, const char *text)
{
	struct lt_page_time *t = arg;

	(void)p;
	if (is_own(text) || t->n_markers++ >= LT_PAGE_MARKERS)
		return;
	if (!t->markers)
		t->markers = lt_alloc_array(LT_PAGE_MARKERS, sizeof(*t->markers));
	t->markers[t->n++] = (struct lt_page_marker){ .time = time, .text = lt_strdup(text) };
}

void lt_page_time_free(struct lt_page_time *time)
{
	for (size_t i = 0; i < time->n; i++)
		free(time->markers[i].text);
	free(time->markers);
	lt_timeline_free(time->line);
}

static void put_markers(struct lt_out *o, const struct lt_page_time *time, const struct lt_trace *t)
{
	lt_out_str(o, ",\"markers\":{\"total\":");
	lt_out_u64(o, time->n_markers);
	lt_out_str(o, ",\"rows\":[");
	for (size_t i = 0; i < time->n; i++) {
		lt_out_str(o, i ? ",\n[" : "\n[");
		lt_out_u64(o, lt_trace_since(t, time->markers[i].time));
		lt_out_char(o, ',');
		lt_out_json(o, time->markers[i].text, strlen(time->markers[i].text));
		lt_out_char(o, ']');
	}
	lt_out_str(o, "]}");
}

void lt_page_time_json(struct lt_out *o, const struct lt_page_time *time, const struct lt_trace *t,
		       const struct lt_page_rows *caches, const struct lt_page_rows *sites)
{
	lt_out_str(o, "{\"begin_ns\":");
	lt_out_u64(o, lt_trace_since(t, time->line->begin));
	lt_out_str(o, ",\"step_ns\":");
	lt_out_u64(o, time->line->step);
	lt_out_str(o, ",\"parts\":");
	lt_out_u64(o, LT_TIMELINE_PARTS);
	lt_out_str(o, ",\"caches\":");
	lt_page_series_json(o, caches);
	lt_out_str(o, ",\"sites\":");
	lt_page_series_json(o, sites);
	lt_out_str(o, ",\n\"growth\":{\"caches\":");
	lt_page_growth_json(o, caches);
	lt_out_str(o, ",\"sites\":");
	lt_page_growth_json(o, sites);
	lt_out_char(o, '}');
	put_markers(o, time, t);
	lt_out_char(o, '}');
}

void lt_page_markers_html(struct lt_out *o, const struct lt_page_time *time,
			  const struct lt_trace *t)
{
	char buf[LT_HUMAN];

	if (!time->n)
		return;
	lt_out_str(o, "<dl class=\"markers\">\n");
	for (size_t i = 0; i < time->n; i++) {
		lt_out_str(o, "<div><dt>");
		lt_out_str(o, lt_human_ns(lt_trace_since(t, time->markers[i].time), buf, sizeof(buf)));
		lt_out_str(o, "</dt><dd>");
		lt_html_str(o, time->markers[i].text);
		lt_out_str(o, "</dd></div>\n");
	}
	lt_out_str(o, "</dl>\n");
}
