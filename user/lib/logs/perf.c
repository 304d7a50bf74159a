// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of perf script:
 *
 *	              ls  3873 61822.055511:     250000 task-clock:  ffffffff81307378 …
 *	      Web Content  3873/3880  [002] 61822.055511: sched:sched_switch: …
 *
 * A name may have blanks and digits, so the time is looked for: the first number with a point and
 * a colon behind it that has a number, or two, in front. The clock is the scheduler's, unless perf
 * record was given another one (-k).
 */
#include "logs/internal.h"

/* Cuts trailing blanks off @t. Return: whether there were some. */
static bool trim(struct lt_text *t)
{
	const char *end = t->end;

	while (t->end > t->p && (t->end[-1] == ' ' || t->end[-1] == '\t'))
		t->end--;
	return t->end < end;
}

/* Cuts a number off the end of @t. */
static bool cut_number(struct lt_text *t, uint32_t *v)
{
	struct lt_text n = *t;
	const char *end = t->end;

	while (t->end > t->p && t->end[-1] >= '0' && t->end[-1] <= '9')
		t->end--;
	n.p = t->end;
	n.end = end;
	return lt_text_pid(&n, v);
}

/* Cuts "[002]" off the end, if it is there. False: there is something else in brackets. */
static bool cut_cpu(struct lt_text *t, struct lt_log_line *out)
{
	if (t->end == t->p || t->end[-1] != ']')
		return true;
	t->end--;
	out->has_cpu = true;
	if (!cut_number(t, &out->cpu) || t->end == t->p || t->end[-1] != '[')
		return false;
	t->end--;
	return trim(t);
}

/* What stands before the time: name, number, CPU. */
static bool take_task(struct lt_text t, struct lt_log_line *out)
{
	uint32_t process;

	if (!trim(&t) || !cut_cpu(&t, out) || !cut_number(&t, &out->pid))
		return false;
	if (t.end > t.p && t.end[-1] == '/') {
		t.end--;
		if (!cut_number(&t, &process))
			return false;
	}
	if (!trim(&t))
		return false;
	lt_text_spaces(&t);
	if (t.end == t.p)
		return false;
	/* ":123" stands for a name that perf did not hear of. */
	if (*t.p != ':') {
		out->comm = t.p;
		out->comm_len = lt_text_left(&t);
	}
	return true;
}

/* The begin of the number that ends at @p, with a point in it; NULL: there is none. */
static const char *number_before(const char *begin, const char *p)
{
	const char *q = p;

	while (q > begin && q[-1] >= '0' && q[-1] <= '9')
		q--;
	if (q == p || q == begin || q[-1] != '.')
		return NULL;
	p = --q;
	while (q > begin && q[-1] >= '0' && q[-1] <= '9')
		q--;
	return q < p && q > begin && q[-1] == ' ' ? q : NULL;
}

enum lt_log_said lt_log_perf(struct lt_log_parser *p, struct lt_text t, struct lt_log_line *out,
			     struct lt_why *why)
{
	const char *begin = t.p, *colon;
	uint64_t ns;

	(void)p;
	(void)why;
	/* The frames of a stack are indented by tabs, their task has been named. */
	if (lt_text_is(&t, '\t') || lt_text_is(&t, '#'))
		return LT_LOG_NO_TASK;
	while ((colon = lt_text_left(&t) ? memchr(t.p, ':', lt_text_left(&t)) : NULL)) {
		const char *number = number_before(begin, colon);
		struct lt_text at = { number, t.end };

		if (number && take_task((struct lt_text){ begin, number }, out) &&
		    lt_text_seconds(&at, &ns, &out->span)) {
			out->rest = colon + 1;
			out->rest_len = (size_t)(t.end - out->rest);
			lt_log_at(out, LT_LOG_LOCAL, ns);
			return LT_LOG_TASK;
		}
		t.p = colon + 1;
	}
	return LT_LOG_NO_TASK;
}
