// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel prints when it finds a fault: its parser, and what is said of the values that it
 * finds.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "oops/oops.h"

static uint32_t lines_of(const char *text)
{
	uint32_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void check_text(const char *what, const char *text, size_t size, bool ascii)
{
	size_t n = strnlen(text, size);

	if (n == size)
		fuzz_wrong("%s has no end", what);
	for (size_t i = 0; ascii && i < n; i++) {
		if (text[i] < ' ' || text[i] > '~')
			fuzz_wrong("%s has a byte 0x%02x", what, (unsigned char)text[i]);
	}
}

static void check_values(const struct lt_oops *o, uint32_t lines)
{
	static const char *const machines[] = { "", "x86_64", "aarch64", "ppc64le", "s390x" };
	char buf[256];

	if (o->n_values > LT_OOPS_VALUES)
		fuzz_wrong("%zu values", o->n_values);
	for (size_t i = 0; i < o->n_values; i++) {
		const struct lt_oops_value *v = &o->values[i];
		const char *machine = machines[i % (sizeof(machines) / sizeof(machines[0]))], *said;

		check_text("the name of a value", v->name, sizeof(v->name), true);
		if (v->report >= o->n_reports || !v->line || v->line > lines ||
		    v->kind > LT_OOPS_HASHED)
			fuzz_wrong("value %zu: report %u, line %u", i, v->report, v->line);
		if (i && (v->report < v[-1].report || v->line < v[-1].line))
			fuzz_wrong("value %zu is not in order", i);
		said = lt_poison(v->value, i % 2 ? 4 : 8, machine, buf, sizeof(buf));
		if (said && !*said)
			fuzz_wrong("value %zu: nothing is said of a poison", i);
	}
}

static void check_reports(const struct lt_oops *o, uint32_t lines)
{
	for (size_t i = 0; i < o->n_reports; i++) {
		const struct lt_oops_report *r = &o->reports[i];

		check_text("a title", r->title, sizeof(r->title), false);
		check_text("a place", r->where, sizeof(r->where), false);
		check_text("a release", r->release, sizeof(r->release), false);
		check_text("a name", r->comm, sizeof(r->comm), false);
		if (r->line > lines || r->release_line > lines)
			fuzz_wrong("report %zu: line %u, release in line %u", i, r->line,
				   r->release_line);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	uint32_t lines = lines_of(text);
	struct lt_why why = { 0 };
	struct lt_oops o;

	fuzz_memory_begin();
	if (!lt_oops_parse(&o, text, &why)) {
		if (!o.n_values || !o.n_reports)
			fuzz_wrong("%zu values in %zu reports", o.n_values, o.n_reports);
		check_values(&o, lines);
		check_reports(&o, lines);
	} else if (!why.text[0]) {
		fuzz_wrong("a text is refused without a reason");
	}
	/* A value or report is some hundred bytes, and has at least a few of the text. */
	fuzz_memory_end(64 * 1024 + 512 * (uint64_t)size);
	lt_oops_destroy(&o);
	free(text);
	return 0;
}
