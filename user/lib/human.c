// SPDX-License-Identifier: GPL-2.0
/*
 * Small pieces of text for people.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "human.h"

const char *lt_human_bytes(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes;
	unsigned int i = 0;

	while (v >= 1024 && i < 6) {
		v /= 1024;
		i++;
	}
	snprintf(buf, size, i ? "%.1f %s" : "%.0f %s", v, units[i]);
	return buf;
}

const char *lt_human_ns(uint64_t ns, char *buf, size_t size)
{
	if (ns < 1000)
		snprintf(buf, size, "%llu ns", (unsigned long long)ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, size, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(buf, size, "%.3f s", (double)ns / 1e9);
	return buf;
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
	char plain[24], grouped[32];
	size_t len, at = 0;

	len = (size_t)snprintf(plain, sizeof(plain), "%llu", (unsigned long long)n);
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			grouped[at++] = ',';
		grouped[at++] = plain[i];
	}
	grouped[at] = 0;
	snprintf(buf, size, "%s", grouped);
	return buf;
}
