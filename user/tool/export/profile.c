// SPDX-License-Identifier: GPL-2.0
/*
 * What the formats of profiles have in common.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "export/profile.h"
#include "out/log.h"
#include "out/units.h"
#include "print/report.h"
#include "print/self.h"

const char *const lt_metric_names[] = {
	[LT_METRIC_ALIVE] = "alive", [LT_METRIC_ALIVE_OBJECTS] = "alive-objects",
	[LT_METRIC_PEAK] = "peak", [LT_METRIC_CHURN] = "churn", [LT_METRIC_BYTES] = "bytes",
	[LT_METRIC_SLACK] = "slack", [LT_METRIC_LIFETIME] = "lifetime", [LT_N_METRICS] = NULL,
};

const char *lt_level_name(unsigned int level)
{
	static const char *const names[LT_N_LEVELS] = {
		[LT_LEVEL_TASK] = "task", [LT_LEVEL_CGROUP] = "cgroup",
		[LT_LEVEL_MODULE] = "module", [LT_LEVEL_CACHE] = "cache",
		[LT_LEVEL_SITE] = "site", [LT_LEVEL_STACK] = "stack",
	};

	return level < LT_N_LEVELS ? names[level] : NULL;
}

uint32_t *lt_row_number(struct lt_row_numbers *numbers, uint32_t row)
{
	if (row == LT_PROFILE_OTHER)
		return &numbers->other;
	if (row >= numbers->n)
		numbers->of = lt_extend(numbers->of, &numbers->n, row + 1, sizeof(*numbers->of));
	return &numbers->of[row];
}

uint64_t lt_metric_of(const struct lt_profile_row *row, enum lt_metric metric)
{
	switch (metric) {
	case LT_METRIC_ALIVE:
	case LT_METRIC_PEAK:
		return row->at_bytes;
	case LT_METRIC_ALIVE_OBJECTS:
		return row->at;
	case LT_METRIC_CHURN:
		return row->births;
	case LT_METRIC_BYTES:
		return row->bytes;
	case LT_METRIC_SLACK:
		return row->waste;
	case LT_METRIC_LIFETIME:
		return row->exact_ns;
	case LT_N_METRICS:
		break;
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * Levels
 */

static bool has_stacks(const struct lt_trace *t, enum lt_space space)
{
	switch (space) {
	case LT_SPACE_NONE:
	case LT_SPACE_SLAB:
		return lt_trace_has_stacks(t);
	case LT_SPACE_PAGE:
		return lt_trace_has_page_stacks(t);
	default:
		return false;
	}
}

static void choose(struct lt_profile_options *o, const struct lt_trace *t)
{
	enum lt_space space = o->report.space;

	o->levels[o->n_levels++] = LT_LEVEL_TASK;
	if (lt_space_has_caches(space))
		o->levels[o->n_levels++] = LT_LEVEL_CACHE;
	if (has_stacks(t, space))
		o->levels[o->n_levels++] = LT_LEVEL_STACK;
	else if (space != LT_SPACE_PAGE)
		o->levels[o->n_levels++] = LT_LEVEL_SITE;
}

int lt_export_levels(struct lt_profile_options *o, const struct lt_trace *t, const char *file)
{
	enum lt_space space = o->report.space;

	if (!o->n_levels)
		choose(o, t);
	for (unsigned int i = 0; i < o->n_levels; i++) {
		enum lt_level level = o->levels[i];

		if (level == LT_LEVEL_CACHE && !lt_space_has_caches(space)) {
			lt_error("--levels: %s have no cache", lt_space_words(space)->objects);
			return -1;
		}
		if (level == LT_LEVEL_STACK && space > LT_SPACE_PAGE) {
			lt_error("--levels: stacks are not recorded of %s; use site",
				 lt_space_words(space)->objects);
			return -1;
		}
		if (level == LT_LEVEL_STACK && !has_stacks(t, space)) {
			lt_error("%s: was recorded without stacks of %s; lifetrace record --stacks "
				 "records them (of pages: --stacks-pages)", file,
				 lt_space_words(space ? space : LT_SPACE_SLAB)->objects);
			return -1;
		}
		if ((level == LT_LEVEL_SITE || level == LT_LEVEL_MODULE) &&
		    space == LT_SPACE_PAGE && !has_stacks(t, space)) {
			lt_error("%s: was recorded without stacks of pages, so their callers are "
				 "not known; lifetrace record --stacks-pages records them", file);
			return -1;
		}
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * Texts
 */

void lt_name_text(struct lt_out *o, const char *s, const char *also)
{
	lt_name_bytes(o, s, strlen(s), also);
}

void lt_name_bytes(struct lt_out *o, const char *s, size_t len, const char *also)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *c = (const unsigned char *)s;

	while (len) {
		size_t n = lt_utf8_length(c, len);

		if (!n || lt_utf8_control(c, n) || *c == '\\' || (also && strchr(also, *c))) {
			lt_out_str(o, "\\x");
			lt_out_char(o, hex[*c >> 4]);
			lt_out_char(o, hex[*c & 15]);
			n = 1;
		} else {
			lt_out_bytes(o, c, n);
		}
		c += n;
		len -= n;
	}
}

static void put_function(struct lt_out *o, const struct lt_path_frame *f, const char *also)
{
	if (!f->addr)
		lt_out_str(o, "(unknown)");
	else if (f->name)
		lt_name_text(o, f->name, also);
	else
		lt_out_hex(o, f->addr);
	if (f->name && f->kind == LT_FRAME_SITE) {
		lt_out_char(o, '+');
		lt_out_hex(o, f->offset);
	}
	if (f->name && f->module) {
		lt_out_str(o, " [");
		lt_name_text(o, f->module, also);
		lt_out_char(o, ']');
	}
}

void lt_frame_text(struct lt_out *o, const struct lt_path_frame *f, const char *also)
{
	static const char *const words[] = {
		[LT_FRAME_TASK] = "task ", [LT_FRAME_INTERRUPT] = "interrupt ",
		[LT_FRAME_CGROUP] = "cgroup ", [LT_FRAME_MODULE] = "module ",
		[LT_FRAME_CACHE] = "cache ",
	};

	switch (f->kind) {
	case LT_FRAME_CALLER:
	case LT_FRAME_SITE:
		put_function(o, f, also);
		return;
	case LT_FRAME_CUT:
		lt_out_str(o, "(further callers)");
		return;
	case LT_FRAME_OTHER:
		lt_out_str(o, "(other rows)");
		return;
	default:
		lt_out_str(o, words[f->kind]);
		lt_name_text(o, f->name && f->name[0] ? f->name : "(unknown)", also);
	}
}

const char *lt_frame_module(const struct lt_path_frame *f)
{
	switch (f->kind) {
	case LT_FRAME_CALLER:
	case LT_FRAME_SITE:
		return f->module ? f->module : "kernel";
	default:
		return "lifetrace";
	}
}

static void add_instant(const struct lt_profile *p, struct lt_para *t)
{
	static const char *const words[] = {
		[LT_AT_END] = "at the end", [LT_AT_PEAK] = "at the peak",
		[LT_AT_TIME] = "at the time that was asked for",
	};

	lt_para_add(t, "\nAlive is what is alive %s, at %.9f s", words[p->opts.at],
		    (double)lt_trace_since(p->report->trace, p->instant) / 1e9);
	if (p->all.maybe)
		lt_para_add(t, "; %" PRIu64 " objects of %" PRIu64 " bytes may be alive at the end, "
			    "as their end may have been missed, and %s", p->all.maybe,
			    p->all.maybe_bytes, p->opts.at == LT_AT_END ? "are not among them" :
			    "are among them if they were born by then");
	lt_para_add(t, ". Lifetimes are summed up over the %" PRIu64 " exact ones.", p->all.exact);
}

void lt_profile_notes(const struct lt_profile *p, struct lt_para *t)
{
	char self[128];

	lt_para_add(t, "How sure: ");
	lt_report_sure(t, p->report);
	lt_para_add(t, ".");
	add_instant(p, t);
	if (p->stacks_one_in)
		lt_para_add(t, "\nThe numbers are estimates: stacks were recorded at one address in "
			    "%u, and a birth at such an address stands for %u.",
			    p->stacks_one_in, p->stacks_one_in);
	if (p->other.births || p->other.at)
		lt_para_add(t, "\nAfter %" PRIu32 " rows, %" PRIu64 " allocations with further paths "
			    "are one row; choose fewer levels.", p->opts.max_rows, p->other.births);
	if (p->report->own_births)
		lt_para_add(t, "\n%s.", lt_self_text(p->report->own_births, "object", self,
						     sizeof(self)));
}

void lt_profile_warn(const struct lt_profile *p)
{
	struct lt_para t = { .n = 0 };
	char *line = t.s, *end;

	lt_profile_notes(p, &t);
	for (; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = 0;
		lt_warn("%s", line);
	}
}
