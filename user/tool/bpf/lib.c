// SPDX-License-Identifier: GPL-2.0
/*
 * Loading libbpf, and what it says.
 */
#ifdef LT_HAVE_LIBBPF

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/lib.h"
#include "bpf/words.h"

#define LIBRARY	"libbpf.so.1"

static struct lt_bpf_said said;

void lt_libbpf_clear(void)
{
	said.n = 0;
	said.text[0] = 0;
}

const char *lt_libbpf_said(void)
{
	return said.text;
}

/* libbpf prints the verifier's log as one text of any length. */
static int keep(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text;
	int n;

	if (level > LIBBPF_WARN)
		return 0;
	n = vasprintf(&text, format, args);
	if (n < 0)
		return 0;
	/* The programs have no numbers of lines: see prog/build. */
	if (!strstr(text, "line info"))
		lt_bpf_say(&said, text, (size_t)n);
	free(text);
	return 0;
}

static bool find(void *handle, const char *name, void *to, size_t size, struct lt_why *why)
{
	void *symbol = dlsym(handle, name);

	if (!symbol) {
		lt_why_set(why, LIBRARY " has no function %s: version 1.1 or later is needed",
			   name);
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
