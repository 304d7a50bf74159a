// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of the journal as text, and of files of syslog:
 *
 *	Nov 29 17:19:21.123456 host name[1234]: …	-o short-precise; short without a fraction
 *	2026-11-29T17:19:21.123456+0000 host name[1234]: …	-o short-iso-precise, short-iso
 *	2026-11-29 17:19:21 host name[1234]: …		of local time
 *	1795973325.778035 host name[1234]: …		-o short-unix
 *	… host kernel: name[1234]: segfault at …
 *
 * The time is that at which the daemon took the message from a socket, after the task wrote it.
 */
#include "logs/internal.h"

static bool take_month(struct lt_text *t, unsigned int *month)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	if (lt_text_left(t) < 4 || t->p[3] != ' ')
		return false;
	for (*month = 1; *month <= 12; ++*month) {
		if (!memcmp(names + (size_t)(*month - 1) * 3, t->p, 3)) {
			t->p += 4;
			return true;
		}
	}
	return false;
}

static bool take_time(struct lt_log_parser *p, struct lt_text *t, struct lt_log_line *out)
{
	unsigned int month, seconds;
	uint64_t day, ns;

	if (take_month(t, &month)) {
		lt_text_spaces(t);
		return lt_text_number(t, &day) && day && day <= 31 && lt_text_skip(t, ' ') &&
		       lt_text_clock(t, &seconds, &ns, &out->span) &&
		       lt_log_local(p, 0, month, (unsigned int)day, seconds, ns, out);
	}
	if (lt_text_left(t) > 10 && t->p[4] == '-')
		return lt_log_iso(p, t, out);
	out->n_times = 1;
	out->clock = LT_LOG_REAL;
	return lt_text_seconds(t, &out->times[0], &out->span) &&
	       out->times[0] >= LT_LOG_EPOCH * LT_LOG_SECOND;
}

enum lt_log_said lt_log_syslog(struct lt_log_parser *p, struct lt_text t, struct lt_log_line *out,
			       struct lt_why *why)
{
	const char *host;

	(void)why;
	if (!take_time(p, &t, out) || !lt_text_skip(&t, ' '))
		return LT_LOG_NO_TASK;
	host = t.p;
	while (t.p < t.end && *t.p != ' ')
		t.p++;
	out->host = host;
	out->host_len = (size_t)(t.p - host);
	if (!out->host_len || !lt_text_skip(&t, ' '))
		return LT_LOG_NO_TASK;
	out->late = LT_LOG_LATE;
	if (lt_text_take(&t, "kernel: "))
		return lt_log_kernel_pid(t, out) ? LT_LOG_TASK : LT_LOG_NO_TASK;
	for (; t.p < t.end && *t.p != ':'; t.p++) {
		if (lt_text_bracket(&t, &out->pid))
			return LT_LOG_TASK;
	}
	return LT_LOG_NO_TASK;
}
