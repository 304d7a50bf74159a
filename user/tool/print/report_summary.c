// SPDX-License-Identifier: GPL-2.0
/*
 * What a report says about a trace as a whole, its histogram, and the table of coverage.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_file.h"
#include "base/text.h"
#include "format/packet.h"
#include "out/units.h"
#include "print/report.h"

#define BAR	24	/* characters of the longest bar */

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

static void print_machine(struct lt_report *r, const struct lt_report_view *p)
{
	uint64_t begin = lt_trace_begin(r->trace), end = lt_trace_whole_end(r->trace);
	const char *value = lt_trace_info(r->trace, "kernel_release");
	char wall[LT_TIME_TEXT + 8], span[64], kernel[128], host[128];

	snprintf(kernel, sizeof(kernel), "%s", value ? value : "?");
	value = lt_trace_info(r->trace, "hostname");
	snprintf(host, sizeof(host), "%s", value ? value : "?");
	say(p->out, "%s: %s, kernel %s\n", lt_file_name(p->file), host, kernel);
	say(p->out, "  time         %s, for %s\n",
	    lt_human_wall(lt_trace_realtime(r->trace, begin), wall, sizeof(wall)),
	    lt_human_ns(end > begin ? end - begin : 0, span, sizeof(span)));
	if (r->opts.at)
		say(p->out, "  as it was    %s\n", lt_report_then(r, p->times, wall));
	say(p->out, "  allocations  first one recorded at %s; rates are averages over %s\n",
	    lt_human_ns(lt_trace_since(r->trace, r->watched), span, sizeof(span)),
	    lt_human_ns(lt_report_watched(r), wall, sizeof(wall)));
}

static void print_loss(struct lt_report *r, const struct lt_report_view *p)
{
	struct lt_loss s = lt_trace_loss(r->trace);
	const struct lt_gap *gaps;
	char n[32], l[32];

	say(p->out, "  events       %s recorded, ", lt_human_count(s.records, n, sizeof(n)));
	if (s.at_least && !s.lost)
		say(p->out, "an unknown number lost");
	else
		say(p->out, "%s%s lost", s.at_least ? "at least " : "",
		    lt_human_count(s.lost, l, sizeof(l)));
	if (s.lost)
		say(p->out, " (buffer full %" PRIu64 ", NMI %" PRIu64 ", nested %" PRIu64
		    ", no buffer %" PRIu64 ", packets missing or damaged %" PRIu64 ")", s.full,
		    s.nmi, s.nested, s.nobuf, s.damaged);
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
	enum lt_space space = r->opts.space;
	const uint64_t *c = r->stats.certainty[space];
	const char *min_size = lt_trace_info(r->trace, "min_size");
	uint64_t sum = 0;
	char n[32];

	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		sum += c[i];
	say(p->out, "  lifetimes    %s of %s:\n              ", lt_human_count(sum, n, sizeof(n)),
	    lt_space_words(space)->objects);
	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		say(p->out, "%s %s %" PRIu64 " (%.1f %%)", i == 3 ? ",\n              " :
		    i ? "," : "", lt_certainty_name((enum lt_certainty)i), c[i],
		    sum ? 100.0 * (double)c[i] / (double)sum : 0.0);
	say(p->out, "\n");
	if (min_size && strcmp(min_size, "0"))
		say(p->out, "               smaller than %s bytes were left out: 'before' may also mean that\n",
		    min_size);
	if (lt_trace_info(r->trace, "births_filtered"))
		say(p->out, "               births were left out by a filter: 'before' may also mean that\n");
	say(p->out, "  freed by RCU %" PRIu64 " requests, the release of %" PRIu64 " seen; failed allocations %"
	    PRIu64 "\n", r->stats.rcu_requests, r->stats.rcu_confirmed, r->stats.failed);
}

static void print_watched(struct lt_report *r, const struct lt_report_view *p)
{
	const char *text = lt_trace_text(r->trace, LT_BLOCK_EVENTS, 0);
	bool first = true;
	char buf[256];

	while (lt_line_text(&text, buf, sizeof(buf))) {
		char *name = buf, *kind, *state, *why;

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

static void print_own(struct lt_report *r, const struct lt_report_view *p)
{
	char n[32], bytes[32];

	if (r->own_births)
		say(p->out, "  self         %s objects (%s) made by lifetrace itself; --self includes them\n",
		    lt_human_count(r->own_births, n, sizeof(n)),
		    lt_human_bytes(r->own_bytes, bytes, sizeof(bytes)));
}

static void print_alive(struct lt_report *r, const struct lt_report_view *p)
{
	enum lt_space space = r->opts.space;
	char n[32], b[32], peak[32], t[LT_TIME_TEXT], then[LT_TIME_TEXT + 8];
	struct lt_times times;

	lt_times_init(&times, p->times, r->trace);

	say(p->out, "  alive        %s %s with %s", lt_report_then(r, p->times, then),
	    lt_human_count(r->all.live, n, sizeof(n)),
	    lt_human_bytes(r->all.live_bytes, b, sizeof(b)));
	if (r->all.maybe)
		say(p->out, ", uncertain of %s with %s", lt_human_count(r->all.maybe, n, sizeof(n)),
		    lt_human_bytes(r->all.maybe_bytes, b, sizeof(b)));
	/* If no byte was ever live there is no peak. */
	if (r->peak_bytes)
		say(p->out, ";\n               at the peak, at %s, %s%s",
		    lt_times_human(&times, r->peak_time, t),
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
	switch (s.verdict) {
	case LT_COVERAGE_LOST:
		say(p->out, "  coverage     no percentage: events of slab objects were lost");
		break;
	case LT_COVERAGE_FILTERED:
		say(p->out, "  coverage     no percentage: the recorder left births out");
		break;
	case LT_COVERAGE_ERROR:
		say(p->out, "  coverage     no percentage: no cache changed by more than the error of its counter");
		break;
	case LT_COVERAGE_JUDGED:
		say(p->out, "  coverage     allocations minus frees make up %.2f %% ± %.2f %% of the change in the\n"
		    "               kernel's counters of the %" PRIu64 " of %" PRIu64 " slab caches that changed by more than\n"
		    "               the error of their counter: by %" PRIu64 " objects, error up to %"
		    PRIu64, lt_coverage_percent(&s), lt_coverage_percent_error(&s),
		    s.judged.caches, s.caches, s.judged.change, s.judged.error);
		break;
	}
	say(p->out, ";\n               all caches: changed by %" PRIu64 ", error up to %" PRIu64
	    ", %" PRIu64 " apart beyond it; see --coverage\n", s.change, s.error, s.beyond);
}

void lt_report_summary(struct lt_report *r, const struct lt_report_view *p)
{
	print_machine(r, p);
	print_loss(r, p);
	print_certainty(r, p);
	print_watched(r, p);
	print_own(r, p);
	print_alive(r, p);
	if (r->opts.space == LT_SPACE_SLAB)
		print_coverage_line(r, p);
	say(p->out, "  percentiles  are estimated (Kaplan-Meier) from %" PRIu64 " exact lifetimes and from\n"
	    "               the ages of %" PRIu64 " objects alive then; '> T': fewer had ended at T,\n"
	    "               the greatest age that was watched\n",
	    r->all.life.n, r->all.ages.n);
}

static void json_coverage_rows(struct lt_json *j, const struct lt_coverage_row *rows, size_t n)
{
	lt_json_array(j, "rows");
	for (size_t i = 0; i < n; i++) {
		lt_json_break(j);
		lt_json_object(j, NULL);
		lt_json_str(j, "cache", rows[i].name);
		lt_json_s64(j, "kernel", rows[i].real);
		lt_json_s64(j, "traced", rows[i].traced);
		lt_json_s64(j, "apart", rows[i].real - rows[i].traced);
		lt_json_u64(j, "error", rows[i].error);
		lt_json_end(j);
	}
	lt_json_end(j);
}

/* Where the counters cannot judge the trace, a percentage would mean nothing. */
static void json_percent(struct lt_json *j, const char *name, bool judged, double percent)
{
	if (judged)
		lt_json_fixed(j, name, percent, 3);
	else
		lt_json_null(j, name);
}

static void json_coverage(struct lt_json *j, struct lt_report *r, const struct lt_report_view *p)
{
	const struct lt_coverage_row *rows;
	struct lt_coverage_sum s;
	const char *why, *silence;
	size_t n;

	rows = lt_coverage_rows(r->coverage, &n, &s, &why);
	if (!rows) {
		lt_json_null(j, "coverage");
		return;
	}
	lt_json_object(j, "coverage");
	lt_json_u64(j, "caches", s.caches);
	lt_json_u64(j, "change", s.change);
	lt_json_u64(j, "apart", s.apart);
	lt_json_u64(j, "beyond_error", s.beyond);
	lt_json_u64(j, "error", s.error);
	lt_json_u64(j, "judged_caches", s.judged.caches);
	lt_json_u64(j, "judged_change", s.judged.change);
	lt_json_u64(j, "judged_apart", s.judged.apart);
	lt_json_u64(j, "judged_error", s.judged.error);
	silence = lt_coverage_silence(&s);
	json_percent(j, "explained_percent", !silence, lt_coverage_percent(&s));
	json_percent(j, "explained_percent_error", !silence, lt_coverage_percent_error(&s));
	json_percent(j, "explained_beyond_error_percent", !silence,
		     lt_coverage_beyond_percent(&s));
	lt_json_str(j, "no_percentage", silence);
	if (p->coverage)
		json_coverage_rows(j, rows, n);
	lt_json_end(j);
}

static void json_certainty(struct lt_json *j, const struct lt_report *r)
{
	enum lt_space space = r->opts.space;

	for (int i = 0; i < LT_N_CERTAINTIES; i++)
		lt_json_u64(j, lt_certainty_name((enum lt_certainty)i),
			    r->stats.certainty[space][i]);
	lt_json_object(j, "why");
	for (int i = LT_WHY_NONE + 1; i < LT_N_WHYS; i++)
		lt_json_u64(j, lt_cause_name((enum lt_cause)i), r->stats.why[space][i]);
	lt_json_end(j);
}

static void json_estimate(struct lt_json *j, const char *name, uint64_t value,
			  const struct lt_spread *off)
{
	struct lt_interval in = lt_spread_interval(off, value);

	lt_json_object(j, name);
	lt_json_u64(j, "estimate", value);
	if (in.known) {
		lt_json_u64(j, "low", in.low);
		lt_json_u64(j, "high", in.high);
	} else {
		lt_json_null(j, "low");
		lt_json_null(j, "high");
	}
	lt_json_end(j);
}

/* Of a sample: what the rows stand for, and the sums of all with their intervals. */
static void json_sample(struct lt_json *j, const struct lt_report *r)
{
	uint64_t counted = lt_births_counted(r->trace, r->opts.space);

	lt_json_object(j, "sample");
	lt_json_u64(j, "one_in", r->sample);
	if (lt_trace_sample_changed(r->trace))
		lt_json_bool(j, "changed", true);
	if (counted)
		lt_json_u64(j, "counted_allocations", counted);
	else
		lt_json_null(j, "counted_allocations");
	json_estimate(j, "allocations", r->all.births, &r->all.births_off);
	json_estimate(j, "bytes", r->all.bytes, &r->all.bytes_off);
	json_estimate(j, "alive", r->all.live, &r->all.live_off);
	json_estimate(j, "alive_bytes", r->all.live_bytes, &r->all.live_bytes_off);
	lt_json_end(j);
}

void lt_report_summary_json(struct lt_json *j, struct lt_report *r, const struct lt_report_view *p)
{
	struct lt_loss s = lt_trace_loss(r->trace);
	struct lt_times times;

	lt_times_init(&times, p->times, r->trace);
	lt_json_u64(j, "schema_version", LT_SCHEMA_VERSION);
	lt_json_word(j, "objects", lt_space_words(r->opts.space)->name);
	lt_json_word(j, "by", lt_report_kind(r->opts.by)->name);
	lt_json_s64(j, "begin_ns", lt_times_ns(&times, r->watched));
	lt_json_s64(j, "end_ns", lt_times_ns(&times, lt_trace_end(r->trace)));
	lt_json_u64(j, "clock_begin_ns", lt_trace_begin(r->trace));
	lt_json_u64(j, "records", s.records);
	lt_json_u64(j, "lost", s.lost);
	if (s.at_least)
		lt_json_bool(j, "lost_at_least", true);
	lt_json_u64(j, "missed", s.missed);
	lt_json_u64(j, "filtered", s.filtered);
	json_certainty(j, r);
	lt_json_u64(j, "inversions", r->stats.inversions);
	lt_json_u64(j, "rcu_requests", r->stats.rcu_requests);
	lt_json_u64(j, "rcu_confirmed", r->stats.rcu_confirmed);
	lt_json_u64(j, "failed", r->stats.failed);
	lt_json_u64(j, "peak_bytes", r->peak_bytes);
	lt_json_s64_if(j, "peak_ns", r->peak_bytes, lt_times_ns(&times, r->peak_time));
	if (r->stacks_one_in)
		lt_json_u64(j, "stacks_one_in", r->stacks_one_in);
	if (r->sample)
		json_sample(j, r);
	if (r->own_births) {
		lt_json_u64(j, "own_allocations", r->own_births);
		lt_json_u64(j, "own_bytes", r->own_bytes);
		lt_json_u64(j, "own_alive_bytes", r->own_live_bytes);
	}
	json_coverage(j, r, p);
}

void lt_report_coverage(struct lt_report *r, const struct lt_report_view *p)
{
	const struct lt_coverage_row *rows;
	struct lt_coverage_sum s;
	const char *why;
	size_t n;

	rows = lt_coverage_rows(r->coverage, &n, &s, &why);
	if (!rows) {
		say(p->out, "\nCoverage: not known: %s\n", why);
		return;
	}
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
	if (s.unknown_cache_frees)
		say(p->out, "  kmem_cache_free of objects older than the trace, of unknown caches: %"
		    PRIu64 "\n", s.unknown_cache_frees);
	if (s.unknown_requests)
		say(p->out, "  kfree_rcu of objects older than the trace, of unknown caches or of vmalloc: %"
		    PRIu64 "\n", s.unknown_requests);
}

/* The longest bar is one of the exact lifetimes; the ages of what is alive stand beside them. */
static void histogram_line(struct lt_report *r, const struct lt_report_view *p, unsigned int power,
			   uint64_t most)
{
	uint64_t n = lt_hist_log2(&r->all.life, power);
	unsigned int len = (unsigned int)(n * BAR / (most ? most : 1));
	char from[32], to[32], count[32], alive[32];

	lt_human_ns(power ? 1ULL << power : 0, from, sizeof(from));
	lt_human_ns(power < 63 ? 2ULL << power : UINT64_MAX, to, sizeof(to));
	say(p->out, "  %8s .. %8s %11s %5.1f %% %9s%s", from, to,
	    lt_human_count(n, count, sizeof(count)),
	    r->all.life.n ? 100.0 * (double)n / (double)r->all.life.n : 0.0,
	    lt_human_count(lt_hist_log2(&r->all.ages, power), alive, sizeof(alive)), len ? " " : "");
	for (unsigned int j = 0; j < len; j++)
		lt_out_str(p->out, p->utf8 ? "█" : "#");
	lt_out_char(p->out, '\n');
}

void lt_report_histogram(struct lt_report *r, const struct lt_report_view *p)
{
	unsigned int first = 64, last = 0;
	uint64_t most = 0;

	for (unsigned int i = 0; i < 64; i++) {
		uint64_t n = lt_hist_log2(&r->all.life, i);

		if (!n && !lt_hist_log2(&r->all.ages, i))
			continue;
		first = first == 64 ? i : first;
		last = i;
		most = n > most ? n : most;
	}
	lt_out_char(p->out, '\n');
	lt_report_heading(p, "Lifetimes of exact objects, and ages of those alive at the end");
	say(p->out, "\n  %8s .. %8s %11s %7s %9s\n", "from", "below", "exact", "", "alive");
	for (unsigned int i = first; i < 64 && i <= last; i++)
		histogram_line(r, p, i, most);
}
