// SPDX-License-Identifier: GPL-2.0
/*
 * The page: what is read for it, and its parts. Tables for those who read without JavaScript stand
 * in it, and the same as data, from which the script makes what can be sorted and searched.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "lifetimes/fan.h"
#include "out/units.h"
#include "page/internal.h"
#include "page/page.h"
#include "print/advice.h"
#include "print/self.h"
#include "uapi/lifetrace_file.h"

struct page {
	const char *file;
	const struct lt_page_options *opts;
	enum lt_space space;
	struct lt_report *caches;
	struct lt_report *sites;
	struct lt_report *tasks;
	struct lt_page_time time;
	struct lt_profile *profile;
	struct lt_trace *trace;		/* of the advice */
	struct lt_trace *own_trace;	/* that, if it is no other's */
	struct lt_advisor *advice;	/* with the leaks */
	struct lt_profile_maker *profile_maker;
	struct lt_advisor_maker *advisor_maker;
	struct lt_page_tasks tree;
	struct lt_page_rows cache_rows;
	struct lt_page_rows site_rows;
};

/* ------------------------------------------------------------------------
 * Reading
 */

static struct lt_report_options report_options(const struct page *p)
{
	return (struct lt_report_options){
		.no_recorder = !p->opts->self, .filter = p->opts->filter, .short_ns = 1000000,
		.within = 16, .long_ns = 1000000000, .space = p->space,
	};
}

/* The profile makes the timeline, too. */
static struct lt_profile_options profile_options(struct page *p, struct lt_trace *t)
{
	struct lt_profile_options o = {
		.report = report_options(p), .peak = true, .n_levels = 1,
		.levels = { LT_LEVEL_TASK }, .marker = lt_page_marker, .arg = &p->time,
	};
	bool stacks = p->space == LT_SPACE_SLAB && lt_trace_has_stacks(t);

	if (lt_space_has_caches(p->space))
		o.levels[o.n_levels++] = LT_LEVEL_CACHE;
	o.levels[o.n_levels++] = stacks ? LT_LEVEL_STACK : LT_LEVEL_SITE;
	o.line = p->time.line = lt_timeline_new(lt_trace_end(t));
	return o;
}

static struct lt_leak_options leak_options(const struct page *p)
{
	return (struct lt_leak_options){
		.no_recorder = !p->opts->self, .filter = p->opts->filter, .space = p->space,
	};
}

/* Profile and advice are made in the pass of the reports. */
static void begin_together(void *arg, struct lt_trace *t, struct lt_lifetime_fan *fan)
{
	struct page *p = arg;
	const struct lt_profile_options profile = profile_options(p, t);
	const struct lt_leak_options leaks = leak_options(p);

	p->profile_maker = lt_profile_begin(t, &profile, &fan->all[fan->n++]);
	p->advisor_maker = lt_advisor_begin(t, &leaks, &fan->all[fan->n++]);
}

static void drop_together(void *arg)
{
	struct page *p = arg;
	struct lt_advisor *advice;

	if (!p->profile_maker)
		return;
	lt_profile_free(lt_profile_end(p->profile_maker, NULL));
	advice = lt_advisor_end(p->advisor_maker);
	if (advice)
		lt_advisor_free(advice);
	p->profile_maker = NULL;
	p->advisor_maker = NULL;
	lt_page_time_free(&p->time);
	p->time = (struct lt_page_time){ .line = NULL };
}

/* Return: 0; 1: they were not made together; -1: the error was reported. */
static int end_together(struct page *p)
{
	if (p->profile_maker && p->time.line->begin != p->caches->watched)
		drop_together(p);
	if (!p->profile_maker)
		return 1;
	p->profile = lt_profile_end(p->profile_maker, p->caches);
	p->advice = lt_advisor_end(p->advisor_maker);
	p->profile_maker = NULL;
	p->advisor_maker = NULL;
	p->trace = p->caches->trace;
	return p->advice ? 0 : -1;
}

/* The first one has the trace of all. */
static int report(struct page *p)
{
	const struct lt_reports_guest guest = {
		.begin = begin_together, .again = drop_together, .arg = p,
	};
	const struct lt_report_options opts = report_options(p);
	struct lt_report_options each[] = { opts, opts, opts };
	struct lt_report *reports[] = { NULL, NULL, NULL };
	int err;

	each[0].by = LT_BY_CACHE;
	each[1].by = LT_BY_SITE;
	each[2].by = LT_BY_TASK;
	each[2].no_spans = each[2].brief = true;
	/* A filter may need the names of caches that are announced later. */
	err = lt_reports_make(p->file, each, 3, reports, p->opts->filter ? NULL : &guest);
	p->caches = reports[0];
	p->sites = reports[1];
	p->tasks = reports[2];
	return err;
}

static int make_alone(struct page *p)
{
	struct lt_profile_options profile = profile_options(p, p->caches->trace);
	const struct lt_leak_options leaks = leak_options(p);

	profile.made = p->caches;
	p->profile = lt_profile_make(p->file, &profile);
	if (!p->profile)
		return -1;
	p->trace = p->own_trace = lt_trace_open(p->file);
	p->advice = p->trace ? lt_advisor_make(p->trace, &leaks) : NULL;
	return p->advice ? 0 : -1;
}

static int read_all(struct page *p)
{
	int err;

	if (report(p) || !lt_space_recorded(p->caches->trace, p->space))
		return -1;
	err = end_together(p);
	if (err > 0)
		err = make_alone(p);
	if (err || lt_page_tasks_read(&p->tree, p->file, p->tasks))
		return -1;
	lt_page_rows_init(&p->cache_rows, p->caches, p->time.line);
	lt_page_rows_init(&p->site_rows, p->sites, p->time.line);
	return 0;
}

static void free_all(struct page *p)
{
	lt_page_rows_destroy(&p->cache_rows);
	lt_page_rows_destroy(&p->site_rows);
	lt_page_tasks_free(&p->tree);
	drop_together(p);
	if (p->advice)
		lt_advisor_free(p->advice);
	lt_trace_close(p->own_trace);
	lt_profile_free(p->profile);
	lt_page_time_free(&p->time);
	lt_report_free(p->tasks);
	lt_report_free(p->sites);
	lt_report_free(p->caches);
}

/* ------------------------------------------------------------------------
 * Data
 */

static void put_all(const struct page *p, struct lt_json *j)
{
	const struct lt_report_row *all = &p->caches->all;

	lt_json_object(j, "all");
	lt_json_u64(j, "allocations", all->births);
	lt_json_u64(j, "bytes", all->bytes);
	lt_json_u64(j, "slack_bytes", all->waste);
	lt_json_u64(j, "alive", all->live);
	lt_json_u64(j, "alive_bytes", all->live_bytes);
	lt_json_u64(j, "maybe_alive_bytes", all->maybe_bytes);
	lt_json_end(j);
}

static void put_data(struct page *p, struct lt_out *o)
{
	struct lt_report_view view = { .file = p->file, .format = LT_FORMAT_JSON, .out = o };
	struct lt_advice_view advice = { .t = p->trace, .out = o, .format = LT_FORMAT_JSON };
	struct lt_json j = LT_JSON_INIT(o);

	lt_json_object(&j, NULL);
	lt_json_word(&j, "space", lt_space_words(p->space)->name);
	lt_json_object(&j, "summary");
	lt_report_summary_json(&j, p->caches, &view);
	put_all(p, &j);
	lt_json_end(&j);
	lt_json_break(&j);
	lt_page_rows_json(&j, "caches", &p->cache_rows);
	lt_json_break(&j);
	lt_page_rows_json(&j, "sites", &p->site_rows);
	lt_json_break(&j);
	lt_page_wrong_json(&j, "leaks", p->trace, p->advice->leaks, &p->site_rows);
	lt_json_break(&j);
	lt_page_time_json(&j, "time", &p->time, p->trace, &p->cache_rows, &p->site_rows);
	lt_json_break(&j);
	lt_page_flame_json(&j, "flame", p->profile);
	lt_json_break(&j);
	lt_json_object(&j, "lives");
	lt_page_lives_json(&j, "caches", &p->cache_rows);
	lt_page_lives_json(&j, "sites", &p->site_rows);
	lt_json_end(&j);
	lt_json_break(&j);
	lt_page_tasks_json(&j, "tasks", &p->tree);
	lt_json_break(&j);
	lt_json_value(&j, "advice");
	lt_advice_print(p->advice, &advice);
	lt_json_end(&j);
}

/* JSON is made in a file of its own, as what stands in a page must be escaped. */
static int copy_data(struct page *p, struct lt_out *o)
{
	FILE *data = tmpfile();
	struct lt_out json;
	int err;

	if (!data) {
		lt_error("cannot make a temporary file: %s", strerror(errno));
		return -1;
	}
	json = (struct lt_out)LT_OUT_NAMED(fileno(data), "a temporary file");
	put_data(p, &json);
	err = lt_out_close(&json);
	if (!err)
		err = lt_html_data(o, data);
	fclose(data);
	return err;
}

/* ------------------------------------------------------------------------
 * HTML
 */

/* The name of the trace, without where it was. */
static const char *title(const struct page *p)
{
	const char *name = lt_file_name(p->file), *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

static void put_head(const struct page *p, struct lt_out *o)
{
	lt_out_str(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "script-src 'sha256-");
	lt_out_str(o, lt_page_js_hash);
	lt_out_str(o, "'; style-src 'sha256-");
	lt_out_str(o, lt_page_css_hash);
	lt_out_str(o, "'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
		   "<meta name=\"referrer\" content=\"no-referrer\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		   "<meta name=\"color-scheme\" content=\"light dark\">\n"
		   "<link rel=\"icon\" href=\"data:,\">\n<title>");
	lt_html_str(o, title(p));
	lt_out_str(o, " \xe2\x80\x93 lifetrace</title>\n<style>");
	lt_out_str(o, lt_page_css);
	lt_out_str(o, "</style>\n</head>\n");
}

static void put_machine(const struct page *p, struct lt_out *o)
{
	static const char *const keys[] = { "hostname", "kernel_release", "machine" };
	const struct lt_trace *t = p->caches->trace;
	char buf[64];

	lt_out_str(o, "<p class=\"machine\">");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = lt_trace_info(t, keys[i]);

		lt_out_str(o, i ? ", " : "");
		lt_html_str(o, value ? value : "?");
	}
	if (lt_clock_has_wall(lt_trace_clock(t))) {
		lt_out_str(o, "; ");
		lt_human_wall(lt_trace_realtime(t, lt_trace_begin(t)), buf, sizeof(buf));
		lt_html_text(o, buf, strlen(buf) < 19 ? strlen(buf) : 19);
		lt_out_str(o, " UTC");
	}
	lt_out_str(o, "; recorded for ");
	lt_html_str(o, lt_human_ns(lt_trace_since(t, lt_trace_end(t)), buf, sizeof(buf)));
	lt_out_str(o, "</p>\n");
}

static void put_figure(struct lt_out *o, const char *name, enum lt_value_type type, uint64_t value)
{
	const struct lt_value v = { .type = type, .u = value };

	lt_out_str(o, "<div><dt>");
	lt_html_str(o, name);
	lt_out_str(o, "</dt><dd>");
	lt_html_value(o, &v);
	lt_out_str(o, "</dd></div>\n");
}

/* What the page is about, as options. */
static void put_filter(const struct page *p, struct lt_out *o)
{
	const struct lt_filter_spec *s = p->opts->chosen;
	const struct { const char *name, *value; } parts[] = {
		{ "cache", s->cache }, { "site", s->site }, { "task", s->task },
		{ "cgroup", s->cgroup }, { "cpu", s->cpus }, { "size", s->size },
		{ "from", s->from }, { "to", s->to },
	};

	lt_out_str(o, "<p class=\"sure\"><b>Filter:</b>");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i].value)
			continue;
		lt_out_str(o, " <code>--");
		lt_out_str(o, parts[i].name);
		lt_out_char(o, '=');
		lt_html_str(o, parts[i].value);
		lt_out_str(o, "</code>");
	}
	lt_out_str(o, "; the figures are those of what it chooses.</p>\n");
}

static void put_self(const struct page *p, struct lt_out *o)
{
	char self[128];

	lt_out_str(o, "<p>");
	lt_out_str(o, lt_self_text(p->caches->own_births, "object", self, sizeof(self)));
	lt_out_str(o, ".</p>\n");
}

static void put_summary(struct page *p, struct lt_out *o)
{
	const struct lt_report_row *all = &p->caches->all;
	struct lt_loss loss = lt_trace_loss(p->caches->trace);
	struct lt_para sure = { .n = 0 };

	lt_report_sure(&sure, p->caches);
	lt_out_str(o, "<section id=\"summary\" aria-label=\"Summary\">\n<p class=\"sure\"><b>How sure:</b> ");
	lt_html_str(o, sure.s);
	lt_out_str(o, ".</p>\n");
	sure = (struct lt_para){ .n = 0 };
	if (!p->opts->filter)
		lt_report_covered(&sure, p->caches, true);
	if (sure.n) {
		lt_out_str(o, "<p class=\"sure\"><b>Cross-check:</b> ");
		lt_html_str(o, sure.s);
		lt_out_str(o, ".</p>\n");
	}
	if (p->space != LT_SPACE_SLAB) {
		lt_out_str(o, "<p class=\"sure\"><b>Memory:</b> ");
		lt_out_str(o, lt_space_words(p->space)->objects);
		lt_out_str(o, "; the figures are of these alone.</p>\n");
	}
	if (p->opts->filter)
		put_filter(p, o);
	lt_out_str(o, "<dl class=\"figures\">\n");
	put_figure(o, "events", LT_VALUE_COUNT, loss.records);
	put_figure(o, loss.at_least ? "events lost, at least" : "events lost", LT_VALUE_COUNT,
		   loss.lost);
	put_figure(o, "allocations", LT_VALUE_COUNT, all->births);
	put_figure(o, "bytes allocated", LT_VALUE_BYTES, all->bytes);
	put_figure(o, "slack in them", LT_VALUE_BYTES, all->waste);
	put_figure(o, "alive at the end", LT_VALUE_BYTES, all->live_bytes);
	put_figure(o, "perhaps alive, too", LT_VALUE_BYTES, all->maybe_bytes);
	put_figure(o, "alive at the peak", LT_VALUE_BYTES, p->caches->peak_bytes);
	lt_out_str(o, "</dl>\n");
	if (p->caches->own_births)
		put_self(p, o);
	lt_out_str(o, "</section>\n");
}

/* A section that only the script can fill. */
static void put_scripted(struct lt_out *o, const char *id, const char *title)
{
	lt_html_section(o, id, title);
	lt_out_str(o, "<noscript><p>This part needs JavaScript; the tables do not.</p></noscript>"
		   "<div class=\"box\"></div></section>\n");
}

static void put_wrong(struct page *p, struct lt_out *o)
{
	lt_html_section(o, "wrong", "What is wrong");
	lt_out_str(o, "<div class=\"box\">");
	lt_page_wrong_html(o, p->trace, p->advice->leaks);
	lt_out_str(o, "</div></section>\n");
}

static void put_memory(struct page *p, struct lt_out *o)
{
	lt_html_section(o, "memory", "Memory over time");
	lt_out_str(o, "<noscript><p>The chart needs JavaScript; the tables do not.</p></noscript>"
		   "<div class=\"box\">");
	lt_page_markers_html(o, &p->time, p->trace);
	lt_out_str(o, "</div></section>\n");
}

static void put_table(struct lt_out *o, const char *id, const char *title,
		      const struct lt_page_rows *rows)
{
	char note[256];

	lt_html_section(o, id, title);
	lt_out_str(o, "<div class=\"box\"><p>Growth is that of the bytes alive in the second half of the "
		   "time.</p>\n");
	if (rows->total > LT_PAGE_STATIC) {
		snprintf(note, sizeof(note), "<p>%d of %zu rows; <code>lifetrace report --by=%s "
			 "--space=%s --sort=alive_bytes -n 0</code> prints all.</p>\n",
			 LT_PAGE_STATIC, rows->total,
			 rows->r->opts.by == LT_BY_SITE ? "site" : "cache",
			 lt_space_words(rows->r->opts.space)->name);
		lt_out_str(o, note);
	}
	lt_html_table(o, rows, title);
	lt_out_str(o, "</div></section>\n");
}

static void put_advice(struct page *p, struct lt_out *o)
{
	struct lt_advice_view view = { .t = p->trace, .format = LT_FORMAT_TEXT, .width = 100 };
	struct lt_out text = LT_OUT_INIT(-1);

	view.out = &text;
	view.top = LT_PAGE_STATIC;
	lt_advice_print(p->advice, &view);
	lt_html_section(o, "advice", "Advice");
	lt_out_str(o, "<div class=\"box\"><pre>");
	for (size_t i = 0, n; i < text.used; i += n + 1) {
		const char *end = memchr(text.buf + i, '\n', text.used - i);

		n = end ? (size_t)(end - text.buf) - i : text.used - i;
		lt_html_text(o, text.buf + i, n);
		lt_out_char(o, '\n');
	}
	lt_out_str(o, "</pre></div></section>\n");
	free(text.buf);
}

static int put_page(struct page *p, struct lt_out *o)
{
	int err;

	put_head(p, o);
	lt_out_str(o, "<body>\n<header><h1>");
	lt_html_str(o, title(p));
	lt_out_str(o, "</h1>\n");
	put_machine(p, o);
	lt_out_str(o, "</header>\n<nav aria-label=\"Sections\"><a href=\"#wrong\">What is wrong</a> "
		   "<a href=\"#memory\">Memory</a> <a href=\"#flame\">Paths</a> "
		   "<a href=\"#sites\">Call sites</a> ");
	if (lt_space_has_caches(p->space))
		lt_out_str(o, p->space == LT_SPACE_SLAB ? "<a href=\"#caches\">Caches</a> " :
			   "<a href=\"#caches\">Devices</a> ");
	lt_out_str(o, "<a href=\"#lives\">Lifetimes</a> <a href=\"#tasks\">Processes</a> <a href=\"#advice\">Advice</a></nav>\n"
		   "<main>\n<svg id=\"ns\" width=\"0\" height=\"0\" aria-hidden=\"true\"></svg>\n");
	put_summary(p, o);
	put_wrong(p, o);
	put_memory(p, o);
	put_scripted(o, "flame", "Paths");
	put_table(o, "sites", "Call sites", &p->site_rows);
	if (lt_space_has_caches(p->space))
		put_table(o, "caches", p->space == LT_SPACE_SLAB ? "Slab caches" : "Devices",
			  &p->cache_rows);
	put_scripted(o, "lives", "Lifetimes");
	lt_html_section(o, "tasks", "Processes");
	lt_out_str(o, "<div class=\"box\">");
	lt_page_tasks_html(o, &p->tree);
	lt_out_str(o, "</div></section>\n");
	put_advice(p, o);
	lt_out_str(o, "</main>\n<script type=\"application/json\" id=\"data\">");
	err = copy_data(p, o);
	lt_out_str(o, "</script>\n<script>");
	lt_out_str(o, lt_page_js);
	lt_out_str(o, "</script>\n</body>\n</html>\n");
	return err;
}

int lt_page_write(const char *file, const struct lt_page_options *opts, int fd,
		  const char *name)
{
	struct page p = {
		.file = file, .opts = opts, .space = lt_space_chosen(opts->space),
	};
	struct lt_out o = LT_OUT_NAMED(fd, name);
	int err = read_all(&p);

	if (!err)
		err = put_page(&p, &o);
	if (lt_out_close(&o))
		err = -1;
	free_all(&p);
	return err ? -1 : 0;
}
