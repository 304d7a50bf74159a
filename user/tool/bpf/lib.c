// SPDX-License-Identifier: GPL-2.0
/*
 * Loading libbpf, and what it says.
 */
#ifdef LT_HAVE_LIBBPF

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bpf/lib.h"

#define LIBRARY	"libbpf.so.1"

static char said[4096];

void lt_libbpf_clear(void)
{
	said[0] = 0;
}

const char *lt_libbpf_said(void)
{
	return said;
}

/* It prints the verifier's log, too, of which the last lines say what is wrong: the rest goes. */
static int keep(enum libbpf_print_level level, const char *format, va_list args)
{
	char text[sizeof(said) / 2];
	size_t len = strlen(said), more;
	int n;

	if (level > LIBBPF_WARN)
		return 0;
	n = vsnprintf(text, sizeof(text), format, args);
	/* The programs have no numbers of lines: see prog/build. */
	if (n < 0 || strstr(text, "line info"))
		return 0;
	more = strlen(text);
	if (len + more >= sizeof(said)) {
		size_t drop = len + more + 1 - sizeof(said);

		memmove(said, said + drop, len - drop + 1);
		len -= drop;
	}
	memcpy(said + len, text, more + 1);
	return 0;
}

static bool find(void *handle, const char *name, void *to, size_t size, struct lt_why *why)
{
	void *symbol = dlsym(handle, name);

	if (!symbol) {
		lt_why_set(why, LIBRARY " has no function %s: version 1.1 or later is needed", name);
		return false;
	}
	memcpy(to, &symbol, size);
	return true;
}

const struct lt_libbpf *lt_libbpf_load(struct lt_why *why)
{
	static struct lt_libbpf functions;
	static bool loaded;
	void *handle;

	if (loaded)
		return &functions;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		lt_why_set(why, LIBRARY " cannot be loaded (Debian: apt install libbpf1)");
		return NULL;
	}
#define F(name)	if (!find(handle, #name, &functions.name, sizeof(functions.name), why)) {	\
			dlclose(handle);						\
			return NULL;							\
		}
	LT_LIBBPF_FUNCTIONS(F)
#undef F
	functions.libbpf_set_print(keep);
	loaded = true;
	return &functions;
}

#endif /* LT_HAVE_LIBBPF */
