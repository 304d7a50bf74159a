// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Local time to instants. A text without a year, or without a date, means one of several instants;
 * so does an hour that the clock of a zone shows twice. The zone is that of this process (TZ).
 */
#include <time.h>

#include "logs/internal.h"

#define DAY	86400

/* Adds the instants that a local time may be: two, when clocks go back in that hour. */
static void add(struct lt_log_minute *m, const struct tm *when)
{
	for (int dst = 0; dst < 2; dst++) {
		struct tm t = *when, back;
		time_t s;

		t.tm_isdst = dst;
		s = mktime(&t);
		if (s == (time_t)-1 || s < 0 || !localtime_r(&s, &back))
			continue;
		/* The zone does not show this time, or shows it at another instant. */
		if (back.tm_min != when->tm_min || back.tm_hour != when->tm_hour ||
		    back.tm_mday != when->tm_mday || back.tm_mon != when->tm_mon)
			continue;
		for (unsigned int i = 0; i < m->n; i++) {
			if (m->epoch[i] == (uint64_t)s)
				s = -1;
		}
		if (s >= 0 && m->n == LT_LOG_TIMES)
			m->more = true;
		else if (s >= 0)
			m->epoch[m->n++] = (uint64_t)s;
	}
}

/*
 * At that date, or in each year or on each day that the span touches, and one before and behind
 * it.
 */
static void convert(struct lt_log_minute *m, uint64_t from, uint64_t to)
{
	time_t first = (time_t)(from / LT_LOG_SECOND), last = (time_t)(to / LT_LOG_SECOND);
	struct tm t, end;

	m->n = 0;
	if (m->year) {
		end = (struct tm){
			.tm_min = m->minute % 60, .tm_hour = m->minute / 60, .tm_mday = m->day,
			.tm_mon = m->month - 1, .tm_year = m->year - 1900,
		};
		add(m, &end);
		return;
	}
	if (!localtime_r(&first, &t) || !localtime_r(&last, &end))
		return;
	for (int i = -1; !m->more; i++) {
		struct tm when = { .tm_min = m->minute % 60, .tm_hour = m->minute / 60 };

		if (m->month) {
			when.tm_year = t.tm_year + i;
			when.tm_mon = m->month - 1;
			when.tm_mday = m->day;
			if (when.tm_year > end.tm_year + 1)
				return;
		} else {
			time_t noon;

			when.tm_year = t.tm_year;
			when.tm_mon = t.tm_mon;
			when.tm_mday = t.tm_mday + i;
			when.tm_isdst = -1;
			/* The day, without what mktime() makes of its hour. */
			when.tm_hour = 12;
			noon = mktime(&when);
			if (noon == (time_t)-1 || noon > last + 2 * DAY)
				return;
			when.tm_hour = m->minute / 60;
			when.tm_min = m->minute % 60;
		}
		add(m, &when);
	}
}

bool lt_log_local(struct lt_log_parser *p, unsigned int year, unsigned int month, unsigned int day,
		  unsigned int seconds, uint64_t ns, struct lt_log_line *out)
{
	struct lt_log_minute *m = &p->minute;
	int minute = (int)(seconds / 60);

	/*
	 * A leap second is the last one of its minute, for which no clock of the kernel has a
	 * number.
	 */
	if (minute >= 24 * 60)
		minute = 24 * 60 - 1;
	if (!m->known || m->minute != minute || m->day != (int)day || m->month != (int)month ||
	    m->year != (int)year) {
		*m = (struct lt_log_minute){
			.known = true, .year = (int)year, .month = (int)month, .day = (int)day,
			.minute = minute,
		};
		convert(m, p->o.from, p->o.to);
	}
	out->clock = LT_LOG_REAL;
	out->n_times = m->n;
	out->more = m->more;
	for (unsigned int i = 0; i < m->n; i++)
		out->times[i] = (m->epoch[i] + (seconds - (unsigned int)minute * 60)) *
				LT_LOG_SECOND + ns;
	return m->n;
}
