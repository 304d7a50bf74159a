// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The formats of logs, and which one the first lines have.
 */
#include "logs/internal.h"

#define GUESS_LINES	1000

static const struct format {
	const char *name;
	const char *text;
	lt_log_parse_fn *parse;
} formats[LT_N_LOG_FORMATS] = {
	[LT_LOG_STRACE] = { "strace", "strace -f -ttt", lt_log_strace },
	[LT_LOG_SYSLOG] = { "syslog", "journalctl -o short-precise or syslog", lt_log_syslog },
	[LT_LOG_JOURNAL] = { "journal", "journalctl -o json", lt_log_journal },
	[LT_LOG_AUDIT] = { "audit", "auditd", lt_log_audit },
	[LT_LOG_PERF] = { "perf", "perf script", lt_log_perf },
	[LT_LOG_DMESG] = { "dmesg", "dmesg", lt_log_dmesg },
	[LT_LOG_FTRACE] = { "ftrace", "trace_pipe", lt_log_ftrace },
	[LT_LOG_JSON] = { "json", "JSON", lt_log_json },
};

const char *lt_log_format_name(enum lt_log_format format)
{
	return formats[format].name;
}

const char *lt_log_format_text(enum lt_log_format format)
{
	return formats[format].text;
}

const char *lt_log_clock_name(enum lt_log_clock clock)
{
	static const char *const names[LT_N_LOG_CLOCKS] = { "real", "boot", "mono", "local" };

	return names[clock];
}

const char *lt_log_unit_name(enum lt_log_unit unit)
{
	static const char *const names[LT_N_LOG_UNITS] = { "auto", "s", "ms", "us", "ns" };

	return names[unit];
}

void lt_log_parser_init(struct lt_log_parser *p, enum lt_log_format format,
			const struct lt_log_options *o)
{
	memset(p, 0, sizeof(*p));
	p->format = format;
	if (o)
		p->o = *o;
}

enum lt_log_said lt_log_parse_all(struct lt_log_parser *p, const char *line, size_t len,
				  struct lt_log_line *out, struct lt_why *why)
{
	struct lt_text t = { line, line + lt_log_without_cr(line, len) };

	memset(out, 0, sizeof(*out));
	return formats[p->format].parse(p, t, out, why);
}

enum lt_log_said lt_log_parse(struct lt_log_parser *p, const char *line, size_t len,
			      struct lt_log_line *out, struct lt_why *why)
{
	enum lt_log_said said = lt_log_parse_all(p, line, len, out, why);

	/* That is the idle task of each CPU. */
	return said == LT_LOG_TASK && !out->pid ? LT_LOG_NO_TASK : said;
}

/* Whether a line says that it is of a format, though no time follows from it. */
static bool is_evidence(enum lt_log_format format, const char *line, size_t len)
{
	static const char journal[] = "\"__REALTIME_TIMESTAMP\"";

	if (!len || (format != LT_LOG_JSON && format != LT_LOG_JOURNAL))
		return true;
	if (line[0] != '{' || line[len - 1] != '}')
		return false;
	return format == LT_LOG_JSON || memmem(line, len, journal, sizeof(journal) - 1);
}

unsigned int lt_log_guess(const char *text, size_t len, const struct lt_log_options *o,
			  enum lt_log_format *format)
{
	struct lt_log_parser parsers[LT_N_LOG_FORMATS];
	unsigned int n[LT_N_LOG_FORMATS] = { 0 }, best = 0;

	for (unsigned int f = 0; f < LT_N_LOG_FORMATS; f++)
		lt_log_parser_init(&parsers[f], (enum lt_log_format)f, o);
	for (unsigned int i = 0; i < GUESS_LINES && len; i++) {
		const char *end = memchr(text, '\n', len);
		size_t size = end ? (size_t)(end - text) : len;
		size_t seen = lt_log_without_cr(text, size);

		for (unsigned int f = 0; f < LT_N_LOG_FORMATS; f++) {
			struct lt_log_line line;
			struct lt_why why;
			enum lt_log_said said = lt_log_parse(&parsers[f], text, seen, &line, &why);

			n[f] += said == LT_LOG_TASK ||
				(said == LT_LOG_BAD &&
				 is_evidence((enum lt_log_format)f, text, seen));
		}
		text += size + (end != NULL);
		len -= size + (end != NULL);
	}
	/* Of equals the first one: it is the narrower one. */
	for (unsigned int f = 0; f < LT_N_LOG_FORMATS; f++) {
		if (n[f] > n[best])
			best = f;
	}
	*format = (enum lt_log_format)best;
	return n[best];
}

unsigned int lt_log_refused(const char *text, size_t len, enum lt_log_format format,
			    const struct lt_log_options *o, struct lt_why *why)
{
	struct lt_log_parser p;
	unsigned int first = 0;

	lt_log_parser_init(&p, format, o);
	for (unsigned int i = 1; i <= GUESS_LINES && len; i++) {
		const char *end = memchr(text, '\n', len);
		size_t size = end ? (size_t)(end - text) : len;
		struct lt_log_line line;
		struct lt_why reason;

		switch (lt_log_parse(&p, text, size, &line, &reason)) {
		case LT_LOG_TASK:
			return 0;
		case LT_LOG_BAD:
			if (!first) {
				first = i;
				*why = reason;
			}
			break;
		default:
			break;
		}
		text += size + (end != NULL);
		len -= size + (end != NULL);
	}
	return first;
}
