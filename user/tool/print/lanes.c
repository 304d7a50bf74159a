// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks over time as a picture. A bar that is narrower than a pixel is joined with the ones beside
 * it, of the same program and in the same lane: so the picture of a million processes is not
 * larger than its pixels.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "forms/form.h"
#include "out/units.h"
#include "out/xml.h"
#include "print/lanes.h"
#include "tasks/tree.h"
#include "tasks/words.h"

#define MARGIN		10U
#define WIDTH		(2 * MARGIN + LT_LANES_POINTS)
#define HEAD		44U
#define LANES		300U	/* at the most */
#define TALL		14U	/* a lane with a name in it */
#define HEIGHT		900U	/* of all lanes, where there are many */
#define AXIS		24U
#define MEMORY		110U
#define LINE		18U
#define TICKS		10U
#define COLOURS		12U	/* of programs; all others are grey */
#define CHAR		6600U	/* the width of a character, in thousandths */
#define NARROW		500U	/* in thousandths: narrower bars are joined */
#define S		LT_XML_SCALE

/* They differ also for those who do not see red or green. */
static const char *const colours[COLOURS + 1] = {
	"#4e79a7", "#f28e2b", "#76b7b2", "#e15759", "#59a14f", "#edc948", "#b07aa1", "#9c755f",
	"#86bcb6", "#d37295", "#499894", "#ff9da7", "#bab0ac",
};

/* A task, from when to when. */
struct bar {
	uint64_t begin;
	uint64_t end;
	uint32_t inst;
};

/* A program: the number of a name of tasks, and how long it ran, in all tasks together. */
struct program {
	uint32_t name;
	uint64_t ns;
	uint64_t tasks;
};

/* A lane: until when it is taken, and what is not drawn yet. */
struct lane {
	uint64_t free;
	uint64_t x;
	uint64_t to;
	uint32_t inst;
	uint32_t n;
	unsigned int colour;
};

struct lt_lanes {
	const struct lt_tasks *tb;
	const struct lt_trace *trace;
	struct bar *bars;
	size_t n;
	size_t cap;
	struct program *programs;
	size_t n_programs;
	unsigned int *colour_of;	/* by name: which, plus 1 */
	struct lane lanes[LANES];
	unsigned int n_lanes;
	unsigned int height;		/* of a lane */
	uint64_t left_out;
	uint64_t begin;
	uint64_t end;
};

struct lt_lanes *lt_lanes_new(const struct lt_tasks *tb, const struct lt_trace *t)
{
	struct lt_lanes *l = lt_alloc(sizeof(*l));

	l->tb = tb;
	l->trace = t;
	return l;
}

void lt_lanes_free(struct lt_lanes *l)
{
	free(l->bars);
	free(l->programs);
	free(l->colour_of);
	free(l);
}

void lt_lanes_add(void *arg, uint32_t inst)
{
	struct lt_lanes *l = arg;
	const struct lt_task_inst *t = lt_tasks_get(l->tb, inst);
	uint64_t end = lt_tasks_last(l->tb, t)->end, begin = lt_trace_begin(l->trace);

	/* Of what only others name it is not known when it was there. */
	if (!(t->marks & LT_TASK_MARK_SEEN))
		return;
	if (t->marks & LT_TASK_MARK_BORN && t->birth > begin)
		begin = t->birth;
	l->bars = lt_grow(l->bars, &l->cap, l->n, sizeof(*l->bars));
	l->bars[l->n++] = (struct bar){ begin, end > begin ? end : begin, inst };
}

/* ------------------------------------------------------------------------
 * Colours
 */

static int longest_first(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static uint32_t highest_name(const struct lt_lanes *l)
{
	uint32_t highest = 0;

	for (size_t i = 0; i < l->n; i++) {
		uint32_t name = lt_tasks_get(l->tb, l->bars[i].inst)->comm;

		if (name > highest)
			highest = name;
	}
	return highest;
}

static void find_programs(struct lt_lanes *l)
{
	size_t n = (size_t)highest_name(l) + 1;

	l->programs = lt_alloc_array(n, sizeof(*l->programs));
	l->colour_of = lt_alloc_array(n, sizeof(*l->colour_of));
	for (size_t i = 0; i < l->n; i++) {
		struct program *p = &l->programs[lt_tasks_get(l->tb, l->bars[i].inst)->comm];

		p->ns += l->bars[i].end - l->bars[i].begin;
		p->tasks++;
	}
	for (size_t i = 0; i < n; i++)
		l->programs[i].name = (uint32_t)i;
	qsort(l->programs, n, sizeof(*l->programs), longest_first);
	while (l->n_programs < n && l->programs[l->n_programs].tasks)
		l->n_programs++;
	for (size_t i = 0; i < n; i++)
		l->colour_of[l->programs[i].name] = i < COLOURS ? (unsigned int)i : COLOURS;
}

/* ------------------------------------------------------------------------
 * Bars
 */

static uint64_t x_of(const struct lt_lanes *l, uint64_t time)
{
	double span = l->end > l->begin ? (double)(l->end - l->begin) : 1;
	double part = (double)(time - l->begin) / span;

	return (uint64_t)(part * LT_LANES_POINTS * S) + MARGIN * S;
}

static void put_name(struct lt_out *o, const struct lt_lanes *l, uint32_t name, size_t most)
{
	size_t len, size;
	const char *s = lt_tasks_name(l->tb, name, &len);
	char *text = lt_value_escaped_copy(s, len < most ? len : most, &size);

	if (size)
		lt_xml_text(o, text, size);
	else
		lt_out_str(o, "(no name)");
	free(text);
}

/* What is shown where the mouse is. */
static void put_title(struct lt_out *o, const struct lt_lanes *l, const struct lane *lane,
		      const struct lt_times *times)
{
	const struct lt_task_inst *t = lt_tasks_get(l->tb, lane->inst);
	char buf[256];

	lt_out_str(o, "<title>");
	put_name(o, l, t->comm, SIZE_MAX);
	if (lane->n > 1) {
		lt_outf(o, ": %u tasks", lane->n);
	} else {
		lt_outf(o, " %c%u%c from %s s", lt_task_is_thread(t) ? '(' : '[', t->tid,
			lt_task_is_thread(t) ? ')' : ']',
			lt_times_text(times, (uint64_t)lt_task_begin_time(l->tb, t), 6, buf));
		lt_outf(o, ", %s", lt_human_ns(lt_task_lifetime(l->tb, t), buf, sizeof(buf)));
		lt_out_str(o, ", ");
		lt_task_process_status(l->tb, t, buf, sizeof(buf));
		lt_xml_text(o, buf, strlen(buf));
	}
	lt_out_str(o, "</title>");
}

static void draw(struct lt_out *o, const struct lt_lanes *l, struct lane *lane,
		 const struct lt_times *times)
{
	uint64_t y = HEAD + (uint64_t)(lane - l->lanes) * l->height;
	uint64_t width = lane->to > lane->x + NARROW ? lane->to - lane->x : NARROW;
	bool named = l->height == TALL && lane->n == 1 && width >= 5ULL * CHAR;

	if (!lane->n)
		return;
	lt_out_str(o, named ? "<g><rect" : "<rect");
	lt_outf(o, " fill=\"%s\"", colours[lane->colour]);
	lt_xml_point(o, "x", lane->x);
	lt_xml_point(o, "y", y * S);
	lt_xml_point(o, "width", width);
	lt_xml_point(o, "height", (l->height > 3 ? l->height - 1 : l->height) * (uint64_t)S);
	lt_out_char(o, '>');
	put_title(o, l, lane, times);
	lt_out_str(o, "</rect>");
	if (named) {
		lt_out_str(o, "<text");
		lt_xml_point(o, "x", lane->x + 2 * S);
		lt_xml_point(o, "y", (y + 10) * S);
		lt_out_char(o, '>');
		put_name(o, l, lt_tasks_get(l->tb, lane->inst)->comm, width / CHAR - 1);
		lt_out_str(o, "</text></g>");
	}
	lt_out_char(o, '\n');
	lane->n = 0;
}

/* The first lane that is free; NULL: none is. */
static struct lane *lane_for(struct lt_lanes *l, const struct bar *b)
{
	for (unsigned int i = 0; i < l->n_lanes; i++) {
		if (l->lanes[i].free <= b->begin)
			return &l->lanes[i];
	}
	return l->n_lanes < LANES ? &l->lanes[l->n_lanes++] : NULL;
}

static int by_begin(const void *a, const void *b)
{
	const struct bar *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->inst < y->inst ? -1 : x->inst > y->inst;
}

/* How many lanes there will be, and how high. */
static void lay_out(struct lt_lanes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct lane *lane = lane_for(l, &l->bars[i]);

		if (lane)
			lane->free = l->bars[i].end + 1;
		else
			l->left_out++;
	}
	l->height = !l->n_lanes || TALL * l->n_lanes <= HEIGHT ? TALL : HEIGHT / l->n_lanes;
	for (unsigned int i = 0; i < l->n_lanes; i++)
		l->lanes[i].free = 0;
}

static void put_bars(struct lt_out *o, struct lt_lanes *l, const struct lt_times *times)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct bar *b = &l->bars[i];
		struct lane *lane = lane_for(l, b);
		unsigned int colour = l->colour_of[lt_tasks_get(l->tb, b->inst)->comm];
		uint64_t x = x_of(l, b->begin), to = x_of(l, b->end);

		if (!lane)
			continue;
		lane->free = b->end + 1;
		if (lane->n && lane->colour == colour && x < lane->to + NARROW &&
		    (to - x < S || lane->to - lane->x < S)) {
			lane->to = to > lane->to ? to : lane->to;
			lane->n++;
			continue;
		}
		draw(o, l, lane, times);
		lane->x = x;
		lane->to = to;
		lane->inst = b->inst;
		lane->n = 1;
		lane->colour = colour;
	}
	for (unsigned int i = 0; i < l->n_lanes; i++)
		draw(o, l, &l->lanes[i], times);
}

/* ------------------------------------------------------------------------
 * What is around them
 */

static void begin_text(struct lt_out *o, uint64_t x, unsigned int y)
{
	lt_out_str(o, "<text");
	lt_xml_point(o, "x", x);
	lt_xml_point(o, "y", (uint64_t)y * S);
	lt_out_char(o, '>');
}

/* 1, 2 or 5 of some unit, so that there are at most TICKS. */
static uint64_t step_of(uint64_t span)
{
	static const unsigned int steps[] = { 1, 2, 5 };
	uint64_t step = 1000;

	for (unsigned int i = 0; step <= span / TICKS && i < 3 * 14; i++) {
		step = steps[(i + 1) % 3] * 1000ULL;
		for (unsigned int k = 0; k < (i + 1) / 3; k++)
			step *= 10;
	}
	return step;
}

static void put_axis(struct lt_out *o, const struct lt_lanes *l, const struct lt_times *times,
		     unsigned int top, unsigned int bottom)
{
	uint64_t step = step_of(l->end - l->begin), from = times->begin;
	char buf[LT_TIME_TEXT];

	if (from < l->begin)
		from += (l->begin - from + step - 1) / step * step;
	for (uint64_t time = from; time <= l->end; time += step) {
		uint64_t x = x_of(l, time);

		lt_outf(o, "<path class=\"t\" d=\"M%" PRIu64 " %uV%u\"/>\n", x / S, top, bottom);
		if (x > (WIDTH - 9 * MARGIN) * S)
			break;
		begin_text(o, x + 3 * S, bottom - 4);
		lt_times_text(times, time, 6, buf);
		lt_outf(o, "%s %s</text>\n", buf + strspn(buf, " "),
			times->base == LT_TIMES_WALL ? "" : "s");
	}
}

/* The greatest value of each point, as a line from left to right. */
static void put_memory(struct lt_out *o, const struct lt_lanes *l, const struct lt_series *s,
		       unsigned int top)
{
	unsigned int bottom = top + MEMORY;
	char peak[32];

	begin_text(o, MARGIN * S, top - 4);
	lt_outf(o, "slab memory that was allocated since the begin, and alive: at most %s</text>\n",
		lt_human_bytes(s->all.peak, peak, sizeof(peak)));
	lt_outf(o, "<path class=\"m\" d=\"M%" PRIu64 " %u", x_of(l, s->begin) / S, bottom);
	for (size_t i = 0; i < s->n && s->all.peak; i++) {
		uint64_t time = lt_series_time(s, i);
		double part = (double)s->all.max_bytes[i] / (double)s->all.peak;

		if (time < l->begin || time > l->end)
			continue;
		lt_outf(o, "L%" PRIu64 " %u", x_of(l, time) / S,
			bottom - (unsigned int)(part * (MEMORY - 4)));
	}
	lt_outf(o, "V%uZ\"/>\n", bottom);
}

static void put_legend(struct lt_out *o, const struct lt_lanes *l, unsigned int y)
{
	char ns[32];

	for (size_t i = 0; i < l->n_programs && i <= COLOURS; i++) {
		const struct program *p = &l->programs[i];
		uint64_t x = MARGIN + (uint64_t)(i % 4) * (LT_LANES_POINTS / 4);
		unsigned int at = y + (unsigned int)(i / 4) * LINE;

		lt_outf(o, "<rect fill=\"%s\"", colours[i]);
		lt_xml_point(o, "x", x * S);
		lt_xml_point(o, "y", (uint64_t)(at - 9) * S);
		lt_out_str(o, " width=\"10\" height=\"10\"/>");
		begin_text(o, (x + 14) * S, at);
		if (i == COLOURS) {
			lt_outf(o, "%zu other programs</text>\n", l->n_programs - COLOURS);
			break;
		}
		put_name(o, l, p->name, 20);
		lt_outf(o, ": %" PRIu64 ", %s</text>\n", p->tasks,
			lt_human_ns(p->ns, ns, sizeof(ns)));
	}
}

static void put_head(struct lt_out *o, const struct lt_lanes *l, unsigned int height, bool in_page)
{
	char span[32];

	if (!in_page)
		lt_out_str(o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	lt_outf(o, "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" font-family=\"monospace\" font-size=\"11\">\n",
		WIDTH, height, WIDTH, height);
	lt_out_str(o, "<title>lifetrace: tasks over time</title>\n<style>.t{stroke:#ccc;stroke-width:.5}"
		   ".m{fill:#4e79a7;fill-opacity:.6;stroke:#4e79a7}text{fill:#222}.back{fill:#fff}</style>\n"
		   "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n");
	lt_outf(o, "<text x=\"%u\" y=\"20\" font-size=\"14\">%zu tasks in %s", MARGIN, l->n,
		lt_human_ns(l->end - l->begin, span, sizeof(span)));
	if (l->left_out)
		lt_outf(o, "; %" PRIu64 " more at once than the %u lanes are not drawn",
			l->left_out, LANES);
	lt_out_str(o, "</text>\n");
	begin_text(o, MARGIN * S, 37);
	lt_out_str(o, "Each bar is a task from its birth to its end, coloured by its last name."
		      "</text>\n");
}

static void find_span(struct lt_lanes *l)
{
	l->end = 0;
	l->begin = l->n ? l->bars[0].begin : 0;
	for (size_t i = 0; i < l->n; i++) {
		if (l->bars[i].end > l->end)
			l->end = l->bars[i].end;
	}
	if (l->end < l->begin)
		l->end = l->begin;
}

void lt_lanes_print(struct lt_lanes *l, struct lt_out *out, const struct lt_times *times,
		    const struct lt_series *memory, bool in_page)
{
	unsigned int bottom, height, rows;

	if (l->n)
		qsort(l->bars, l->n, sizeof(*l->bars), by_begin);
	find_span(l);
	find_programs(l);
	lay_out(l);
	bottom = HEAD + l->n_lanes * l->height + AXIS;
	height = bottom + (memory ? MEMORY + LINE + AXIS : LINE);
	rows = (unsigned int)((l->n_programs < COLOURS + 1 ? l->n_programs : COLOURS + 1) + 3) / 4;
	put_head(out, l, height + (rows + 1) * LINE, in_page);
	put_axis(out, l, times, HEAD, bottom);
	put_bars(out, l, times);
	begin_text(out, MARGIN * S, bottom + 14);
	if (memory) {
		lt_out_str(out, "</text>\n");
		put_memory(out, l, memory, bottom + AXIS + 8);
	} else {
		lt_out_str(out, "Memory was not recorded.</text>\n");
	}
	put_legend(out, l, height + LINE);
	lt_out_str(out, "</svg>\n");
}
