// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of strace -f:
 *
 *	1234  1795973325.778035 execve("/usr/bin/sh", …		-o FILE -ttt
 *	1234<sh> 17:28:46.142058 brk(NULL) …			-Y
 *	[pid  1234] 17:28:45 openat(…				on stderr, once there are two
 *	1234 1795973325.855645 +++ exited with 3 +++
 *
 *	1234 1795973325.855645 <... read resumed> <unfinished ...>) = ?
 *	1234 1795973325.778035 [  12] brk(NULL) …		-n, or -i
 *
 * The time is taken while the task is stopped. Its end is another matter: strace has waited for it
 * by then, and may have waited for others before it writes these lines, the last call's and that of
 * the exit. So the number may have another holder.
 */
#include "logs/internal.h"

#define LATE	LT_LOG_SECOND

/*
 * Behind "1234", up to @close: the name with -Y, or the number in another namespace. False: neither
 * can be read.
 */
static bool skip_decoded(struct lt_text *t, uint32_t *pid, char close)
{
	if (lt_text_skip(t, '<')) {
		/* A name may have any bytes, but not more than 15. */
		for (unsigned int i = 0; i < 64 && t->p < t->end; i++) {
			if (*t->p++ == '>' && lt_text_is(t, close))
				return true;
		}
		return false;
	}
	if (lt_text_take(t, " /* "))
		return lt_text_pid(t, pid) && lt_text_take(t, " in strace's PID NS */");
	return true;
}

static bool take_pid(struct lt_text *t, uint32_t *pid)
{
	char close = lt_text_take(t, "[pid ") ? ']' : ' ';

	if (close == ']')
		lt_text_spaces(t);
	if (!lt_text_pid(t, pid) || !skip_decoded(t, pid, close) || !lt_text_skip(t, close))
		return false;
	lt_text_spaces(t);
	return true;
}

/* "openat(", "<... read resumed>", "+++ exited", "--- SIGCHLD" */
static bool is_event(struct lt_text t)
{
	if (lt_text_take(&t, "<... ") || lt_text_take(&t, "+++ ") || lt_text_take(&t, "--- "))
		return true;
	for (unsigned int i = 0; t.p < t.end && i < 40; t.p++, i++) {
		if (*t.p == '(')
			return i;
		if (!(*t.p >= 'a' && *t.p <= 'z') && !(*t.p >= '0' && *t.p <= '9') && *t.p != '_')
			return false;
	}
	return false;
}

/* Behind "[  12] " of -n and "[00007f0c8d1a2b3c] " of -i. */
static void skip_brackets(struct lt_text *t)
{
	while (lt_text_is(t, '[')) {
		struct lt_text u = *t;

		for (unsigned int i = 0; i < 24 && u.p < u.end && *u.p != ']'; i++)
			u.p++;
		if (!lt_text_take(&u, "] "))
			return;
		*t = u;
	}
}

/* Whether the line was written when strace heard that the task had ended. */
static bool is_end(struct lt_text t)
{
	if (lt_text_take(&t, "+++ "))
		return true;
	while (t.end > t.p && t.end[-1] == ' ')
		t.end--;
	/*
	 * No call that came back ends so; one that was not interrupted has the time of its begin.
	 */
	return lt_text_take(&t, "<... ") && lt_text_left(&t) > 3 && !memcmp(t.end - 3, "= ?", 3);
}

static bool is_clock(const struct lt_text *t)
{
	return lt_text_left(t) > 8 && t->p[2] == ':' && t->p[5] == ':';
}

/* How much of a text a message shows. */
static int shown(const char *from, const char *to)
{
	return to - from > 24 ? 24 : (int)(to - from);
}

/* The time. LT_LOG_NO_TASK: this is no line of strace. */
static enum lt_log_said take_time(struct lt_log_parser *p, struct lt_text *t,
				  struct lt_log_line *out, struct lt_why *why)
{
	struct lt_text begin = *t;
	unsigned int seconds;
	uint64_t ns;

	if (is_clock(t)) {
		if (!lt_text_clock(t, &seconds, &ns, &out->span))
			return LT_LOG_NO_TASK;
		return lt_log_local(p, 0, 0, 0, seconds, ns, out) ? LT_LOG_TASK : LT_LOG_NO_TASK;
	}
	if (!lt_text_seconds(t, &ns, &out->span)) {
		if (!is_event(begin))
			return LT_LOG_NO_TASK;
		lt_why_set(why, "expected a time behind the number of the task, found '%.*s'; record with "
			   "strace -f -ttt", shown(begin.p, begin.end), begin.p);
		return LT_LOG_BAD;
	}
	if (ns < LT_LOG_EPOCH * LT_LOG_SECOND) {
		if (!lt_text_is(t, ' '))
			return LT_LOG_NO_TASK;
		lt_why_set(why, "expected a time of day or seconds since 1970, found '%.*s': the times of "
			   "strace -r count from the call before, in whichever task that was; record with "
			   "strace -f -ttt", shown(begin.p, t->p), begin.p);
		return LT_LOG_BAD;
	}
	lt_log_at(out, LT_LOG_REAL, ns);
	return LT_LOG_TASK;
}

enum lt_log_said lt_log_strace(struct lt_log_parser *p, struct lt_text t, struct lt_log_line *out,
			       struct lt_why *why)
{
	enum lt_log_said said;

	if (!take_pid(&t, &out->pid))
		return LT_LOG_NO_TASK;
	said = take_time(p, &t, out, why);
	if (said != LT_LOG_TASK)
		return said;
	/* With -r as well, the time since the call before follows. */
	lt_text_spaces(&t);
	if (lt_text_take(&t, "(+")) {
		while (t.p < t.end && *t.p++ != ')')
			;
		lt_text_spaces(&t);
	}
	/*
	 * A trace_pipe of a task with a number for its name has a bracket here, but no call
	 * behind it.
	 */
	skip_brackets(&t);
	if (!is_event(t))
		return LT_LOG_NO_TASK;
	if (is_end(t))
		out->late = LATE;
	out->rest = t.p;
	out->rest_len = lt_text_left(&t);
	return LT_LOG_TASK;
}
