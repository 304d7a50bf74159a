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
#include "base/mem.h"
#include "forms/table.h"
#include "print/self.h"
#include "top/print.h"

static size_t n_rows(const struct lt_top_shot *s)
{
	return s->o->number && s->o->number < s->view->n ? s->o->number : s->view->n;
}

/* ------------------------------------------------------------------------
 * Forms for programs
 */

void lt_top_print_table(struct lt_out *o, struct lt_top_shot *s)
{
	struct lt_table t = { .out = o, .format = s->o->format, .ctx = &s->c };

	s->c.people = false;
	lt_table_columns(&t, s->view->kind, 0, s->o->columns);
	lt_table_begin(&t);
	for (size_t i = 0; i < n_rows(s); i++)
		lt_table_row(&t, s->view->rows[i].row);
	lt_table_end(&t);
	free(s->c.frames.buf);
}

/* The columns of a row, as members of the object that is open. */
static void json_members(struct lt_json *j, struct lt_top_shot *s, const char *columns,
			 const struct lt_live_row *row)
{
	struct lt_table t = { .out = j->o, .format = LT_FORMAT_JSON, .ctx = &s->c, .json = j };

	lt_table_columns(&t, s->view->kind, 0, columns);
	lt_table_members(&t, row);
	lt_table_end(&t);
}

static void json_head(struct lt_json *j, struct lt_top_shot *s)
{
	const struct lt_live_table *t = s->c.t;

	lt_json_u64(j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_word(j, "by", s->view->kind->name);
	lt_json_u64(j, "time_ns", lt_trace_since(s->c.trace, t->time));
	lt_json_u64(j, "interval_ns", t->time - t->since);
	lt_json_bool(j, "final", s->final);
	lt_json_u64_if(j, "window_ns", s->o->window_ns, s->o->window_ns);
	lt_json_u64(j, "seen", t->loss.seen);
	lt_json_u64(j, "lost", t->loss.lost);
	lt_json_u64(j, "filtered", t->loss.filtered);
	lt_json_u64(j, "gaps", t->gaps);
	lt_json_u64(j, "late", lt_trace_late(s->c.trace));
	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		lt_json_u64(j, lt_certainty_name((enum lt_certainty)i), t->certainty[i]);
	json_members(j, s, "allocations,frees,alive,alive_bytes,maybe_alive,maybe_alive_bytes",
		     t->all);
	if (!s->o->self)
		lt_json_u64(j, "own_allocations", t->own_births);
	if (s->cost) {
		lt_json_fixed(j, "own_cpu_percent", s->cost->percent, 1);
		lt_json_u64(j, "own_memory_bytes", s->cost->memory);
	}
	lt_json_word(j, "sort", s->view->columns[s->view->by]->name);
	lt_json_u64(j, "total_rows", s->view->total);
}

void lt_top_print_json(struct lt_out *o, struct lt_top_shot *s)
{
	struct lt_json j = LT_JSON_INIT(o);

	s->c.people = false;
	lt_json_object(&j, NULL);
	json_head(&j, s);
	lt_json_array(&j, "rows");
	for (size_t i = 0; i < n_rows(s); i++) {
		lt_json_object(&j, NULL);
		json_members(&j, s, s->o->columns, s->view->rows[i].row);
		lt_json_end(&j);
	}
	lt_json_line(&j);
	free(s->c.frames.buf);
}

/* ------------------------------------------------------------------------
 * Text
 */

#define SHORT	60	/* characters; in fewer the summary says less */

static void head_alive(struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	char bytes[LT_TOP_CELL], objects[LT_TOP_CELL], growth[LT_TOP_CELL], born[LT_TOP_CELL],
	     freed[LT_TOP_CELL];
	const struct lt_live_row *all = s->c.t->all;

	lt_top_figure(&s->c, all, "alive_bytes", bytes);
	lt_top_figure(&s->c, all, "alive", objects);
	lt_top_figure(&s->c, all, "growth_per_s", growth);
	lt_top_figure(&s->c, all, "allocations_per_s", born);
	lt_top_figure(&s->c, all, "frees_per_s", freed);
	if (is_short)
		snprintf(buf, size, "%s %s/s %s obj", bytes, growth, objects);
	else
		snprintf(buf, size, "Alive: %s in %s objects, %s/s; new: %s/s, freed: %s/s", bytes,
			 objects, growth, born, freed);
}

static void head_loss(struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	const struct lt_live_loss *loss = &s->c.t->loss;
	char seen[LT_TOP_CELL], lost[LT_TOP_CELL];
	uint64_t late = lt_trace_late(s->c.trace);
	double percent = loss->seen ? 100.0 * (double)loss->lost / (double)loss->seen : 0;

	lt_top_short_count((double)loss->seen, seen);
	lt_top_short_count((double)loss->lost, lost);
	if (is_short) {
		snprintf(buf, size, "lost %s of %s", lost, seen);
		return;
	}
	snprintf(buf, size, "Events: %s, lost: %s", seen, lost);
	if (loss->lost || s->c.t->gaps)
		snprintf(buf + strlen(buf), size - strlen(buf), " (%.2f %%) in %zu gaps", percent,
			 s->c.t->gaps);
	if (loss->filtered)
		snprintf(buf + strlen(buf), size - strlen(buf), ", left out on request: %s",
			 lt_top_short_count((double)loss->filtered, seen));
	if (late)
		snprintf(buf + strlen(buf), size - strlen(buf), ", late: %" PRIu64, late);
}

static void head_certainty(struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	const uint64_t *c = s->c.t->certainty;
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

static void head_view(struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	const struct lt_top_view *v = s->view;
	char text[LT_TOP_CELL];
	size_t at;

	if (is_short) {
		snprintf(buf, size, "%s, %zu rows", v->kind->name, v->n);
		return;
	}
	at = (size_t)snprintf(buf, size, "By %s: %zu rows", v->kind->name, v->n);
	if (v->n != v->total)
		at += (size_t)snprintf(buf + at, size - at, " of %zu", v->total);
	if (s->o->window_ns)
		at += (size_t)snprintf(buf + at, size - at, "; lifetimes of the last %s",
				       lt_top_short_ns((double)s->o->window_ns, text));
	if (s->cost)
		snprintf(buf + at, size - at, "; lifetrace itself: %.1f %% CPU, %s",
			 s->cost->percent, lt_top_short_bytes((double)s->cost->memory, text));
}

static void head_own(struct lt_top_shot *s, bool is_short, char *buf, size_t size)
{
	uint64_t n = s->c.t->own_births;

	if (s->o->self)
		snprintf(buf, size, is_short ? "--self" : "With what lifetrace itself made (--self)");
	else if (is_short)
		snprintf(buf, size, "without %" PRIu64 " own (--self)", n);
	else
		lt_self_text(n, "object", buf, size);
}

bool lt_top_head(struct lt_top_shot *s, unsigned int line, unsigned int width, char *buf,
		 size_t size)
{
	static void (*const lines[LT_TOP_HEADS])(struct lt_top_shot *s, bool is_short, char *buf,
						 size_t size) = {
		head_alive, head_loss, head_certainty, head_view, head_own,
	};

	if (line >= LT_TOP_HEADS)
		return false;
	lines[line](s, width < SHORT, buf, size);
	return true;
}

/*
 * Text in @width characters, as many as it needs if it is the last one; if it is cut, it ends in a
 * plus sign, as in top(1).
 */
static void put_text(char *buf, size_t size, const char *text, unsigned int width, bool last)
{
	size_t kept = 0, n = 0, bytes = 0;
	bool cut;

	for (; text[bytes]; bytes++) {
		if (((unsigned char)text[bytes] & 0xc0) == 0x80)
			continue;
		if (n++ == width)
			break;
		if (n == width)
			kept = bytes;
	}
	cut = text[bytes];
	snprintf(buf, size, "%.*s%s%*s", (int)(cut ? kept : bytes), text, cut ? "+" : "",
		 last || n > width ? 0 : (int)(width - n), "");
}

const char *lt_top_line(const struct lt_top_view *v, const struct lt_top_row *row,
			unsigned int width, char *buf, size_t size)
{
	unsigned int *widths = lt_alloc_array(v->n_shown + 1, sizeof(*widths));
	size_t at = 0;

	*buf = 0;
	lt_top_fit(v->columns, v->n_shown, !v->names, width, widths);
	for (size_t i = 0; i < v->n_shown && at + 1 < size; i++) {
		const struct lt_top_look *look = lt_top_look(v->columns[i]);
		const char *header = v->columns[i]->header, *text;
		char number[LT_TOP_CELL];

		if (!widths[i])
			continue;
		if (at)
			buf[at++] = ' ';
		if (look->width) {
			text = row ? lt_top_cell_text(&row->cells[i], look->form, number) : header;
			snprintf(buf + at, size - at, "%*s", (int)widths[i], text);
		} else {
			text = !row ? header : row->cells[i].text ? row->cells[i].text : "-";
			put_text(buf + at, size - at, text, widths[i], i + 1 == v->n_shown);
		}
		at += strlen(buf + at);
	}
	free(widths);
	return buf;
}

void lt_top_print_text(struct lt_out *o, struct lt_top_shot *s, unsigned int width)
{
	char buf[1024];

	for (unsigned int i = 0; lt_top_head(s, i, width, buf, sizeof(buf)); i++)
		lt_outf(o, "%s\n", buf);
	lt_outf(o, "\n%s\n", lt_top_line(s->view, NULL, width, buf, sizeof(buf)));
	for (size_t i = 0; i < n_rows(s); i++)
		lt_outf(o, "%s\n", lt_top_line(s->view, &s->view->rows[i], width, buf,
					       sizeof(buf)));
}
