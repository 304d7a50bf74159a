// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of ftrace as text (trace, trace_pipe), and of trace-cmd report:
 *
 *	            bash-1977    [000] .....  17284.993652: sys_close: …
 *	      Web Content-1977    (   1977) [000] d..2. 17284.993652: …
 *	           <...>-1234  [001]  1234.567890: …
 *
 * The clock is that of the file trace_clock; "local", the scheduler's, by default.
 */
#include "logs/internal.h"

/* "[000]" and what leads to it: the begin of the brackets; NULL: there are none. */
static const char *find_cpu(const struct lt_text *t, struct lt_text *behind, uint64_t *cpu)
{
	struct lt_text u = *t;

	while (u.p < u.end) {
		const char *p = memchr(u.p, '[', lt_text_left(&u));

		if (!p)
			return NULL;
		u.p = p + 1;
		if (p > t->p && p[-1] == ' ' && lt_text_number(&u, cpu) && lt_text_skip(&u, ']') &&
		    lt_text_is(&u, ' ')) {
			*behind = u;
			return p;
		}
	}
	return NULL;
}

/* "name-1234", perhaps with "(   1977)" behind it, up to @end. */
static bool take_task(struct lt_text t, struct lt_log_line *out)
{
	static const char unknown[] = "<...>";
	struct lt_text n;

	while (t.end > t.p && t.end[-1] == ' ')
		t.end--;
	if (t.end > t.p && t.end[-1] == ')') {
		while (t.end > t.p && t.end[-1] != '(')
			t.end--;
		if (t.end == t.p)
			return false;
		t.end--;
		while (t.end > t.p && t.end[-1] == ' ')
			t.end--;
	}
	n = t;
	while (t.end > t.p && t.end[-1] >= '0' && t.end[-1] <= '9')
		t.end--;
	n.p = t.end;
	if (t.end == t.p || t.end[-1] != '-' || !lt_text_pid(&n, &out->pid))
		return false;
	t.end--;
	lt_text_spaces(&t);
	if (lt_text_left(&t) && (lt_text_left(&t) != sizeof(unknown) - 1 ||
				 memcmp(t.p, unknown, sizeof(unknown) - 1))) {
		out->comm = t.p;
		out->comm_len = lt_text_left(&t);
	}
	return true;
}

enum lt_log_said lt_log_ftrace(struct lt_log_parser *p, struct lt_text t, struct lt_log_line *out,
			       struct lt_why *why)
{
	struct lt_text behind;
	uint64_t ns, number;
	const char *cpu = find_cpu(&t, &behind, &number);
	ptrdiff_t len;

	(void)p;
	if (!cpu || !take_task((struct lt_text){ t.p, cpu }, out))
		return LT_LOG_NO_TASK;
	out->has_cpu = number <= UINT32_MAX;
	out->cpu = (uint32_t)number;
	lt_text_spaces(&behind);
	/* "d..2.": no first flag is a digit. */
	if (!lt_text_digit(&behind)) {
		out->flags = behind.p;
		while (behind.p < behind.end && *behind.p != ' ')
			behind.p++;
		out->flags_len = (size_t)(behind.p - out->flags);
		lt_text_spaces(&behind);
	}
	t = behind;
	if (!lt_text_seconds(&behind, &ns, &out->span) || !lt_text_skip(&behind, ':'))
		return LT_LOG_NO_TASK;
	if (out->span == LT_LOG_SECOND) {
		len = behind.p - t.p - 1;
		lt_why_set(why, "expected seconds with a fraction, found '%.*s': the clocks \"counter\" and "
			   "\"x86-tsc\" of ftrace have no time", (int)(len > 24 ? 24 : len), t.p);
		return LT_LOG_BAD;
	}
	out->rest = behind.p;
	out->rest_len = lt_text_left(&behind);
	lt_log_at(out, LT_LOG_LOCAL, ns);
	return LT_LOG_TASK;
}
