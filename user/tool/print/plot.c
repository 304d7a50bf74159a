// SPDX-License-Identifier: GPL-2.0
/*
 * Memory over time. A column of a plot is a part of the time, and as high as the most that was
 * alive in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/quantity.h"
#include "base/wide.h"
#include "out/units.h"
#include "out/width.h"
#include "print/plot.h"
#include "print/self.h"

/* Eighths of a line from below; the last one fills it. */
static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii[] = { " ", ".", ".", ":", ":", "|", "|", "#", "#" };

static const char *name_of(const struct lt_series *s, const struct lt_series_line *line, char *buf,
			   size_t size)
{
	if (line == &s->all)
		return "all";
	return line->key ? lt_cache_key_name(s->profile->report->trace, line->key, buf, size) :
			   "(none)";
}

static const char *shown_of(const struct lt_series *s, const struct lt_series_line *line, char *buf,
			    size_t size)
{
	return line->key ? lt_cache_key_shown(s->profile->report->trace, line->key, buf, size) :
			   name_of(s, line, buf, size);
}

/* How many eighths of @height lines a value takes; 1 at least, unless it is 0. */
static unsigned int eighths(uint64_t value, uint64_t most, unsigned int height)
{
	unsigned int n = most ? (unsigned int)((lt_mul_div(value, 16 * height, most) + 1) / 2) : 0;

	return value && !n ? 1 : n;
}

static void put_padded(struct lt_out *o, const char *text, size_t width, bool right)
{
	size_t len = strlen(text);

	for (size_t i = len; right && i < width; i++)
		lt_out_char(o, ' ');
	lt_out_text(o, text, len);
	for (size_t i = len; !right && i < width; i++)
		lt_out_char(o, ' ');
}

static void put_line(const struct lt_series *s, const struct lt_plot_view *p,
		     const struct lt_series_line *line, unsigned int row)
{
	const char *const *characters = p->utf8 ? blocks : ascii;

	for (size_t i = 0; i < s->n; i++) {
		unsigned int n = eighths(line->max_bytes[i], line->peak, p->height);
		unsigned int below = 8 * row;

		lt_out_str(p->out, characters[n <= below ? 0 : n - below > 8 ? 8 : n - below]);
	}
	lt_out_char(p->out, '\n');
}

static void put_time_axis(const struct lt_series *s, const struct lt_plot_view *p)
{
	bool first = p->times.base == LT_TIMES_BEGIN && s->begin == p->times.begin;
	char begin[LT_TIME_TEXT], end[LT_TIME_TEXT];
	size_t used;

	put_padded(p->out, "", LT_PLOT_MARGIN, false);
	for (size_t i = 0; i < s->n; i++)
		lt_out_str(p->out, p->utf8 ? "─" : "-");
	lt_out_char(p->out, '\n');
	put_padded(p->out, "", LT_PLOT_MARGIN, false);
	lt_out_str(p->out, first ? strcpy(begin, "0") : lt_times_human(&p->times, s->begin, begin));
	lt_times_human(&p->times, s->begin + s->length, end);
	/* A blank is between both, however narrow the plot is. */
	lt_out_char(p->out, ' ');
	used = strlen(begin) + 1;
	put_padded(p->out, end, s->n > used ? s->n - used : 1, true);
	lt_out_char(p->out, '\n');
}

static void put_plot(const struct lt_series *s, const struct lt_plot_view *p,
		     const struct lt_series_line *line)
{
	const struct lt_report_row *all = &s->profile->report->all;
	char buf[128], text[256], peak[LT_HUMAN], last[LT_HUMAN], count[LT_HUMAN];

	snprintf(text, sizeof(text), "%s: at most %s, at the end %s in %s objects\n",
		 shown_of(s, line, buf, sizeof(buf)),
		 lt_human_bytes(line->peak, peak, sizeof(peak)),
		 lt_human_bytes(line->bytes[s->n - 1], last, sizeof(last)),
		 lt_human_count(line->objects[s->n - 1], count, sizeof(count)));
	lt_out_text(p->out, text, strlen(text) - 1);
	lt_out_char(p->out, '\n');
	if (line == &s->all && all->maybe) {
		snprintf(text, sizeof(text), "perhaps %s more in %s objects, since frees may be missing\n",
			 lt_human_bytes(all->maybe_bytes, last, sizeof(last)),
			 lt_human_count(all->maybe, count, sizeof(count)));
		lt_out_str(p->out, text);
	}
	for (unsigned int row = p->height; row--;) {
		const char *label = row + 1 == p->height ? peak : row ? "" : "0";

		put_padded(p->out, label, LT_PLOT_MARGIN - 2, true);
		lt_out_str(p->out, p->utf8 ? " │" : " |");
		put_line(s, p, line, row);
	}
	put_time_axis(s, p);
}

/* A cache in one line, by its own scale. */
static void put_small(const struct lt_series *s, const struct lt_plot_view *p,
		      const struct lt_series_line *line)
{
	struct lt_plot_view small = *p;
	char buf[128], peak[LT_HUMAN];
	char *name = lt_cut_text(shown_of(s, line, buf, sizeof(buf)), LT_PLOT_NAME);

	lt_human_bytes(line->peak, peak, sizeof(peak));
	put_padded(p->out, peak, LT_PLOT_MARGIN - 2, true);
	lt_out_str(p->out, "  ");
	small.height = 1;
	put_line(s, &small, line, 0);
	p->out->used--;
	lt_out_str(p->out, "  ");
	lt_out_text(p->out, name, strlen(name));
	lt_out_char(p->out, '\n');
	free(name);
}

/* ------------------------------------------------------------------------
 * CSV and JSON
 */

/* @json: NULL: CSV */
static void put_points(const struct lt_series *s, const struct lt_plot_view *p,
		       const struct lt_series_line *line, struct lt_json *json)
{
	char buf[128];
	const char *name = line == &s->all ? NULL : name_of(s, line, buf, sizeof(buf));

	for (size_t i = 0; i < s->n; i++) {
		int64_t time = lt_times_ns(&p->times, lt_series_time(s, i));

		if (!json) {
			if (name)
				lt_csv_text(p->out, name, strlen(name));
			lt_outf(p->out, ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", time,
				line->objects[i], line->bytes[i], line->max_bytes[i]);
			continue;
		}
		lt_json_break(json);
		lt_json_object(json, NULL);
		lt_json_str(json, "cache", name);
		lt_json_s64(json, "time_ns", time);
		lt_json_u64(json, "alive", line->objects[i]);
		lt_json_u64(json, "alive_bytes", line->bytes[i]);
		lt_json_u64(json, "max_bytes", line->max_bytes[i]);
		lt_json_end(json);
	}
}

/* ------------------------------------------------------------------------
 * What to plot
 */

static const struct lt_series_line *find(const struct lt_series *s, const char *cache)
{
	struct lt_nearest nearest;
	char hint[2 * LT_NEAREST_SIZE], buf[128];

	lt_nearest_init(&nearest, cache);
	for (size_t i = 0; i < s->n_lines; i++) {
		const char *name = name_of(s, &s->lines[i], buf, sizeof(buf));

		if (!strcmp(name, cache))
			return &s->lines[i];
		lt_nearest_try(&nearest, name);
	}
	lt_error("--cache: nothing was allocated from a slab cache '%s'%s", cache,
		 lt_nearest_hint(&nearest, "", hint, sizeof(hint)));
	return NULL;
}

/* All points of the chosen lines: with no caches chosen, of the sum and all caches. */
static void put_all_points(const struct lt_series *s, const struct lt_plot_view *p,
			   struct lt_json *json)
{
	for (size_t i = 0; i < p->n_caches; i++)
		put_points(s, p, find(s, p->caches[i]), json);
	if (!p->n_caches)
		put_points(s, p, &s->all, json);
	for (size_t i = 0; !p->n_caches && i < s->n_lines; i++)
		put_points(s, p, &s->lines[i], json);
}

static void put_json(const struct lt_series *s, const struct lt_plot_view *p)
{
	struct lt_json j = LT_JSON_INIT(p->out);

	lt_json_object(&j, NULL);
	lt_json_u64(&j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_u64(&j, "points", s->n);
	lt_json_u64(&j, "own_allocations", s->profile->report->own_births);
	lt_json_array(&j, "rows");
	put_all_points(s, p, &j);
	lt_json_line(&j);
}

static void put_text(const struct lt_series *s, const struct lt_plot_view *p)
{
	unsigned int sample = lt_trace_sample(s->profile->report->trace);
	uint64_t own = s->profile->report->own_births;
	char line[192];

	if (sample > 1) {
		snprintf(line, sizeof(line), "a sample, not scaled up: only objects at 1 in %u addresses were recorded\n",
			 sample);
		lt_out_str(p->out, line);
	}
	for (size_t i = 0; i < p->n_caches; i++) {
		lt_out_str(p->out, i ? "\n" : "");
		put_plot(s, p, find(s, p->caches[i]));
	}
	if (!p->n_caches)
		put_plot(s, p, &s->all);
	for (size_t i = 0; !p->n_caches && i < s->n_lines && i < p->top; i++)
		put_small(s, p, &s->lines[i]);
	if (own) {
		lt_out_str(p->out, lt_self_text(own, "object", line, sizeof(line)));
		lt_out_char(p->out, '\n');
	}
}

int lt_plot_print(const struct lt_series *s, const struct lt_plot_view *p)
{
	for (size_t i = 0; i < p->n_caches; i++) {
		if (!find(s, p->caches[i]))
			return -1;
	}
	if (p->format == LT_FORMAT_JSON) {
		put_json(s, p);
	} else if (p->format == LT_FORMAT_CSV) {
		lt_out_str(p->out, "cache,time_ns,alive,alive_bytes,max_bytes\n");
		put_all_points(s, p, NULL);
	} else {
		put_text(s, p);
	}
	return 0;
}
