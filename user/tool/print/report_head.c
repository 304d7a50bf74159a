// SPDX-License-Identifier: GPL-2.0
/*
 * The first lines of a report: which trace this is, and how sure the answers are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/str.h"
#include "base/text.h"
#include "format/packet.h"
#include "format/whose.h"
#include "out/terminal.h"
#include "out/units.h"
#include "print/parts.h"
#include "print/report.h"
#include "trace/part.h"

#define NAME_LONG	40	/* characters of a file name, above which only its end is printed */
#define MARGIN		13	/* where the text of a paragraph begins */

void lt_report_heading(const struct lt_report_view *p, const char *text)
{
	lt_out_str(p->out, p->bold ? "\033[1m" : "");
	lt_out_text(p->out, text, strlen(text));
	lt_out_str(p->out, p->bold ? "\033[m" : "");
}

unsigned int lt_report_paragraph(const struct lt_report_view *p, const char *heading,
				 const struct lt_para *t)
{
	size_t width = p->width > MARGIN + 20 ? p->width - MARGIN : LT_TEXT_WIDTH - MARGIN;
	unsigned int lines = 0;
	const char *s = t->s;

	lt_report_heading(p, heading);
	for (size_t n = strlen(heading); *s; n = 0) {
		size_t len = strlen(s);

		if (len > width) {
			len = width;
			while (len && s[len] != ' ')
				len--;
			len = len ? len : width;
		}
		while (n++ < MARGIN)
			lt_out_char(p->out, ' ');
		lt_out_text(p->out, s, len);
		lt_out_char(p->out, '\n');
		s += len;
		s += *s == ' ';
		lines++;
	}
	return lines;
}

/* The number of CPUs in a list like "0-3,8"; 0: not known. */
static unsigned long count_cpus(const char *list)
{
	unsigned long n = 0, first, last;
	char *end;

	while (list && *list >= '0' && *list <= '9') {
		first = last = strtoul(list, &end, 10);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		n += last >= first && last - first < 65536 ? last - first + 1 : 0;
		list = *end == ',' ? end + 1 : NULL;
	}
	return n;
}

/* The first line, and the begin of the second. */
static void put_machine(const struct lt_report_view *p, struct lt_para *t,
			const struct lt_trace *trace)
{
	const char *value = lt_trace_info(trace, "hostname");
	unsigned long cpus;
	char mem[32];
	uint64_t bytes;

	/* A trace that was imported may have empty values. */
	lt_para_add(t, "%s", value && *value ? value : "a machine without a name");
	value = lt_trace_info(trace, "kernel_release");
	if (value && *value)
		lt_para_add(t, ", kernel %s", value);
	lt_para_line(t, p->out, p->width);
	t->n = 0;
	value = lt_trace_info(trace, "machine");
	lt_para_add(t, "%s", value && *value ? value : "unknown machine");
	cpus = count_cpus(lt_trace_info(trace, "cpus_online"));
	if (cpus)
		lt_para_add(t, ", %lu CPU%s", cpus, cpus == 1 ? "" : "s");
	value = lt_trace_info(trace, "mem_total");
	if (value && lt_number(value, 10, &bytes))
		lt_para_add(t, ", %s", lt_human_bytes(bytes, mem, sizeof(mem)));
}

const char *lt_report_share(uint64_t part, uint64_t whole, char *buf, size_t size)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (part && percent < 1)
		snprintf(buf, size, "<1 %%");
	else if (part < whole && percent > 99)
		snprintf(buf, size, ">99 %%");
	else
		snprintf(buf, size, "%.0f %%", percent);
	return buf;
}

const char *lt_report_then(const struct lt_report *r, enum lt_times_base base, char *buf)
{
	char at[LT_TIME_TEXT];
	struct lt_times times;

	if (!r->opts.at)
		return "at the end";
	lt_times_init(&times, base, r->trace);
	snprintf(buf, LT_TIME_TEXT + 8, "at %s", lt_times_human(&times, r->opts.at, at));
	return buf;
}

/* Whether births were left out on request, while all frees were recorded. */
static bool births_chosen(const struct lt_trace *t)
{
	const char *min_size = lt_trace_info(t, "min_size");
	struct lt_str births = { 0 };
	bool chosen;

	lt_births_describe(&births, t, true);
	chosen = births.n || (min_size && strcmp(min_size, "0"));
	free(births.s);
	return chosen;
}

static void add_certainties(struct lt_para *t, const struct lt_report *r)
{
	const char *const words[LT_N_CERTAINTIES] = {
		[LT_EXACT] = "exact", [LT_OPEN] = r->opts.at ? "alive then" : "alive at the end",
		[LT_BEFORE] = births_chosen(r->trace) ?
			"with a birth that was not recorded" : "older than the trace",
		[LT_BOUNDED] = "with an end that was not seen",
		[LT_UNCERTAIN] = "uncertain",
	};
	const uint64_t *c = r->stats.certainty[r->opts.space];
	const char *comma = "";
	uint64_t sum = 0;
	char n[32];

	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		sum += c[i];
	if (!sum) {
		lt_para_add(t, "no lifetime of %s was seen",
			    lt_space_words(r->opts.space)->objects);
		return;
	}
	lt_para_add(t, "of %s lifetimes%s%s ", lt_human_count(sum, n, sizeof(n)),
		    r->sample ? " in the sample" : "", r->opts.filter ? " that pass the filter" : "");
	for (int i = 0; i < LT_N_CERTAINTIES; i++) {
		if (!c[i])
			continue;
		lt_para_add(t, "%s%s %s", comma, lt_report_share(c[i], sum, n, sizeof(n)),
			    words[i]);
		comma = ", ";
	}
}

/* Why lifetimes are uncertain. */
static void add_causes(struct lt_para *t, const struct lt_report *r)
{
	const uint64_t *n = r->stats.why[r->opts.space];
	const char *before = " (";
	char buf[32];

	for (int i = LT_WHY_NONE + 1; i < LT_WHY_NO_BIRTH; i++) {
		if (!n[i])
			continue;
		lt_para_add(t, "%s%s: %s", before, lt_cause_text((enum lt_cause)i),
			    lt_human_count(n[i], buf, sizeof(buf)));
		before = ", ";
	}
	if (*before == ',')
		lt_para_add(t, ")");
}

/* What the buffers had held before, where they were overwritten. */
static void add_overwritten(struct lt_para *t, const struct lt_trace *trace)
{
	uint64_t begin = lt_trace_window_begin(trace), end = lt_trace_end(trace), sum = 0;
	char n[32], span[32];

	if (!lt_trace_overwrites(trace))
		return;
	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++)
		sum += lt_trace_overwritten(trace, i);
	lt_para_add(t, "; %s events were overwritten, whole are the last %s",
		    lt_human_count(sum, n, sizeof(n)),
		    lt_human_ns(end > begin ? end - begin : 0, span, sizeof(span)));
}

/* What the file is about, if it is not all that the machine did. */
static void add_whose(struct lt_para *t, const struct lt_trace *trace)
{
	char *whose = lt_trace_file(trace) ? lt_part_whose(lt_trace_file(trace)) : NULL;
	const char *pos = whose, *line, *before = "; the file has only what ";
	size_t len;

	for (; pos && lt_line(&pos, &line, &len); before = " and ") {
		bool below = !strncmp(line, "root=", 5);

		lt_para_add(t, "%s%.*s%s", before, (int)len - 5, line + 5,
			    below ? " and all below it" : "");
	}
	if (whose)
		lt_para_add(t, " did");
	free(whose);
}

static void add_loss(struct lt_para *t, const struct lt_trace *trace)
{
	struct lt_loss s = lt_trace_loss(trace);
	const struct lt_gap *list;
	size_t gaps = lt_trace_gaps(trace, &list);
	struct lt_left_out left_out = lt_trace_left_out(trace);
	char n[32], of[32], absent[128];

	if (*lt_parts_absent(trace, absent, sizeof(absent)))
		lt_para_add(t, "; %s %s", lt_trace_dir(trace)->parts[0].is_window ?
			    "a window of a trace, without what came" :
			    "parts of the recording are missing:", absent);
	if (s.lost)
		lt_para_add(t, "; %s%s event%s lost, %s recorded", s.at_least ? "at least " : "",
			    lt_human_count(s.lost, n, sizeof(n)), s.lost == 1 ? "" : "s",
			    lt_human_count(s.records, of, sizeof(of)));
	if (s.missed)
		lt_para_add(t, "; %s calls missed by the kernel's probes",
			    lt_human_count(s.missed, n, sizeof(n)));
	if (lt_trace_dir(trace)->torn)
		lt_para_add(t, "; the file has no end: what came later is lost");
	if (left_out.packets)
		lt_para_add(t, "; --max-size=%s left the last %s packets out",
			    lt_human_bytes(left_out.max_size, of, sizeof(of)),
			    lt_human_count(left_out.packets, n, sizeof(n)));
	if (gaps)
		lt_para_add(t, "; %zu stretch%s of time with a gap", gaps, gaps == 1 ? "" : "es");
	if (!s.lost && !s.missed && !gaps && !left_out.packets && !*absent)
		lt_para_add(t, "; %s", s.at_least ?
			    "no loss is in the text of perf script, which has them with "
			    "--show-lost-events alone" : "nothing lost");
}

static bool is_one_unwatched(const char *line, size_t len, const char *const *names,
			     const char **which)
{
	char why[64];

	for (; *names; names++) {
		if (!lt_line_unwatched(line, len, *names, why, sizeof(why)))
			continue;
		*which = *names;
		return true;
	}
	return false;
}

/* The events that lifetimes need and that were not watched. */
static void add_unwatched(struct lt_para *t, const struct lt_report *r)
{
	const struct lt_space_events *e = lt_space_events(r->opts.space);
	const char *text = lt_trace_text(r->trace, LT_BLOCK_EVENTS, SIZE_MAX), *line, *name;
	const char *before = "; not watched: ";
	size_t len;

	while (text && lt_line(&text, &line, &len)) {
		if (!is_one_unwatched(line, len, e->births, &name) &&
		    !is_one_unwatched(line, len, e->deaths, &name) &&
		    !is_one_unwatched(line, len, e->changes, &name))
			continue;
		lt_para_add(t, "%s%s", before, name);
		before = ", ";
	}
}

static void add_choice(struct lt_para *t, const struct lt_report *r)
{
	const struct lt_trace *trace = r->trace;
	const char *always = lt_trace_sample_changes(trace) ? " all the time" : "";
	struct lt_str births = { 0 };
	const char *value;

	lt_births_describe(&births, trace, true);
	if (births.n)
		lt_para_add(t, "; only births %s", births.s);
	free(births.s);

	value = lt_trace_info(trace, "min_size");
	if (value && strcmp(value, "0"))
		lt_para_add(t, "; less than %s bytes left out", value);
	if (r->sample && lt_trace_sample_changed(trace))
		lt_para_add(t, "; a sample that changed: at the least, objects at 1 in %u addresses were "
			    "recorded; each counts as many as the sample says in which it was born, and what "
			    "is said of its life as the smallest sample of its life says",
			    r->sample);
	else if (r->sample)
		lt_para_add(t, "; a sample: only objects at 1 in %u addresses were recorded, and each "
			    "counts as %u", r->sample, r->sample);
	else if (lt_trace_sample(trace) > 1)
		lt_para_add(t, "; a sample, not scaled up: only objects at 1 in %u addresses were recorded%s",
			    lt_trace_sample(trace), always);
	value = lt_trace_info(trace, "stacks");
	if (value && !strcmp(value, "1"))
		lt_para_add(t, "; call stacks of all objects");
	else if (value && strcmp(value, "0"))
		lt_para_add(t, "; call stacks (←) are sampled, of objects at 1 in %s addresses",
			    value);
	value = lt_trace_info(trace, "stack_min");
	if (value && strcmp(value, "0"))
		lt_para_add(t, "; call stacks only of objects of %s bytes and more", value);
}

/* Whether the births of rows have intervals. */
static bool are_rows_known(const struct lt_report *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		if (r->rows[i].births_off.unknown)
			return false;
	}
	return true;
}

/*
 * How many allocations of a sample there were is known. An address that is used more than others
 * and was left out makes all estimates of allocations too low; see lt_spread_count().
 */
static void add_counted(struct lt_para *t, const struct lt_report *r)
{
	uint64_t counted = lt_births_counted(r->trace, r->opts.space);
	char n[32], of[32];

	if (!counted) {
		lt_para_add(t, "; allocations were not counted, so estimates of them have no interval");
		return;
	}
	lt_para_add(t, "; counted were %s allocations, recorded or not",
		    lt_human_count(counted, n, sizeof(n)));
	if (are_rows_known(r))
		return;
	lt_para_add(t, " (%s by the sample: a few addresses are used so often that it shows little of "
		    "allocations, and those of single rows have no interval; what is alive is not concerned)",
		    lt_human_count(r->all.births + r->own_births, of, sizeof(of)));
}

/* What is estimated and what is counted, where the stacks are a sample. */
static void add_estimates(struct lt_para *t, const struct lt_report *r)
{
	const char *one_in = lt_trace_info(r->trace, "stacks");

	if (r->stacks_one_in && r->sample && lt_trace_sample_changed(r->trace))
		lt_para_add(t, "; so rows are estimates: an object with a stack counts as %" PRIu64
			    " times as many as without", (uint64_t)r->stacks_one_in);
	else if (r->stacks_one_in)
		lt_para_add(t, "; so rows are estimates: an object with a stack counts as %" PRIu64,
			    (uint64_t)r->stacks_one_in * (r->sample ? r->sample : 1));
	if (lt_report_estimates(r))
		lt_para_add(t, "; 95 of 100 intervals (from, to) hold the true number");
	if (r->sample)
		add_counted(t, r);
	if (lt_report_estimates(r))
		return;
	if (one_in && strcmp(one_in, "0") && strcmp(one_in, "1"))
		lt_para_add(t, "; counts are of all objects");
}

/* Whether a part would be printed as the whole. */
static bool rounded_up(double percent)
{
	return percent < 100 && percent >= 99.95;
}

void lt_report_covered(struct lt_para *t, const struct lt_report *r, bool why_not)
{
	static const char *const reasons[] = {
		[LT_COVERAGE_LOST] = "events of slab objects were lost",
		[LT_COVERAGE_FILTERED] = "the recorder left births out",
		[LT_COVERAGE_ERROR] = "no cache changed by more than the error of its counter",
	};
	const char *why = NULL;
	struct lt_coverage_sum s;
	double percent, error;
	char buf[32];
	size_t n;

	if (r->opts.space != LT_SPACE_SLAB)
		return;
	if (!lt_coverage_rows(r->coverage, &n, &s, &why)) {
		if (why_not && why)
			lt_para_add(t, "none with the kernel's own slab counters: %s", why);
		return;
	}
	percent = lt_coverage_percent(&s);
	error = lt_coverage_percent_error(&s);
	if (s.verdict == LT_COVERAGE_JUDGED)
		lt_para_add(t, "allocations minus frees make up %s%.1f ± %.1f %% of the change that the "
			    "kernel's own slab counters show",
			    rounded_up(percent) ? ">" : "", rounded_up(percent) ? 99.9 : percent,
			    error > 0 && error < 0.1 ? 0.1 : error);
	else if (s.verdict == LT_COVERAGE_ERROR && s.beyond)
		lt_para_add(t, "the trace and the kernel's own slab counters differ by %s objects more than "
			    "the counters' error", lt_human_count(s.beyond, buf, sizeof(buf)));
	else if (why_not)
		lt_para_add(t, "none with the kernel's own slab counters: %s", reasons[s.verdict]);
}

void lt_report_sure(struct lt_para *t, const struct lt_report *r)
{
	add_certainties(t, r);
	add_causes(t, r);
	add_whose(t, r->trace);
	add_loss(t, r->trace);
	add_overwritten(t, r->trace);
	add_unwatched(t, r);
	add_choice(t, r);
}

unsigned int lt_report_head(struct lt_report *r, const struct lt_report_view *p)
{
	uint64_t begin = lt_trace_begin(r->trace), end = lt_trace_whole_end(r->trace);
	uint64_t before = lt_trace_since(r->trace, r->watched);
	bool late = end > begin && before > (end - begin) / 100;
	const char *file = lt_file_name(p->file), *slash = strrchr(file, '/');
	struct lt_para t = { .n = 0 };
	char buf[128], span[32], then[LT_TIME_TEXT + 8];
	unsigned int lines = 3U + (late || r->opts.at);

	/* Of a long name the end says more than the begin. */
	if (strlen(file) > NAME_LONG && slash)
		lt_para_add(&t, "…%s: ", slash);
	else
		lt_para_add(&t, "%s: ", file);
	put_machine(p, &t, r->trace);
	if (lt_clock_has_wall(lt_trace_clock(r->trace)))
		lt_para_add(&t, "; %.19s UTC",
			    lt_human_wall(lt_trace_realtime(r->trace, begin), buf, sizeof(buf)));
	lt_para_add(&t, "; recorded for %s",
		    lt_human_ns(end > begin ? end - begin : 0, buf, sizeof(buf)));
	lt_para_line(&t, p->out, p->width);
	if (late || r->opts.at) {
		t.n = 0;
		if (r->opts.at)
			lt_para_add(&t, "as it was %s%s", lt_report_then(r, p->times, then),
				    late ? "; " : "");
		if (late)
			lt_para_add(&t, "first allocation recorded at %s; rates are averages over %s",
				    lt_human_ns(before, buf, sizeof(buf)),
				    lt_human_ns(lt_report_watched(r), span, sizeof(span)));
		lt_para_line(&t, p->out, p->width);
	}
	lt_out_char(p->out, '\n');

	t.n = 0;
	lt_report_sure(&t, r);
	add_estimates(&t, r);
	lines += lt_report_paragraph(p, "How sure", &t);
	t = (struct lt_para){ .n = 0 };
	if (!r->opts.filter)
		lt_report_covered(&t, r, false);
	if (t.n)
		lines += lt_report_paragraph(p, "Cross-check", &t);
	t = (struct lt_para){ .n = 0 };
	if (!r->own_births)
		return lines;
	lt_para_add(&t, "%s object%s made by lifetrace itself (--self includes %s)",
		    lt_human_count(r->own_births, buf, sizeof(buf)), r->own_births == 1 ? "" : "s",
		    r->own_births == 1 ? "it" : "them");
	return lines + lt_report_paragraph(p, "Left out", &t);
}
