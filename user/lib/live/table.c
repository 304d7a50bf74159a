// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A live view: from rows to a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "format/channel.h"
#include "live/internal.h"

/* ------------------------------------------------------------------------
 * What is alive
 */

static void hold_row(struct lt_live_row *row)
{
	row->held_before = row->held;
	row->held = row->alive_bytes + row->maybe_bytes;
}

/* What the rows hold, once for each tick. Before the first one nothing was alive that was seen. */
static void hold(struct lt_live *l, enum lt_report_by by)
{
	struct lt_live_rows *r = &l->by[by];

	if (l->all_tick != l->ticks) {
		l->table.all_held = l->all_tick + 1 == l->ticks;
		l->all_tick = l->ticks;
		hold_row(&l->all);
	}
	if (r->tick != l->ticks) {
		r->held = r->tick + 1 == l->ticks;
		r->tick = l->ticks;
		for (size_t i = 0; i < r->n; i++)
			hold_row(&r->rows[i]);
	}
	l->table.held = r->held;
}

struct walk {
	struct lt_live *l;
	enum lt_report_by by;
	uint64_t time;
	uint64_t certain;
	uint64_t uncertain;
};

static void add_alive(void *arg, const struct lt_obj *o, enum lt_certainty certainty)
{
	struct walk *w = arg;
	struct lt_live *l = w->l;
	uint64_t sample = lt_live_sample(l, o), weight;

	if (!lt_live_wants(l, o))
		return;
	w->certain += certainty == LT_OPEN;
	w->uncertain += certainty != LT_OPEN;
	lt_live_add_alive(&l->all, o, certainty, w->time, sample);
	weight = lt_live_weight(l, w->by, o, sample);
	if (weight)
		lt_live_add_alive(lt_live_row_of(l, w->by, o), o, certainty, w->time, weight);
}

/* At the end of the trace it is known already. */
static void find_alive(struct lt_live *l, enum lt_report_by by, uint64_t time)
{
	struct walk w = { .l = l, .by = by, .time = time };
	struct lt_live_rows *r = &l->by[by];

	memcpy(l->table.certainty, l->ended, sizeof(l->ended));
	if (l->finished)
		return;
	lt_live_forget_alive(&l->all);
	for (size_t i = 0; i < r->n; i++)
		lt_live_forget_alive(&r->rows[i]);
	lt_lifetimes_alive(l->lf, l->opts.space, lt_trace_gap_end(l->t, l->opts.space), add_alive,
			   &w);
	l->table.certainty[LT_OPEN] += w.certain;
	l->table.certainty[LT_UNCERTAIN] += w.uncertain;
}

/* ------------------------------------------------------------------------
 * Programs: tasks by name
 */

static void add_counts(struct lt_live_count *to, const struct lt_live_count *from)
{
	to->births += from->births;
	to->frees += from->frees;
	to->born += from->born;
	to->freed += from->freed;
}

static void merge(struct lt_live_row *to, const struct lt_live_row *from)
{
	add_counts(&to->count, &from->count);
	add_counts(&to->before, &from->before);
	add_counts(&to->last, &from->last);
	to->tasks += from->tasks;
	to->held += from->held;
	to->held_before += from->held_before;
	to->alive += from->alive;
	to->alive_bytes += from->alive_bytes;
	to->maybe += from->maybe;
	to->maybe_bytes += from->maybe_bytes;
	if (from->oldest < to->oldest)
		to->oldest = from->oldest;
	lt_hist_merge(&to->life[0], &from->life[0]);
	lt_hist_merge(&to->life[1], &from->life[1]);
	lt_hist_merge(&to->ages, &from->ages);
}

static bool counts_any(const struct lt_live_row *row)
{
	return row->count.births || row->count.frees || row->alive || row->maybe ||
	       row->life[0].n || row->life[1].n;
}

static struct lt_live_row *new_merged(struct lt_live *l, const struct lt_live_row *like)
{
	struct lt_live_row *row;

	l->merged = lt_grow(l->merged, &l->cap_merged, l->n_merged, sizeof(*l->merged));
	row = &l->merged[l->n_merged++];
	lt_live_row_init(row);
	row->key = like->key;
	row->task = like->task;
	row->context = like->context;
	return row;
}

/* Tasks change their names, so each table has the names of its time. */
static void merge_tasks(struct lt_live *l)
{
	const struct lt_live_rows *r = &l->by[LT_BY_TASK];
	size_t *row_of_name = NULL, n_known = 0;
	struct lt_names names;

	for (size_t i = 0; i < l->n_merged; i++)
		lt_live_row_destroy(&l->merged[i]);
	l->n_merged = 0;
	lt_names_init(&names);
	for (size_t i = 0; i < r->n; i++) {
		const struct lt_live_row *row = &r->rows[i];
		uint32_t name;

		if (!counts_any(row))
			continue;
		if (!row->task) {
			merge(new_merged(l, row), row);
			continue;
		}
		name = lt_names_add(&names, row->task->comm, strlen(row->task->comm));
		if (name >= n_known)
			row_of_name = lt_extend(row_of_name, &n_known, name + 1,
						sizeof(*row_of_name));
		if (!row_of_name[name]) {
			new_merged(l, row);
			row_of_name[name] = l->n_merged;
		}
		merge(&l->merged[row_of_name[name] - 1], row);
		l->merged[row_of_name[name] - 1].tasks++;
	}
	lt_names_destroy(&names);
	free(row_of_name);
}

/* ------------------------------------------------------------------------
 * The table
 */

static void add_row(struct lt_live *l, struct lt_live_row *row)
{
	if (!counts_any(row))
		return;
	l->table.rows = lt_grow(l->table.rows, &l->cap_table, l->table.n, sizeof(*l->table.rows));
	l->table.rows[l->table.n++] = row;
}

static void count_loss(struct lt_live *l)
{
	struct lt_live_loss *loss = &l->table.loss;
	const struct lt_gap *gaps;

	*loss = (struct lt_live_loss){ 0 };
	l->table.gaps = 0;
	for (unsigned int channel = 1; channel <= LT_N_CHANNELS; channel++) {
		if (!lt_channel_get(channel)->lifetimes)
			continue;
		for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
			struct lt_class_counts c = lt_trace_counts(l->t, LT_CLASS(channel, i));

			loss->seen += c.seen;
			loss->lost += lt_lost(&c);
			loss->filtered += c.filtered;
		}
	}
	for (size_t n = lt_trace_gaps(l->t, &gaps); n--;)
		l->table.gaps += lt_channel_get(gaps[n].channel)->lifetimes;
}

static void end_interval(struct lt_live_row *row, bool window)
{
	row->last.births = row->count.births - row->before.births;
	row->last.frees = row->count.frees - row->before.frees;
	row->last.born = row->count.born - row->before.born;
	row->last.freed = row->count.freed - row->before.freed;
	row->before = row->count;
	if (!window)
		return;
	lt_hist_destroy(&row->life[1]);
	row->life[1] = row->life[0];
	lt_hist_init(&row->life[0]);
}

void lt_live_tick(struct lt_live *l, uint64_t time)
{
	bool window;

	if (!l->ticks++)
		l->part = l->table.time = l->watched < time ? l->watched : time;
	l->table.since = l->table.time;
	l->table.time = time;
	window = l->opts.window_ns && time - l->part >= l->opts.window_ns / 2;
	if (window)
		l->part = time;
	end_interval(&l->all, window);
	for (unsigned int by = 0; by < LT_BY_PIECE; by++) {
		for (size_t i = 0; i < l->by[by].n; i++)
			end_interval(&l->by[by].rows[i], window);
	}
}

const struct lt_live_table *lt_live_table(struct lt_live *l, enum lt_report_by by)
{
	enum lt_report_by kept = by == LT_BY_PROCESS ? LT_BY_TASK : by;

	l->table.by = by;
	l->table.all = &l->all;
	l->table.n = 0;
	find_alive(l, kept, l->table.time);
	hold(l, kept);
	if (by == LT_BY_PROCESS)
		merge_tasks(l);
	for (size_t i = 0; i < l->n_merged && by == LT_BY_PROCESS; i++)
		add_row(l, &l->merged[i]);
	for (size_t i = 0; i < l->by[by].n; i++)
		add_row(l, &l->by[by].rows[i]);
	count_loss(l);
	return &l->table;
}

/* ------------------------------------------------------------------------
 * What a row says
 */

static double rate(const struct lt_live_table *t, double n)
{
	return t->time > t->since ? n * 1e9 / (double)(t->time - t->since) : 0;
}

double lt_live_births(const struct lt_live_table *t, const struct lt_live_row *row)
{
	return rate(t, (double)row->last.births);
}

double lt_live_frees(const struct lt_live_table *t, const struct lt_live_row *row)
{
	return rate(t, (double)row->last.frees);
}

double lt_live_growth(const struct lt_live_table *t, const struct lt_live_row *row)
{
	if (row == t->all ? t->all_held : t->held)
		return rate(t, (double)row->held - (double)row->held_before);
	return rate(t, (double)row->last.born - (double)row->last.freed);
}

void lt_live_lifetimes(const struct lt_live_row *row, struct lt_hist *h)
{
	lt_hist_init(h);
	lt_hist_merge(h, &row->life[0]);
	lt_hist_merge(h, &row->life[1]);
}

bool lt_live_percentile(const struct lt_live *l, const struct lt_live_row *row, double percent,
			uint64_t *ns)
{
	struct lt_hist h;
	bool known;

	if (!l->opts.window_ns)
		return lt_hist_survival(&row->life[0], &row->ages, percent, ns);
	lt_live_lifetimes(row, &h);
	known = h.n;
	*ns = lt_hist_percentile(&h, percent);
	lt_hist_destroy(&h);
	return known;
}

struct lt_stack lt_live_stack(const struct lt_live *l, const struct lt_live_row *row)
{
	return lt_stacks_get(&l->stacks->stacks, row->stack);
}

static const char *site_label(const struct lt_live *l, const struct lt_live_row *row, char *buf,
			      size_t size)
{
	return row->site ? lt_trace_symbol(l->t, row->site, true, buf, size) : "(unknown)";
}

const char *lt_live_label(const struct lt_live *l, const struct lt_live_row *row,
			  enum lt_report_by by, char *buf, size_t size)
{
	bool of_task = by == LT_BY_TASK || by == LT_BY_PROCESS || by == LT_BY_CGROUP;

	if (of_task && row->context != LT_CTX_TASK) {
		snprintf(buf, size, "[%s]", lt_context_name(row->context));
		return buf;
	}
	switch (by) {
	case LT_BY_CACHE:
		return lt_cache_key_name(l->t, row->key, buf, size);
	case LT_BY_CGROUP:
		return row->cgroup ? l->opts.cgroup_name(l->opts.cgroups, row->cgroup, buf, size) :
				     "(unknown)";
	case LT_BY_TASK:
	case LT_BY_PROCESS:
		if (!row->task)
			return "(unknown)";
		if (by == LT_BY_TASK)
			snprintf(buf, size, "%s %u", row->task->comm, row->task->tid);
		else
			snprintf(buf, size, "%s", row->task->comm);
		return buf;
	default:
		return site_label(l, row, buf, size);
	}
}
