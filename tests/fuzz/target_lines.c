// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of other tools' records: which format they have, and what each parser takes from them.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "logs/logs.h"

/* A text that a line names is a part of it. */
static void check_part(const char *what, const char *part, size_t len, const char *line,
		       size_t size)
{
	if (part && (part < line || len > size || part + len > line + size))
		fuzz_wrong("%s is no part of the line", what);
}

static void check_line(struct lt_log_parser *p, const char *line, size_t len)
{
	struct lt_why why = { 0 };
	struct lt_log_line out;

	switch (lt_log_parse(p, line, len, &out, &why)) {
	case LT_LOG_TASK:
		if (!out.pid || !out.n_times || out.n_times > LT_LOG_TIMES ||
		    out.clock >= LT_N_LOG_CLOCKS || !out.span)
			fuzz_wrong("%s: pid %u, %u times", lt_log_format_name(p->format), out.pid,
				   out.n_times);
		check_part("a name", out.comm, out.comm_len, line, len);
		check_part("a host", out.host, out.host_len, line, len);
		break;
	case LT_LOG_BAD:
		if (!why.text[0])
			fuzz_wrong("%s: refused without a reason", lt_log_format_name(p->format));
		break;
	default:
		break;
	}
}

/* @line: copied, so that nothing behind it can be read. */
static void check_copy(struct lt_log_parser *parsers, const char *line, size_t len)
{
	char *copy = malloc(len + !len);

	memcpy(copy, line, len);
	for (unsigned int f = 0; f < LT_N_LOG_FORMATS; f++)
		check_line(&parsers[f], copy, len);
	free(copy);
}

/* What is no log, alone in memory. */
static void check_hint(const char *text, size_t len)
{
	char *copy = malloc(len + !len);

	if (len)
		memcpy(copy, text, len);
	lt_log_hint(copy, len);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A trace of three hours in 2026. */
	const struct lt_log_options o = {
		.from = 1795971600000000000ULL, .to = 1795982400000000000ULL,
		.unit = size ? (enum lt_log_unit)(data[0] % LT_N_LOG_UNITS) : LT_LOG_UNIT_AUTO,
		.pid_field = size % 5 ? NULL : "a.b", .time_field = size % 7 ? NULL : "a.c",
	};
	const char *text = (const char *)data;
	struct lt_log_parser parsers[LT_N_LOG_FORMATS];
	enum lt_log_format format;

	for (unsigned int f = 0; f < LT_N_LOG_FORMATS; f++)
		lt_log_parser_init(&parsers[f], (enum lt_log_format)f, &o);
	if (lt_log_guess(text, size, &o, &format) && format >= LT_N_LOG_FORMATS)
		fuzz_wrong("the format %u", format);
	check_hint(text, size);
	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t len = end ? (size_t)(end - text) : size;

		check_copy(parsers, text, len);
		text += len + (end != NULL);
		size -= len + (end != NULL);
	}
	return 0;
}
