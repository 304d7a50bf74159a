// SPDX-License-Identifier: GPL-2.0
/*
 * A flame graph: one SVG file that asks for nothing else. The root is at the top, and what is
 * called stands below its caller, the largest at the left. A group of the file is a frame with all
 * that it calls; its title has the whole name and the exact number. What a script adds is zoom and
 * search; without one, all can be read.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "export/flame/script.h"
#include "export/flame/tree.h"
#include "out/xml.h"

#define ROW		17	/* the height of a frame */
#define HEAD		56	/* above them */
#define LINE		16	/* of text */
#define NOTE_CHARS	160	/* of a line of the notes */
#define SCALE		LT_XML_SCALE
#define INNER		((uint64_t)(LT_FLAME_WIDTH - 2 * LT_FLAME_MARGIN) * SCALE)

/* Narrower frames, a tenth of a point, are not drawn. */
#define PARTS		((uint32_t)(INNER / 100))

static const struct {
	const char *what;
	const char *unit;
} metrics[LT_N_METRICS] = {
	[LT_METRIC_ALIVE] = { "Bytes alive", "bytes" },
	[LT_METRIC_ALIVE_OBJECTS] = { "Objects alive", "objects" },
	[LT_METRIC_PEAK] = { "Bytes alive at the peak", "bytes" },
	[LT_METRIC_CHURN] = { "Allocations", "allocations" },
	[LT_METRIC_BYTES] = { "Bytes allocated", "bytes" },
	[LT_METRIC_SLACK] = { "Slack: bytes given but not asked for", "bytes" },
	[LT_METRIC_LIFETIME] = { "Sum of exact lifetimes", "ns" },
};

/**
 * struct graph - a graph in the making
 * @out: the output
 * @tree: its tree
 * @unit: of the numbers
 * @shift: numbers are divided by 2 to the power of this, so that products of them fit
 */
struct graph {
	struct lt_out out;
	struct lt_flame tree;
	const char *unit;
	unsigned int shift;
};

/* ------------------------------------------------------------------------
 * Text
 */

/* A number with commas. */
static void put_count(struct lt_out *o, uint64_t v)
{
	if (v >= 1000) {
		put_count(o, v / 1000);
		lt_out_char(o, ',');
		lt_out_pad(o, v % 1000, 3);
	} else {
		lt_out_u64(o, v);
	}
}

static void put_text(struct lt_out *o, unsigned int y, const char *s, size_t len)
{
	lt_out_str(o, "<text");
	lt_xml_point(o, "x", (uint64_t)LT_FLAME_MARGIN * SCALE);
	lt_xml_point(o, "y", (uint64_t)y * SCALE);
	lt_out_char(o, '>');
	lt_xml_text(o, s, len);
	lt_out_str(o, "</text>\n");
}

/* ------------------------------------------------------------------------
 * Frames
 */

/* The width of a number. A shift keeps the products in 64 bits, and 40 bits of the number. */
static uint64_t width_of(const struct graph *g, uint64_t value)
{
	uint64_t all = g->tree.nodes[0].value >> g->shift;

	return all ? (value >> g->shift) * INNER / all : INNER;
}

/* As much of a name as fits; the script does the same. */
static void put_label(struct lt_out *o, const char *s, size_t len, uint64_t width)
{
	uint64_t room = width > 6 * SCALE ? (width - 6 * SCALE) / (LT_FLAME_CHAR * SCALE + 300) : 0;
	uint64_t n = 0;
	size_t end = 0, cut = 0;

	while (end < len && n <= room) {
		if (n + 2 == room)
			cut = end;
		end += lt_utf8_length((const unsigned char *)s + end, len - end);
		n++;
	}
	if (n <= room) {
		lt_xml_text(o, s, len);
	} else if (room >= 3) {
		lt_xml_text(o, s, cut);
		lt_out_str(o, "..");
	}
}

/* What a node is called; its percentage is that of the whole, in hundredths. */
static void put_title(struct graph *g, const struct lt_flame_node *node, const char *s, size_t len)
{
	uint64_t all = g->tree.nodes[0].value >> g->shift;
	uint64_t part = all ? (node->value >> g->shift) * 10000 / all : 0;
	struct lt_out *o = &g->out;

	lt_out_str(o, "<title>");
	lt_xml_text(o, s, len);
	lt_out_char(o, '\n');
	put_count(o, node->value);
	lt_out_char(o, ' ');
	lt_out_str(o, g->unit);
	lt_out_str(o, ", ");
	lt_out_u64(o, part / 100);
	lt_out_char(o, '.');
	lt_out_pad(o, part % 100, 2);
	lt_out_str(o, " %</title>");
}

/* A node and all below it. @x: its left end. Return: the depth below it, and it. */
static unsigned int put_node(struct graph *g, uint32_t number, uint64_t x, unsigned int depth)
{
	const struct lt_flame_node *node = &g->tree.nodes[number];
	unsigned int deepest = 0, y = HEAD + depth * ROW;
	uint64_t width = width_of(g, node->value);
	const char *s = "all";
	size_t len = 3;

	if (number)
		s = lt_names_get(&g->tree.texts, node->text, &len);
	lt_out_str(&g->out, "<g class=\"n\" data-v=\"");
	lt_out_u64(&g->out, node->value);
	lt_out_str(&g->out, "\">");
	put_title(g, node, s, len);
	lt_out_str(&g->out, "<rect class=\"k");
	lt_out_u64(&g->out, node->kind);
	lt_out_char(&g->out, '"');
	lt_xml_point(&g->out, "x", x);
	lt_xml_point(&g->out, "y", (uint64_t)y * SCALE);
	lt_xml_point(&g->out, "width", width);
	lt_xml_point(&g->out, "height", (uint64_t)ROW * SCALE);
	lt_out_str(&g->out, "/><text");
	lt_xml_point(&g->out, "x", x + 3ULL * SCALE);
	lt_xml_point(&g->out, "y", (uint64_t)(y + 13) * SCALE);
	lt_out_char(&g->out, '>');
	put_label(&g->out, s, len, width);
	lt_out_str(&g->out, "</text>");
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint32_t child = g->tree.order[node->children + i];
		unsigned int below = put_node(g, child, x, depth + 1);

		x += width_of(g, g->tree.nodes[child].value);
		if (below > deepest)
			deepest = below;
	}
	lt_out_str(&g->out, "</g>\n");
	return deepest + 1;
}

static unsigned int depth_of(const struct lt_flame *f, uint32_t number)
{
	unsigned int deepest = 0;

	for (uint32_t i = 0; i < f->nodes[number].n_children; i++) {
		unsigned int below = depth_of(f, f->order[f->nodes[number].children + i]);

		if (below > deepest)
			deepest = below;
	}
	return deepest + 1;
}

/* ------------------------------------------------------------------------
 * The file
 */

static void make_notes(const struct graph *g, const struct lt_profile *p, struct lt_para *t)
{
	lt_profile_notes(p, t);
	if (g->tree.left_out)
		lt_para_add(t, "\n%" PRIu32 " frames of less than %" PRIu64 " %s are not drawn, but their callers "
			    "have their numbers.", g->tree.left_out, g->tree.smallest, g->unit);
	if (g->tree.cut)
		lt_para_add(t, "\n%" PRIu32 " paths end early, as there are more than %u frames.",
			    g->tree.cut, LT_FLAME_NODES);
}

/* Where the next line of a text ends: at a newline, or at a blank before it is too long. */
static size_t line_length(const char *s)
{
	size_t n = strcspn(s, "\n"), blank = NOTE_CHARS;

	if (n <= NOTE_CHARS)
		return n;
	while (blank && s[blank] != ' ')
		blank--;
	return blank ? blank : n;
}

/* Prints the notes below @y, if there is an output. Return: the number of lines. */
static unsigned int put_notes(struct lt_out *o, unsigned int y, const char *s)
{
	unsigned int lines = 0;

	while (*s) {
		size_t n = line_length(s);

		if (o)
			put_text(o, y + lines * LINE, s, n);
		lines++;
		s += n;
		if (*s)
			s++;
	}
	return lines;
}

static void put_head(struct graph *g, const char *what, const char *notes, unsigned int height)
{
	struct lt_out *o = &g->out;

	lt_out_str(o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" data-unit=\"");
	lt_out_str(o, g->unit);
	lt_out_char(o, '"');
	lt_xml_point(o, "width", (uint64_t)LT_FLAME_WIDTH * SCALE);
	lt_xml_point(o, "height", (uint64_t)height * SCALE);
	lt_out_str(o, " viewBox=\"0 0 ");
	lt_out_u64(o, LT_FLAME_WIDTH);
	lt_out_char(o, ' ');
	lt_out_u64(o, height);
	lt_out_str(o, "\" font-family=\"monospace\" font-size=\"12\">\n<title>lifetrace: ");
	lt_out_str(o, what);
	lt_out_str(o, "</title>\n<desc>");
	lt_xml_text(o, notes, strlen(notes));
	lt_out_str(o, "</desc>\n<style>");
	lt_out_str(o, lt_flame_style);
	lt_out_str(o, "</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
		      "<text x=\"10\" y=\"20\" font-size=\"14\">");
	lt_out_str(o, what);
	lt_out_str(o, ": ");
	put_count(o, g->tree.nodes[0].value);
	lt_out_char(o, ' ');
	lt_out_str(o, g->unit);
	lt_out_str(o, "</text>\n<text x=\"10\" y=\"44\" id=\"say\"></text>\n"
		      "<text x=\"950\" y=\"20\" id=\"reset\" class=\"button\" style=\"display:none\">all (Esc)</text>\n"
		      "<text x=\"1040\" y=\"20\" id=\"search\" class=\"button\"></text>\n");
}

static int profile(struct lt_export *e, const struct lt_profile *p)
{
	const char *what = metrics[e->opts->metric].what;
	struct graph g = {
		.out = LT_OUT_NAMED(fileno(e->out), e->path),
		.unit = metrics[e->opts->metric].unit,
	};
	struct lt_para notes = { .n = 0 };
	unsigned int bottom;

	if (e->opts->metric == LT_METRIC_ALIVE && p->opts.at == LT_AT_PEAK)
		what = metrics[LT_METRIC_PEAK].what;
	lt_flame_init(&g.tree);
	lt_flame_fill(&g.tree, p, e->opts->metric, PARTS);
	while (g.tree.nodes[0].value >> g.shift >> 40)
		g.shift++;
	make_notes(&g, p, &notes);
	bottom = HEAD + depth_of(&g.tree, 0) * ROW + LINE + 8;
	put_head(&g, what, notes.s, bottom + put_notes(NULL, 0, notes.s) * LINE);
	put_node(&g, 0, (uint64_t)LT_FLAME_MARGIN * SCALE, 0);
	put_notes(&g.out, bottom, notes.s);
	lt_out_str(&g.out, "<script><![CDATA[\n");
	lt_out_str(&g.out, lt_flame_script);
	lt_out_str(&g.out, "]]></script>\n</svg>\n");
	lt_flame_destroy(&g.tree);
	return lt_out_close(&g.out);
}

const struct lt_exporter lt_export_flamegraph = {
	.name = "flamegraph",
	.help = "One SVG file with zoom and search, for any browser",
	.one_metric = true,
	.profile = profile,
};
