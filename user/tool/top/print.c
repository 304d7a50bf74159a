// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of lifetrace top for scripts, and the lines that the screen has, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/certainty.h"
#include "base/json.h"
#include "forms/table.h"
#include "print/self.h"
#include "print/stack.h"
#include "top/print.h"

/* As --by takes them; by enum lt_report_by. */
static const char *const by_names[] = {
	[LT_BY_SITE] = "site", [LT_BY_CACHE] = "cache", [LT_BY_TASK] = "task",
	[LT_BY_PROCESS] = "process", [LT_BY_CGROUP] = "cgroup", [LT_BY_STACK] = "stack",
};

/* ------------------------------------------------------------------------
 * JSON
 */

static void json_cell(struct lt_json *j, const struct lt_top_row *row, enum lt_top_column column)
{
	const struct lt_top_cell *cell = &row->cells[column];
	bool rate = column == LT_TOP_GROWTH || column == LT_TOP_NEW || column == LT_TOP_FREED;

	if (!cell->known || cell->over)
		lt_json_null(j, lt_top_column_name(column));
	else
		lt_json_fixed(j, lt_top_column_name(column), cell->v, rate ? 3 : 0);
}

static void json_stack(struct lt_json *j, const struct lt_top_shot *s, const struct lt_live_row *row)
{
	struct lt_out room = LT_OUT_INIT(-1);
	struct lt_stack stack = lt_live_stack(s->l, row);
	struct lt_value v = { 0 };

	lt_out_room(&room, 1);
	if (stack.n && !(stack.flags & LT_STACK_UNKNOWN))
		lt_stack_frames(s->t, NULL, &stack, &room, &v);
	lt_value_print(lt_json_value(j, "stack"), LT_FORMAT_JSON, &v);
	free(room.buf);
}

static void json_task(struct lt_json *j, const struct lt_live_row *row, bool process)
{
	const struct lt_task *task = row->task;

	lt_json_str(j, "context", lt_context_name(row->context));
	lt_json_str(j, "comm", task ? task->comm : NULL);
	if (process) {
		lt_json_u64_if(j, "tasks", task, row->tasks);
	} else {
		lt_json_u64_if(j, "tid", task, task ? task->tid : 0);
		lt_json_u64_if(j, "start_ns", task, task ? task->start : 0);
	}
}

static void json_label(struct lt_json *j, const struct lt_top_shot *s, const struct lt_live_row *row)
{
	enum lt_report_by by = s->table->by;
	char buf[512];
	const char *label = lt_live_label(s->l, row, by, buf, sizeof(buf));

	if (by == LT_BY_TASK || by == LT_BY_PROCESS) {
		json_task(j, row, by == LT_BY_PROCESS);
	} else if (by == LT_BY_CGROUP) {
		lt_json_str(j, "context", lt_context_name(row->context));
		lt_json_u64_if(j, "cgroup", row->cgroup, row->cgroup);
		lt_json_str(j, "path", row->cgroup && *label == '/' ? label : NULL);
	} else {
		lt_json_str(j, by == LT_BY_STACK ? "caller" : by_names[by],
			    row->key ? label : NULL);
		if (by == LT_BY_STACK)
			json_stack(j, s, row);
	}
}

static void json_alive(struct lt_json *j, const struct lt_live_row *row)
{
	lt_json_u64(j, "allocations", row->count.births);
	lt_json_u64(j, "frees", row->count.frees);
	lt_json_u64(j, "alive", row->alive);
	lt_json_u64(j, "alive_bytes", row->alive_bytes);
	lt_json_u64(j, "maybe_alive", row->maybe);
	lt_json_u64(j, "maybe_alive_bytes", row->maybe_bytes);
}

static void json_row(struct lt_json *j, const struct lt_top_shot *s, const struct lt_top_row *row)
{
	lt_json_object(j, NULL);
	json_label(j, s, row->row);
	json_alive(j, row->row);
	for (enum lt_top_column c = LT_TOP_GROWTH; c < LT_TOP_NAME; c++)
		json_cell(j, row, c);
	lt_json_u64(j, "exact", row->row->life[0].n + row->row->life[1].n);
	lt_json_end(j);
}

static void json_head(struct lt_json *j, const struct lt_top_shot *s)
{
	const struct lt_live_table *t = s->table;

	lt_json_u64(j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_word(j, "by", by_names[t->by]);
	lt_json_u64(j, "time_ns", lt_trace_since(s->t, t->time));
	lt_json_u64(j, "interval_ns", t->time - t->since);
	lt_json_bool(j, "final", s->final);
	lt_json_u64_if(j, "window_ns", s->window_ns, s->window_ns);
	lt_json_u64(j, "seen", t->loss.seen);
	lt_json_u64(j, "lost", t->loss.lost);
	lt_json_u64(j, "filtered", t->loss.filtered);
	lt_json_u64(j, "gaps", t->gaps);
	lt_json_u64(j, "late", lt_trace_late(s->t));
	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		lt_json_u64(j, lt_certainty_name((enum lt_certainty)i), t->certainty[i]);
	json_alive(j, t->all);
	if (!s->self)
		lt_json_u64(j, "own_allocations", t->own_births);
	if (s->cost) {
		lt_json_fixed(j, "own_cpu_percent", s->cost->percent, 1);
		lt_json_u64(j, "own_memory_bytes", s->cost->memory);
	}
	lt_json_word(j, "sort", lt_top_column_name(s->view->sort));
	lt_json_u64(j, "total_rows", s->view->total);
}

void lt_top_print_json(struct lt_out *o, const struct lt_top_shot *s)
{
	size_t n = s->number && s->number < s->view->n ? s->number : s->view->n;
	struct lt_json j = LT_JSON_INIT(o);

	lt_json_object(&j, NULL);
	json_head(&j, s);
	lt_json_array(&j, "rows");
	for (size_t i = 0; i < n; i++)
		json_row(&j, s, &s->view->rows[i]);
	lt_json_line(&j);
}

/* ------------------------------------------------------------------------
 * Text
 */

#define SHORT	60	/* characters; in fewer the summary says less */

static void head_alive(const struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	char bytes[LT_TOP_CELL], objects[LT_TOP_CELL], growth[LT_TOP_CELL], born[LT_TOP_CELL],
	     freed[LT_TOP_CELL];
	const struct lt_top_cell *all = s->view->all;

	lt_top_cell_text(&all[LT_TOP_ALIVE], LT_TOP_ALIVE, bytes);
	lt_top_cell_text(&all[LT_TOP_OBJECTS], LT_TOP_OBJECTS, objects);
	lt_top_cell_text(&all[LT_TOP_GROWTH], LT_TOP_GROWTH, growth);
	lt_top_cell_text(&all[LT_TOP_NEW], LT_TOP_NEW, born);
	lt_top_cell_text(&all[LT_TOP_FREED], LT_TOP_FREED, freed);
	if (is_short)
		snprintf(buf, size, "%s %s/s %s obj", bytes, growth, objects);
	else
		snprintf(buf, size, "Alive: %s in %s objects, %s/s; new: %s/s, freed: %s/s", bytes,
			 objects, growth, born, freed);
}

static void head_loss(const struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	const struct lt_live_loss *loss = &s->table->loss;
	char seen[LT_TOP_CELL], lost[LT_TOP_CELL];
	uint64_t late = lt_trace_late(s->t);
	double percent = loss->seen ? 100.0 * (double)loss->lost / (double)loss->seen : 0;

	lt_top_short_count((double)loss->seen, seen);
	lt_top_short_count((double)loss->lost, lost);
	if (is_short) {
		snprintf(buf, size, "lost %s of %s", lost, seen);
		return;
	}
	snprintf(buf, size, "Events: %s, lost: %s", seen, lost);
	if (loss->lost || s->table->gaps)
		snprintf(buf + strlen(buf), size - strlen(buf), " (%.2f %%) in %zu gaps", percent,
			 s->table->gaps);
	if (loss->filtered)
		snprintf(buf + strlen(buf), size - strlen(buf), ", left out on request: %s",
			 lt_top_short_count((double)loss->filtered, seen));
	if (late)
		snprintf(buf + strlen(buf), size - strlen(buf), ", late: %" PRIu64, late);
}

static void head_certainty(const struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	const uint64_t *c = s->table->certainty;
	uint64_t sum = 0;
	size_t at;

	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		sum += c[i];
	if (is_short) {
		snprintf(buf, size, "%.0f %% uncertain",
			 sum ? 100.0 * (double)c[LT_UNCERTAIN] / (double)sum : 0.0);
		return;
	}
	at = (size_t)snprintf(buf, size, "Sure:");
	for (int i = 0; i < LT_N_CERTAINTIES && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s %s %.1f %%", i ? "," : "",
				       lt_certainty_name((enum lt_certainty)i),
				       sum ? 100.0 * (double)c[i] / (double)sum : 0.0);
}

static void head_view(const struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	const struct lt_top_view *v = s->view;
	char text[LT_TOP_CELL];
	size_t at;

	if (is_short) {
		snprintf(buf, size, "%s, %zu rows", by_names[s->table->by], v->n);
		return;
	}
	at = (size_t)snprintf(buf, size, "By %s: %zu rows", by_names[s->table->by], v->n);
	if (v->n != v->total)
		at += (size_t)snprintf(buf + at, size - at, " of %zu", v->total);
	if (s->window_ns)
		at += (size_t)snprintf(buf + at, size - at, "; lifetimes of the last %s",
				       lt_top_short_ns((double)s->window_ns, text));
	if (s->cost)
		snprintf(buf + at, size - at, "; lifetrace itself: %.1f %% CPU, %s",
			 s->cost->percent, lt_top_short_bytes((double)s->cost->memory, text));
}

static void head_own(const struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	uint64_t n = s->table->own_births;

	if (s->self)
		snprintf(buf, size, is_short ? "--self" : "With what lifetrace itself made (--self)");
	else if (is_short)
		snprintf(buf, size, "without %" PRIu64 " own (--self)", n);
	else
		lt_self_text(n, "object", buf, size);
}

bool lt_top_head(const struct lt_top_shot *s, unsigned int line, unsigned int width, char *buf,
		 size_t size)
{
	static void (*const lines[LT_TOP_HEADS])(const struct lt_top_shot *s, bool is_short,
						 char *buf, size_t size) = {
		head_alive, head_loss, head_certainty, head_view, head_own,
	};

	if (line >= LT_TOP_HEADS)
		return false;
	lines[line](s, width < SHORT, buf, size);
	return true;
}

/* A name in at most @width characters; one that is cut ends in a plus sign, as in top(1). */
static void put_name(char *buf, size_t size, const char *text, unsigned int width)
{
	size_t last = 0, n = 0, bytes = 0;

	for (; text[bytes]; bytes++) {
		if (((unsigned char)text[bytes] & 0xc0) == 0x80)
			continue;
		if (n++ == width)
			break;
		if (n == width)
			last = bytes;
	}
	if (text[bytes])
		snprintf(buf, size, "%.*s+", (int)last, text);
	else
		snprintf(buf, size, "%s", text);
}

const char *lt_top_line(const struct lt_top_row *row, enum lt_report_by by, unsigned int width,
			char *buf, size_t size)
{
	unsigned int name, fit = lt_top_fit(width, &name);
	size_t at = 0;

	for (enum lt_top_column c = 0; c < LT_TOP_NAME; c++) {
		char text[LT_TOP_CELL];
		int n;

		if (!(fit & 1U << c))
			continue;
		n = snprintf(buf + at, size - at, "%*s ", (int)lt_top_column_width(c),
			     row ? lt_top_cell_text(&row->cells[c], c, text) :
				   lt_top_column_header(c));
		at += (size_t)n;
		if (at >= size)
			return buf;
	}
	if (row) {
		put_name(buf + at, size - at, row->label, name);
	} else {
		char header[16];

		snprintf(header, sizeof(header), "%s", by_names[by]);
		for (char *p = header; *p; p++)
			*p = (char)(*p - 'a' + 'A');
		put_name(buf + at, size - at, header, name);
	}
	return buf;
}

void lt_top_print_text(struct lt_out *o, const struct lt_top_shot *s, unsigned int width)
{
	size_t n = s->number && s->number < s->view->n ? s->number : s->view->n;
	char buf[1024];

	for (unsigned int i = 0; lt_top_head(s, i, width, buf, sizeof(buf)); i++)
		lt_outf(o, "%s\n", buf);
	lt_outf(o, "\n%s\n", lt_top_line(NULL, s->table->by, width, buf, sizeof(buf)));
	for (size_t i = 0; i < n; i++)
		lt_outf(o, "%s\n", lt_top_line(&s->view->rows[i], s->table->by, width, buf,
					       sizeof(buf)));
}
