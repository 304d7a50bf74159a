// SPDX-License-Identifier: GPL-2.0
/*
 * The first screen of a report: which trace this is, how sure the answers are, the few largest
 * numbers, and the commands for more. It has at most 22 lines, so that a terminal of 24 shows the
 * prompt, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "out/next.h"
#include "out/units.h"
#include "print/report_columns.h"

#define LABEL		17	/* characters of what a number is */
#define LINES		22	/* of the first screen */
#define COMMANDS	3	/* lines of the heading and of commands that are always there */
#define FILE_MAX	20	/* characters of a file name that fits into a command */

/* ------------------------------------------------------------------------
 * The numbers
 */

struct fact {
	const char *objects;	/* columns; NULL: none */
	const char *bytes;
	const char *top;	/* the column by which a row is the largest */
};

static uint64_t number(struct lt_report *r, const struct lt_report_row *row, const char *column)
{
	struct lt_value v;

	lt_report_value(r, row, column, &v);
	return v.type == LT_VALUE_NONE ? 0 : v.u;
}

/* Return: the row with the largest part; NULL: there is none. */
static const struct lt_report_row *put_fact(struct lt_report *r, const struct lt_report_view *p,
					    const char *heading, const struct fact *f)
{
	const struct lt_report_row *top = lt_report_top(r, f->top);
	char objects[32] = "", bytes[32], part[32], name[256], cache[128], line[LT_SITE_TEXT];
	const char *source;
	struct lt_para t = { .n = 0 };
	size_t width = strlen(heading);

	lt_report_heading(p, heading);
	if (f->objects)
		lt_human_count(number(r, &r->all, f->objects), objects, sizeof(objects));
	lt_para_add(&t, "%*s%10s %10s", width < LABEL ? (int)(LABEL - width) : 0, "", objects,
		    lt_human_bytes(number(r, &r->all, f->bytes), bytes, sizeof(bytes)));
	if (top) {
		lt_para_add(&t, " %5s %s",
			    lt_report_share(number(r, top, f->top), number(r, &r->all, f->top),
					    part, sizeof(part)),
			    lt_report_label(r, top, name, sizeof(name)));
		source = p->lines && r->opts.by == LT_BY_SITE && top->site ?
			 lt_site_source(lt_lines_find(p->lines, top->site), line, sizeof(line)) :
			 NULL;
		if (source)
			lt_para_add(&t, "  %s", source);
		if (r->opts.by == LT_BY_SITE && lt_space_has_caches(r->opts.space))
			lt_para_add(&t, " (%s)",
				    lt_cache_key_shown(r->trace, top->cache, cache, sizeof(cache)));
	}
	lt_para_line(&t, p->out, p->width > width ? p->width - (unsigned int)width : p->width);
	return top;
}

/* The interval of an estimate. Return: the number of lines. */
static unsigned int put_interval(const struct lt_report *r, const struct lt_report_view *p,
				 struct lt_interval objects, struct lt_interval bytes)
{
	char n[32], to_n[32], size[32], to_size[32];
	struct lt_para t = { .n = 0 };

	if (!r->sample)
		return 0;
	if (!objects.known && !bytes.known)
		return 0;
	lt_para_add(&t, "  95 %%: ");
	if (objects.known)
		lt_para_add(&t, "%s to %s", lt_human_count(objects.low, n, sizeof(n)),
			    lt_human_count(objects.high, to_n, sizeof(to_n)));
	if (bytes.known)
		lt_para_add(&t, ", %s to %s", lt_human_bytes(bytes.low, size, sizeof(size)),
			    lt_human_bytes(bytes.high, to_size, sizeof(to_size)));
	else
		lt_para_add(&t, ", bytes not known");
	lt_para_line(&t, p->out, p->width);
	return 1;
}

/* The path to the top call site of a fact. Return: the number of lines. */
static unsigned int put_path(const struct lt_report *r, const struct lt_report_view *p,
			     const struct lt_report_row *top, const char *column)
{
	struct lt_para t = { .n = 0 };

	if (!top || r->opts.by != LT_BY_SITE)
		return 0;
	lt_para_add(&t, "  ");
	if (!lt_report_path(p->stacks, top->site, column, &t))
		return 0;
	lt_para_line(&t, p->out, p->width);
	return 1;
}

/* Return: the number of lines. */
static unsigned int put_facts(struct lt_report *r, const struct lt_report_view *p)
{
	static const struct fact alive = { "alive", "alive_bytes", "alive_bytes" };
	static const struct fact maybe = {
		"maybe_alive", "maybe_alive_bytes", "maybe_alive_bytes"
	};
	static const struct fact peak = { "peak_alive", "peak_bytes", "peak_bytes" };
	static const struct fact churn = { "allocations", "bytes", "allocations" };
	static const struct fact slack = { NULL, "slack_bytes", "slack_bytes" };
	const struct lt_report_row *kept, *made;
	struct lt_para t = { .n = 0 };
	struct lt_value rate;
	char at[LT_TIME_TEXT], heading[96], then[LT_TIME_TEXT + 8];
	struct lt_times times;
	unsigned int paths;

	lt_para_add(&t, "%-*s%10s %10s  share of the top %s", LABEL, "",
		    lt_space_words(r->opts.space)->pieces, "bytes", lt_report_what(r));
	lt_para_line(&t, p->out, p->width);
	snprintf(heading, sizeof(heading), "Alive %s", lt_report_then(r, p->times, then));
	kept = put_fact(r, p, heading, &alive);
	paths = put_path(r, p, kept, alive.top);
	paths += put_interval(r, p, lt_spread_interval(&r->all.live_off, r->all.live),
			      lt_spread_interval(&r->all.live_bytes_off, r->all.live_bytes));
	if (r->all.maybe)
		put_fact(r, p, "  perhaps alive", &maybe);
	if (r->peak_bytes) {
		lt_times_init(&times, p->times, r->trace);
		snprintf(heading, sizeof(heading), "Peak, at %s",
			 lt_times_human(&times, r->peak_time, at));
		put_fact(r, p, heading, &peak);
	}
	lt_report_value(r, &r->all, "rate_per_s", &rate);
	snprintf(heading, sizeof(heading), rate.type == LT_VALUE_RATE ? "Churn, %.0f/s" : "Churn",
		 rate.d);
	made = put_fact(r, p, heading, &churn);
	if (made && (!kept || made->site != kept->site))
		paths += put_path(r, p, made, churn.top);
	paths += put_interval(r, p, lt_spread_interval(&r->all.births_off, r->all.births),
			      lt_spread_interval(&r->all.bytes_off, r->all.bytes));
	if (r->all.waste)
		put_fact(r, p, "Slack", &slack);
	return 3U + paths + (r->all.maybe > 0) + (r->peak_bytes > 0) + (r->all.waste > 0);
}

/*
 * "50 % up to 27.0 us": from the exact lifetimes and the ages of what is alive. Return: the
 * number of lines.
 */
static unsigned int put_lifetimes(struct lt_report *r, const struct lt_report_view *p)
{
	static const unsigned int percents[] = { 50, 90, 99 };
	struct lt_para t = { .n = 0 };
	char buf[32];
	uint64_t ns;

	if (!r->all.life.n && !r->all.ages.n)
		return 0;
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		bool reached = lt_report_percentile(&r->all, percents[i], &ns);

		lt_human_ns(ns, buf, sizeof(buf));
		if (!reached) {
			/* The greatest age up to which enough of them were watched. */
			lt_para_add(&t, "%sover %u %% above %s", i ? "; " : "",
				    100 - percents[i], buf);
			break;
		}
		lt_para_add(&t, "%s%u %% up to %s", i ? ", " : "", percents[i], buf);
	}
	return lt_report_paragraph(p, "Lifetime", &t);
}

/* ------------------------------------------------------------------------
 * The commands
 */

/*
 * The name of the file as a word of a command, also "-" for standard input, or a word in its
 * place; "": none is needed. To be freed.
 */
static char *file_word(const struct lt_report_view *p)
{
	if (p->default_file)
		return lt_strdup("");
	if (p->several)
		return lt_strdup("FILE...");
	return strlen(p->file) > FILE_MAX ? lt_strdup("FILE") : lt_shell_word(p->file);
}

static void put_command(const struct lt_report *r, const struct lt_report_view *p,
			const char *words, const char *what)
{
	const char *options = p->options;
	char *file = file_word(p);
	struct lt_para t = { .n = 0 };
	char with[512];

	/* What is printed must be about the same objects as this answer. */
	if (strncmp(words, "report", 6))
		options = p->filters;
	else if (r->opts.space != LT_SPACE_SLAB)
		snprintf(with, sizeof(with), "%s --space=%s%s", words,
			 lt_space_words(r->opts.space)->name, options ? options : "");
	if (r->opts.space == LT_SPACE_SLAB || strncmp(words, "report", 6))
		snprintf(with, sizeof(with), "%s%s", words, options ? options : "");
	lt_para_add(&t, "  lifetrace %-16s %s%s%s", with, file, *file ? "  " : " ", what);
	/* With options it is printed whole: half of a command is another one. */
	lt_para_line(&t, p->out, options && *options ? 0 : p->width);
	free(file);
}

/* A command for a list that is not empty, if there is room for one more line. */
static void put_count(const struct lt_report *r, const struct lt_report_view *p,
		      const char *words, uint64_t count, const char *what, unsigned int *room)
{
	char n[32], text[128];

	if (!count || !*room)
		return;
	--*room;
	snprintf(text, sizeof(text), what, lt_human_count(count, n, sizeof(n)));
	put_command(r, p, words, text);
}

static void put_commands(struct lt_report *r, const struct lt_report_view *p, unsigned int room)
{
	char limit[32], text[128];

	bool by_task = room, all = room > 1;

	room -= (unsigned int)by_task + (unsigned int)all;
	lt_report_heading(p, "Deeper");
	lt_out_char(p->out, '\n');
	put_command(r, p, "report alive", "also: peak, churn, slack");
	snprintf(text, sizeof(text), "%%s lived up to %s",
		 lt_human_ns(r->opts.short_ns, limit, sizeof(limit)));
	put_count(r, p, "report short", r->all.shorts, text, &room);
	snprintf(text, sizeof(text), "%%s lived %s or longer",
		 lt_human_ns(r->opts.long_ns, limit, sizeof(limit)));
	put_count(r, p, "report long", r->all.longs, text, &room);
	put_count(r, p, "report remote", r->all.other_cpu, "%s freed on another CPU", &room);
	put_count(r, p, "report outlives", r->all.outlived, "%s outlived their maker", &room);
	if (by_task)
		put_command(r, p, "report --by=task", lt_space_has_caches(r->opts.space) ?
			    "also: cache, process, size" : "also: process, size");
	if (all)
		put_command(r, p, "report --all", "all lists, histogram");
	if (!r->opts.at)
		put_command(r, p, "lifetimes", "each object");
}

void lt_report_screen(struct lt_report *r, const struct lt_report_view *p)
{
	unsigned int used = 2 + COMMANDS;	/* with two empty lines */

	used += lt_report_head(r, p);
	lt_out_char(p->out, '\n');
	used += put_facts(r, p);
	used += put_lifetimes(r, p);
	lt_out_char(p->out, '\n');
	put_commands(r, p, used < LINES ? LINES - used : 0);
}
