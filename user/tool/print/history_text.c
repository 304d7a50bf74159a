// SPDX-License-Identifier: GPL-2.0
/*
 * The history of addresses, for people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/para.h"
#include "out/units.h"
#include "print/history.h"
#include "print/site.h"

#define MARGIN_NS	1000000000ULL	/* by which the clock of the log may differ */

static void line(const struct lt_history_view *v, const struct lt_para *p)
{
	lt_para_line(p, v->out, 0);
}

/* ------------------------------------------------------------------------
 * Reports
 */

/* When the report was printed, where log and trace have one clock. */
static void print_time(const struct lt_history_view *v, const struct lt_oops_report *r)
{
	const char *clock = lt_trace_info(v->h->t, "clock");
	struct lt_para p = { 0 };
	char buf[LT_HUMAN];
	uint64_t begin = lt_trace_begin(v->h->t), end = lt_trace_whole_end(v->h->t);

	if (!r->has_time || !clock || strcmp(clock, "mono"))
		return;
	if (r->time_ns + MARGIN_NS < begin)
		lt_para_add(&p, "  It was printed %s before the trace begins: it is of another boot, or what it "
			    "is about was not recorded.",
			    lt_human_ns(begin - r->time_ns, buf, sizeof(buf)));
	else if (r->time_ns > end + MARGIN_NS)
		lt_para_add(&p, "  It was printed %s after the end of the trace: what happened between is not "
			    "in it.", lt_human_ns(r->time_ns - end, buf, sizeof(buf)));
	else if (r->time_ns < end)
		lt_para_add(&p, "  It was printed %s before the end of the trace: --at=@%.6f shows what was "
			    "then.", lt_human_ns(end - r->time_ns, buf, sizeof(buf)),
			    (double)r->time_ns / 1e9);
	if (p.n)
		line(v, &p);
}

static void print_report(const struct lt_history_view *v, const struct lt_oops_report *r)
{
	struct lt_para p = { 0 };
	uint64_t text;

	lt_para_add(&p, "Line %u: %s", r->line, r->title);
	line(v, &p);
	p.n = 0;
	if (r->where[0] || r->comm[0]) {
		lt_para_add(&p, "  %s%s", r->where[0] ? "In " : "By", r->where);
		if (r->comm[0])
			lt_para_add(&p, "%s task %s (%u)", r->where[0] ? ", by" : "", r->comm,
				    r->pid);
		line(v, &p);
	}
	p.n = 0;
	if (!r->release[0])
		lt_para_add(&p, "  It has no line \"CPU: …\" with the kernel's release: whether it is of the "
			    "kernel of the trace is not known.");
	else if (v->oops->has_offset && lt_trace_stext(v->h->t, &text))
		lt_para_add(&p, "  Kernel %s, at the address where it is in the trace (Kernel Offset).",
			    r->release);
	else
		lt_para_add(&p, "  Kernel %s, as in the trace. That it is of the same boot cannot be proven.",
			    r->release);
	line(v, &p);
	print_time(v, r);
	lt_out_char(v->out, '\n');
}

/* ------------------------------------------------------------------------
 * Lifetimes
 */

static void print_stack(const struct lt_history_view *v, const struct lt_moment *m)
{
	struct lt_stack stack = lt_trace_stack(v->h->t, m->stack);
	char buf[LT_SITE_TEXT];

	for (unsigned int i = 0; i < stack.n; i++) {
		const struct lt_place *place = v->lines ?
					       lt_lines_find(v->lines, stack.frames[i]) : NULL;
		struct lt_para p = { 0 };

		/* The first frame is the call site. */
		if (!i && lt_trace_code_address(v->h->t, stack.frames[i]) ==
			  lt_trace_code_address(v->h->t, m->call_site))
			continue;
		lt_para_add(&p, "        < %s",
			    lt_site_chain(v->h->t, stack.frames[i], place, buf, sizeof(buf)));
		line(v, &p);
	}
}

/* "2.100345 by make_it+0x23 [m], cat (tid 123), CPU 1, softirq". */
static void add_moment(const struct lt_history_view *v, struct lt_para *p,
		       const struct lt_moment *m)
{
	const struct lt_place *place = v->lines && m->call_site ?
				       lt_lines_find(v->lines, m->call_site) : NULL;
	char buf[LT_SITE_TEXT], time[LT_TIME_TEXT];

	lt_para_add(p, "%s", lt_times_text(&v->times, m->time, 6, time));
	if (m->call_site)
		lt_para_add(p, " by %s",
			    lt_site_chain(v->h->t, m->call_site, place, buf, sizeof(buf)));
	if (m->task)
		lt_para_add(p, ", %s (tid %u)", lt_task_comm_at(m->task, m->time), m->task->tid);
	lt_para_add(p, ", CPU %u", m->cpu);
	if (m->context)
		lt_para_add(p, ", %s", lt_context_name(m->context));
}

static void print_birth(const struct lt_history_view *v, const struct lt_lifetime *l)
{
	struct lt_para p = { 0 };

	lt_para_add(&p, "    allocated ");
	if (!l->birth.known)
		lt_para_add(&p, "not seen: before the trace, or in a way that was not watched");
	else
		add_moment(v, &p, &l->birth);
	line(v, &p);
	if (l->birth.known)
		print_stack(v, &l->birth);
}

static void print_death(const struct lt_history_view *v, const struct lt_lifetime *l)
{
	struct lt_para p = { 0 };
	char buf[LT_HUMAN], time[LT_TIME_TEXT];

	if (l->ending == LT_END_ALIVE) {
		lt_para_add(&p, "    alive");
		if (l->birth.known)
			lt_para_add(&p, ", since %s",
				    lt_human_ns(lt_lifetime_ns(l), buf, sizeof(buf)));
		line(v, &p);
		return;
	}
	if (!l->death.known) {
		lt_para_add(&p, "    freed     not seen, at %s or before",
			    lt_times_text(&v->times, l->death.time, 6, time));
		line(v, &p);
		return;
	}
	lt_para_add(&p, "    freed     ");
	add_moment(v, &p, &l->death);
	lt_para_add(&p, "; %s", lt_ending_name((enum lt_ending)l->ending));
	line(v, &p);
	print_stack(v, &l->death);
	p.n = 0;
	lt_para_add(&p, "    %s%s ago", l->ending == LT_END_RCU ? "given to RCU " : "",
		    lt_human_ns(v->h->end - l->death.time, buf, sizeof(buf)));
	if (l->birth.known)
		lt_para_add(&p, ", after a life of %s",
			    lt_human_ns(lt_lifetime_ns(l), buf, sizeof(buf)));
	line(v, &p);
}

/* "kmalloc-64, 60 of 64 bytes from 0xffff888103a1c840 on, exact". */
static void print_what(const struct lt_history_view *v, const struct lt_place_history *at,
		       const struct lt_lifetime *l, const char *before)
{
	uint64_t offset = lt_history_offset(v->h, at, l);
	const char *cache = NULL;
	struct lt_para p = { 0 };
	char buf[128], size[LT_HUMAN];

	if (lt_space_has_caches(l->space))
		cache = lt_lifetime_cache_name(v->h->t, &v->kmalloc, l, buf, sizeof(buf));
	lt_para_add(&p, "  %s", before);
	if (l->space == LT_SPACE_PAGE)
		lt_para_add(&p, "%s page%s from page frame 0x%" PRIx64,
			    lt_human_count(1ULL << l->order, size, sizeof(size)),
			    l->order ? "s" : "", l->ptr);
	else
		lt_para_add(&p, "%s 0x%" PRIx64,
			    cache ? cache : lt_kind_name(lt_lifetime_kind(l)), l->ptr);
	if (l->birth.known && l->bytes_req && l->space != LT_SPACE_PAGE)
		lt_para_add(&p, ", %" PRIu64 " bytes", l->bytes_req);
	if (l->birth.known && l->bytes_alloc && l->bytes_alloc != l->bytes_req &&
	    l->space != LT_SPACE_PAGE)
		lt_para_add(&p, " of %" PRIu64, l->bytes_alloc);
	if (offset && offset < lt_history_extent(v->h, l)) {
		lt_para_add(&p, ", + %" PRIu64, offset);
		if (l->bytes_last && offset >= l->bytes_last && l->space != LT_SPACE_PAGE)
			lt_para_add(&p, " (behind what was requested)");
	}
	lt_para_add(&p, "; %s", lt_certainty_name((enum lt_certainty)l->certainty));
	if (l->why && l->why != LT_WHY_ALIVE)
		lt_para_add(&p, ": %s", lt_cause_text((enum lt_cause)l->why));
	line(v, &p);
}

static void print_lifetime(const struct lt_history_view *v, const struct lt_place_history *at,
			   const struct lt_lifetime *l)
{
	print_what(v, at, l, "");
	print_birth(v, l);
	print_death(v, l);
}

/* No lifetime has the address: an object beside it may have been overrun. */
static void print_neighbours(const struct lt_history_view *v, const struct lt_place_history *at)
{
	struct lt_para p = { 0 };
	char label[64];

	lt_para_add(&p, "  no allocation of this memory is in the trace");
	if (!v->h->linear && !at->is_pfn)
		lt_para_add(&p, "; it does not say which pages have which addresses");
	line(v, &p);
	if (at->has_before) {
		snprintf(label, sizeof(label), "perhaps overrun, %" PRIu64 " bytes before it: ",
			 lt_history_offset(v->h, at, &at->before) -
			 lt_history_extent(v->h, &at->before));
		print_what(v, at, &at->before, label);
		print_birth(v, &at->before);
	}
	if (at->has_after) {
		snprintf(label, sizeof(label), "perhaps underrun, %" PRIu64 " bytes behind it: ",
			 0 - lt_history_offset(v->h, at, &at->after));
		print_what(v, at, &at->after, label);
		print_birth(v, &at->after);
	}
}

/* The sentence that most readers came for. */
static void print_verdict(const struct lt_history_view *v, const struct lt_place_history *at)
{
	const struct lt_lifetime *freed = lt_history_last_free(at), *newest = &at->lifetimes[0];
	struct lt_para p = { 0 };
	char buf[LT_HUMAN], symbol[512];

	lt_para_add(&p, "  %s", newest->ending == LT_END_ALIVE ? "in use" : "free");
	if (freed) {
		lt_para_add(&p, "; last freed %s ago",
			    lt_human_ns(v->h->end - freed->death.time, buf, sizeof(buf)));
		if (freed->death.call_site)
			lt_para_add(&p, " by %s",
				    lt_trace_symbol(v->h->t, freed->death.call_site, true, symbol,
						    sizeof(symbol)));
		if (freed->certainty == LT_UNCERTAIN)
			lt_para_add(&p, " (uncertain)");
	} else if (at->total == at->n) {
		lt_para_add(&p, "; no free of it was seen");
	}
	if (at->total > at->n)
		lt_para_add(&p, "; the newest %zu of %" PRIu64 " lifetimes (--number=0: all)",
			    at->n, at->total);
	line(v, &p);
}

/* ------------------------------------------------------------------------
 * Values
 */

/* Numbers in registers are no question. */
static bool is_number(const struct lt_oops_value *value, enum lt_meaning m)
{
	return m == LT_MEANING_NO_ADDRESS && value->kind == LT_OOPS_REGISTER &&
	       !(value->value >> 47);
}

static bool was_printed(const struct lt_oops *o, size_t n)
{
	for (size_t i = n; i-- && o->values[i].report == o->values[n].report;) {
		if (o->values[i].value == o->values[n].value &&
		    o->values[i].kind != LT_OOPS_HASHED &&
		    (o->values[i].kind == LT_OOPS_PFN) == (o->values[n].kind == LT_OOPS_PFN))
			return o->values[n].kind != LT_OOPS_HASHED;
	}
	return false;
}

/* "0x…: fault address, RBX, CR2". */
static void print_names(const struct lt_history_view *v, size_t n)
{
	const struct lt_oops *o = v->oops;
	const struct lt_oops_value *value = &o->values[n];
	struct lt_para p = { 0 };

	if (value->kind == LT_OOPS_HASHED && !value->value)
		lt_para_add(&p, "(ptrval)");
	else
		lt_para_add(&p, "%s0x%" PRIx64, value->kind == LT_OOPS_PFN ? "page frame " : "",
			    value->value);
	for (size_t i = n; i < o->n_values && o->values[i].report == value->report; i++) {
		if (o->values[i].value == value->value && o->values[i].name[0] &&
		    (i == n || (o->values[i].kind != LT_OOPS_HASHED &&
				value->kind != LT_OOPS_HASHED &&
				value->kind != LT_OOPS_PFN && o->values[i].kind != LT_OOPS_PFN)))
			lt_para_add(&p, "%s%s", i == n ? ": " : ", ", o->values[i].name);
	}
	line(v, &p);
}

static void print_value(const struct lt_history_view *v, size_t n)
{
	const struct lt_oops_value *value = &v->oops->values[n];
	const struct lt_place_history *at;
	const char *note;
	enum lt_meaning m;
	char buf[512];

	m = lt_history_meaning(v, value, &at, &note, buf, sizeof(buf));
	if ((v->oops->n_reports && is_number(value, m)) || was_printed(v->oops, n))
		return;
	print_names(v, n);
	if (note) {
		struct lt_para p = { 0 };

		lt_para_add(&p, "  %s%s", m == LT_MEANING_CODE ? "code: " : "", note);
		line(v, &p);
	}
	if (m == LT_MEANING_MEMORY) {
		print_verdict(v, at);
		for (size_t i = 0; i < at->n; i++)
			print_lifetime(v, at, &at->lifetimes[i]);
	} else if (m == LT_MEANING_UNKNOWN && at) {
		print_neighbours(v, at);
	}
	lt_out_char(v->out, '\n');
}

/* What was left out above. */
static void print_numbers(const struct lt_history_view *v)
{
	struct lt_para p = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < v->oops->n_values; i++) {
		const struct lt_place_history *at;
		const char *note;
		char buf[512];

		n += is_number(&v->oops->values[i],
			       lt_history_meaning(v, &v->oops->values[i], &at, &note, buf,
						  sizeof(buf)));
	}
	if (n)
		lt_para_add(&p, n == 1 ? "%zu register holds a number" :
			    "%zu registers hold numbers", n);
	if (v->oops->n_user)
		lt_para_add(&p, "%s%zu register%s of user space", n ? "; " : "", v->oops->n_user,
			    v->oops->n_user == 1 ? " is" : "s are");
	if (p.n)
		line(v, &p);
}

void lt_history_text(struct lt_history_view *v)
{
	struct lt_para p = { 0 };
	char buf[LT_TIME_TEXT];

	lt_para_add(&p, "%s: as of %s, %s", v->file, v->at ? v->at : "its end",
		    lt_times_human(&v->times, v->h->end, buf));
	line(v, &p);
	lt_out_char(v->out, '\n');
	for (size_t i = 0; i < v->oops->n_values; i++) {
		uint32_t report = v->oops->values[i].report;

		if (v->oops->n_reports && (!i || v->oops->values[i - 1].report != report))
			print_report(v, &v->oops->reports[report]);
		print_value(v, i);
	}
	if (v->oops->n_reports)
		print_numbers(v);
}
