// SPDX-License-Identifier: GPL-2.0
/*
 * The running kernel: where it has its types, its symbols, and what can be traced.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "fetch/fetch.h"

#define TYPES		"/sys/kernel/btf"
#define KERNEL_TYPES	TYPES "/vmlinux"

/* A file that cannot be read is a lack; one that is wrong is an error. */
static bool is_there(const char *path)
{
	return !access(path, R_OK);
}

static bool add_modules(struct lt_fetch *f, struct lt_why *why)
{
	DIR *dir = opendir(TYPES);
	struct dirent *d;
	bool good = true;

	if (!dir)
		return true;
	while (good && (d = readdir(dir))) {
		char path[sizeof(TYPES) + sizeof(d->d_name) + 1];
		struct lt_why one;

		if (*d->d_name == '.' || !strcmp(d->d_name, "vmlinux"))
			continue;
		snprintf(path, sizeof(path), TYPES "/%s", d->d_name);
		/* A module may go while this is read. */
		if (!lt_fetch_types(f, d->d_name, path, &one) && is_there(path)) {
			lt_why_set(why, "%.60s: %.120s", path, one.text);
			good = false;
		}
	}
	closedir(dir);
	return good;
}

static bool read_all(struct lt_fetch *f, unsigned int *lacks, struct lt_why *why)
{
	static const char *const traceable[] = {
		"/sys/kernel/tracing/available_filter_functions",
		"/sys/kernel/debug/tracing/available_filter_functions",
	};
	size_t i;

	if (!is_there(KERNEL_TYPES))
		*lacks |= LT_FETCH_LACKS_TYPES;
	else if (!lt_fetch_types(f, NULL, KERNEL_TYPES, why) || !add_modules(f, why))
		return false;
	if (!is_there("/proc/kallsyms"))
		*lacks |= LT_FETCH_LACKS_SYMBOLS;
	else if (!lt_fetch_symbols(f, "/proc/kallsyms", why))
		return false;
	for (i = 0; i < 2 && !is_there(traceable[i]); i++)
		;
	if (i == 2)
		*lacks |= LT_FETCH_LACKS_TRACEABLE;
	else
		return lt_fetch_traceable(f, traceable[i], why);
	return true;
}

struct lt_fetch *lt_fetch_running(unsigned int *lacks, struct lt_why *why)
{
	struct utsname name;
	struct lt_fetch *f;

	*lacks = 0;
	uname(&name);
	f = lt_fetch_new(name.machine);
	if (!f) {
		lt_why_set(why, "the calling convention of %s is not known", name.machine);
		return NULL;
	}
	if (!read_all(f, lacks, why)) {
		lt_fetch_free(f);
		return NULL;
	}
	return f;
}
