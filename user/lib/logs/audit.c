// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records of the kernel's audit, as auditd writes them, or the kernel where no auditd runs:
 *
 *	type=SYSCALL msg=audit(1364481363.243:24287): arch=c000003e … ppid=2686 pid=3538 …
 *
 * pid is the process of the task. The time is that of the begin of the system call, by a clock that
 * is read at ticks. Records without a pid belong to the one of the same serial number.
 */
#include "logs/internal.h"

static bool find(struct lt_text *t, const char *word)
{
	size_t n = strlen(word);
	const char *p = lt_text_left(t) ? memmem(t->p, lt_text_left(t), word, n) : NULL;

	if (!p)
		return false;
	t->p = p + n;
	return true;
}

/* "node=NAME " at the begin. */
static void take_host(struct lt_text t, struct lt_log_line *out)
{
	if (!lt_text_take(&t, "node="))
		return;
	out->host = t.p;
	while (t.p < t.end && *t.p != ' ')
		t.p++;
	out->host_len = (size_t)(t.p - out->host);
}

enum lt_log_said lt_log_audit(struct lt_log_parser *p, struct lt_text t, struct lt_log_line *out,
			      struct lt_why *why)
{
	uint64_t ns, serial;

	(void)p;
	take_host(t, out);
	if (!find(&t, "audit("))
		return LT_LOG_NO_TASK;
	if (!lt_text_seconds(&t, &ns, &out->span) || !lt_text_skip(&t, ':') ||
	    !lt_text_number(&t, &serial) || !lt_text_skip(&t, ')')) {
		if (!lt_text_digit(&t) && !lt_text_is(&t, '/'))
			return LT_LOG_NO_TASK;
		lt_why_set(why, "expected audit(SECONDS.MS:SERIAL), found another time; ausearch --raw prints "
			   "it, ausearch -i does not");
		return LT_LOG_BAD;
	}
	if (!find(&t, " pid=") || !lt_text_pid(&t, &out->pid))
		return LT_LOG_NO_TASK;
	lt_log_at(out, LT_LOG_REAL, ns);
	out->span += LT_LOG_TICK;
	return LT_LOG_TASK;
}
