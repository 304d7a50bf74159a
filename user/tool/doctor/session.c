// SPDX-License-Identifier: GPL-2.0
/*
 * Why recording would not work: the state of the loaded module, and whether its next
 * session has valid parameters and enough memory.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uapi/lifetrace.h"
#include "uapi/lifetrace_file.h"
#include "doctor/internal.h"
#include "base/text.h"
#include "out/units.h"

/* Defaults and limits of the module, see Documentation/abi.rst. */
#define DEFAULT_SUBBUF_SIZE	262144
#define DEFAULT_N_SUBBUFS	32
#define MIN_SUBBUF_SIZE		4096
#define MIN_N_SUBBUFS		2

/* The text of a file of the module; NULL after reporting why it cannot be read. */
static char *module_text(struct lt_doctor *d, const char *name)
{
	char *text = lt_module_text(&d->module, name);

	if (!text)
		lt_doctor_say(d, d->uid ? LT_DOCTOR_NOTE : LT_DOCTOR_PROBLEM, name, "%s/%s: %s",
			      d->module.dir, name, strerror(errno));
	return text;
}

static void check_abi(struct lt_doctor *d)
{
	char *text = module_text(d, LT_FILE_ABI);
	unsigned int major, minor;

	if (!text)
		return;
	if (sscanf(text, "%5u.%5u", &major, &minor) != 2)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "interface",
			      "expected a version like 1.0 in %s, found '%.32s'", LT_FILE_ABI,
			      text);
	else if (major != LT_VERSION_MAJOR)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "interface",
			      "the module has version %u.%u, this tool %u.%u: use a module "
			      "and a tool of one release", major, minor, LT_VERSION_MAJOR,
			      LT_VERSION_MINOR);
	else if (minor > LT_VERSION_MINOR)
		lt_doctor_say(d, LT_DOCTOR_NOTE, "interface",
			      "the module has version %u.%u, this tool %u.%u: what is new in the "
			      "module is recorded, but not shown", major, minor, LT_VERSION_MAJOR,
			      LT_VERSION_MINOR);
	else
		lt_doctor_say(d, LT_DOCTOR_OK, "interface", "version %u.%u", major, minor);
	free(text);
}

static void check_state(struct lt_doctor *d)
{
	char *stats = module_text(d, LT_FILE_STATS), owner[128];
	bool owned, idle;

	if (!stats)
		return;
	stats[strcspn(stats, "\n")] = 0;
	idle = !strcmp(stats, "state idle");
	d->recording = !idle;
	lt_module_owner(&d->module, owner, sizeof(owner));
	owned = strcmp(owner, "another process");
	if (owned)
		lt_doctor_say(d, LT_DOCTOR_NOTE, "session",
			      "%s, and %s owns the session: recording is refused (EBUSY) until that "
			      "process ends",
			      stats, owner);
	else if (idle)
		lt_doctor_say(d, LT_DOCTOR_OK, "session", "%s", stats);
	else
		lt_doctor_say(d, LT_DOCTOR_NOTE, "session",
			      "%s, without an owner among the processes seen here: lifetrace record "
			      "takes over the session with what its buffers hold, or is refused "
			      "(EBUSY)",
			      stats);
	free(stats);
}

/* Reasons for not watching an event that the kernel is not to blame for. */
static bool is_normal(const char *reason, size_t len)
{
	static const char *const normal[] = { "not asked for", "not recording", "-" };

	for (size_t i = 0; i < sizeof(normal) / sizeof(normal[0]); i++) {
		if (len == strlen(normal[i]) && !memcmp(reason, normal[i], len))
			return true;
	}
	return false;
}

static void check_events(struct lt_doctor *d)
{
	char *text = module_text(d, LT_FILE_EVENTS);
	const char *pos = text, *line;
	unsigned int n = 0, bad = 0;
	size_t len;

	if (!text)
		return;
	while (lt_line(&pos, &line, &len)) {
		const char *name_end = memchr(line, '\t', len);
		const char *reason = memrchr(line, '\t', len);
		size_t reason_len;

		if (!name_end || name_end == reason)
			continue;
		n++;
		reason_len = len - (size_t)(++reason - line);
		if (is_normal(reason, reason_len))
			continue;
		bad++;
		lt_doctor_say(d, LT_DOCTOR_NOTE, "event",
			      "%.*s could not be watched when it was last tried: %.*s",
			      (int)(name_end - line), line, (int)reason_len, reason);
	}
	/* When it was loaded the module tried to watch all events but those of pages. */
	if (n == bad)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "events", "no event can be watched here");
	else
		lt_doctor_say(d, LT_DOCTOR_OK, "events",
			      "%u of %u can be watched, as far as the module has tried",
			      n - bad, n);
	free(text);
}

/* A parameter of the module; @otherwise if it cannot be read. */
static uint64_t parameter(struct lt_doctor *d, const char *name, uint64_t otherwise)
{
	char path[PATH_MAX + 64], *text;
	uint64_t v;

	snprintf(path, sizeof(path), "%s/%s", d->module.parameters, name);
	text = lt_read_text_file(path, 4096, NULL);
	if (text)
		text[strcspn(text, "\n")] = 0;
	if (!text || !lt_number(text, 10, &v) || v > UINT_MAX)
		v = otherwise;
	free(text);
	return v;
}

/* The number of CPUs in a list like "0-3,5"; 0: it is not a list. */
static unsigned int count_cpus(const char *list)
{
	unsigned int n = 0;

	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last > 1 << 20)
			return 0;
		n += (unsigned int)(last - first) + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return n;
}

static unsigned int online_cpus(struct lt_doctor *d)
{
	char word[4096];
	unsigned int listed = 0;
	long n;

	if (lt_doctor_word(d, "/sys/devices/system/cpu/online", word, sizeof(word)))
		listed = count_cpus(word);
	if (listed)
		return listed;
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : (unsigned int)n;
}

/* Return: false: /proc/meminfo does not have the number. */
static bool available_memory(struct lt_doctor *d, uint64_t *bytes)
{
	char *text = lt_doctor_text(d, "/proc/meminfo");
	const char *at = text ? strstr(text, "MemAvailable:") : NULL;
	unsigned long long kib;
	bool found = at && sscanf(at, "MemAvailable: %15llu kB", &kib) == 1;

	free(text);
	if (found)
		*bytes = (uint64_t)kib << 10;
	return found;
}

static void report_memory(struct lt_doctor *d, uint64_t size, uint64_t n, unsigned int cpus,
			  uint64_t available)
{
	uint64_t want = size * n * cpus, fit = available / 2 / (size * cpus);
	char want_text[32], available_text[32], remedy[128];

	lt_human_bytes(want, want_text, sizeof(want_text));
	lt_human_bytes(available, available_text, sizeof(available_text));
	if (want <= available / 2) {
		lt_doctor_say(d, LT_DOCTOR_OK, "memory",
			      "%s of buffers (%llu bytes x %llu x %u CPUs), %s are available",
			      want_text, (unsigned long long)size, (unsigned long long)n, cpus,
			      available_text);
		return;
	}
	if (fit >= MIN_N_SUBBUFS)
		snprintf(remedy, sizeof(remedy), "lifetrace record --n-subbufs=%llu",
			 (unsigned long long)fit);
	else
		snprintf(remedy, sizeof(remedy), "a smaller --subbuf-size, and --n-subbufs=%d",
			 MIN_N_SUBBUFS);
	lt_doctor_say(d, LT_DOCTOR_PROBLEM, "memory",
		      "%s of buffers (%llu bytes x %llu x %u CPUs) are more than half of the "
		      "available %s: %s", want_text, (unsigned long long)size,
		      (unsigned long long)n, cpus, available_text, remedy);
}

/* The checks that the module makes when a session starts. */
static void check_memory(struct lt_doctor *d)
{
	uint64_t size = parameter(d, "subbuf_size", DEFAULT_SUBBUF_SIZE);
	uint64_t n = parameter(d, "n_subbufs", DEFAULT_N_SUBBUFS);
	uint64_t available;

	if (size < MIN_SUBBUF_SIZE || n < MIN_N_SUBBUFS || size > INT_MAX / n)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "memory",
			      "%llu sub-buffers of %llu bytes are not possible: at least %d of %d, "
			      "less than 2 GiB in all: set --subbuf-size and --n-subbufs",
			      (unsigned long long)n, (unsigned long long)size, MIN_N_SUBBUFS,
			      MIN_SUBBUF_SIZE);
	else if (d->recording)
		lt_doctor_say(d, LT_DOCTOR_OK, "memory", "the session has its buffers");
	else if (available_memory(d, &available))
		report_memory(d, size, n, online_cpus(d), available);
	else
		lt_doctor_say(d, LT_DOCTOR_NOTE, "memory",
			      "/proc/meminfo does not have the available memory: not checked");
}

/* The kernel removes the TSC from the list of clock sources if it is unstable. */
static bool counter_usable(struct lt_doctor *d)
{
	char list[1024];

	return !lt_doctor_word(d,
			       "/sys/devices/system/clocksource/clocksource0/available_clocksource",
			       list, sizeof(list)) ||
	       !(strstr(list, "hpet") || strstr(list, "acpi_pm")) || strstr(list, "tsc");
}

static void check_clock(struct lt_doctor *d)
{
	static const char *const names[] = { "auto", "mono", "raw", "boot", "counter" };
	char path[PATH_MAX + 64], *text;
	bool known = false;

	snprintf(path, sizeof(path), "%s/clock", d->module.parameters);
	text = lt_read_text_file(path, 4096, NULL);
	if (!text)
		return;
	text[strcspn(text, " \n")] = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		known = known || !strcmp(text, names[i]);
	if (!known)
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "clock",
			      "the parameter is '%.32s', expected auto, mono, raw, boot or counter: "
			      "lifetrace record --clock=mono", text);
	else if (!strcmp(text, "counter") && !counter_usable(d))
		lt_doctor_say(d, LT_DOCTOR_PROBLEM, "clock",
			      "the parameter is 'counter', but the CPUs' counters do not agree: "
			      "lifetrace record --clock=mono");
	else if (!strcmp(text, "auto") && !counter_usable(d))
		lt_doctor_say(d, LT_DOCTOR_OK, "clock",
			      "auto, which is mono here: the CPUs' counters do not agree");
	else
		lt_doctor_say(d, LT_DOCTOR_OK, "clock", "%s", text);
	free(text);
}

void lt_doctor_session(struct lt_doctor *d)
{
	if (d->readable) {
		check_abi(d);
		check_state(d);
		check_events(d);
	}
	check_memory(d);
	if (d->loaded)
		check_clock(d);
}
