// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts on the rules of a budget.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "forms/screen.h"
#include "forms/table.h"
#include "out/units.h"
#include "print/check.h"
#include "print/self.h"

#define TEXT_SIZE	768
#define MAX_CALLERS	6	/* of a row, for people; JSON has all */

/* ------------------------------------------------------------------------
 * Pieces of text
 */

/* A value for people, in what the rule counts. */
static const char *value_text(const struct lt_rule *r, double v, char *buf, size_t size)
{
	char number[LT_HUMAN];
	bool whole = v < 1e15 && v == floor(v);

	if (isinf(v))
		return "any number";
	if (r->measure == LT_IN_PERCENT)
		snprintf(buf, size, "%.4g %%", v);
	else if (r->measure == LT_IN_BYTES && !(v < 0) && v < 1e18)
		snprintf(buf, size, "%s%s", lt_human_bytes((uint64_t)v, number, sizeof(number)),
			 r->per_second ? "/s" : "");
	else if (r->measure == LT_IN_NS && !(v < 0) && v < 1e18)
		snprintf(buf, size, "%s", lt_human_ns((uint64_t)v, number, sizeof(number)));
	else if (whole && !(v < 0))
		snprintf(buf, size, "%s%s", lt_human_count((uint64_t)v, number, sizeof(number)),
			 r->per_second ? "/s" : "");
	else
		snprintf(buf, size, "%.1f%s", v, r->per_second ? "/s" : "");
	return buf;
}

/* "12", "12 or more", "12 to 15". */
static const char *range_text(const struct lt_rule *r, struct lt_range range, char *buf,
			      size_t size)
{
	char low[64], high[64];

	value_text(r, range.low, low, sizeof(low));
	if (range.low >= range.high && isinf(range.low))
		return "an unknown number";
	if (range.low >= range.high)
		snprintf(buf, size, "%s", low);
	else if (isinf(range.high))
		snprintf(buf, size, "%s or more", low);
	else
		snprintf(buf, size, "%s to %s", low,
			 value_text(r, range.high, high, sizeof(high)));
	return buf;
}

static const struct {
	unsigned int bit;
	const char *name;	/* in JSON */
	const char *text;
} reasons[] = {
	{ LT_UNSURE_LOST, "lost", "allocations may have been lost" },
	{ LT_UNSURE_LEFT_OUT, "filtered", "allocations were left out when it was recorded" },
	{ LT_UNSURE_NOT_WATCHED, "not_watched", "a way to allocate was not watched" },
	{ LT_UNSURE_LIVES, "uncertain", "lifetimes are not certain" },
	{ LT_UNSURE_NO_LIFE, "none", "there is nothing to measure" },
	{ LT_UNSURE_ALIVE, "alive", "too many are alive" },
	{ LT_UNSURE_BASE, "base", "the base is not certain" },
	{ LT_UNSURE_NO_NAME, "no_name", NULL },	/* the verdict's own text says it */
};

#define N_REASONS	(sizeof(reasons) / sizeof(reasons[0]))

/*
 * What a value is a part of: " of 6 allocations", " of 4 lifetimes that are not open, 2 more are
 * open". Empty if it is a part of nothing.
 */
static const char *of_text(const struct lt_verdict *v, char *buf, size_t size)
{
	char of[LT_HUMAN], open[LT_HUMAN], ended[LT_HUMAN];
	enum lt_metric m = v->rule->metric;

	buf[0] = 0;
	lt_human_count(v->open, open, sizeof(open));
	lt_human_count(v->ended, ended, sizeof(ended));
	if (m >= LT_METRIC_P50 && m <= LT_METRIC_LONGEST)
		snprintf(buf, size, " of %s lifetimes that ended and %s that are open", ended,
			 open);
	if (isinf(v->of) || v->rule->per_second || v->why & LT_UNSURE_NO_LIFE)
		return buf;
	if (m == LT_METRIC_SLACK_BYTES || m == LT_METRIC_ALIVE_BYTES ||
	    m == LT_METRIC_MAYBE_ALIVE_BYTES || m == LT_METRIC_PEAK_BYTES) {
		snprintf(buf, size, " of %s allocated",
			 lt_human_bytes((uint64_t)v->of, of, sizeof(of)));
		return buf;
	}
	lt_human_count((uint64_t)v->of, of, sizeof(of));
	if (m == LT_METRIC_EXACT)
		snprintf(buf, size, " of %s lifetimes that are not open; %s more are open", of,
			 open);
	else if (m >= LT_METRIC_SHORT_LIVED && m != LT_METRIC_CENSORED)
		snprintf(buf, size, " of %s allocations, of which %s are open", of, open);
	else
		snprintf(buf, size, " of %s allocations", of);
	return buf;
}

static const char *reason_text(const struct lt_verdict *v, size_t i)
{
	if (v->rule->metric == LT_METRIC_LOST && reasons[i].bit == LT_UNSURE_LOST)
		return "not all that was lost is counted";
	return reasons[i].text;
}

/* "2.1 MiB of 3 MiB allocated, the limit is 1.9 MiB; lifetimes are not certain". */
static const char *finding(const struct lt_verdict *v, char *buf, size_t size)
{
	char range[160], of[160];
	bool none = v->why & LT_UNSURE_NO_LIFE;
	size_t n = (size_t)snprintf(buf, size, "%s%s", none ? "no value" :
				    range_text(v->rule, v->is, range, sizeof(range)),
				    none ? "" : of_text(v, of, sizeof(of)));

	if (v->rule->base > 0 && n < size)
		n += (size_t)snprintf(buf + n, size - n, ", the limit is %s",
				      range_text(v->rule, v->limit, range, sizeof(range)));
	for (size_t i = 0; i < N_REASONS && v->kind == LT_UNDECIDED; i++) {
		if (v->why & reasons[i].bit && reasons[i].text && n < size)
			n += (size_t)snprintf(buf + n, size - n, "; %s", reason_text(v, i));
	}
	if (v->lacks && n < size)
		snprintf(buf + n, size - n, "; %s", v->lacks);
	else if (v->rule->n_matchers && !v->objects && n < size)
		snprintf(buf + n, size - n, "; no allocation is of that selection");
	return buf;
}

static const char *offender_text(const struct lt_verdict *v, const struct lt_offender *o, char *buf,
				 size_t size)
{
	char value[64];

	snprintf(buf, size, "%s  %s  %s%s%s", value_text(v->rule, o->value, value, sizeof(value)),
		 o->cache[0] ? o->cache : "(no cache)", o->site[0] ? o->site : "(unknown)",
		 o->comm[0] ? "  " : "", o->comm);
	return buf;
}

/*
 * The callers of a row's site: "← b+0x2 ← c+0x3", at most MAX_CALLERS of them; the site itself
 * stands before. Return: @buf; NULL: they are not known.
 */
static const char *callers_text(const struct lt_offender *o, char *buf, size_t size)
{
	const char *frame = o->stack ? strchr(o->stack, '\n') : NULL;
	size_t n = 0;

	buf[0] = 0;
	for (unsigned int i = 0; frame && n < size; i++) {
		size_t len = strcspn(++frame, "\n");
		bool more = i == MAX_CALLERS;

		n += (size_t)snprintf(buf + n, size - n, "%s← %.*s", i ? " " : "",
				      more ? 3 : (int)len, more ? "..." : frame);
		frame = more || !frame[len] ? NULL : frame + len;
	}
	return buf[0] ? buf : NULL;
}

static void put(struct lt_out *out, const char *text)
{
	lt_out_text(out, text, strlen(text));
}

/* The rows of a rule that is not met, and their callers, each behind @begin. */
static void put_rows(struct lt_out *out, const struct lt_verdict *v, const char *begin,
		     void (*put_one)(struct lt_out *o, const char *text))
{
	char buf[TEXT_SIZE];

	for (unsigned int k = 0; k < v->n_offenders; k++) {
		lt_out_str(out, begin);
		put_one(out, offender_text(v, &v->offenders[k], buf, sizeof(buf)));
		if (!callers_text(&v->offenders[k], buf, sizeof(buf)))
			continue;
		lt_out_str(out, begin);
		lt_out_str(out, "    ");
		put_one(out, buf);
	}
}

/* ------------------------------------------------------------------------
 * Text
 */

static void put_text(const struct lt_checked *c, const struct lt_check_view *p)
{
	static const char *const words[LT_N_VERDICTS] = { "met", "broken", "undecided" };
	char buf[TEXT_SIZE];

	for (size_t i = 0; i < c->n; i++) {
		const struct lt_verdict *v = &c->verdicts[i];

		snprintf(buf, sizeof(buf), "%-12s", words[v->kind]);
		put(p->out, buf);
		put(p->out, v->rule->text);
		lt_out_str(p->out, "\n              ");
		put(p->out, finding(v, buf, sizeof(buf)));
		put_rows(p->out, v, "\n              | ", put);
		lt_out_char(p->out, '\n');
	}
	snprintf(buf, sizeof(buf), "%zu met, %zu broken, %zu undecided%s\n", c->count[LT_MET],
		 c->count[LT_BROKEN], c->count[LT_UNDECIDED],
		 c->count[LT_UNDECIDED] && p->allow_unknown ? ", which is allowed" : "");
	lt_out_str(p->out, buf);
	if (p->own) {
		lt_out_str(p->out, lt_self_text(p->own, "object", buf, sizeof(buf)));
		lt_out_char(p->out, '\n');
	}
}

/* ------------------------------------------------------------------------
 * JSON, and the other forms
 */

/* What the columns need. */
struct lt_check_ctx {
	char why[160];
};

/* What may be any number is null. */
static void put_number(struct lt_json *j, const char *name, double v)
{
	bool whole = fabs(v) < 1e15 && v == floor(v);

	if (isinf(v))
		lt_json_null(j, name);
	else
		lt_outf(lt_json_value(j, name), whole ? "%.0f" : "%.6g", v);
}

static void json_offender(struct lt_json *j, const struct lt_offender *w)
{
	lt_json_object(j, NULL);
	put_number(j, "value", w->value);
	lt_json_str(j, "cache", w->cache);
	lt_json_str(j, "site", w->site);
	lt_json_str(j, "comm", w->comm);
	lt_json_array(j, "stack");
	for (const char *f = w->stack, *end; f; f = *end ? end + 1 : NULL) {
		end = f + strcspn(f, "\n");
		lt_json_text(j, NULL, f, (size_t)(end - f));
	}
	lt_json_end(j);
	lt_json_end(j);
}

static const char *unit_of(const struct lt_verdict *w)
{
	static const char *const measures[] = { "count", "bytes", "ns", "percent" };

	return measures[w->rule->measure];
}

/* The names of the reasons, a line each. */
static void put_why(const struct lt_verdict *w, struct lt_check_ctx *c, struct lt_value *v)
{
	size_t n = 0;

	for (size_t i = 0; i < N_REASONS; i++) {
		if (w->why & reasons[i].bit)
			n += (size_t)snprintf(c->why + n, sizeof(c->why) - n, "%s%s", n ? "\n" : "",
					      reasons[i].name);
	}
	lt_value_text(v, c->why, n);
	v->type = LT_VALUE_LIST;
}

#define RULE(C, G)	\
	C(rule, "rule", "rule", TEXT, A, true, w->rule->text, "the rule")	\
	C(source, "source", "source", TEXT, A, true, w->rule->source, "the file that has it")	\
	C(line, "line", "line", COUNT, A, true, w->rule->line, "line in that")	\
	C(verdict, "verdict", "verdict", TEXT, A, true, lt_verdict_name(w->kind), "met, broken or unknown")	\
	C(metric, "metric", "metric", TEXT, A, true, lt_metric_name(w->rule->metric), "what is measured") \
	C(unit, "unit", "unit", TEXT, A, true, unit_of(w), "count, bytes, ns or percent")	\
	C(per_s, "per_s", "per s", BOOL, A, true, w->rule->per_second, "whether it is a rate")	\
	C(low, "low", "low", NUMBER, A, true, w->is.low, "the value is at least that")	\
	C(high, "high", "high", NUMBER, A, true, w->is.high, "the value is at most that")	\
	C(limit_low, "limit_low", "limit low", NUMBER, A, true, w->limit.low, "the limit is at least that") \
	C(limit_high, "limit_high", "limit high", NUMBER, A, true, w->limit.high, "the limit is at most that") \
	C(allocations, "allocations", "allocations", NUMBER, A, true, (double)w->objects,	\
	  "allocations of the selection")	\
	C(of, "of", "of", NUMBER, A, true, w->of, "what the value is a part of")	\
	C(open, "open", "open", NUMBER, A, true, (double)w->open, "lifetimes that are open")	\
	C(lacks, "lacks", "lacks", TEXT, A, true, w->lacks ? w->lacks : "", "what the trace lacks")	\
	G(why, "why", "why", LIST, A, put_why(w, c, v), "why it is undecided")

#define GETTER(id, name, head, TYPE, marks, known, value, meaning)	\
	LT_ROW_GETTER(id, struct lt_verdict, w, struct lt_check_ctx, c, TYPE, known, value)
#define FILLER(id, name, head, TYPE, marks, call, meaning)	\
	LT_ROW_FILLER(id, struct lt_verdict, w, struct lt_check_ctx, c, v, call)

RULE(GETTER, FILLER)
static const struct lt_column rule_columns[] = { RULE(LT_SCREEN_COLUMN, LT_SCREEN_FILLED) };
LT_SCREEN_KIND(rule, "rule", NULL, "a rule and its verdict");

/* A rule with the rows that contribute most, unless columns were chosen. */
static void json_rules(struct lt_json *j, const struct lt_checked *c, const struct lt_check_view *p)
{
	struct lt_check_ctx ctx;
	struct lt_table t = { .out = p->out, .format = LT_FORMAT_JSON, .ctx = &ctx, .json = j };

	lt_table_columns(&t, &lt_rows_of_rule, 0, p->columns);
	for (size_t i = 0; i < c->n; i++) {
		const struct lt_verdict *v = &c->verdicts[i];

		lt_json_break(j);
		lt_json_object(j, NULL);
		lt_table_members(&t, v);
		if (!p->columns) {
			lt_json_array(j, "rows");
			for (unsigned int k = 0; k < v->n_offenders; k++)
				json_offender(j, &v->offenders[k]);
			lt_json_end(j);
		}
		lt_json_end(j);
	}
	free(t.owned);
}

static void put_json(const struct lt_checked *c, const struct lt_check_view *p)
{
	struct lt_json j = LT_JSON_INIT(p->out);

	lt_json_object(&j, NULL);
	lt_json_u64(&j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_u64(&j, "met", c->count[LT_MET]);
	lt_json_u64(&j, "broken", c->count[LT_BROKEN]);
	lt_json_u64(&j, "unknown", c->count[LT_UNDECIDED]);
	lt_json_u64(&j, "own_allocations", p->own);
	lt_json_array(&j, "rules");
	json_rules(&j, c, p);
	lt_json_line(&j);
}

static void put_table(const struct lt_checked *c, const struct lt_check_view *p)
{
	struct lt_check_ctx ctx;
	struct lt_table t = { .out = p->out, .format = p->format, .ctx = &ctx };

	lt_table_columns(&t, &lt_rows_of_rule, 0, p->columns);
	lt_table_begin(&t);
	for (size_t i = 0; i < c->n; i++)
		lt_table_row(&t, &c->verdicts[i]);
	lt_table_end(&t);
}

void lt_check_print(const struct lt_checked *c, const struct lt_check_view *p)
{
	if (p->format == LT_FORMAT_JSON)
		put_json(c, p);
	else if (p->format == LT_FORMAT_TEXT && !p->columns)
		put_text(c, p);
	else
		put_table(c, p);
}

/* ------------------------------------------------------------------------
 * TAP
 */

/* A # would begin a directive. */
static void put_description(struct lt_out *o, const char *text)
{
	for (size_t n; *text; text += n) {
		n = strcspn(text + 1, "#") + 1;
		if (*text == '#')
			lt_out_char(o, '\\');
		lt_out_text(o, text, n);
	}
}

void lt_check_tap(const struct lt_checked *c, const struct lt_check_view *p)
{
	char buf[TEXT_SIZE];

	snprintf(buf, sizeof(buf), "TAP version 13\n1..%zu\n", c->n);
	lt_out_str(p->out, buf);
	for (size_t i = 0; i < c->n; i++) {
		const struct lt_verdict *v = &c->verdicts[i];
		bool allowed = v->kind == LT_UNDECIDED && p->allow_unknown;

		snprintf(buf, sizeof(buf), "%s %zu - ", v->kind == LT_MET || allowed ? "ok" : "not ok",
			 i + 1);
		lt_out_str(p->out, buf);
		put_description(p->out, v->rule->text);
		lt_out_str(p->out, allowed ? " # SKIP undecided\n# " : "\n# ");
		put(p->out, v->kind == LT_UNDECIDED ? "undecided: " : "");
		put(p->out, finding(v, buf, sizeof(buf)));
		put_rows(p->out, v, "\n#   ", put);
		lt_out_char(p->out, '\n');
	}
}

/* ------------------------------------------------------------------------
 * JUnit
 */

/* Bytes that XML cannot have, and those that are not UTF-8, are escaped as on a terminal. */
static void put_xml(struct lt_out *o, const char *text)
{
	struct lt_out plain = LT_OUT_INIT(-1);

	put(&plain, text);
	for (size_t i = 0; i < plain.used; i++) {
		switch (plain.buf[i]) {
		case '&':
			lt_out_str(o, "&amp;");
			break;
		case '<':
			lt_out_str(o, "&lt;");
			break;
		case '>':
			lt_out_str(o, "&gt;");
			break;
		case '"':
			lt_out_str(o, "&quot;");
			break;
		default:
			lt_out_char(o, plain.buf[i]);
		}
	}
	free(plain.buf);
}

static void junit_case(const struct lt_verdict *v, const struct lt_check_view *p)
{
	bool allowed = v->kind == LT_UNDECIDED && p->allow_unknown;
	const char *tag = allowed ? "skipped" : "failure";
	char buf[TEXT_SIZE];

	lt_out_str(p->out, "  <testcase classname=\"");
	put_xml(p->out, v->rule->source);
	lt_out_str(p->out, "\" name=\"");
	put_xml(p->out, v->rule->text);
	lt_out_str(p->out, v->kind == LT_MET ? "\"/>\n" : "\">\n    <");
	if (v->kind == LT_MET)
		return;
	lt_out_str(p->out, tag);
	lt_out_str(p->out, " message=\"");
	put_xml(p->out, v->kind == LT_UNDECIDED ? "undecided: " : "");
	put_xml(p->out, finding(v, buf, sizeof(buf)));
	lt_out_str(p->out, allowed ? "\"/>\n  </testcase>\n" : "\">");
	if (allowed)
		return;
	put_rows(p->out, v, "\n", put_xml);
	lt_out_str(p->out, "</failure>\n  </testcase>\n");
}

void lt_check_junit(const struct lt_checked *c, const struct lt_check_view *p)
{
	size_t skipped = p->allow_unknown ? c->count[LT_UNDECIDED] : 0;
	char buf[128];

	lt_out_str(p->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"lifetrace ");
	put_xml(p->out, p->file);
	snprintf(buf, sizeof(buf), "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
		 c->n, c->count[LT_BROKEN] + c->count[LT_UNDECIDED] - skipped, skipped);
	lt_out_str(p->out, buf);
	for (size_t i = 0; i < c->n; i++)
		junit_case(&c->verdicts[i], p);
	lt_out_str(p->out, "</testsuite>\n");
}
