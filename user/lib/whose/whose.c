// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which task of a trace a line of another tool's record means.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "whose/whose.h"

#define MAX_COMM	15	/* bytes of a name that the kernel keeps */
#define TWICE_NS	(3 * 3600 * 1000000000ULL)	/* no zone sets its clocks by more */

struct lt_whose {
	const struct lt_tasks *tb;
	struct lt_holders *holders;
	struct lt_whose_options o;
	struct lt_when when[LT_N_LOG_CLOCKS];
	bool has_clock[LT_N_LOG_CLOCKS];
	char *host;
	bool lossy;		/* changes or ends of tasks may be lost */
	uint64_t begin;
	uint64_t end;
};

static const struct {
	const char *name;
	const char *text;
} doubts[LT_N_WHOSE_DOUBTS] = {
	[LT_WHOSE_DECIDED] = { "decided", "decided" },
	[LT_WHOSE_OWNERS] = { "owners", "the number changed its owner in this time" },
	[LT_WHOSE_NOBODY] = { "nobody", "no task of the trace had the number then" },
	[LT_WHOSE_LOST] = { "lost", "the trace has lost events, perhaps those of another owner" },
	[LT_WHOSE_BEFORE] = { "before", "the time is before the trace, or may be" },
	[LT_WHOSE_AFTER] = { "after", "the time is after the trace, or may be" },
	[LT_WHOSE_CLOCK] = { "clock", "the clock was set, and did not show this time once" },
	[LT_WHOSE_DATE] = { "date", "the line has no date, and the trace is of many days" },
	[LT_WHOSE_NAME] = { "name", "the owner of the number never had this name" },
	[LT_WHOSE_HOST] = { "host", "the line is of another machine" },
	[LT_WHOSE_UNREAD] = { "unread", "its number or its time cannot be read" },
};

const char *lt_whose_doubt_name(enum lt_whose_doubt d)
{
	return doubts[d].name;
}

const char *lt_whose_doubt_text(enum lt_whose_doubt d)
{
	return doubts[d].text;
}

/* For the holders: the earliest time of the trace at which it was @boot ns since boot. */
static uint64_t time_of_boot(void *arg, uint64_t boot)
{
	const struct lt_when *w = arg;
	struct lt_span spans[LT_SPANS];

	return lt_when_spans(w, boot, boot, spans) ? spans[0].from : 0;
}

struct lt_whose *lt_whose_new(const struct lt_trace *t, const struct lt_tasks *tb,
			      const struct lt_whose_options *o)
{
	struct lt_whose *w = lt_alloc(sizeof(*w));
	const struct lt_clock *clock = lt_trace_clock(t);
	const char *value = lt_trace_info(t, "clock");
	char *name = value ? lt_strdup(value) : NULL;
	struct lt_when boot;
	bool has_boot;

	*w = (struct lt_whose){
		.tb = tb, .o = *o, .begin = lt_trace_begin(t), .end = lt_trace_end(t),
	};
	for (unsigned int i = 0; i < LT_N_LOG_CLOCKS; i++)
		w->has_clock[i] = !lt_when_init(&w->when[i], clock, name, (enum lt_log_clock)i,
						o->uncertain);
	has_boot = !lt_when_init(&boot, clock, name, LT_LOG_BOOT, UINT64_MAX);
	w->holders = lt_holders_new(tb, w->begin, w->end, has_boot ? time_of_boot : NULL, &boot);
	lt_when_destroy(&boot);
	free(name);
	w->lossy = lt_tasks_lost_between(tb, LT_LOST_CHANGES, 0, UINT64_MAX) ||
		   lt_tasks_lost_between(tb, LT_LOST_ENDS, 0, UINT64_MAX);
	value = lt_trace_info(t, "hostname");
	w->host = value && *value ? lt_strdup(value) : NULL;
	return w;
}

void lt_whose_free(struct lt_whose *w)
{
	if (!w)
		return;
	for (unsigned int i = 0; i < LT_N_LOG_CLOCKS; i++)
		lt_when_destroy(&w->when[i]);
	lt_holders_free(w->holders);
	free(w->host);
	free(w);
}

bool lt_whose_has_clock(const struct lt_whose *w, enum lt_log_clock clock)
{
	return w->has_clock[w->o.clock == LT_N_LOG_CLOCKS ? clock : w->o.clock];
}

static void add_candidate(struct lt_whose_answer *a, uint32_t inst)
{
	for (unsigned int i = 0; i < a->n; i++) {
		if (a->inst[i] == inst)
			return;
	}
	if (a->n == LT_WHOSE_CANDIDATES)
		a->more = true;
	else
		a->inst[a->n++] = inst;
}

static enum lt_whose_doubt doubt_of(enum lt_holder_doubt d)
{
	switch (d) {
	case LT_HOLDER_KNOWN:
		return LT_WHOSE_DECIDED;
	case LT_HOLDER_SEVERAL:
		return LT_WHOSE_OWNERS;
	case LT_HOLDER_NONE:
		return LT_WHOSE_NOBODY;
	case LT_HOLDER_LOST:
		return LT_WHOSE_LOST;
	case LT_HOLDER_BEFORE:
		return LT_WHOSE_BEFORE;
	default:
		return LT_WHOSE_AFTER;
	}
}

/*
 * Of two spans, one of which is the line's, in one of which it may be that nobody had the number.
 */
static enum lt_whose_doubt both(enum lt_whose_doubt a, enum lt_whose_doubt b)
{
	if (a == b)
		return a;
	if (a != LT_WHOSE_DECIDED && a != LT_WHOSE_NOBODY)
		return a;
	return b != LT_WHOSE_DECIDED && b != LT_WHOSE_NOBODY ? b : LT_WHOSE_CLOCK;
}

/* Adds who may have had the number in a span. Return: why that is not known. */
static enum lt_whose_doubt look(const struct lt_whose *w, uint32_t pid, const struct lt_span *s,
				struct lt_whose_answer *a)
{
	const struct lt_holder *found;
	enum lt_whose_doubt d;
	size_t n;

	/* What a clock showed far from its readings is not known. */
	if (s->to < w->begin)
		return LT_WHOSE_BEFORE;
	if (s->from > w->end)
		return LT_WHOSE_AFTER;
	d = doubt_of(lt_holders_find(w->holders, pid, s->from, s->to, &found, &n));
	if (!a->known)
		a->span = *s;
	a->known = true;
	if (s->from < a->span.from)
		a->span.from = s->from;
	if (s->to > a->span.to)
		a->span.to = s->to;
	for (size_t i = 0; i < n; i++)
		add_candidate(a, found[i].inst);
	return d;
}

/*
 * Whether a name of the log can be one of the task. Of a kernel thread /proc, and who reads it
 * there, has more than the 15 bytes that the kernel keeps, and what a worker does:
 * "kworker/0:1-events".
 */
static bool name_fits(const struct lt_whose *w, const struct lt_log_line *line, uint32_t inst)
{
	size_t n = line->comm_len;

	if (!line->comm || lt_tasks_had_name(w->tb, inst, line->comm, n))
		return true;
	if (!(lt_tasks_get(w->tb, inst)->flags & LT_TASK_FLAG_KTHREAD))
		return false;
	for (n = n > MAX_COMM ? MAX_COMM : n - !!n; n; n--) {
		if ((n == MAX_COMM || line->comm[n] == '-' || line->comm[n] == '+') &&
		    lt_tasks_had_name(w->tb, inst, line->comm, n))
			return true;
	}
	return false;
}

/* Whether a host of a line is that of the trace: one of both names may have a domain. */
static bool host_fits(const struct lt_whose *w, const struct lt_log_line *line)
{
	size_t n = w->host ? strlen(w->host) : 0, less;

	if (!line->host || !n)
		return true;
	less = n < line->host_len ? n : line->host_len;
	if (memcmp(w->host, line->host, less))
		return false;
	return n == line->host_len || (less == n ? line->host[less] : w->host[less]) == '.';
}

/*
 * By the scheduler's clock, which the kernel relates to no other one. It runs as
 * CLOCK_MONOTONIC_RAW on most machines, and in guests whose host gives them a corrected clock as
 * CLOCK_MONOTONIC. So the time is between what both of them say, or near.
 */
static unsigned int local_span(const struct lt_whose *w, uint64_t from, uint64_t to,
			       struct lt_span *span)
{
	struct lt_span spans[LT_SPANS], mono[LT_SPANS];
	unsigned int n = lt_when_spans(&w->when[LT_LOG_LOCAL], from, to, spans);
	uint64_t near = w->when[LT_LOG_LOCAL].uncertain, mono_near = w->when[LT_LOG_MONO].uncertain;
	uint64_t more = near > mono_near ? near - mono_near : 0;

	if (!n || n > LT_SPANS ||
	    lt_when_spans(&w->when[LT_LOG_MONO], from > more ? from - more : 0,
			  to > UINT64_MAX - more ? UINT64_MAX : to + more, mono) != 1)
		return 0;
	*span = mono[0];
	for (unsigned int i = 0; i < n; i++) {
		if (spans[i].from < span->from)
			span->from = spans[i].from;
		if (spans[i].to > span->to)
			span->to = spans[i].to;
	}
	return 1;
}

/* The spans of the trace that one of the times of a line is. Return: as lt_when_spans(). */
static unsigned int spans_of(const struct lt_whose *w, const struct lt_log_line *line, uint64_t v,
			     struct lt_span spans[LT_SPANS])
{
	enum lt_log_clock clock = w->o.clock == LT_N_LOG_CLOCKS ? line->clock : w->o.clock;
	uint64_t late = w->o.late == UINT64_MAX ? line->late : w->o.late;
	/* A tool may round the last digit, up or down. */
	uint64_t before = late > UINT64_MAX - line->span ? UINT64_MAX : late + line->span;
	uint64_t from = v > before ? v - before : 0, to = v + line->span;

	if (clock == LT_LOG_LOCAL)
		return local_span(w, from, to, spans);
	return lt_when_spans(&w->when[clock], from, to, spans);
}

/*
 * All spans that a line may mean. Of the days that a text without a date may mean, one that is in
 * the trace is meant, if there is such a one: with both instants of an hour that clocks show
 * twice on that day. Return: how many; 0: none, or too many.
 */
static unsigned int all_spans(const struct lt_whose *w, const struct lt_log_line *line,
			      struct lt_span all[LT_LOG_TIMES * LT_SPANS])
{
	unsigned int day_of[LT_LOG_TIMES * LT_SPANS], n = 0, day = 0, kept = 0;
	bool inside[LT_LOG_TIMES] = { false };

	for (unsigned int i = 0; i < line->n_times; i++) {
		unsigned int more = spans_of(w, line, line->times[i], &all[n]);

		if (more > LT_SPANS)
			return 0;
		if (i && !lt_clock_near(line->times[i], line->times[i - 1], TWICE_NS))
			day++;
		for (; more; more--, n++) {
			day_of[n] = day;
			inside[day] |= all[n].to >= w->begin && all[n].from <= w->end;
		}
	}
	for (unsigned int i = 0; i < n && line->n_times > 1; i++) {
		if (inside[day_of[i]])
			all[kept++] = all[i];
	}
	return kept ? kept : n;
}

static enum lt_whose_doubt find(const struct lt_whose *w, const struct lt_log_line *line,
				struct lt_whose_answer *a)
{
	struct lt_span all[LT_LOG_TIMES * LT_SPANS];
	unsigned int n = line->more ? 0 : all_spans(w, line, all);
	enum lt_whose_doubt doubt = line->more ? LT_WHOSE_DATE : LT_WHOSE_CLOCK;

	for (unsigned int i = 0; i < n; i++) {
		enum lt_whose_doubt d = look(w, line->pid, &all[i], a);

		doubt = i ? both(doubt, d) : d;
	}
	return a->n > 1 ? LT_WHOSE_OWNERS : doubt;
}

void lt_whose_find(const struct lt_whose *w, const struct lt_log_line *line,
		   struct lt_whose_answer *a)
{
	a->known = a->more = false;
	a->n = 0;
	a->doubt = find(w, line, a);
	if (!host_fits(w, line))
		a->doubt = LT_WHOSE_HOST;
	else if (a->doubt == LT_WHOSE_DECIDED && !name_fits(w, line, a->inst[0]))
		a->doubt = LT_WHOSE_NAME;
}

void lt_whose_unread(struct lt_whose_answer *a)
{
	a->doubt = LT_WHOSE_UNREAD;
	a->known = a->more = false;
	a->n = 0;
}

uint32_t lt_whose_parent(const struct lt_whose *w, uint32_t inst, const struct lt_span *span)
{
	struct lt_task_value v = lt_tasks_over(w->tb, inst, LT_ATTR_PARENT, span->from, span->to,
					       true);

	return v.known && v.certain ? (uint32_t)v.u : 0;
}

static uint64_t sure(const struct lt_task_value *v)
{
	return v->known && v->certain ? v->u : 0;
}

void lt_whose_task(const struct lt_whose *w, uint32_t inst, const struct lt_span *span,
		   struct lt_whose_task *task)
{
	static const enum lt_task_attr attrs[] = {
		LT_ATTR_COMM, LT_ATTR_FILE, LT_ATTR_PARENT, LT_ATTR_CGROUP,
	};
	uint64_t until = lt_tasks_quiet(w->tb, inst, span->from, span->to);
	struct lt_task_value values[LT_N_TASK_ATTRS];

	/* Nearly all lines are of a task in which nothing changes in their time. */
	if (until) {
		lt_tasks_over_quiet(w->tb, inst, span->from, span->to, values);
	} else {
		for (unsigned int i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
			values[attrs[i]] = lt_tasks_over(w->tb, inst, attrs[i], span->from,
							 span->to, until);
	}
	*task = (struct lt_whose_task){
		.inst = inst, .comm = (uint32_t)sure(&values[LT_ATTR_COMM]),
		.file = (uint32_t)sure(&values[LT_ATTR_FILE]),
		.parent = (uint32_t)sure(&values[LT_ATTR_PARENT]),
		.cgroup = sure(&values[LT_ATTR_CGROUP]), .until = until,
	};
	if (task->parent) {
		const struct lt_task_inst *p = lt_tasks_get(w->tb, task->parent);

		if (lt_task_ended(p) && p->end >= span->to && p->end < task->until)
			task->until = p->end;
	}
	/*
	 * Where nothing changed, what is not known stays so until something does, but for a
	 * parent: see lt_whose_parent(). Where changes or ends may be lost, that holds for this
	 * time alone.
	 */
	if (!until || w->lossy)
		task->until = span->to + 1;
}
