// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Series: what the steps of a profile come to over time.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/wide.h"
#include "sums/series.h"

static void init_line(struct lt_series_line *line, uint64_t key, size_t n)
{
	*line = (struct lt_series_line){ .key = key };
	line->objects = lt_alloc_array(n, sizeof(*line->objects));
	line->bytes = lt_alloc_array(n, sizeof(*line->bytes));
	line->max_bytes = lt_alloc_array(n, sizeof(*line->max_bytes));
}

static void destroy_line(struct lt_series_line *line)
{
	free(line->objects);
	free(line->bytes);
	free(line->max_bytes);
}

/* Nothing changes any more before the part @part: what is alive now, was so since then. */
static void fill(struct lt_series_line *line, size_t part)
{
	while (line->at < part) {
		line->objects[line->at] = line->now;
		line->bytes[line->at] = line->now_bytes;
		line->at++;
		line->max_bytes[line->at] = line->now_bytes;
	}
}

static void count(struct lt_series_line *line, size_t part, const struct lt_profile_step *s)
{
	uint64_t n = s->born ? s->n : UINT64_MAX * s->n;	/* modulo 2^64 that is -n */

	fill(line, part);
	line->now += n;
	line->now_bytes += n * s->bytes;
	if (line->now_bytes > line->max_bytes[part])
		line->max_bytes[part] = line->now_bytes;
	if (line->now_bytes > line->peak)
		line->peak = line->now_bytes;
}

/* The report was made by now, and says how long the trace is. */
static void set_time(struct lt_series *s, const struct lt_profile *p)
{
	uint64_t end = lt_trace_end(p->trace);

	s->begin = p->report->watched;
	s->length = end > s->begin ? end - s->begin : 1;
}

static void step(void *arg, const struct lt_profile *p, const struct lt_profile_step *s)
{
	struct lt_series *series = arg;
	uint64_t time;
	size_t part;

	if (!series->length)
		set_time(series, p);
	time = s->time > series->begin ? s->time - series->begin : 0;
	if (time >= series->length)
		time = series->length - 1;
	part = (size_t)lt_mul_div(time, series->n, series->length);
	/* A birth that was corrected may come late. */
	if (part < series->all.at)
		part = series->all.at;
	count(&series->all, part, s);
	if (s->row >= LT_SERIES_MOST)
		return;
	while (series->n_lines <= s->row) {
		series->lines = lt_grow(series->lines, &series->cap_lines, series->n_lines,
					sizeof(*series->lines));
		init_line(&series->lines[series->n_lines], 0, series->n);
		series->n_lines++;
	}
	/* The rows of the profile are in another order in the end. */
	series->lines[s->row].key = p->rows[s->row].key.cache;
	count(&series->lines[s->row], part, s);
}

static int by_peak(const void *a, const void *b)
{
	const struct lt_series_line *x = a, *y = b;

	if (x->peak != y->peak)
		return x->peak < y->peak ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static void finish(struct lt_series_line *line, size_t n)
{
	fill(line, n - 1);
	line->objects[n - 1] = line->now;
	line->bytes[n - 1] = line->now_bytes;
}

struct lt_series *lt_series_make(const char *path, const struct lt_report_options *opts, size_t n)
{
	struct lt_series *s = lt_alloc(sizeof(*s));
	struct lt_profile_options o = {
		.report = *opts, .levels = { LT_LEVEL_CACHE }, .n_levels = 1, .at = LT_AT_END,
		.max_rows = LT_SERIES_MOST, .step = step, .arg = s,
	};

	s->n = n;
	init_line(&s->all, 0, n);
	s->profile = lt_profile_make(path, &o);
	if (!s->profile) {
		lt_series_free(s);
		return NULL;
	}
	set_time(s, s->profile);
	finish(&s->all, n);
	for (size_t i = 0; i < s->n_lines; i++)
		finish(&s->lines[i], n);
	if (s->n_lines)
		qsort(s->lines, s->n_lines, sizeof(*s->lines), by_peak);
	return s;
}

void lt_series_free(struct lt_series *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_lines; i++)
		destroy_line(&s->lines[i]);
	free(s->lines);
	destroy_line(&s->all);
	lt_profile_free(s->profile);
	free(s);
}

uint64_t lt_series_time(const struct lt_series *s, size_t part)
{
	return s->begin + lt_mul_div(s->length, part + 1, s->n);
}
