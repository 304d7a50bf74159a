// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of lifetrace top: what is on it.
 */
#ifdef LT_HAVE_CURSES

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "top/window.h"

#define LINE	1024

/* A line of text, from its first column to the end of the line. */
static void put_line(int y, int attributes, const char *text)
{
	move(y, 0);
	attron(attributes);
	addnstr(text, -1);
	if (attributes & A_REVERSE)
		hline(' ' | (chtype)attributes, COLS);
	else
		clrtoeol();
	attroff(attributes);
}

static void put_cut(int y, int attributes, const char *text)
{
	char buf[LINE];
	size_t bytes = 0;

	snprintf(buf, sizeof(buf), "%s", text);
	for (int n = 0; buf[bytes] && n < COLS; n++) {
		do
			bytes++;
		while (((unsigned char)buf[bytes] & 0xc0) == 0x80);
	}
	buf[bytes] = 0;
	put_line(y, attributes, buf);
}

static const char *state(const struct lt_screen *s)
{
	if (s->paused)
		return "PAUSED";
	if (s->top->final)
		return "end";
	if (s->top->whole)
		return "reading";
	return s->top->o->file ? "following" : "recording";
}

static void draw_title(const struct lt_screen *s)
{
	const struct lt_top *top = s->top;
	char buf[LINE], at[LT_TOP_CELL] = "0s";
	uint64_t begin;

	if (top->t && top->l) {
		begin = lt_trace_begin(top->t);
		if (top->latest_ns > begin)
			lt_top_short_ns((double)(top->latest_ns - begin), at);
	}
	if (COLS >= 60)
		snprintf(buf, sizeof(buf), "lifetrace top%s%.*s: %s, at %s", top->o->file ? " " : "",
			 COLS - 40, top->o->file ? top->o->file : "", state(s), at);
	else
		snprintf(buf, sizeof(buf), "%s, at %s", state(s), at);
	put_cut(0, A_BOLD, buf);
}

static unsigned int n_heads(void)
{
	return LINES >= 14 ? LT_TOP_HEADS : LINES >= 10 ? 2 : LINES >= 7 ? 1 : 0;
}

static int rows_from(void)
{
	return (int)n_heads() + 2;
}

size_t lt_screen_rows(void)
{
	int n = LINES - rows_from() - 1;

	return n > 0 ? (size_t)n : 0;
}

static void draw_header(const struct lt_screen *s, int y)
{
	const struct lt_top_view *v = &s->top->view;
	unsigned int *widths = lt_alloc_array(v->n_shown + 1, sizeof(*widths));
	char buf[LINE];
	int x = 0;

	put_cut(y, A_REVERSE, lt_top_line(v, NULL, (unsigned int)COLS, buf, sizeof(buf)));
	lt_top_fit(v->columns, v->n_shown, !v->names, (unsigned int)COLS, widths);
	/* The column that sorts stands out. */
	for (size_t i = 0; i < v->n_shown; i++) {
		if (widths[i] && i == v->by)
			mvchgat(y, x, (int)widths[i], A_BOLD | A_UNDERLINE, 0, NULL);
		x += widths[i] ? (int)widths[i] + 1 : 0;
	}
	free(widths);
}

static void keep_in_sight(struct lt_screen *s)
{
	const struct lt_top_view *v = &s->top->view;
	size_t shown = lt_screen_rows();

	if (v->selected < s->first)
		s->first = v->selected;
	if (shown && v->selected >= s->first + shown)
		s->first = v->selected - shown + 1;
}

static void draw_table(struct lt_screen *s)
{
	struct lt_top *top = s->top;
	char buf[LINE];

	draw_title(s);
	if (!top->l) {
		put_cut(rows_from(), 0, "The trace has not begun yet.");
		return;
	}
	if (top->table) {
		struct lt_top_shot shot = lt_top_shot(top);

		for (unsigned int i = 0; i < n_heads(); i++) {
			lt_top_head(&shot, i, (unsigned int)COLS, buf, sizeof(buf));
			put_cut((int)i + 1, 0, buf);
		}
	}
	draw_header(s, rows_from() - 1);
	keep_in_sight(s);
	for (size_t i = 0; i < lt_screen_rows(); i++) {
		size_t at = s->first + i;
		bool selected = at == top->view.selected;

		if (at < top->view.n)
			put_line(rows_from() + (int)i, selected ? A_REVERSE : 0,
				 lt_top_line(&top->view, &top->view.rows[at], (unsigned int)COLS,
					     buf, sizeof(buf)));
		else
			put_line(rows_from() + (int)i, 0, "");
	}
	if (!top->view.n && lt_screen_rows())
		put_cut(rows_from(), 0, *top->view.filter ? "No row has that in its name." :
								 "Nothing was allocated yet.");
}

static const char *const help[] = {
	"Keys",
	"",
	"q F10 ^C   quit",
	"h ? F1     this help",
	"Space      pause, and go on",
	"Enter      detail of a row",
	"arrows j k select a row; PgUp PgDn Home End",
	"b B F5     group by what comes next, before",
	"1 to 6     by site, stack, cache, process,",
	"           task, cgroup",
	"< > F6     sort by another column",
	"r I        reverse the order",
	"/ F3       search; n N: next, previous",
	"\\ F4       filter by name; empty: all rows",
	"",
	"~: part of it may be gone, unseen",
	"k, M: 1,000 and more objects; K, M: 1,024 bytes",
	"",
	"Columns, and the keys that sort by them",
	"",
};

static void make_help(struct lt_screen *s)
{
	const struct lt_top_view *v = &s->top->view;
	struct lt_top_detail *d = &s->detail;

	lt_top_detail_destroy(d);
	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++)
		lt_top_detail_add(d, "%s", help[i]);
	for (size_t i = 0; i < v->n_shown; i++) {
		char key = lt_top_look(v->columns[i])->key;

		lt_top_detail_add(d, "%c %-7s  %s", key ? key : ' ', v->columns[i]->header,
				  v->columns[i]->meaning);
	}
}

static void draw_lines(struct lt_screen *s, const char *const *lines, size_t n)
{
	size_t shown = LINES > 1 ? (size_t)LINES - 1 : 0;

	if (s->scroll + shown > n)
		s->scroll = n > shown ? n - shown : 0;
	for (size_t i = 0; i < shown; i++)
		put_cut((int)i, !i && !s->scroll ? A_BOLD : 0,
			s->scroll + i < n ? lines[s->scroll + i] : "");
}

static void draw_last(struct lt_screen *s)
{
	const struct lt_top_view *v = &s->top->view;
	char buf[LINE];
	const char *text = "h help, q quit, Enter detail, / search, \\ filter, b group, < > sort, "
			   "Space pause";

	if (s->prompt != NO_PROMPT) {
		snprintf(buf, sizeof(buf), "%s%s_", s->prompt == SEARCH ? "Search: " : "Filter: ",
			 s->text);
		text = buf;
	} else if (*s->note) {
		text = s->note;
	} else if (s->mode != TABLE) {
		text = "q back, arrows scroll";
	} else if (v->followed && v->n) {
		text = v->rows[v->selected].label;
	} else if (COLS < 40) {
		text = "h help, q quit";
	} else if (*v->filter) {
		snprintf(buf, sizeof(buf), "Filter: %s (\\ changes it)", v->filter);
		text = buf;
	}
	put_cut(LINES - 1, s->prompt != NO_PROMPT ? A_BOLD : 0, text);
}

void lt_screen_draw(struct lt_screen *s)
{
	if (LINES < 2 || COLS < 2)
		return;
	if (s->mode == DETAIL && !s->paused)
		lt_top_detail_make(&s->detail, s->top, (unsigned int)COLS);
	if (s->mode == HELP)
		make_help(s);
	if (s->mode != TABLE)
		draw_lines(s, (const char *const *)s->detail.lines, s->detail.n);
	else
		draw_table(s);
	draw_last(s);
	refresh();
}

#endif /* LT_HAVE_CURSES */
