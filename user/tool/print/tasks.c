// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks, one on each line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "forms/sort.h"
#include "out/units.h"
#include "print/resolve.h"
#include "print/tasks.h"
#include "rows/task.h"
#include "tasks/tree.h"

static bool is_wanted(const struct lt_tasks_view *p, const struct lt_task_inst *t)
{
	if (p->no_threads && lt_task_is_thread(t))
		return false;
	if (p->cgroups && !lt_cgroups_chosen(p->cgroups, lt_tasks_cgroup(p->tb, t)))
		return false;
	if (!lt_task_is_picked(p->tb, t, &p->pick))
		return false;
	return !p->why || p->why & 1U << lt_task_birth_cause(p->tb, t) ||
	       p->why & 1U << lt_task_end_cause(p->tb, t);
}

static struct lt_task_ctx ctx_of(const struct lt_tasks_view *p)
{
	return (struct lt_task_ctx){
		.common.addresses = true, .tb = p->tb, .cgroups = p->names,
	};
}

/* Those that are wanted, in their order, to be freed. */
static const void **rows_of(const struct lt_tasks_view *p, size_t *n)
{
	const void **rows = lt_alloc_array((size_t)lt_tasks_count(p->tb) + 1, sizeof(*rows));
	const uint32_t *order = lt_tasks_order(p->tb);
	struct lt_task_ctx ctx = ctx_of(p);

	*n = 0;
	for (uint32_t i = 0; i < lt_tasks_count(p->tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(p->tb, order[i]);

		if (is_wanted(p, t))
			rows[(*n)++] = t;
	}
	if (p->sort)
		lt_sort_rows(rows, *n, p->sort, &ctx);
	return rows;
}

static void print_table(const struct lt_tasks_view *p)
{
	struct lt_task_ctx ctx = ctx_of(p);
	struct lt_resolver resolver = { .times = &p->times };
	struct lt_table table = {
		.out = p->out, .ctx = &ctx, .format = p->format, .streaming = true,
		.resolve = lt_resolve, .resolve_arg = &resolver,
	};
	size_t n;
	const void **rows = rows_of(p, &n);

	lt_table_columns(&table, &lt_rows_of_task, 0, p->columns);
	lt_table_begin(&table);
	for (size_t i = 0; i < n; i++)
		lt_table_row(&table, rows[i]);
	free(rows);
	lt_table_end(&table);
}

/* ------------------------------------------------------------------------
 * wspy's processtree2.csv
 */

/* wspy splits lines at commas and ends names at spaces: both become underscores. */
static void wspy_name(struct lt_out *o, const char *s, size_t len)
{
	if (!len)
		lt_out_char(o, '?');
	for (size_t i = 0, n; i < len; i += n) {
		const unsigned char *c = (const unsigned char *)s + i;

		n = lt_utf8_length(c, len - i);
		if (!n || lt_utf8_control(c, len - i) || *c == ' ' || *c == ',') {
			lt_out_char(o, '_');
			n = n ? n : 1;
		} else {
			lt_out_bytes(o, c, n);
		}
	}
}

static void wspy_numbers(struct lt_out *o, const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		lt_out_char(o, ',');
		lt_out_u64(o, numbers[i]);
	}
}

/* Usage and end of a process, its threads included. */
struct group {
	uint64_t utime, stime, maxrss, read_bytes, write_bytes;
	uint64_t min_flt, maj_flt, nvcsw, nivcsw;
	uint64_t end;
};

static struct group *sum_groups(const struct lt_tasks *tb)
{
	uint32_t n = lt_tasks_count(tb);
	struct group *groups = lt_alloc_array((size_t)n + 1, sizeof(*groups));

	for (uint32_t i = 1; i <= n; i++) {
		const struct lt_task_inst *t = lt_tasks_get(tb, i);
		struct group *g = &groups[t->leader ? t->leader : i];

		g->utime += t->utime;
		g->stime += t->stime;
		g->min_flt += t->min_flt;
		g->maj_flt += t->maj_flt;
		g->nvcsw += t->nvcsw;
		g->nivcsw += t->nivcsw;
		g->read_bytes += t->read_bytes;
		g->write_bytes += t->write_bytes;
		if (t->maxrss > g->maxrss)
			g->maxrss = t->maxrss;
		if (t->end > g->end)
			g->end = t->end;
	}
	return groups;
}

static void wspy_line(const struct lt_tasks_view *p, const struct lt_task_inst *t,
		      const struct group *g)
{
	const uint64_t numbers[] = {
		g->utime / 1000000000, g->utime % 1000000000 / 1000,
		g->stime / 1000000000, g->stime % 1000000000 / 1000,
		g->maxrss >> 10, g->min_flt, g->maj_flt, g->read_bytes >> 9,
		g->write_bytes >> 9, 0, 0, 0, g->nvcsw, g->nivcsw, 0,
	};
	char at[LT_TIME_TEXT];
	size_t len;
	const char *comm = lt_tasks_name(p->tb, t->comm, &len);

	lt_out_u64(p->out, t->tid);
	lt_out_char(p->out, ',');
	lt_out_u64(p->out, t->parent ? lt_tasks_get(p->tb, t->parent)->tid : 0);
	lt_out_char(p->out, ',');
	wspy_name(p->out, comm, len);
	lt_out_char(p->out, ',');
	lt_out_str(p->out, lt_times_text(&p->times, (uint64_t)lt_task_begin_time(p->tb, t), 6, at));
	lt_out_char(p->out, ',');
	lt_out_str(p->out, lt_times_text(&p->times, g->end, 6, at));
	wspy_numbers(p->out, numbers, sizeof(numbers) / sizeof(numbers[0]));
	lt_out_char(p->out, '\n');
}

static void print_wspy(const struct lt_tasks_view *p)
{
	struct group *groups = sum_groups(p->tb);
	const uint32_t *order = lt_tasks_order(p->tb);

	lt_out_str(p->out, "#version 20\n#pid,ppid,filename,start,finish,utime_sec,utime_usec,"
		   "stime_sec,stime_usec,maxrss,minflt,majflt,inblock,oublock,msgsnd,msgrcv,"
		   "nsignals,nvcsw,nivcsw,num_counters\n");
	for (uint32_t i = 0; i < lt_tasks_count(p->tb); i++) {
		const struct lt_task_inst *t = lt_tasks_get(p->tb, order[i]);

		if (!lt_task_is_thread(t) && is_wanted(p, t))
			wspy_line(p, t, &groups[order[i]]);
	}
	free(groups);
}

static void print_lines(const struct lt_tasks_view *p)
{
	size_t n;
	const void **rows = rows_of(p, &n);

	lt_tasks_lines(p, rows, n);
	free(rows);
}

void lt_tasks_print(const struct lt_tasks_view *p)
{
	if (p->format == LT_FORMAT_TEXT && !p->columns)
		print_lines(p);
	else if (p->format == LT_FORMAT_CSV && p->wspy)
		print_wspy(p);
	else
		print_table(p);
}
