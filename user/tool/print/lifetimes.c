// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetimes as lines. Those of a file are paired in one thread and printed in another; those
 * of a recording are paired and printed in one thread, because the CPUs have other work.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "uapi/lifetrace_file.h"
#include "base/mem.h"
#include "base/now.h"
#include "lifetimes/carry.h"
#include "out/handoff.h"
#include "out/log.h"
#include "out/output.h"
#include "forms/columns.h"
#include "lifetimes/read.h"
#include "print/lifetime_row.h"
#include "print/lifetimes.h"
#include "print/resolve.h"
#include "rows/lifetime.h"
#include "state/forget.h"
#include "trace/trace.h"

struct lifetime_sink {
	struct lt_sink sink;
	int fd;
	bool own_fd;
	struct lt_filter *filter;
	enum lt_space space;	/* LT_SPACE_NONE: all */
	struct lt_out out;
	struct lt_row_writer writer;
	enum lt_times_base times;
	struct lt_trace *t;
	bool goes_on;		/* @t is read while it is written */
	struct lt_trace *live;	/* @t, if it goes on for ever; NULL: it does not */
	struct lt_forget forget;
	struct {
		char **at;	/* NULL: not known */
		size_t n;
	} names[2];		/* of caches, by id; of devices, by id - LT_FIRST_DEVICE */
	char **old_names;	/* replaced names, to which rows may still point */
	size_t n_old_names;
	size_t cap_old_names;
	uint64_t **stacks;	/* frames of stacks, by number; NULL: not used yet */
	size_t n_stacks;
	uint64_t texts;		/* lt_trace_text_changes() when symbols were last looked up */
	struct lt_handoff *handoff;
	struct lt_lifetimes *lf;
	struct lt_plain_rows plain;
	bool takes_plain;	/* rows may be short */
	uint64_t events;
	/*
	 * Of forms that the writer does not have, and with chosen columns,
	 * in the thread that pairs.
	 */
	const char *columns;	/* NULL: those of the format */
	bool tabular;
	struct lt_table table;
	struct lt_resolver resolver;
	struct lt_lifetime_ctx ctx;
	char lost[128];
	bool has_rows;		/* with a filter: there was a row that it wanted */
	size_t rows;		/* printed since the clock was last read */
	uint64_t flushed;	/* time of the last flush; ns, CLOCK_MONOTONIC */
};

/* How long a line may stay in the buffer, and how many events or lines pass between readings
 * of the clock.
 */
#define FLUSH_NS	100000000ULL
#define FLUSH_EVENTS	64
#define FLUSH_ROWS	64

/* ------------------------------------------------------------------------
 * The sink
 */

static bool wanted(struct lifetime_sink *s, const struct lt_row *row)
{
	char buf[256];

	if (s->space != LT_SPACE_NONE && row->l.space != s->space)
		return false;
	if (!s->filter)
		return true;
	if (!lt_filter_lifetime(s->filter, s->t, &row->l,
				lt_row_cache(&s->writer, row, buf, sizeof(buf))))
		return false;
	s->has_rows = true;
	return true;
}

/* Writes out lines that have waited for FLUSH_NS, so that the reader of a pipe gets them soon. */
static void flush_in_time(struct lifetime_sink *s)
{
	uint64_t ns = lt_now_ns();

	if (ns - s->flushed < FLUSH_NS)
		return;
	lt_out_flush(&s->out);
	s->flushed = ns;
}

/* Runs in the printing thread, if there are two threads. */
static bool print_rows(void *arg, const void *rows, size_t n, const void *whole)
{
	const struct lt_plain_row *plain = rows;
	const struct lt_row *row = whole;
	struct lifetime_sink *s = arg;

	for (size_t i = 0; i < n;) {
		if (plain[i].traits) {
			i += lt_row_write_plain(&s->writer, &s->out, plain + i, n - i);
			continue;
		}
		if (wanted(s, row))
			lt_row_write(&s->writer, &s->out, row);
		row++;
		i++;
	}
	s->rows += n;
	/* A header waits for a row: the filter may name what there is not. */
	if (!lt_trace_is_live(s->t) && s->rows >= FLUSH_ROWS && (!s->filter || s->has_rows)) {
		s->rows = 0;
		flush_in_time(s);
	}
	return !s->out.error;
}

/*
 * The current name of a cache, in memory that stays until the sink ends: the trace may replace
 * its name of the cache later. NULL: not known.
 */
static const char *cache_name(void *arg, uint32_t id)
{
	struct lifetime_sink *s = arg;
	const struct lt_cache *cache = lt_trace_cache(s->t, id);
	const bool device = id >= LT_FIRST_DEVICE;
	const size_t number = device ? id - LT_FIRST_DEVICE : id;
	char **name;

	if (!cache || !cache->name[0])
		return NULL;
	if (number >= s->names[device].n)
		s->names[device].at = lt_extend(s->names[device].at, &s->names[device].n,
						number + 1, sizeof(*s->names[device].at));
	name = &s->names[device].at[number];
	if (*name && strcmp(*name, cache->name)) {
		s->old_names = lt_grow(s->old_names, &s->cap_old_names, s->n_old_names,
				       sizeof(*s->old_names));
		s->old_names[s->n_old_names++] = *name;
		*name = NULL;
	}
	if (!*name)
		*name = lt_strdup(cache->name);
	return *name;
}

/* All but @named, which the thread that reads ahead may be writing, see lt_trace_take_task(). */
static void copy_but_named(struct lt_task *to, const struct lt_task *task)
{
	const size_t from = offsetof(struct lt_task, named), behind = from + sizeof(task->named);

	memcpy(to, task, from);
	to->named = 0;
	memcpy((char *)to + behind, (const char *)task + behind, sizeof(*to) - behind);
}

/* A task, with the name that it had then. */
static void copy_task(struct lt_task *to, const struct lt_task *task, uint64_t time)
{
	copy_but_named(to, task);
	if (task->n_names)
		memcpy(to->comm, lt_task_comm_at(task, time), sizeof(to->comm));
}

/* What was lost during a lifetime. */
static void copy_gap(const struct lifetime_sink *s, struct lt_row *row)
{
	const struct lt_lifetime *l = &row->l;
	const struct lt_gap *all, *gap = lt_trace_gap_over(s->t, l->space, l->birth.time,
							   l->death.time);

	row->gap = 0;
	if (!gap)
		return;
	lt_trace_gaps(s->t, &all);
	row->gap = (uint64_t)(gap - all) + 1;
	row->gap_cpu = gap->cpu;
	row->gap_begin = gap->begin;
	row->gap_end = gap->end;
}

/*
 * A stack with frames that stay until the sink ends: those of the trace may move while a row
 * waits to be printed.
 */
static struct lt_stack keep_stack(struct lifetime_sink *s, uint32_t number)
{
	struct lt_stack stack = lt_trace_stack(s->t, number);

	if (!stack.n)
		return stack;
	if (number >= s->n_stacks)
		s->stacks = lt_extend(s->stacks, &s->n_stacks, number + 1, sizeof(*s->stacks));
	if (!s->stacks[number]) {
		s->stacks[number] = lt_alloc_array(stack.n, sizeof(*stack.frames));
		memcpy(s->stacks[number], stack.frames, stack.n * sizeof(*stack.frames));
	}
	stack.frames = s->stacks[number];
	return stack;
}

static void fill_row(struct lifetime_sink *s, struct lt_row *row, const struct lt_lifetime *l)
{
	row->l = *l;
	if (l->birth.task)
		copy_task(&row->tasks[0], l->birth.task, l->birth.time);
	if (l->death.task)
		copy_task(&row->tasks[1], l->death.task, l->death.time);
	if (l->why == LT_WHY_LOST)
		copy_gap(s, row);
	row->cache = l->cache ? cache_name(s, l->cache) : NULL;
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct lifetime_sink *s = arg;
	struct lt_plain_row *plain;
	struct lt_row *row;

	if (s->takes_plain && lt_plain_rows_open(&s->plain, l, s->handoff))
		return;
	plain = lt_handoff_next(s->handoff);
	plain->traits = NULL;
	row = lt_handoff_further(s->handoff);
	fill_row(s, row, l);
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t stack = i ? l->death.stack : l->birth.stack;

		row->stacks[i] = stack ? keep_stack(s, stack) : (struct lt_stack){ 0 };
	}
	lt_handoff_push(s->handoff);
}

static void take_steps(void *arg, const struct lt_plain_steps *steps)
{
	struct lifetime_sink *s = arg;

	lt_plain_rows_take(&s->plain, steps, s->handoff);
}

static const char *lost(void *arg, const struct lt_lifetime *l)
{
	struct lifetime_sink *s = arg;
	struct lt_row row = { .l = *l };

	copy_gap(s, &row);
	return lt_row_lost(&s->writer, &row, s->lost, sizeof(s->lost));
}

static void ended_in_table(void *arg, const struct lt_lifetime *l)
{
	struct lifetime_sink *s = arg;
	struct lt_row row = { .gap = 0 };

	fill_row(s, &row, l);
	if (wanted(s, &row))
		lt_table_row(&s->table, l);
}

static void begin_table(struct lifetime_sink *s)
{
	unsigned int conditions = (s->writer.lines ? LT_COLUMN_IF_LINES : 0) |
				  (s->writer.stacks ? LT_COLUMN_IF_STACKS : 0);

	s->resolver = (struct lt_resolver){
		.times = &s->writer.times, .trace = s->t, .lines = s->writer.lines,
	};
	s->ctx = (struct lt_lifetime_ctx){
		.common.addresses = true, .trace = s->t, .kmalloc = &s->writer.kmalloc,
		.lines = s->writer.lines, .lost = lost, .arg = s,
	};
	s->table = (struct lt_table){
		.out = &s->out, .format = s->writer.format, .ctx = &s->ctx, .streaming = true,
		.resolve = lt_resolve, .resolve_arg = &s->resolver,
	};
	lt_table_columns(&s->table, &lt_rows_of_lifetime, conditions, s->columns);
	lt_table_begin(&s->table);
}

/* Whether the memory was recorded that is asked for, or of a file any; otherwise it is said. */
static bool is_recorded(const struct lifetime_sink *s, const struct lt_trace *t)
{
	bool any = s->space == LT_SPACE_NONE &&
		   (lt_trace_is_live(t) || !lt_births_unwatched(t, LT_SPACE_SLAB));

	for (int space = LT_SPACE_SLAB; space < LT_N_MEMORY && s->space == LT_SPACE_NONE; space++)
		any |= lt_space_watched(t, (enum lt_space)space);
	return any || lt_space_recorded(t, s->space);
}

static int begin(struct lt_sink *sink, struct lt_trace *t)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;
	struct lt_lifetime_ops ops = { .ended = ended, .arg = s };
	char buf[64];

	s->tabular = s->columns || s->writer.format > LT_FORMAT_JSON;
	if (s->tabular)
		ops.ended = ended_in_table;
	s->t = t;
	if (!is_recorded(s, t))
		return -1;
	/* A filter keeps tasks. */
	s->goes_on = lt_trace_is_live(t);
	s->live = s->goes_on && !s->filter ? t : NULL;
	s->texts = lt_trace_text_changes(t);
	s->writer.trace = t;
	if (lt_times_init(&s->writer.times, s->times, t))
		return -1;
	s->writer.stacks = lt_trace_has_stacks(t);
	lt_kmalloc_init(&s->writer.kmalloc, t);
	lt_row_writer_init(&s->writer);
	s->takes_plain = !s->tabular && !s->filter && s->space <= LT_SPACE_SLAB &&
			 lt_row_takes_plain(&s->writer);
	if (s->takes_plain)
		ops.plain = take_steps;
	ops.plain_unsure = true;
	s->lf = lt_lifetimes_of(t, &ops);
	s->writer.unsure.l = (struct lt_lifetime){
		.why = LT_WHY_NOT_WATCHED, .unwatched = lt_lifetimes_unwatched(s->lf),
	};
	s->plain = (struct lt_plain_rows){
		.t = t, .lf = s->lf, .cache_name = cache_name, .arg = s,
		.stacks = s->writer.stacks && s->writer.format != LT_FORMAT_TEXT,
	};
	lt_plain_rows_init(&s->plain);
	lt_lifetimes_restore(s->lf, t);
	if (s->tabular) {
		begin_table(s);
		return 0;
	}
	lt_row_header(&s->writer, &s->out);
	/* The first use of the symbols reads them; it must come before the second thread. */
	lt_trace_symbol(t, 0, false, buf, sizeof(buf));
	s->handoff = lt_handoff_new(sizeof(struct lt_row), !lt_trace_is_live(t), print_rows, s);
	return 0;
}

/* Nothing more can be written. */
static bool is_refused(const struct lifetime_sink *s)
{
	return s->tabular ? s->out.error : lt_handoff_refused(s->handoff);
}

static void take(struct lifetime_sink *s, const struct lt_event *ev)
{
	if (ev->time > lt_trace_end(s->t))
		return;
	lt_times_begin(&s->writer.times);
	/* A module that is loaded during the recording brings new symbols. */
	if (s->texts != lt_trace_text_changes(s->t)) {
		s->texts = lt_trace_text_changes(s->t);
		lt_row_new_symbols(&s->writer);
	}
	lt_lifetimes_take(s->lf, s->t, ev);
	if (s->goes_on && !(++s->events % FLUSH_EVENTS))
		flush_in_time(s);
	/* Rows have copies of their tasks. */
	if (s->live)
		lt_forget_tasks(&s->forget, s->live, s->lf, s->sink.also, NULL, ev->time);
}

static int event(struct lt_sink *sink, const struct lt_event *ev)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;

	take(s, ev);
	return is_refused(s) ? -1 : 0;
}

static int some(struct lt_sink *sink, const struct lt_event *evs, size_t n)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;

	lt_lifetimes_prefetch(s->lf, evs, n);
	for (size_t i = 0; i < n; i++)
		take(s, &evs[i]);
	return is_refused(s) ? -1 : 0;
}

static int take_one(void *arg, const struct lt_event *ev)
{
	take(arg, ev);
	return 0;
}

static int plain(struct lt_sink *sink, const struct lt_plain_event *evs, size_t n)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;

	lt_lifetimes_take_plain(s->lf, s->t, evs, n, take_one, s);
	return is_refused(s) ? -1 : 0;
}

static void finish_lifetimes(struct lifetime_sink *s)
{
	bool refused = is_refused(s);

	if (!refused)
		lt_lifetimes_end(s->lf, s->t);
	lt_lifetimes_free(s->lf);
	if (s->tabular)
		lt_table_end(&s->table);
	else
		lt_handoff_finish(s->handoff);
	if (!refused && !s->tabular)
		lt_row_end(&s->writer, &s->out);
	lt_resolver_destroy(&s->resolver);
	lt_row_writer_destroy(&s->writer);
	if (refused && s->out.error != EPIPE)
		lt_error("lifetimes: cannot write: %s", strerror(s->out.error));
}

static int end(struct lt_sink *sink)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;
	int err = 0;

	if (s->lf)
		finish_lifetimes(s);
	/* What is being recorded need not have every name. */
	if (s->lf && s->filter && !s->out.error && !lt_trace_is_live(s->t))
		err = lt_filter_finish(s->filter, s->t);
	if (err && !s->has_rows)
		s->out.used = 0;
	if (lt_out_close(&s->out))
		err = -1;
	/* Without s->lf there was nothing to write. */
	if (s->own_fd && lt_output_close(s->fd, s->lf && !err))
		err = -1;
	lt_plain_rows_destroy(&s->plain);
	for (size_t of = 0; of < 2; of++) {
		for (size_t i = 0; i < s->names[of].n; i++)
			free(s->names[of].at[i]);
		free(s->names[of].at);
	}
	for (size_t i = 0; i < s->n_old_names; i++)
		free(s->old_names[i]);
	for (size_t i = 0; i < s->n_stacks; i++)
		free(s->stacks[i]);
	free(s->stacks);
	free(s->old_names);
	free(s);
	return err;
}

struct lt_sink *lt_lifetime_sink_new(int fd, bool own, enum lt_format format,
				     struct lt_filter *filter)
{
	struct lifetime_sink *s = lt_alloc(sizeof(*s));

	s->sink = (struct lt_sink){
		.begin = begin, .event = event, .some = some, .plain = plain, .end = end, .fd = -1,
	};
	s->fd = fd;
	s->own_fd = own;
	s->filter = filter;
	s->out = (struct lt_out)LT_OUT_INIT(fd);
	s->writer.format = format;
	return &s->sink;
}

void lt_lifetime_sink_lines(struct lt_sink *sink, struct lt_lines *lines)
{
	((struct lifetime_sink *)sink)->writer.lines = lines;
}

void lt_lifetime_sink_columns(struct lt_sink *sink, const char *columns)
{
	((struct lifetime_sink *)sink)->columns = columns;
}

void lt_lifetime_sink_space(struct lt_sink *sink, enum lt_space space)
{
	((struct lifetime_sink *)sink)->space = space;
}

void lt_lifetime_sink_width(struct lt_sink *sink, unsigned int width)
{
	struct lifetime_sink *s = (struct lifetime_sink *)sink;

	s->out.width = width;
	s->out.cut = true;
}

void lt_lifetime_sink_times(struct lt_sink *sink, enum lt_times_base base)
{
	((struct lifetime_sink *)sink)->times = base;
}

struct lt_sink *lt_lifetimes_sink(const char *path)
{
	int fd = lt_output_open(path);
	struct lt_sink *sink;

	if (fd < 0)
		return NULL;
	sink = lt_lifetime_sink_new(fd, fd != STDOUT_FILENO, LT_FORMAT_CSV, NULL);
	/* Beside parts of a recording, each of which has a begin of its own. */
	lt_lifetime_sink_times(sink, LT_TIMES_CLOCK);
	return sink;
}
