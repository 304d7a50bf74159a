// SPDX-License-Identifier: GPL-2.0
/*
 * The first screen of a report, its histogram, and the table of coverage.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "print/units.h"
#include "format/packet.h"
#include "print/report.h"
#include "base/text.h"

#define BAR	50	/* characters of the longest bar */

static void say(struct lt_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct lt_out *o, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	lt_out_lines(o, line);
}

struct totals {
	uint64_t records;
	uint64_t lost;
	uint64_t full, nmi, nested, nobuf;
	uint64_t missed;	/* probe hits that the kernel did not deliver; not in lost */
	uint64_t filtered;
};

static uint64_t count_missed(const struct lt_trace *t)
{
	const struct lt_gap *gaps;
	size_t n = lt_trace_gaps(t, &gaps);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		for (unsigned int k = 0; k < LT_N_CLASSES && gaps[i].cpu == LT_ANY_CPU; k++)
			sum += gaps[i].lost[k];
	}
	return sum;
}

static struct totals add_up(const struct lt_trace *t)
{
	struct totals s = { .missed = count_missed(t) };

	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++) {
		struct lt_class_counts c = lt_trace_counts(t, i);

		s.records += lt_trace_records(t, i);
		s.full += c.lost_full;
		s.nmi += c.lost_nmi;
		s.nested += c.lost_nested;
		s.nobuf += c.lost_nobuf;
		s.filtered += c.filtered;
	}
	s.lost = s.full + s.nmi + s.nested + s.nobuf;
	return s;
}

static void print_machine(struct lt_report *r, const struct lt_report_view *p)
{
	uint64_t begin = lt_trace_begin(r->trace), end = lt_trace_end(r->trace);
	const char *value = lt_trace_info(r->trace, "kernel_release");
	char wall[64], span[64], kernel[128], host[128];

	snprintf(kernel, sizeof(kernel), "%s", value ? value : "?");
	value = lt_trace_info(r->trace, "hostname");
	snprintf(host, sizeof(host), "%s", value ? value : "?");
	say(p->out, "%s: %s, kernel %s\n", p->file, host, kernel);
	say(p->out, "  time         %s, for %s\n",
	    lt_human_wall(lt_trace_realtime(r->trace, begin), wall, sizeof(wall)),
	    lt_human_ns(end - begin, span, sizeof(span)));
}

static void print_loss(struct lt_report *r, const struct lt_report_view *p)
{
	struct totals s = add_up(r->trace);
	const struct lt_gap *gaps;
	char n[32], l[32];

	say(p->out, "  events       %s recorded, %s lost", lt_human_count(s.records, n, sizeof(n)),
	    lt_human_count(s.lost, l, sizeof(l)));
	if (s.lost)
		say(p->out, " (buffer full %" PRIu64 ", NMI %" PRIu64 ", nested %" PRIu64
		    ", no buffer %" PRIu64 ")", s.full, s.nmi, s.nested, s.nobuf);
	say(p->out, ", %s filtered\n", lt_human_count(s.filtered, n, sizeof(n)));
	if (s.missed)
		say(p->out, "  missed       %s hits of functions, which the kernel did not deliver\n",
		    lt_human_count(s.missed, n, sizeof(n)));
	if (lt_trace_gaps(r->trace, &gaps))
		say(p->out, "  gaps         %zu stretches of time in which events of a CPU are missing\n",
		    lt_trace_gaps(r->trace, &gaps));
}

static void print_certainty(struct lt_report *r, const struct lt_report_view *p)
{
	enum lt_space space = r->opts.pages ? LT_SPACE_PAGE : LT_SPACE_SLAB;
	const uint64_t *c = r->stats.certainty[space];
	const char *min_size = lt_trace_info(r->trace, "min_size");
	uint64_t sum = 0;
	char n[32];

	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		sum += c[i];
	say(p->out, "  lifetimes    %s of %s:", lt_human_count(sum, n, sizeof(n)),
	    r->opts.pages ? "pages" : "slab objects");
	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		say(p->out, "%s %s %" PRIu64 " (%.1f %%)", i ? "," : "",
		    lt_certainty_name((enum lt_certainty)i), c[i],
		    sum ? 100.0 * (double)c[i] / (double)sum : 0.0);
	say(p->out, "\n");
	if (min_size && strcmp(min_size, "0"))
		say(p->out, "               smaller than %s bytes were left out: 'before' may also mean that\n",
		    min_size);
	say(p->out, "  freed by RCU %" PRIu64 " requests, the release of %" PRIu64 " seen; failed allocations %"
	    PRIu64 "\n", r->stats.rcu_requests, r->stats.rcu_confirmed, r->stats.failed);
}

static void print_watched(struct lt_report *r, const struct lt_report_view *p)
{
	const char *text = lt_trace_text(r->trace, LT_BLOCK_EVENTS, 0), *line;
	bool first = true;
	size_t len;

	if (!text)
		return;
	while (lt_line(&text, &line, &len)) {
		char buf[256], *name = buf, *kind, *state, *why;

		snprintf(buf, sizeof(buf), "%.*s", (int)(len < 250 ? len : 250), line);
		kind = strchr(buf, '\t');
		state = kind ? strchr(kind + 1, '\t') : NULL;
		why = state ? strchr(state + 1, '\t') : NULL;
		if (!why || strncmp(state + 1, "not watched", 11))
			continue;
		*kind = 0;
		say(p->out, "%s%s (%s)", first ? "  not watched  " : ", ", name, why + 1);
		first = false;
	}
	if (!first)
		say(p->out, "\n");
}

static void print_alive(struct lt_report *r, const struct lt_report_view *p)
{
	enum lt_space space = r->opts.pages ? LT_SPACE_PAGE : LT_SPACE_SLAB;
	char n[32], b[32], peak[32], t[32];

	say(p->out, "  alive        at the end %s with %s",
	    lt_human_count(r->all.live, n, sizeof(n)),
	    lt_human_bytes(r->all.live_bytes, b, sizeof(b)));
	if (r->all.maybe)
		say(p->out, ", uncertain of %s with %s", lt_human_count(r->all.maybe, n, sizeof(n)),
		    lt_human_bytes(r->all.maybe_bytes, b, sizeof(b)));
	/* If no byte was ever live there is no peak. */
	if (r->peak_bytes)
		say(p->out, "; at the peak, %s after the start, %s%s",
		    lt_human_ns(r->peak_time - lt_trace_begin(r->trace), t, sizeof(t)),
		    lt_human_bytes(r->peak_bytes, peak, sizeof(peak)),
		    r->stats.certainty[space][LT_UNCERTAIN] ? " as far as was seen" : "");
	say(p->out, "\n");
}

static void print_coverage_line(struct lt_report *r, const struct lt_report_view *p)
{
	struct lt_coverage_sum s;
	const char *why;
	size_t n;

	if (!lt_coverage_rows(r->coverage, &n, &s, &why)) {
		say(p->out, "  coverage     not known: %s\n", why);
		return;
	}
	if (!lt_coverage_judges(&s)) {
		say(p->out, "  coverage     the kernel's slab counters changed by %" PRIu64 " objects, their error is up to %"
		    PRIu64 ",\n               %" PRIu64 " beyond it are not explained: no percentage; see --coverage\n",
		    s.change, s.error, s.beyond);
		return;
	}
	say(p->out, "  coverage     of a change of %" PRIu64 " slab objects over all caches %.2f %% is explained, %.2f %%\n"
	    "               beyond the error (a free object that a CPU keeps counts as active: up to\n"
	    "               %" PRIu64 "); see --coverage\n", s.change,
	    lt_coverage_percent(&s, false), lt_coverage_percent(&s, true), s.error);
}

void lt_report_summary(struct lt_report *r, const struct lt_report_view *p)
{
	print_machine(r, p);
	print_loss(r, p);
	print_certainty(r, p);
	print_watched(r, p);
	print_alive(r, p);
	if (!r->opts.pages)
		print_coverage_line(r, p);
	say(p->out, "  percentiles  are of %" PRIu64 " exact lifetimes; what is alive at the end is left out, which\n"
	    "               makes lifetimes look shorter than they are\n", r->all.life.n);
}

void lt_report_summary_json(struct lt_report *r, struct lt_out *o)
{
	enum lt_space space = r->opts.pages ? LT_SPACE_PAGE : LT_SPACE_SLAB;
	struct totals s = add_up(r->trace);
	struct lt_coverage_sum cs;
	const char *why;
	size_t n;

	say(o, "\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 ",\"records\":%" PRIu64
	    ",\"lost\":%" PRIu64 ",\"missed\":%" PRIu64 ",\"filtered\":%" PRIu64,
	    lt_trace_begin(r->trace), lt_trace_end(r->trace), s.records, s.lost, s.missed,
	    s.filtered);
	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		say(o, ",\"%s\":%" PRIu64, lt_certainty_name((enum lt_certainty)i),
		    r->stats.certainty[space][i]);
	say(o, ",\"inversions\":%" PRIu64 ",\"rcu_requests\":%" PRIu64 ",\"rcu_confirmed\":%" PRIu64
	    ",\"failed\":%" PRIu64 ",\"peak_bytes\":%" PRIu64 ",\"peak_ns\":",
	    r->stats.inversions, r->stats.rcu_requests, r->stats.rcu_confirmed, r->stats.failed,
	    r->peak_bytes);
	if (r->peak_bytes)
		say(o, "%" PRIu64, r->peak_time);
	else
		say(o, "null");
	if (!lt_coverage_rows(r->coverage, &n, &cs, &why)) {
		say(o, ",\"coverage\":null");
		return;
	}
	say(o, ",\"coverage\":{\"change\":%" PRIu64 ",\"apart\":%" PRIu64 ",\"beyond_error\":%" PRIu64
	    ",\"error\":%" PRIu64, cs.change, cs.apart, cs.beyond, cs.error);
	/* Where the counters cannot judge the trace, a percentage would mean nothing. */
	if (lt_coverage_judges(&cs))
		say(o, ",\"explained_percent\":%.3f,\"explained_beyond_error_percent\":%.3f}",
		    lt_coverage_percent(&cs, false), lt_coverage_percent(&cs, true));
	else
		say(o, ",\"explained_percent\":null,\"explained_beyond_error_percent\":null}");
}

void lt_report_coverage(struct lt_report *r, const struct lt_report_view *p)
{
	const struct lt_coverage_row *rows;
	struct lt_coverage_sum s;
	const char *why;
	size_t n;

	rows = lt_coverage_rows(r->coverage, &n, &s, &why);
	if (!rows)
		return;
	say(p->out, "\nCoverage: change of active objects, by the kernel's counters and by the trace\n"
	    "  %-28s %10s %10s %10s %10s\n", "cache", "kernel", "trace", "apart", "error");
	for (size_t i = 0; i < n; i++) {
		int64_t apart = rows[i].real - rows[i].traced;

		if (!rows[i].real && !rows[i].traced)
			continue;
		say(p->out, "  %-28s %10" PRId64 " %10" PRId64 " %10" PRId64 " %10" PRIu64 "%s\n",
		    rows[i].name, rows[i].real, rows[i].traced, apart, rows[i].error,
		    (uint64_t)llabs(apart) > rows[i].error ? "  beyond the error" : "");
	}
	say(p->out, "  kfree of objects older than the trace, of unknown caches: %" PRIu64 "\n",
	    s.unknown_frees);
	if (s.unknown_requests)
		say(p->out, "  kfree_rcu of objects older than the trace, of unknown caches or of vmalloc: %"
		    PRIu64 "\n", s.unknown_requests);
}

void lt_report_histogram(struct lt_report *r, const struct lt_report_view *p)
{
	uint64_t most = 0;
	unsigned int first = 64, last = 0;

	for (unsigned int i = 0; i < 64; i++) {
		uint64_t n = lt_hist_log2(&r->all.life, i);

		if (!n)
			continue;
		first = first == 64 ? i : first;
		last = i;
		most = n > most ? n : most;
	}
	say(p->out, "\nLifetimes, exact ones: from a power of two to the next\n");
	for (unsigned int i = first; i < 64 && i <= last; i++) {
		uint64_t n = lt_hist_log2(&r->all.life, i);
		unsigned int len = (unsigned int)(n * BAR / (most ? most : 1));
		char from[32], count[32];

		say(p->out, "  %10s %12s %5.1f %% ", lt_human_ns(1ULL << i, from, sizeof(from)),
		    lt_human_count(n, count, sizeof(count)),
		    100.0 * (double)n / (double)r->all.life.n);
		for (unsigned int j = 0; j < len; j++)
			lt_out_str(p->out, p->utf8 ? "█" : "#");
		say(p->out, "\n");
	}
}
