// SPDX-License-Identifier: GPL-2.0
/*
 * A trace: opened or pushed in, and its streams merged into one sequence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "trace/internal.h"

#define MAX_NOTES	20

void lt_trace_note(struct lt_trace *t, uint64_t offset, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (t->notes > MAX_NOTES)
		return;
	if (t->notes++ == MAX_NOTES) {
		lt_warn("%s: more of such notes are not shown; 'lifetrace verify' tells all",
			t->path);
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (offset == LT_NO_OFFSET)
		lt_warn("%s: %s", t->path, text);
	else
		lt_warn("%s: offset %llu: %s", t->path, (unsigned long long)offset, text);
}

static void dir_note(void *arg, uint64_t offset, const char *text)
{
	lt_trace_note(arg, offset, "%s", text);
}

/*
 * The heap of streams: ordered by the time of their next record, CPU, channel. The
 * keys stand in the heap, so that no stream but the first is looked at. Mostly the
 * next record is of the same stream as the last one, which a heap is quick to see.
 *
 * Of those at one time frees come last: some machines' clocks are so coarse that an
 * object that was made on one CPU and freed on another has one time for both. (For
 * memory that was freed and given anew the other way round is right, but who pairs
 * births and frees knows how to doubt that: see lifetime_doubt.c.)
 */

static inline bool earlier(const struct lt_heap_entry *a, const struct lt_heap_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->rank < b->rank;
}

/* Puts an entry in place of the first one. */
static inline void sift_down(struct lt_trace *t, struct lt_heap_entry e)
{
	struct lt_heap_entry *heap = t->heap;
	size_t i = 0, child;

	while ((child = 2 * i + 1) < t->n_heap) {
		if (child + 1 < t->n_heap)
			child += earlier(&heap[child + 1], &heap[child]);
		if (!earlier(&heap[child], &e))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = e;
}

static void heap_push(struct lt_trace *t, struct lt_stream *s)
{
	struct lt_heap_entry e = {
		.key = s->key, .rank = s->rank, .s = s,
	};
	size_t i;

	t->heap = lt_grow(t->heap, &t->cap_heap, t->n_heap, sizeof(*t->heap));
	i = t->n_heap++;
	while (i && earlier(&e, &t->heap[(i - 1) / 2])) {
		t->heap[i] = t->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	t->heap[i] = e;
	s->in_heap = true;
}

/* The stream at the top has had its record taken: on to its next one. */
static void heap_advance(struct lt_trace *t)
{
	struct lt_heap_entry e = t->heap[0];

	if (lt_stream_fill(t, e.s)) {
		e.key = e.s->key;
		e.rank = e.s->rank;
	} else {
		e.s->in_heap = false;
		e = t->heap[--t->n_heap];
		if (!t->n_heap)
			return;
	}
	sift_down(t, e);
}

void lt_trace_wait(struct lt_trace *t, struct lt_stream *s)
{
	if (s->in_heap || s->waiting)
		return;
	t->waiting = lt_grow(t->waiting, &t->cap_waiting, t->n_waiting,
			     sizeof(struct lt_stream *));
	t->waiting[t->n_waiting++] = s;
	s->waiting = true;
}

static void join_waiting(struct lt_trace *t)
{
	for (size_t i = 0; i < t->n_waiting; i++) {
		struct lt_stream *s = t->waiting[i];

		s->waiting = false;
		if (lt_stream_fill(t, s))
			heap_push(t, s);
	}
	t->n_waiting = 0;
}

/* A gap that began after the last event counts for what is alive at the end. */
static void reach_end(struct lt_trace *t)
{
	uint64_t end = lt_trace_stopped(t) < t->end ? lt_trace_stopped(t) : t->end;

	if (!t->file && !(t->have_watermark && t->watermark == UINT64_MAX))
		return;
	if (t->have_bounds && end > t->now) {
		t->now = end;
		lt_gap_advance(t);
	}
}

int lt_trace_next(struct lt_trace *t, struct lt_event *ev)
{
	struct lt_stream *s;

	/* Only now: the last event's bytes were promised until this call. */
	if (t->taken) {
		t->taken = NULL;
		heap_advance(t);
	}
	if (t->n_waiting)
		join_waiting(t);
	if (!t->n_heap) {
		reach_end(t);
		return 0;
	}
	s = t->heap[0].s;
	if (!t->file && (!t->have_watermark || s->rec_ns > t->watermark))
		return 0;
	if (s->rec_ns < t->now && !t->raw_order) {
		/* Only live: the promise of lt_trace_watermark() was broken. */
		if (!t->late++)
			lt_trace_note(t, LT_NO_OFFSET, "an event of cpu %u came after later ones "
				      "had been read; its time is taken for theirs", s->cpu);
		s->rec_ns = t->now;
	}
	lt_decode(&s->packet, &s->rec, ev);
	ev->time = s->rec_ns;
	ev->seq = s->n_records++;
	if (ev->class < LT_MAX_CLASSES)
		t->records[ev->class]++;
	t->now = s->rec_ns;
	lt_gap_advance(t);
	if (t->tables.fields[s->rec.desc->id])
		lt_tables_record(t, s, ev->id);
	ev->task = s->task;
	t->taken = s;
	return 1;
}

/* Whether taking the next event changes more than the event's own time. */
static bool next_changes(struct lt_trace *t)
{
	const struct lt_stream *s;

	if (t->taken) {
		t->taken = NULL;
		heap_advance(t);
	}
	if (t->n_waiting)
		join_waiting(t);
	if (!t->n_heap)
		return true;
	s = t->heap[0].s;
	return s->rec_ns > t->gap.next_begin || t->tables.fields[s->rec.desc->id];
}

int lt_trace_next_some(struct lt_trace *t, struct lt_event *evs, size_t max, size_t *n)
{
	int ret = 1;

	*n = 0;
	while (*n < max && !(*n && next_changes(t))) {
		ret = lt_trace_next(t, &evs[*n]);
		if (ret <= 0)
			break;
		if (evs[(*n)++].id == LT_EV_MARKER)
			break;
	}
	return ret;
}

void lt_trace_raw_order(struct lt_trace *t)
{
	t->raw_order = true;
}

const struct lt_packet *lt_trace_packet(const struct lt_trace *t)
{
	return t->taken ? &t->taken->packet : NULL;
}

const struct lt_event_desc *lt_trace_desc(const struct lt_trace *t)
{
	return t->taken ? t->taken->rec.desc : NULL;
}

void lt_trace_bounds(struct lt_trace *t, uint64_t begin, uint64_t end)
{
	begin = lt_trace_ns(t, begin);
	end = lt_trace_ns(t, end);
	if (!t->have_bounds || begin < t->begin)
		t->begin = begin;
	if (!t->have_bounds || end > t->end)
		t->end = end;
	t->have_bounds = true;
}

struct lt_trace *lt_trace_new(const char *path)
{
	struct lt_trace *t = lt_alloc(sizeof(*t));

	t->path = lt_strdup(path);
	t->records = lt_alloc_array(LT_MAX_CLASSES, sizeof(*t->records));
	t->value = lt_alloc(1);
	t->gap.next_begin = UINT64_MAX;
	return t;
}

bool lt_trace_read_clock(struct lt_trace *t)
{
	const char *first = lt_trace_text(t, LT_BLOCK_CLOCK, 0);
	const char *second = lt_trace_text(t, LT_BLOCK_CLOCK, 1);
	struct lt_clock_reading a, b;
	const char *value;
	uint64_t freq = 0;
	bool counter, have_a, have_b;

	value = lt_trace_info(t, "clock_freq");
	if (value && !lt_number(value, 10, &freq))
		freq = 0;
	value = lt_trace_info(t, "clock");
	counter = value && !strcmp(value, "counter");
	have_a = first && lt_clock_parse(first, &a);
	if (second)
		second = lt_trace_text(t, LT_BLOCK_CLOCK, SIZE_MAX);
	have_b = second && lt_clock_parse(second, &b);
	return lt_clock_init(&t->clock, counter, freq, have_a ? &a : NULL,
			     have_b ? &b : NULL);
}

/* What both sources need once INFO, SCHEMA and CLOCK can be had. */
bool lt_trace_set_up(struct lt_trace *t)
{
	const char *schema = lt_trace_text(t, LT_BLOCK_SCHEMA, 0);

	if (!schema) {
		lt_error("%s: expected a SCHEMA block, found none; without it no event can be "
			 "decoded", t->path);
		return false;
	}
	t->schema = lt_schema_parse(schema, t->path);
	if (!t->schema || !lt_tables_init(t))
		return false;
	if (t->schema->minor > LT_VERSION_MINOR || t->schema->unknown_events)
		lt_warn("%s: schema version %u.%u, this program knows %d.%d; %u kinds of events "
			"are new to it and are shown by their fields only", t->path,
			t->schema->major, t->schema->minor, LT_VERSION_MAJOR, LT_VERSION_MINOR,
			t->schema->unknown_events);
	if (!lt_trace_text(t, LT_BLOCK_INFO, 0))
		lt_warn("%s: there is no INFO block; clock and machine are not known", t->path);
	if (!lt_trace_read_clock(t))
		lt_warn("%s: the clock is a counter of unknown frequency; times are in its units",
			t->path);
	return true;
}

static void open_streams(struct lt_trace *t)
{
	for (size_t k = 0; k < t->dir.n_streams; k++) {
		const struct lt_stream_dir *d = t->dir.streams[k];
		struct lt_stream *s;

		if (!d || !d->n)
			continue;
		s = lt_stream_get(t, d->channel, d->cpu);
		s->dir = d;
		for (size_t i = 0; i < d->n; i++)
			lt_trace_bounds(t, d->refs[i].begin, d->refs[i].end);
	}
	lt_gap_unseen_cpus(t);
	for (size_t i = 0; i < t->n_streams; i++) {
		if (t->streams[i])
			lt_trace_wait(t, t->streams[i]);
	}
}

static void find_stopped(struct lt_trace *t)
{
	const char *stats = lt_trace_stats(t), *line;
	uint64_t clock;
	size_t len;

	/* Of a file that is whole, and does not tell, nothing is assumed. */
	t->stop_unknown = !stats && (t->dir.torn || lt_text_is_damaged(t, LT_BLOCK_STATS));
	while (stats && lt_line(&stats, &line, &len)) {
		char buf[64];

		if (len < 9 || len >= sizeof(buf) || strncmp(line, "stopped ", 8))
			continue;
		snprintf(buf, sizeof(buf), "%.*s", (int)len - 8, line + 8);
		if (lt_number(buf, 10, &clock))
			lt_trace_set_stopped(t, clock);
	}
}

struct lt_trace *lt_trace_open(const char *path)
{
	struct lt_file *f = lt_file_open(path);
	struct lt_trace *t;

	if (!f)
		return NULL;
	t = lt_trace_new(path);
	t->file = f;
	lt_dir_read(&t->dir, f, false, dir_note, t);
	for (size_t i = 0; i < t->dir.n_texts; i++) {
		t->texts = lt_grow(t->texts, &t->cap_texts, t->n_texts, sizeof(*t->texts));
		t->texts[t->n_texts++] = (struct lt_text){
			.type = t->dir.texts[i].type, .offset = t->dir.texts[i].offset,
		};
	}
	if (!lt_trace_set_up(t)) {
		lt_trace_close(t);
		return NULL;
	}
	find_stopped(t);
	open_streams(t);
	return t;
}

void lt_trace_close(struct lt_trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_streams; i++)
		lt_stream_free(t->streams[i]);
	for (size_t i = 0; i < t->n_texts; i++)
		free(t->texts[i].text);
	lt_tables_free(t);
	lt_symbols_free(t->symbols);
	lt_schema_free(t->schema);
	lt_dir_free(&t->dir);
	lt_file_close(t->file);
	lt_buf_free(&t->packed);
	free(t->streams);
	free(t->heap);
	free(t->waiting);
	free(t->gap.gaps);
	free(t->gap.pending);
	free(t->texts);
	free(t->value);
	free(t->records);
	free(t->totals);
	free(t->path);
	free(t);
}
