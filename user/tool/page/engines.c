// SPDX-License-Identifier: GPL-2.0
/*
 * The page of "lifetrace engines": what each saw and cost, where they differ and why, and the tasks
 * of the command over time. It has no script: nothing of it can be chosen.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/engines.h"
#include "page/internal.h"
#include "print/lanes.h"
#include "tasks/words.h"

#define MOST	1000U	/* differences in the page */

static void put_head(struct lt_out *o)
{
	/* The picture has a style of its own. Without a script, styles cannot do anything. */
	lt_out_str(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
		   "<meta name=\"referrer\" content=\"no-referrer\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		   "<meta name=\"color-scheme\" content=\"light dark\">\n"
		   "<link rel=\"icon\" href=\"data:,\">\n<title>engines \xe2\x80\x93 lifetrace</title>\n<style>");
	lt_out_str(o, lt_page_css);
	/*
	 * Names in the picture have to be read: on a narrow screen it is scrolled, as tables are.
	 */
	lt_out_str(o, "svg { min-width: 60rem; height: auto; }\n</style>\n</head>\n");
}

/* ------------------------------------------------------------------------
 * Tables
 */

static bool is_text(const struct lt_column *c)
{
	return LT_VALUE_IS_TEXT(c->type);
}

static void put_header(struct lt_out *o, const struct lt_column *const *columns, size_t n,
		       const char *caption)
{
	lt_out_str(o, "<div class=\"scroll\"><table><caption>");
	lt_html_str(o, caption);
	lt_out_str(o, "</caption><thead><tr>");
	for (size_t i = 0; i < n; i++) {
		lt_out_str(o, is_text(columns[i]) ? "<th scope=\"col\" class=\"name\" title=\"" :
						    "<th scope=\"col\" title=\"");
		lt_html_str(o, columns[i]->meaning);
		lt_out_str(o, "\">");
		lt_html_str(o, columns[i]->header);
		lt_out_str(o, "</th>");
	}
	lt_out_str(o, "</tr></thead><tbody>\n");
}

static void put_row(struct lt_out *o, const struct lt_column *const *columns, size_t n,
		    const void *row, const void *ctx)
{
	lt_out_str(o, "<tr>");
	for (size_t i = 0; i < n; i++) {
		struct lt_value v = { .type = LT_VALUE_NONE };

		lt_row_get(columns[i], row, (void *)(uintptr_t)ctx, &v);
		lt_out_str(o, is_text(columns[i]) ? "<td class=\"name\">" : "<td>");
		if (v.type == LT_VALUE_NAME)
			lt_html_text(o, v.text, v.len);
		else if (v.type == LT_VALUE_NONE)
			lt_out_str(o, "\xe2\x80\x93");
		else
			lt_html_value(o, &v);
		lt_out_str(o, "</td>");
	}
	lt_out_str(o, "</tr>\n");
}

static bool any_has(const struct lt_engines_view *v, const struct lt_column *c)
{
	for (size_t i = 0; i < v->n; i++) {
		struct lt_value value;

		lt_row_get(c, &v->rows[i], NULL, &value);
		if (value.type != LT_VALUE_NONE)
			return true;
	}
	return false;
}

/* Without columns of which no engine has anything. */
static void put_engines(struct lt_out *o, const struct lt_engines_view *v)
{
	const struct lt_column **columns;
	size_t all = lt_row_columns(&lt_rows_of_engines, LT_COLUMN_LINES, &columns), n = 0;

	for (size_t i = 0; i < all; i++) {
		if (any_has(v, columns[i]))
			columns[n++] = columns[i];
	}
	lt_html_section(o, "engines", "Engines");
	put_header(o, columns, n, "What each saw of the command and all that it created");
	for (size_t i = 0; i < v->n; i++)
		put_row(o, columns, n, &v->rows[i], NULL);
	lt_out_str(o, "</tbody></table></div>\n</section>\n");
	free(columns);
}

static void put_sums(struct lt_out *o, const struct lt_engines *e)
{
	struct lt_engines_sums sums;

	lt_engines_sum(e, &sums);
	lt_out_str(o, "<div class=\"scroll\"><table><caption>By cause</caption><thead><tr>"
		   "<th scope=\"col\">engine</th><th scope=\"col\" class=\"name\">difference</th>"
		   "<th scope=\"col\" class=\"name\">cause</th><th scope=\"col\">how many</th></tr></thead><tbody>\n");
	for (unsigned int side = 0; side < e->n_sides; side++) {
		for (unsigned int k = 0; k < LT_N_ENGINE_WHATS * LT_N_ENGINE_CAUSES; k++) {
			enum lt_engine_what what = k / LT_N_ENGINE_CAUSES;
			enum lt_engine_cause cause = k % LT_N_ENGINE_CAUSES;
			uint64_t n = sums.n[side][what][cause];

			if (!n)
				continue;
			lt_out_str(o, "<tr><td class=\"name\">");
			lt_html_str(o, e->sides[side].name);
			lt_out_str(o, "</td><td class=\"name\">");
			lt_html_str(o, lt_engine_what_name(what));
			lt_out_str(o, "</td><td class=\"name\">");
			lt_html_str(o, lt_engine_cause_name(cause));
			lt_outf(o, "</td><td>%" PRIu64 "</td></tr>\n", n);
		}
	}
	lt_out_str(o, "</tbody></table></div>\n");
}

static void put_differences(struct lt_out *o, const struct lt_engines *e)
{
	const struct lt_column **columns;
	size_t n = lt_row_columns(&lt_rows_of_engine_differences, LT_COLUMN_LINES, &columns);

	lt_html_section(o, "differences", "Differences");
	if (e->n_differences)
		put_sums(o, e);
	else
		lt_out_str(o, "<p>There are none.</p>\n");
	if (e->n_differences > MOST)
		lt_outf(o, "<p>%u of %zu differences; <code>lifetrace engines --differences</code> prints all.</p>\n",
			MOST, e->n_differences);
	if (e->n_differences) {
		put_header(o, columns, n, "One by one");
		for (size_t i = 0; i < e->n_differences && i < MOST; i++)
			put_row(o, columns, n, &e->differences[i], e);
		lt_out_str(o, "</tbody></table></div>\n");
	}
	lt_out_str(o, "</section>\n");
	free(columns);
}

/* ------------------------------------------------------------------------
 * The picture
 */

/* Of the engines that recorded the command, the engine that is believed most. */
static const struct lt_engine_side *believed(const struct lt_engines *e)
{
	for (unsigned int i = 0; i < e->n_sides; i++) {
		if (e->sides[i].root)
			return &e->sides[i];
	}
	return NULL;
}

static void put_lanes(struct lt_out *o, const struct lt_engines *e)
{
	const struct lt_engine_side *side = believed(e);
	struct lt_lanes *lanes;
	struct lt_times times;

	if (!side || lt_times_init(&times, LT_TIMES_BEGIN, side->trace))
		return;
	lanes = lt_lanes_new(side->tasks, side->trace);
	for (uint32_t inst = 1; inst <= lt_tasks_count(side->tasks); inst++) {
		if (side->life_of[inst] && !lt_task_is_thread(lt_tasks_get(side->tasks, inst)))
			lt_lanes_add(lanes, inst);
	}
	lt_html_section(o, "lanes", "Processes over time");
	lt_out_str(o, "<p>As the engine ");
	lt_html_str(o, side->name);
	lt_out_str(o, " has them.</p>\n<div class=\"scroll\">\n");
	lt_lanes_print(lanes, o, &times, NULL, true);
	lt_out_str(o, "</div>\n</section>\n");
	lt_lanes_free(lanes);
}

static void put_command(struct lt_out *o, char *const *command)
{
	lt_out_str(o, "<p class=\"machine\">");
	if (command)
		lt_out_str(o, "<code>");
	else
		lt_out_str(o, "Traces that were recorded before");
	for (size_t i = 0; command && command[i]; i++) {
		lt_out_str(o, i ? " " : "");
		lt_html_str(o, command[i]);
	}
	lt_out_str(o, command ? "</code></p>\n" : "</p>\n");
}

int lt_page_engines_write(const struct lt_engines_view *v, char *const *command, int fd,
			  const char *name)
{
	struct lt_out o = LT_OUT_NAMED(fd, name);

	put_head(&o);
	lt_out_str(&o, "<body>\n<header><h1>Engines side by side</h1>\n");
	put_command(&o, command);
	lt_out_str(&o, "</header>\n<nav aria-label=\"Sections\"><a href=\"#engines\">Engines</a> "
		   "<a href=\"#differences\">Differences</a> <a href=\"#lanes\">Processes over time</a></nav>\n<main>\n");
	put_engines(&o, v);
	if (v->e) {
		put_differences(&o, v->e);
		put_lanes(&o, v->e);
	}
	lt_out_str(&o, "</main>\n</body>\n</html>\n");
	return lt_out_close(&o) ? -1 : 0;
}
