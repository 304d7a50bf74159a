// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of other tools' records, each with the task that it means.
 *
 * A log has many lines of few tasks. So what is said of a task is made once and kept as long as it
 * holds, which is until its name, program, parent or cgroup changes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "forms/screen.h"
#include "out/units.h"
#include "print/whose.h"

#define MAX_KEPT	(64U << 20)	/* bytes of texts that are kept */

struct kept {
	struct lt_whose_task task;
	uint64_t from;
	size_t text;		/* where it begins, and its length */
	uint32_t len;
};

struct lt_whose_view {
	struct lt_out *out;
	const struct lt_whose *w;
	const struct lt_tasks *tb;
	const struct lt_cgroups *cgroups;
	const struct lt_times *times;
	enum lt_format format;
	bool is_table;
	bool safe;
	struct lt_table table;
	struct lt_whose_counts counts;
	struct kept *kept;	/* [0] is not used */
	size_t n_kept;
	size_t cap_kept;
	uint32_t *of;		/* by instance: of @kept; 0: nothing is kept */
	char *texts;
	size_t n_texts;
	size_t cap_texts;
	struct lt_out made;	/* a text that is being made; never written anywhere */
	struct lt_str candidates;
	/* The row that is being printed. */
	const char *line;
	size_t len;
	const struct lt_log_line *named;
	const struct lt_whose_answer *answer;
	const struct lt_whose_task *task;
};

static const char *verdict(const struct lt_whose_view *v)
{
	return v->answer ? lt_whose_doubt_name(v->answer->doubt) : "no_task";
}

static const struct lt_task_inst *task_of(const struct lt_whose_view *v)
{
	return lt_tasks_get(v->tb, v->task->inst);
}

static const struct lt_task_inst *parent_of(const struct lt_whose_view *v)
{
	return v->task && v->task->parent ? lt_tasks_get(v->tb, v->task->parent) : NULL;
}

static void time_value(const struct lt_whose_view *v, bool end, struct lt_value *value)
{
	const struct lt_whose_answer *a = v->answer;

	if (a && a->known)
		lt_times_value(v->times, end ? a->span.to : a->span.from, value);
}

/* The name, or the program. */
static void name_value(const struct lt_whose_view *v, enum lt_task_attr a, struct lt_value *value)
{
	uint32_t comm = v->task ? v->task->comm : 0, file = v->task ? v->task->file : 0;
	uint32_t name = a == LT_ATTR_COMM ? comm : file;
	size_t len;
	const char *s = lt_tasks_name(v->tb, name, &len);

	if (name)
		lt_value_text(value, s, len);
}

static void cgroup_value(const struct lt_whose_view *v, struct lt_value *value)
{
	const char *path = NULL;

	if (v->task && v->cgroups)
		path = lt_cgroups_path(v->cgroups, v->task->cgroup);
	if (path)
		lt_value_text(value, path, strlen(path));
}

/* "17@500 cat\n17@900 dog" */
static const char *candidates(struct lt_whose_view *v)
{
	struct lt_str *s = &v->candidates;

	s->n = 0;
	for (unsigned int i = 0; i < v->answer->n; i++) {
		const struct lt_task_inst *t = lt_tasks_get(v->tb, v->answer->inst[i]);
		size_t len;
		const char *name = lt_tasks_name(v->tb, t->comm, &len);

		lt_str_add(s, "%s%u@%" PRIu64 "%s%.*s", i ? "\n" : "", t->tid, t->start,
			   len ? " " : "", (int)len, name);
	}
	if (v->answer->more)
		lt_str_put(s, "\n...");
	return s->n ? s->s : NULL;
}

#define LOG_LINE(C, G)	\
	C(line, "line", "line", COUNT, A, true, r->counts.lines, "number of the line, from 1 on")	\
	C(pid, "pid", "pid", COUNT, A, r->named, r->named->pid, "number of the task in the line")	\
	G(from, "from_ns", "from", TIME, A, time_value(r, false, v), "the time of the line is not before this") \
	G(to, "to_ns", "to", TIME, A, time_value(r, true, v), "and not after this")	\
	C(verdict, "verdict", "verdict", TEXT, A, true, verdict(r),	\
	  "decided; no_task: the line names none; or why it is undecided")	\
	C(tid, "tid", "tid", COUNT, A, r->task, task_of(r)->tid, "the task: its number")	\
	C(start, "start_ns", "start", TIME, A, r->task, task_of(r)->start, "its start, since boot")	\
	G(comm, "comm", "comm", TEXT, A, name_value(r, LT_ATTR_COMM, v), "its name then") \
	G(file, "file", "file", TEXT, A, name_value(r, LT_ATTR_FILE, v), "its program then") \
	C(parent, "parent_tid", "parent", COUNT, A, parent_of(r), parent_of(r)->tid, "its parent then")	\
	C(parent_start, "parent_start_ns", "parent start", TIME, A, parent_of(r), parent_of(r)->start,	\
	  "the start of its parent, since boot")	\
	G(cgroup, "cgroup", "cgroup", TEXT, A, cgroup_value(r, v), "its cgroup then")	\
	C(candidates, "candidates", "candidates", LIST, A, r->answer && !r->task, candidates(c),	\
	  "of an undecided line: the tasks that it may mean")	\
	G(text, "text", "text", TEXT, A, lt_value_text(v, r->line, r->len), "the line")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_whose_view, r, struct lt_whose_view, c, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct lt_whose_view, r, struct lt_whose_view, c, v, call)

LOG_LINE(GETTER, FILLER)
static const struct lt_column log_line_columns[] = { LOG_LINE(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(log_line, "log_line", NULL, "a line of another tool's record");

/* ------------------------------------------------------------------------
 * Text
 */

/* "17@500 cat", or "17@500 ?" where the name changed. */
static void put_identity(struct lt_whose_view *v, struct lt_out *o, uint32_t inst, uint32_t name)
{
	const struct lt_task_inst *t = lt_tasks_get(v->tb, inst);
	size_t len;
	const char *s = lt_tasks_name(v->tb, name, &len);

	lt_out_u64(o, t->tid);
	lt_out_char(o, '@');
	lt_out_u64(o, t->start);
	lt_out_char(o, ' ');
	if (name)
		lt_out_text(o, s, len);
	else
		lt_out_char(o, '?');
}

/* "17@500 cat /bin/cat, parent 1@1 init, cgroup /a" */
static void put_task(struct lt_whose_view *v, struct lt_out *o, const struct lt_whose_task *task)
{
	const char *path = v->cgroups ? lt_cgroups_path(v->cgroups, task->cgroup) : NULL;
	size_t len;

	put_identity(v, o, task->inst, task->comm);
	if (task->file) {
		const char *s = lt_tasks_name(v->tb, task->file, &len);

		lt_out_char(o, ' ');
		lt_out_text(o, s, len);
	}
	if (task->parent) {
		lt_out_str(o, ", parent ");
		put_identity(v, o, task->parent, lt_tasks_get(v->tb, task->parent)->comm);
	}
	if (path) {
		lt_out_str(o, ", cgroup ");
		lt_out_text(o, path, strlen(path));
	}
}

/* Whether the same is said of a task as before. */
static bool says_same(const struct lt_whose_task *a, const struct lt_whose_task *b)
{
	return a->inst == b->inst && a->comm == b->comm && a->file == b->file &&
	       a->parent == b->parent && a->cgroup == b->cgroup;
}

static void forget(struct lt_whose_view *v)
{
	memset(v->of, 0, ((size_t)lt_tasks_count(v->tb) + 1) * sizeof(*v->of));
	v->n_kept = 1;
	v->n_texts = 0;
}

/* What is said of the task of the answer, in its time. */
static struct kept *keep(struct lt_whose_view *v, uint32_t inst, const struct lt_span *span)
{
	struct lt_whose_task before;
	struct kept *k;

	if (v->n_texts > MAX_KEPT)
		forget(v);
	if (!v->of[inst]) {
		v->kept = lt_grow(v->kept, &v->cap_kept, v->n_kept, sizeof(*v->kept));
		v->of[inst] = (uint32_t)v->n_kept++;
		v->kept[v->of[inst]] = (struct kept){ 0 };
	}
	k = &v->kept[v->of[inst]];
	before = k->task;
	lt_whose_task(v->w, inst, span, &k->task);
	k->from = span->from;
	if (v->is_table || says_same(&before, &k->task))
		return k;
	v->made.used = 0;
	put_task(v, &v->made, &k->task);
	/* The text that it had goes back where there is room in it. */
	if (v->made.used > k->len) {
		k->text = v->n_texts;
		v->n_texts += v->made.used;
		if (v->n_texts > v->cap_texts) {
			v->cap_texts = v->n_texts * 2;
			v->texts = lt_realloc(v->texts, v->cap_texts);
		}
	}
	k->len = (uint32_t)v->made.used;
	memcpy(v->texts + k->text, v->made.buf, k->len);
	return k;
}

static const struct kept *kept(struct lt_whose_view *v, uint32_t inst, const struct lt_span *span)
{
	const struct kept *k = v->of[inst] ? &v->kept[v->of[inst]] : NULL;

	if (k && span->from >= k->from && span->to < k->task.until &&
	    (k->task.parent || !lt_whose_parent(v->w, inst, span)))
		return k;
	return keep(v, inst, span);
}

static void put_undecided(struct lt_whose_view *v)
{
	const struct lt_whose_answer *a = v->answer;

	lt_out_str(v->out, "undecided: ");
	lt_out_str(v->out, lt_whose_doubt_text(a->doubt));
	for (unsigned int i = 0; i < a->n; i++) {
		lt_out_str(v->out, i ? " or " : ": ");
		put_identity(v, v->out, a->inst[i], lt_tasks_get(v->tb, a->inst[i])->comm);
	}
	if (a->more)
		lt_out_str(v->out, " or others");
}

static void put_line(struct lt_whose_view *v, const struct kept *k)
{
	/*
	 * What is added stands before the end of the line, also where that has a carriage return.
	 */
	size_t len = v->answer ? lt_log_without_cr(v->line, v->len) : v->len;

	if (v->safe)
		lt_out_text(v->out, v->line, len);
	else
		lt_out_bytes(v->out, v->line, len);
	if (v->answer) {
		lt_out_bytes(v->out, "  # ", 4);
		if (k)
			lt_out_bytes(v->out, v->texts + k->text, k->len);
		else
			put_undecided(v);
	}
	if (len < v->len && !v->safe)
		lt_out_char(v->out, '\r');
	lt_out_char(v->out, '\n');
}

/* ------------------------------------------------------------------------
 * The printer
 */

struct lt_whose_view *lt_whose_view_new(struct lt_out *out, const struct lt_whose *w,
					const struct lt_tasks *tb, const struct lt_cgroups *cgroups,
					const struct lt_times *times, enum lt_format format,
					const char *columns, bool safe)
{
	struct lt_whose_view *v = lt_alloc(sizeof(*v));

	*v = (struct lt_whose_view){
		.out = out, .w = w, .tb = tb, .cgroups = cgroups, .times = times, .format = format,
		.is_table = format != LT_FORMAT_TEXT || columns, .safe = safe,
		.made = LT_OUT_INIT(-1), .n_kept = 1,
	};
	v->of = lt_alloc_array((size_t)lt_tasks_count(tb) + 1, sizeof(*v->of));
	v->table = (struct lt_table){
		.out = out, .format = format, .ctx = v, .streaming = true,
	};
	if (v->is_table) {
		lt_table_columns(&v->table, &lt_rows_of_log_line, 0, columns);
		lt_table_begin(&v->table);
	}
	return v;
}

void lt_whose_view_line(struct lt_whose_view *v, const char *line, size_t len,
			const struct lt_log_line *named, const struct lt_whose_answer *answer)
{
	const struct kept *k = NULL;

	v->counts.lines++;
	v->line = line;
	v->len = len;
	v->named = named;
	v->answer = answer;
	if (!answer)
		v->counts.no_task++;
	else
		v->counts.doubts[answer->doubt]++;
	if (answer && answer->doubt == LT_WHOSE_DECIDED)
		k = kept(v, answer->inst[0], &answer->span);
	v->task = k ? &k->task : NULL;
	if (v->is_table)
		lt_table_row(&v->table, v);
	else
		put_line(v, k);
}

void lt_whose_view_end(struct lt_whose_view *v, struct lt_whose_counts *counts)
{
	if (v->is_table)
		lt_table_end(&v->table);
	*counts = v->counts;
	free(v->kept);
	free(v->of);
	free(v->texts);
	free(v->made.buf);
	free(v->candidates.s);
	free(v);
}

char *lt_whose_counts_text(const struct lt_whose_counts *c, char *buf, size_t size)
{
	uint64_t undecided = 0;
	char n[3][32];
	int at;

	for (unsigned int i = LT_WHOSE_DECIDED + 1; i < LT_N_WHOSE_DOUBTS; i++)
		undecided += c->doubts[i];
	at = snprintf(buf, size, "%s lines: %s decided, %s undecided",
		      lt_human_count(c->lines, n[0], sizeof(n[0])),
		      lt_human_count(c->doubts[LT_WHOSE_DECIDED], n[1], sizeof(n[1])),
		      lt_human_count(undecided, n[2], sizeof(n[2])));
	for (unsigned int i = LT_WHOSE_DECIDED + 1, any = 0; i < LT_N_WHOSE_DOUBTS; i++) {
		if (!c->doubts[i] || at < 0 || (size_t)at >= size)
			continue;
		at += snprintf(buf + at, size - (size_t)at, "%s%s: %s", any++ ? "; " : " (",
			       lt_human_count(c->doubts[i], n[0], sizeof(n[0])),
			       lt_whose_doubt_text((enum lt_whose_doubt)i));
	}
	if (at > 0 && (size_t)at < size)
		snprintf(buf + at, size - (size_t)at, "%s, %s name no task", undecided ? ")" : "",
			 lt_human_count(c->no_task, n[0], sizeof(n[0])));
	return buf;
}
