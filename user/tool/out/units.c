// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes, times and counts in text for people.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "out/units.h"

/* Copies [@from, @end) to the buffer of a caller. */
static const char *give(const char *from, const char *end, char *buf, size_t size)
{
	size_t n = (size_t)(end - from);

	if (size) {
		n = n < size ? n : size - 1;
		memcpy(buf, from, n);
		buf[n] = 0;
	}
	return buf;
}

static char *put_tenths(char *p, uint64_t tenths)
{
	p = lt_put_u64(p, tenths / 10);
	*p++ = '.';
	*p++ = (char)('0' + tenths % 10);
	return p;
}

/*
 * Integers are rounded as printf() rounds doubles. Where the last digit depends on the error of
 * the double, printf() is called.
 */
char *lt_put_human_bytes(char *p, uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	unsigned int i = 0, shift;
	uint64_t scaled;

	while (i < 6 && bytes >> 10 * (i + 1))
		i++;
	shift = 10 * i;
	if (bytes >> 50)
		return p + sprintf(p, "%.1f %s", (double)bytes / (double)(1ULL << shift), units[i]);
	if (!i) {
		p = lt_put_u64(p, bytes);
	} else {
		/* A tie is rounded to the even digit, because the doubles are exact here. */
		scaled = bytes * 10;
		scaled += (1ULL << (shift - 1)) - 1 + (scaled >> shift & 1);
		p = put_tenths(p, scaled >> shift);
	}
	*p++ = ' ';
	return stpcpy(p, units[i]);
}

char *lt_put_human_ns(char *p, uint64_t ns)
{
	uint32_t milli;

	if (ns < 1000) {
		p = lt_put_u64(p, ns);
		return stpcpy(p, " ns");
	}
	if (ns < 1000000) {
		if (ns % 100 == 50)
			return p + sprintf(p, "%.1f us", (double)ns / 1e3);
		return stpcpy(put_tenths(p, (ns + 50) / 100), " us");
	}
	if (ns < 1000000000) {
		if (ns % 100000 == 50000)
			return p + sprintf(p, "%.1f ms", (double)ns / 1e6);
		return stpcpy(put_tenths(p, (ns + 50000) / 100000), " ms");
	}
	if (ns >> 50 || ns % 1000000 == 500000)
		return p + sprintf(p, "%.3f s", (double)ns / 1e9);
	ns = (ns + 500000) / 1000000;
	milli = (uint32_t)(ns % 1000);
	p = lt_put_u64(p, ns / 1000);
	*p++ = '.';
	*p++ = (char)('0' + milli / 100);
	return stpcpy(lt_put_pair(p, milli % 100), " s");
}

static char *put_human_count(char *p, uint64_t n)
{
	char plain[LT_DIGITS];
	size_t len = (size_t)(lt_put_u64(plain, n) - plain);

	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*p++ = ',';
		*p++ = plain[i];
	}
	return p;
}

const char *lt_human_bytes(uint64_t bytes, char *buf, size_t size)
{
	char text[LT_HUMAN];

	return give(text, lt_put_human_bytes(text, bytes), buf, size);
}

const char *lt_human_ns(uint64_t ns, char *buf, size_t size)
{
	char text[LT_HUMAN];

	return give(text, lt_put_human_ns(text, ns), buf, size);
}

const char *lt_human_wall(uint64_t ns, char *buf, size_t size)
{
	time_t sec = (time_t)(ns / 1000000000);
	struct tm tm;
	char date[64];

	if (!gmtime_r(&sec, &tm) || !strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		date[0] = 0;
	snprintf(buf, size, "%s.%06llu UTC", date, (unsigned long long)(ns % 1000000000 / 1000));
	return buf;
}

const char *lt_human_count(uint64_t n, char *buf, size_t size)
{
	char text[LT_HUMAN];

	return give(text, put_human_count(text, n), buf, size);
}
