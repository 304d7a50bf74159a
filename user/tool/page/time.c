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

static void put_markers(struct lt_json *j, const struct lt_page_time *time,
			const struct lt_trace *t)
{
	lt_json_object(j, "markers");
	lt_json_u64(j, "total", time->n_markers);
	lt_json_array(j, "rows");
	for (size_t i = 0; i < time->n; i++) {
		lt_json_break(j);
		lt_json_array(j, NULL);
		lt_json_u64(j, NULL, lt_trace_since(t, time->markers[i].time));
		lt_json_str(j, NULL, time->markers[i].text);
		lt_json_end(j);
	}
	lt_json_end(j);
	lt_json_end(j);
}

void lt_page_time_json(struct lt_json *j, const char *name, const struct lt_page_time *time,
		       const struct lt_trace *t, const struct lt_page_rows *caches,
		       const struct lt_page_rows *sites)
{
	lt_json_object(j, name);
	lt_json_u64(j, "begin_ns", lt_trace_since(t, time->line->begin));
	lt_json_u64(j, "step_ns", time->line->step);
	lt_json_u64(j, "parts", LT_TIMELINE_PARTS);
	lt_page_series_json(j, "caches", caches);
	lt_page_series_json(j, "sites", sites);
	lt_json_break(j);
	lt_json_object(j, "growth");
	lt_page_growth_json(j, "caches", caches);
	lt_page_growth_json(j, "sites", sites);
	lt_json_end(j);
	put_markers(j, time, t);
	lt_json_end(j);
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
		lt_out_str(o, lt_human_ns(lt_trace_since(t, time->markers[i].time), buf,
					  sizeof(buf)));
		lt_out_str(o, "</dt><dd>");
		lt_html_str(o, time->markers[i].text);
		lt_out_str(o, "</dd></div>\n");
	}
	lt_out_str(o, "</dl>\n");
}
