// SPDX-License-Identifier: GPL-2.0
/*
 * The detail of a row of lifetrace top.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "out/units.h"
#include "top/detail.h"

#define BAR_MOST	40	/* characters */

void lt_top_detail_destroy(struct lt_top_detail *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->lines[i]);
	free(d->lines);
	*d = (struct lt_top_detail){ 0 };
}

void lt_top_detail_add(struct lt_top_detail *d, const char *fmt, ...)
{
	char buf[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	d->lines = lt_grow(d->lines, &d->cap, d->n, sizeof(*d->lines));
	d->lines[d->n++] = lt_strdup(buf);
}

/* Text in as many lines as it needs, the second and further ones indented. */
static void add_wrapped(struct lt_top_detail *d, const char *text, unsigned int width)
{
	unsigned int room = width;
	bool first = true;

	while (*text || first) {
		size_t bytes = 0;

		for (unsigned int n = 0; text[bytes] && n < room; n++) {
			do
				bytes++;
			while (((unsigned char)text[bytes] & 0xc0) == 0x80);
		}
		lt_top_detail_add(d, "%s%.*s", first ? "" : "  ", (int)bytes, text);
		text += bytes;
		room = width > 4 ? width - 2 : width;
		first = false;
	}
}

/* Two figures in a line, if they have room. */
static void add_pairs(struct lt_top_detail *d, char (*figures)[64], size_t n, unsigned int width)
{
	unsigned int columns = width >= 60 ? 2 : 1;

	for (size_t i = 0; i < n; i += columns) {
		if (columns == 2 && i + 1 < n)
			lt_top_detail_add(d, "%-32s %s", figures[i], figures[i + 1]);
		else
			lt_top_detail_add(d, "%s", figures[i]);
	}
}

static void add_figures(struct lt_top_detail *d, struct lt_top_ctx *c,
			const struct lt_live_row *live, unsigned int width)
{
	static const struct {
		const char *word;
		const char *column;
	} words[] = {
		{ "growth/s", "growth_per_s" }, { "oldest", "oldest_ns" },
		{ "new/s", "allocations_per_s" }, { "p50", "p50_ns" },
		{ "freed/s", "frees_per_s" }, { "p99", "p99_ns" },
	};
	char figures[sizeof(words) / sizeof(words[0]) + 4][64];
	char buf[LT_TOP_CELL], n[LT_HUMAN], bytes[LT_HUMAN];
	size_t at = 0;

	snprintf(figures[at++], 64, "alive     %s in %s",
		 lt_human_bytes(live->alive_bytes, bytes, sizeof(bytes)),
		 lt_human_count(live->alive, n, sizeof(n)));
	snprintf(figures[at++], 64, "perhaps   %s in %s",
		 lt_human_bytes(live->maybe_bytes, bytes, sizeof(bytes)),
		 lt_human_count(live->maybe, n, sizeof(n)));
	snprintf(figures[at++], 64, "births    %s",
		 lt_human_count(live->count.births, n, sizeof(n)));
	snprintf(figures[at++], 64, "frees     %s",
		 lt_human_count(live->count.frees, n, sizeof(n)));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		snprintf(figures[at++], 64, "%-9s %s", words[i].word,
			 lt_top_figure(c, live, words[i].column, buf));
	add_pairs(d, figures, at, width);
}

static void add_stack(struct lt_top_detail *d, const struct lt_top *top,
		      const struct lt_live_row *live, unsigned int width)
{
	struct lt_stack stack = lt_live_stack(top->l, live);
	char buf[512], safe[LT_ESCAPED_SIZE(512)];

	lt_top_detail_add(d, "%s", "");
	if (stack.flags & LT_STACK_UNKNOWN || !stack.n) {
		lt_top_detail_add(d, "The stack was not recorded.");
		return;
	}
	lt_top_detail_add(d, "Stack:");
	for (unsigned int i = 0; i < stack.n; i++) {
		const char *frame = lt_trace_symbol(top->t, stack.frames[i], true, buf,
						    sizeof(buf));
		char *line = lt_format("  %s", lt_escape_text(frame, safe));

		add_wrapped(d, line, width);
		free(line);
	}
	if (stack.flags & LT_STACK_CUT)
		lt_top_detail_add(d, "  ... (further callers were not recorded)");
}

/* One line for each power of two in which there is a lifetime or an age. */
static void add_histogram(struct lt_top_detail *d, const struct lt_top *top,
			  const struct lt_live_row *live, unsigned int width)
{
	unsigned int first = 64, last = 0, room;
	uint64_t most = 1;
	struct lt_hist h;

	lt_live_lifetimes(live, &h);
	for (unsigned int power = 0; power < 64; power++) {
		uint64_t n = lt_hist_log2(&h, power), alive = lt_hist_log2(&live->ages, power);

		if (!n && !alive)
			continue;
		first = power < first ? power : first;
		last = power;
		most = n > most ? n : most;
	}
	room = width > 24 ? width - 24 : 0;
	if (room > BAR_MOST)
		room = BAR_MOST;
	lt_top_detail_add(d, "%s", "");
	if (first > last)
		lt_top_detail_add(d, "Nothing has ended%s, and nothing certainly lives.",
				  top->o->window_ns ? " in the window" : "");
	else
		lt_top_detail_add(d, "%s  %6s %6s", " from", "ended", "alive");
	for (unsigned int power = first; power <= last; power++) {
		uint64_t n = lt_hist_log2(&h, power);
		char from[LT_TOP_CELL], ended[LT_TOP_CELL], alive[LT_TOP_CELL], bar[BAR_MOST + 1];
		size_t length = (size_t)((double)n * room / (double)most);

		memset(bar, '#', length);
		bar[length] = 0;
		lt_top_detail_add(d, "%5s  %6s %6s %s",
				  lt_top_short_ns(power ? (double)(1ULL << power) : 0, from),
				  lt_top_short_count((double)n, ended),
				  lt_top_short_count((double)lt_hist_log2(&live->ages, power),
						     alive),
				  bar);
	}
	lt_hist_destroy(&h);
}

void lt_top_detail_make(struct lt_top_detail *d, struct lt_top *top, unsigned int width)
{
	const struct lt_top_row *row;
	const struct lt_live_row *live = NULL;
	struct lt_top_shot shot;

	if (!top->l || !top->view.n)
		return;
	row = &top->view.rows[top->view.selected];
	/* The pointers of the view are those of an older table, if events have come. */
	top->table = lt_live_table(top->l, top->by);
	for (size_t i = 0; i < top->table->n && !live; i++) {
		if (top->table->rows[i]->key == row->key)
			live = top->table->rows[i];
	}
	if (!live)
		return;
	lt_top_detail_destroy(d);
	add_wrapped(d, row->label, width);
	lt_top_detail_add(d, "%s", "");
	shot = lt_top_shot(top);
	add_figures(d, &shot.c, live, width);
	if (top->by == LT_BY_STACK)
		add_stack(d, top, live, width);
	add_histogram(d, top, live, width);
}
