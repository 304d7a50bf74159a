// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening and closing a trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "trace/caches.h"
#include "trace/internal.h"
#include "trace/loader.h"

static void dir_note(void *arg, uint64_t offset, const char *text)
{
	lt_trace_note(arg, offset, "%s", text);
}

struct lt_trace *lt_trace_new(const char *path)
{
	struct lt_trace *t = lt_alloc(sizeof(*t));

	t->path = lt_strdup(path);
	t->records = lt_alloc_array(UINT8_MAX + 1, sizeof(*t->records));
	t->value = lt_alloc(1);
	t->gap.next_begin = UINT64_MAX;
	t->last = UINT64_MAX;
	t->carried = true;
	lt_code_init(&t->code);
	return t;
}

void lt_trace_reading(struct lt_trace *t, const char *text, uint64_t offset)
{
	struct lt_clock_reading r;
	const char *why;

	if (!lt_clock_parse(text, &r)) {
		lt_trace_note(t, offset, "expected a reading of the clocks, clock=N realtime=N "
			      "boottime=N monotonic=N raw=N; it is left out");
		return;
	}
	why = lt_clock_refusal(lt_clock_add(&t->clock, &r));
	if (!why)
		return;
	lt_trace_note(t, offset, "the reading of the clocks at %llu is left out: %s",
		      (unsigned long long)r.clock, why);
	t->clocks_refused++;
}

static bool read_clock(struct lt_trace *t)
{
	const char *value = lt_trace_info(t, "clock_freq"), *text;
	uint64_t freq = 0;

	if (value && !lt_number(value, 10, &freq))
		freq = 0;
	lt_clock_init(&t->clock, lt_trace_info(t, "clock"), freq, !t->file);
	for (size_t i = 0; i < t->n_texts; i++) {
		if (t->texts[i].type != LT_BLOCK_CLOCK)
			continue;
		text = lt_load_text(t, &t->texts[i]);
		if (text)
			lt_trace_reading(t, text, t->texts[i].offset);
	}
	return lt_clock_settle(&t->clock);
}

bool lt_trace_set_up(struct lt_trace *t)
{
	const char *schema = lt_trace_text(t, LT_BLOCK_SCHEMA, 0), *value;
	bool clock;

	if (!schema) {
		lt_error("%s: expected a SCHEMA block, found none; without it no event can be "
			 "decoded", t->path);
		return false;
	}
	t->schema = lt_schema_parse(schema, t->path);
	if (!t->schema)
		return false;
	lt_entities_init(t);
	lt_stacks_init(&t->stacks);
	lt_forms_init(&t->forms);
	value = lt_trace_info(t, "mode");
	t->flight = value && !strcmp(value, "flight");
	t->cache_ids_again = t->schema->major > 1 || t->schema->minor >= 2;
	clock = read_clock(t);
	lt_entities_texts(t);
	lt_trace_read_code(t);
	if (t->mute)
		return true;
	if (t->schema->minor > LT_VERSION_MINOR || t->schema->unknown_events)
		lt_warn("%s: schema version %u.%u, this program reads %d.%d; events of %u unknown "
			"kind%s are shown by their fields only", t->path,
			t->schema->major, t->schema->minor, LT_VERSION_MAJOR, LT_VERSION_MINOR,
			t->schema->unknown_events, t->schema->unknown_events == 1 ? "" : "s");
	if (!lt_trace_text(t, LT_BLOCK_INFO, 0))
		lt_warn("%s: there is no INFO block; clock and machine are not known", t->path);
	if (!clock)
		lt_warn("%s: the clock is a counter of unknown frequency; times are in its units",
			t->path);
	return true;
}

/* What the last packet of a stream says, of those that can be read. */
static void read_last(struct lt_trace *t, struct lt_stream *s, struct lt_buf *buf)
{
	struct lt_packet p;
	struct lt_why why;
	size_t n = s->dir->n;

	while (n && lt_dir_load(&t->dir, t->file, s->dir, &s->dir->refs[n - 1], buf, &t->packed,
				&p, &why))
		n--;
	if (!n)
		return;
	s->ends = n == s->dir->n && p.flags & LT_PACKET_LAST;
	s->final = p.seq;
	s->latest_end = p.end;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		s->latest[i] = lt_packet_counts(&p, i);
}

/*
 * The end of the trace: until then the trace is complete, but for its gaps. That is when the
 * session was stopped, or before that the end of the packet which is the last one of a stream
 * without being marked so. A stream whose events do not belong to lifetimes does not count: it
 * may be quiet for long.
 */
static void find_end(struct lt_trace *t)
{
	uint64_t end = UINT64_MAX;

	for (size_t i = 0; i < t->n_streams; i++) {
		const struct lt_stream *s = t->streams[i];
		uint64_t last;

		if (!s || !s->dir || !lt_channel_get(s->channel)->lifetimes ||
		    (s->ends && !t->stop_unknown))
			continue;
		last = lt_trace_ns(t, s->dir->refs[s->dir->n - 1].end);
		end = last < end ? last : end;
	}
	if (t->have_stopped && t->stopped < end)
		end = t->stopped;
	if (t->part.have_until)
		end = lt_trace_ns(t, t->part.until);
	t->last = end < t->end ? end : t->end;
}

static void open_streams(struct lt_trace *t)
{
	struct lt_buf buf = { 0 };

	for (size_t k = 0; k < t->dir.n_streams; k++) {
		const struct lt_stream_dir *d = t->dir.streams[k];
		struct lt_stream *s;

		if (!d || !d->n)
			continue;
		s = lt_stream_get(t, d->channel, d->cpu);
		s->dir = d;
		read_last(t, s, &buf);
		t->n_opened++;
		for (size_t i = 0; i < d->n; i++)
			lt_trace_bounds(t, d->refs[i].begin, d->refs[i].end);
	}
	lt_buf_free(&buf);
	lt_part_begin(t);
	lt_missing_begin(t);
	find_end(t);
	lt_trace_find_overwritten(t);
	lt_gap_unseen_cpus(t);
	for (size_t i = 0; i < t->n_streams; i++) {
		if (t->streams[i])
			lt_trace_wait(t, t->streams[i]);
	}
}

static void find_stopped(struct lt_trace *t)
{
	const char *stats = lt_trace_stats(t);
	uint64_t clock;

	/* A whole file without the counters was not stopped in order: nothing is assumed. */
	t->stop_unknown = !stats && (t->dir.torn || lt_text_is_damaged(t, LT_BLOCK_STATS));
	if (lt_stats_stopped(stats, &clock))
		lt_trace_set_stopped(t, clock);
}

/* Whether the texts are those of one trace. */
static bool check_texts(struct lt_trace *t)
{
	struct lt_why why;
	const char *name;
	uint64_t at;

	if (!lt_dir_odd_text(&t->dir, &at, &why))
		return true;
	name = lt_file_place(t->file, at, &at);
	lt_error("%s: offset %llu: %s", name, (unsigned long long)at, why.text);
	return false;
}

static struct lt_trace *open_file(const char *path, bool mute)
{
	struct lt_file *f = lt_file_open(path);
	struct lt_trace *t;

	if (!f)
		return NULL;
	t = lt_trace_new(f->name);
	t->file = f;
	t->mute = mute;
	lt_dir_read(&t->dir, f, false, dir_note, t);
	for (size_t i = 0; i < t->dir.n_texts; i++) {
		t->texts = lt_grow(t->texts, &t->cap_texts, t->n_texts, sizeof(*t->texts));
		t->texts[t->n_texts++] = (struct lt_trace_text){
			.type = t->dir.texts[i].type, .offset = t->dir.texts[i].offset,
		};
	}
	if (!check_texts(t) || !lt_trace_set_up(t)) {
		lt_trace_close(t);
		return NULL;
	}
	find_stopped(t);
	lt_part_read(t);
	open_streams(t);
	return t;
}

struct lt_trace *lt_trace_open(const char *path)
{
	return open_file(path, false);
}

struct lt_trace *lt_trace_open_mute(const char *path)
{
	return open_file(path, true);
}

void lt_trace_close(struct lt_trace *t)
{
	if (!t)
		return;
	lt_loader_free(t->loader);
	for (size_t i = 0; i < t->n_streams; i++)
		lt_stream_free(t->streams[i]);
	for (size_t i = 0; i < t->n_texts; i++)
		free(t->texts[i].text);
	free(t->narrowed);
	lt_state_free(t->state);
	lt_entities_free(t);
	lt_stacks_destroy(&t->stacks);
	lt_forms_destroy(&t->forms);
	free(t->own_frames);
	free(t->overwritten);
	free(t->sample.periods);
	lt_symbols_free(t->symbols);
	lt_trace_forget_aliases(t);
	lt_code_destroy(&t->code);
	free(t->code_stacks);
	lt_schema_free(t->schema);
	lt_clock_destroy(&t->clock);
	lt_dir_free(&t->dir);
	lt_file_close(t->file);
	lt_buf_free(&t->packed);
	lt_arena_free(&t->packets);
	free(t->streams);
	lt_heads_free(&t->heads);
	free(t->waiting);
	for (unsigned int i = 0; i < LT_N_SPACES; i++)
		free(t->gap.latest[i]);
	free(t->gap.gaps);
	free(t->gap.pending);
	free(t->missing);
	free(t->unwritten);
	free(t->texts);
	free(t->value);
	free(t->records);
	free(t->path);
	free(t);
}
