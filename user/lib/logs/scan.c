// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Times and numbers in a line.
 */
#include <stdio.h>

#include "logs/internal.h"

#define MAX_SECONDS	9000000000ULL	/* some 285 years: ns fit into 63 bits */

bool lt_text_fraction(struct lt_text *t, uint64_t *ns, uint64_t *span)
{
	static const uint32_t scale[10] = { 1000000000, 100000000, 10000000, 1000000, 100000,
					    10000, 1000, 100, 10, 1 };
	unsigned int n = 0;
	uint64_t v = 0;

	*ns = 0;
	*span = LT_LOG_SECOND;
	if (!lt_text_is(t, '.') && !lt_text_is(t, ','))
		return true;
	t->p++;
	for (; lt_text_digit(t); t->p++) {
		if (n < 9) {
			v = v * 10 + (uint64_t)(*t->p - '0');
			n++;
		}
	}
	if (!n)
		return false;
	*ns = v * scale[n];
	*span = scale[n];
	return true;
}

bool lt_text_seconds(struct lt_text *t, uint64_t *ns, uint64_t *span)
{
	uint64_t s, fraction;

	if (!lt_text_number(t, &s) || s > MAX_SECONDS || !lt_text_fraction(t, &fraction, span))
		return false;
	*ns = s * LT_LOG_SECOND + fraction;
	return true;
}

/* @n digits, and @after behind them; '\0': whatever is there. */
static bool digits(struct lt_text *t, unsigned int n, char after, unsigned int *v)
{
	*v = 0;
	for (unsigned int i = 0; i < n; i++, t->p++) {
		if (!lt_text_digit(t))
			return false;
		*v = *v * 10 + (unsigned int)(*t->p - '0');
	}
	return !after || lt_text_skip(t, after);
}

bool lt_text_clock(struct lt_text *t, unsigned int *seconds, uint64_t *ns, uint64_t *span)
{
	unsigned int h, m, s;

	if (!digits(t, 2, ':', &h) || !digits(t, 2, ':', &m) || !digits(t, 2, '\0', &s) ||
	    h > 23 || m > 59 || s > 60)
		return false;
	*seconds = h * 3600 + m * 60 + s;
	return lt_text_fraction(t, ns, span);
}

/*
 * Days since 1970 of a date of the Gregorian calendar, from 1970 on. False: there is no such day.
 */
static bool days(unsigned int y, unsigned int m, unsigned int d, uint64_t *n)
{
	static const unsigned int before[13] = {
		0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365
	};
	unsigned int last = y - 1;
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	if (!m || m > 12 || !d || d > before[m] - before[m - 1] + (m == 2 && leap))
		return false;
	*n = 365ULL * (y - 1970) + (last / 4 - last / 100 + last / 400) - 477 + before[m - 1] +
	     (m > 2 && leap) + d - 1;
	return true;
}

/* "Z", "+0100" or "-01:00", as seconds to subtract. */
static bool zone(struct lt_text *t, int64_t *seconds)
{
	unsigned int h, m;
	bool east;

	*seconds = 0;
	if (lt_text_skip(t, 'Z'))
		return true;
	east = lt_text_is(t, '+');
	if (!east && !lt_text_is(t, '-'))
		return false;
	t->p++;
	if (!digits(t, 2, '\0', &h))
		return false;
	lt_text_skip(t, ':');
	if (!digits(t, 2, '\0', &m) || h > 23 || m > 59)
		return false;
	*seconds = (int64_t)(h * 3600 + m * 60) * (east ? 1 : -1);
	return true;
}

bool lt_log_iso(struct lt_log_parser *p, struct lt_text *t, struct lt_log_line *out)
{
	unsigned int y, m, d, s;
	uint64_t day, fraction;
	int64_t offset, epoch;

	if (!digits(t, 4, '-', &y) || !digits(t, 2, '-', &m) || !digits(t, 2, '\0', &d) ||
	    y < 1971 || y > 2200 || !days(y, m, d, &day))
		return false;
	if (!lt_text_skip(t, 'T') && !lt_text_skip(t, ' '))
		return false;
	if (!lt_text_clock(t, &s, &fraction, &out->span))
		return false;
	if (t->p == t->end || *t->p == ' ')
		return lt_log_local(p, y, m, d, s, fraction, out);
	if (!zone(t, &offset))
		return false;
	epoch = (int64_t)(day * 86400 + s) - offset;
	lt_log_at(out, LT_LOG_REAL, (uint64_t)epoch * LT_LOG_SECOND + fraction);
	return true;
}

bool lt_text_bracket(struct lt_text *t, uint32_t *pid)
{
	struct lt_text u = *t;

	if (!lt_text_skip(&u, '[') || !lt_text_pid(&u, pid) || !lt_text_skip(&u, ']') ||
	    !lt_text_skip(&u, ':'))
		return false;
	*t = u;
	return true;
}

bool lt_log_time(const char *text, uint64_t from, uint64_t to, struct lt_log_line *out)
{
	struct lt_log_parser p = { .o = { .from = from, .to = to } };
	size_t len = strlen(text), n = strcspn(text, "T ");
	char whole[64];
	struct lt_text t;
	unsigned int s;
	uint64_t ns;

	memset(out, 0, sizeof(*out));
	/* A time without seconds, which is short, is that of the begin of the minute. */
	if (len >= sizeof(whole) - 3)
		return false;
	snprintf(whole, sizeof(whole), "%s%s", text,
		 len - (text[n] ? n + 1 : 0) == 5 ? ":00" : "");
	t = (struct lt_text){ whole, whole + strlen(whole) };
	if (text[n])
		return lt_log_iso(&p, &t, out) && t.p == t.end;
	return lt_text_clock(&t, &s, &ns, &out->span) && t.p == t.end &&
	       lt_log_local(&p, 0, 0, 0, s, ns, out);
}
