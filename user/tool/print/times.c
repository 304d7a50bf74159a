// SPDX-License-Identifier: GPL-2.0
/*
 * Times of a trace, as they are printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "out/units.h"
#include "print/times.h"

int lt_times_init(struct lt_times *t, enum lt_times_base base, const struct lt_trace *trace)
{
	*t = (struct lt_times){ .base = base, .trace = trace };
	if (base == LT_TIMES_WALL && !lt_clock_has_wall(lt_trace_clock(trace))) {
		lt_error("%s: --time=wall: the trace has no reading of the wall clock",
			 lt_trace_path(trace));
		return -1;
	}
	if (!lt_trace_is_live(trace))
		lt_times_begin(t);
	return 0;
}

void lt_times_begin(struct lt_times *t)
{
	if (t->known)
		return;
	t->begin = t->base == LT_TIMES_BEGIN ? lt_trace_begin(t->trace) : 0;
	t->known = true;
}

int64_t lt_times_wall(const struct lt_times *t, uint64_t time)
{
	if ((int64_t)time >= 0)
		return (int64_t)lt_trace_realtime(t->trace, time);
	return (int64_t)lt_trace_realtime(t->trace, 0) + (int64_t)time;
}

void lt_times_value(const struct lt_times *t, uint64_t time, struct lt_value *v)
{
	if (t->base == LT_TIMES_CLOCK) {
		lt_value_u(v, LT_VALUE_TIME, time);
		return;
	}
	v->type = LT_VALUE_SIGNED;
	v->i = lt_times_ns(t, time);
}

static char *put_fraction(char *p, uint32_t ns, unsigned int decimals)
{
	/* All nine are written, which takes less than to write some. */
	lt_put_9(p, ns);
	return p + decimals;
}

static char *put_wall(char *p, uint64_t ns, unsigned int decimals)
{
	time_t sec = (time_t)(ns / 1000000000);
	struct tm tm;
	size_t n;

	if (!gmtime_r(&sec, &tm))
		return stpcpy(p, "?");
	n = strftime(p, LT_TIME_TEXT - 16, "%Y-%m-%dT%H:%M:%S.", &tm);
	if (!n)
		return stpcpy(p, "?");
	p = put_fraction(p + n, (uint32_t)(ns % 1000000000), decimals);
	*p++ = 'Z';
	return p;
}

char *lt_times_put(const struct lt_times *t, char *p, uint64_t time, unsigned int decimals)
{
	int64_t ns = lt_times_ns(t, time);
	uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (t->base == LT_TIMES_WALL)
		return put_wall(p, (uint64_t)ns, decimals);
	if (ns < 0)
		*p++ = '-';
	p = lt_put_u64(p, abs / 1000000000);
	*p++ = '.';
	return put_fraction(p, (uint32_t)(abs % 1000000000), decimals);
}

const char *lt_times_human(const struct lt_times *t, uint64_t time, char *buf)
{
	if (t->base == LT_TIMES_BEGIN && time >= t->begin)
		return lt_human_ns(time - t->begin, buf, LT_TIME_TEXT);
	*lt_times_put(t, t->base == LT_TIMES_CLOCK ? stpcpy(buf, "@") : buf, time, 6) = 0;
	return buf;
}

const char *lt_times_text(const struct lt_times *t, uint64_t time, unsigned int decimals, char *buf)
{
	*lt_times_put(t, buf, time, decimals) = 0;
	return buf;
}

void lt_times_column(const struct lt_times *t, struct lt_out *o, uint64_t time)
{
	char buf[LT_TIME_TEXT];

	lt_times_text(t, time, 9, buf);
	for (size_t n = strlen(buf); n < 15; n++)
		lt_out_char(o, ' ');
	lt_out_str(o, buf);
}

void lt_times_took(struct lt_out *o, uint64_t ns)
{
	lt_outf(o, " <%" PRIu64 ".%09" PRIu64 ">", ns / 1000000000, ns % 1000000000);
}
