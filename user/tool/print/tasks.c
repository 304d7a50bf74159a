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
#include "print/tasks.h"
#include "tasks/tree.h"

/* ------------------------------------------------------------------------
 * Columns of CSV and JSON
 */

struct ctx {
	const struct lt_tasks_view *p;
	char buf[96];
};

#define ROW	const struct lt_task_inst *t = row

static void text(struct lt_value *v, const char *s)
{
	lt_value_text(v, s, strlen(s));
}

static void name(struct ctx *c, uint32_t id, struct lt_value *v)
{
	size_t len;
	const char *s = lt_tasks_name(c->p->tb, id, &len);

	lt_value_text(v, s, len);
}

#define COUNT(column, known, value)						\
static void get_##column(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (known)								\
		lt_value_u(v, LT_VALUE_COUNT, value);				\
}

#define WORD(column, known, value)						\
static void get_##column(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	(void)ctx;								\
	if (known)								\
		text(v, value);							\
}

/* A time of the trace. */
#define TIME(column, known, ns)							\
static void get_##column(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
	const struct ctx *c = ctx;						\
										\
	if (known)								\
		lt_times_value(&c->p->times, ns, v);				\
}

#define NAME(column)								\
static void get_##column(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	if (t->column)								\
		name(ctx, t->column, v);					\
}

/* A name that is known may be empty; the number of an empty one is 0. */
#define NAME_OR_EMPTY(column, known)						\
static void get_##column(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
										\
	if (t->column || (known))						\
		name(ctx, t->column, v);					\
}

/* The tid and start of a linked instance. */
#define LINK(column)								\
static void get_##column##_tid(const void *row, void *ctx, struct lt_value *v)	\
{										\
	ROW;									\
	struct ctx *c = ctx;							\
										\
	if (t->column)								\
		lt_value_u(v, LT_VALUE_COUNT, lt_tasks_get(c->p->tb, t->column)->tid); \
}										\
static void get_##column##_start(const void *row, void *ctx, struct lt_value *v) \
{										\
	ROW;									\
	struct ctx *c = ctx;							\
										\
	if (t->column)								\
		lt_value_u(v, LT_VALUE_TIME, lt_tasks_get(c->p->tb, t->column)->start); \
}

#define USED	lt_task_has_usage(t)
#define SEEN	(t->marks & LT_TASK_MARK_SEEN)
#define KNOWS(a) (t->marks & LT_TASK_MARK_KNOWN << LT_ATTR_##a)

COUNT(tid, true, t->tid)
COUNT(start, true, t->start)
COUNT(tgid, t->tgid, t->tgid)
WORD(kind, t->tgid, lt_task_is_thread(t) ? "thread" : "process")
COUNT(ns, t->ns, t->ns)
COUNT(nr, t->ns, t->nr)
COUNT(generation, t->marks & LT_TASK_MARK_BORN, t->generation)
COUNT(ino, t->ino, t->ino)
COUNT(kthread, SEEN, !!(t->flags & LT_TASK_FLAG_KTHREAD))
COUNT(io_worker, SEEN, !!(t->flags & LT_TASK_FLAG_IO_WORKER))
COUNT(user_worker, SEEN, !!(t->flags & LT_TASK_FLAG_USER_WORKER))
LINK(creator)
LINK(parent)
LINK(last_parent)
LINK(leader)
NAME_OR_EMPTY(birth_comm, KNOWS(COMM) && (t->marks & LT_TASK_MARK_BORN || !t->comm))
NAME_OR_EMPTY(comm, KNOWS(COMM))
NAME(first_file)
NAME(file)
COUNT(execs, SEEN, t->n_exec)
TIME(birth, t->birth_is == LT_EXACT, t->birth)
TIME(end, lt_task_ended(t), t->end)
TIME(seen, t->death_is != LT_EXACT, lt_task_last_seen(t))
TIME(release, t->marks & LT_TASK_MARK_WAS_RELEASED, t->release)
WORD(birth_is, true, lt_certainty_name((enum lt_certainty)t->birth_is))
WORD(death_is, true, lt_certainty_name((enum lt_certainty)t->death_is))
WORD(ending, true, lt_task_ending_name((enum lt_task_ending)t->ending))
COUNT(exit_code, t->ending == LT_TASK_END_EXITED && !lt_task_signal(t), t->code >> 8)
COUNT(signal, t->ending == LT_TASK_END_EXITED, lt_task_signal(t))
COUNT(core, t->ending == LT_TASK_END_EXITED, !!(t->code & 0x80))
COUNT(utime, USED, t->utime)
COUNT(stime, USED, t->stime)
COUNT(runtime, USED, t->runtime)
COUNT(maxrss, USED, t->maxrss)
COUNT(min_flt, USED, t->min_flt)
COUNT(maj_flt, USED, t->maj_flt)
COUNT(nvcsw, USED, t->nvcsw)
COUNT(nivcsw, USED, t->nivcsw)
COUNT(rchar, USED, t->rchar)
COUNT(wchar, USED, t->wchar)
COUNT(read_bytes, USED, t->read_bytes)
COUNT(write_bytes, USED, t->write_bytes)
COUNT(uid, KNOWS(UID), t->uid)
COUNT(gid, KNOWS(GID), t->gid)
COUNT(placeholder, true, !SEEN)
COUNT(reparented, SEEN, !!(t->marks & LT_TASK_MARK_REPARENTED))
COUNT(reused, SEEN, !!(t->marks & LT_TASK_MARK_REUSED))
COUNT(lives_on, SEEN, !!(t->marks & LT_TASK_MARK_LIVES_ON))
COUNT(leader_first, SEEN, !!(t->marks & LT_TASK_MARK_LEADER_FIRST))

static void get_lifetime(const void *row, void *ctx, struct lt_value *v)
{
	struct ctx *c = ctx;

	lt_value_u(v, LT_VALUE_NS, lt_task_lifetime(c->p->tb, row));
}

/* Of processes: with their last thread, which is not the leader where that exited first. */
static void get_process_end(const void *row, void *ctx, struct lt_value *v)
{
	ROW;
	struct ctx *c = ctx;
	const struct lt_task_inst *last = lt_tasks_last(c->p->tb, t);

	if (!lt_task_is_thread(t) && lt_task_ended(last))
		lt_times_value(&c->p->times, last->end, v);
}

static void get_process_exit_code(const void *row, void *ctx, struct lt_value *v)
{
	ROW;
	struct ctx *c = ctx;
	uint16_t code;

	if (!lt_task_is_thread(t) && lt_tasks_process_code(c->p->tb, t, &code) && !(code & 0x7f))
		lt_value_u(v, LT_VALUE_COUNT, code >> 8);
}

static void get_process_signal(const void *row, void *ctx, struct lt_value *v)
{
	ROW;
	struct ctx *c = ctx;
	uint16_t code;

	if (!lt_task_is_thread(t) && lt_tasks_process_code(c->p->tb, t, &code))
		lt_value_u(v, LT_VALUE_COUNT, code & 0x7f);
}

static void get_cgroup(const void *row, void *ctx, struct lt_value *v)
{
	ROW;
	struct ctx *c = ctx;

	if (KNOWS(CGROUP))
		lt_value_u(v, LT_VALUE_COUNT, lt_tasks_cgroup(c->p->tb, t));
}

static void get_cgroup_path(const void *row, void *ctx, struct lt_value *v)
{
	ROW;
	struct ctx *c = ctx;
	const char *path = NULL;

	if (KNOWS(CGROUP) && c->p->names)
		path = lt_cgroups_path(c->p->names, lt_tasks_cgroup(c->p->tb, t));
	if (path)
		text(v, path);
}

static void get_birth_why(const void *row, void *ctx, struct lt_value *v)
{
	struct ctx *c = ctx;
	const char *why = lt_task_birth_why(c->p->tb, row, c->buf, sizeof(c->buf));

	if (*why)
		text(v, why);
}

static void get_end_why(const void *row, void *ctx, struct lt_value *v)
{
	struct ctx *c = ctx;
	const char *why = lt_task_end_why(c->p->tb, row, c->buf, sizeof(c->buf));

	if (*why)
		text(v, why);
}

/* oom_score_adj belongs to the thread group, so a thread has its leader's. */
static void get_oom(const void *row, void *ctx, struct lt_value *v)
{
	ROW;
	struct ctx *c = ctx;

	if (t->leader)
		t = lt_tasks_get(c->p->tb, t->leader);
	if (!KNOWS(OOM))
		return;
	v->type = LT_VALUE_SIGNED;
	v->i = t->oom_score_adj;
}

#define COLUMN(title, id)	{ .name = title, .header = title, .get = get_##id }

static const struct lt_column all_columns[] = {
	COLUMN("tid", tid), COLUMN("start_ns", start), COLUMN("tgid", tgid), COLUMN("kind", kind),
	COLUMN("pid_namespace", ns), COLUMN("nr", nr), COLUMN("generation", generation),
	COLUMN("ino", ino), COLUMN("kthread", kthread), COLUMN("io_worker", io_worker),
	COLUMN("user_worker", user_worker), COLUMN("creator_tid", creator_tid),
	COLUMN("creator_start_ns", creator_start), COLUMN("parent_tid", parent_tid),
	COLUMN("parent_start_ns", parent_start), COLUMN("last_parent_tid", last_parent_tid),
	COLUMN("last_parent_start_ns", last_parent_start), COLUMN("leader_tid", leader_tid),
	COLUMN("leader_start_ns", leader_start), COLUMN("birth_comm", birth_comm),
	COLUMN("comm", comm), COLUMN("first_file", first_file), COLUMN("file", file),
	COLUMN("execs", execs), COLUMN("birth_ns", birth), COLUMN("end_ns", end),
	COLUMN("lifetime_ns", lifetime), COLUMN("birth_certainty", birth_is),
	COLUMN("end_certainty", death_is), COLUMN("ended_by", ending),
	COLUMN("last_seen_ns", seen), COLUMN("release_ns", release),
	COLUMN("exit_code", exit_code), COLUMN("exit_signal", signal), COLUMN("core", core),
	COLUMN("utime_ns", utime), COLUMN("stime_ns", stime), COLUMN("runtime_ns", runtime),
	COLUMN("maxrss_bytes", maxrss), COLUMN("min_flt", min_flt), COLUMN("maj_flt", maj_flt),
	COLUMN("nvcsw", nvcsw), COLUMN("nivcsw", nivcsw), COLUMN("rchar_bytes", rchar),
	COLUMN("wchar_bytes", wchar), COLUMN("read_bytes", read_bytes),
	COLUMN("write_bytes", write_bytes), COLUMN("uid", uid), COLUMN("gid", gid),
	COLUMN("cgroup", cgroup), COLUMN("cgroup_path", cgroup_path), COLUMN("oom_score_adj", oom),
	COLUMN("placeholder", placeholder), COLUMN("reparented", reparented),
	COLUMN("number_reused", reused), COLUMN("lives_on", lives_on),
	COLUMN("leader_first", leader_first), COLUMN("birth_why", birth_why),
	COLUMN("end_why", end_why), COLUMN("process_end_ns", process_end),
	COLUMN("process_exit_code", process_exit_code),
	COLUMN("process_exit_signal", process_signal),
};

#define N_COLUMNS	(sizeof(all_columns) / sizeof(all_columns[0]))

const char *lt_tasks_column(size_t i)
{
	return i < N_COLUMNS ? all_columns[i].name : NULL;
}

void lt_tasks_values(const struct lt_tasks_view *p, const struct lt_task_inst *t,
		     void (*take)(void *arg, const struct lt_value *v), void *arg)
{
	struct ctx ctx = { .p = p };

	for (size_t i = 0; i < N_COLUMNS; i++) {
		struct lt_value v = { .type = LT_VALUE_NONE };

		all_columns[i].get(t, &ctx, &v);
		take(arg, &v);
	}
}

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

const struct lt_column *lt_tasks_sort(const char *name)
{
	const struct lt_column *columns[N_COLUMNS];

	for (size_t i = 0; i < N_COLUMNS; i++)
		columns[i] = &all_columns[i];
	return lt_sort_column(columns, N_COLUMNS, name);
}

/* Those that are wanted, in their order, to be freed. */
static const void **rows_of(const struct lt_tasks_view *p, size_t *n)
{
	const void **rows = lt_alloc_array((size_t)lt_tasks_count(p->tb) + 1, sizeof(*rows));
	const uint32_t *order = lt_tasks_order(p->tb);
	struct ctx ctx = { .p = p };

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
	const struct lt_column *columns[N_COLUMNS];
	struct ctx ctx = { .p = p };
	struct lt_table table = {
		.out = p->out, .columns = columns, .n_columns = N_COLUMNS, .ctx = &ctx,
		.format = p->format,
		.streaming = true,
	};
	size_t n;
	const void **rows = rows_of(p, &n);

	for (size_t i = 0; i < N_COLUMNS; i++)
		columns[i] = &all_columns[i];
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
	if (p->format == LT_FORMAT_TEXT)
		print_lines(p);
	else if (p->format == LT_FORMAT_CSV && p->wspy)
		print_wspy(p);
	else
		print_table(p);
}
