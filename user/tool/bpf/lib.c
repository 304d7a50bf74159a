// SPDX-License-Identifier: GPL-2.0
/*
 * Loading libbpf, and what it says.
 */
#ifdef LT_HAVE_LIBBPF

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "bpf/lib.h"
#include "bpf/words.h"

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

const char *lt_bpf_needs(int err)
{
	return err == EPERM ? "; root, or the capabilities CAP_BPF and CAP_PERFMON, are needed" :
		"";
}

const struct lt_libbpf *lt_libbpf_load(struct lt_why *why)
{
	static struct lt_libbpf functions;
	static bool loaded;
#define NAME(name)	#name,
	static const char *const names[] = { LT_LIBBPF_FUNCTIONS(NAME) };
	static const struct lt_library libbpf = {
		.file = "libbpf.so.1", .package = "libbpf1", .version = "1.1", .names = names,
		.n = sizeof(functions) / sizeof(functions.bpf_map__fd),
	};

	if (!loaded && lt_library_load(&libbpf, &functions, why)) {
		functions.libbpf_set_print(keep);
		loaded = true;
	}
	return loaded ? &functions : NULL;
}

#endif /* LT_HAVE_LIBBPF */
