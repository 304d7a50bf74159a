/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of other tools, line by line: which task does a line name by its number, and when.
 *
 * A line has one of a few formats. Of each line at most one number is taken, with the time that
 * stands in the line. Nothing here knows a trace: which task had the number then is decided by
 * user/lib/whose/.
 */
#ifndef LT_LOGS_LOGS_H
#define LT_LOGS_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/why.h"

enum lt_log_format {
	LT_LOG_STRACE,		/* strace -f with -t, -tt or -ttt */
	LT_LOG_SYSLOG,		/* journalctl -o short, short-iso…; files of syslog */
	LT_LOG_JOURNAL,		/* journalctl -o json */
	LT_LOG_AUDIT,		/* audit.log, ausearch --raw */
	LT_LOG_PERF,		/* perf script */
	LT_LOG_DMESG,		/* dmesg, the console */
	LT_LOG_FTRACE,		/* trace_pipe, trace-cmd report */
	LT_LOG_JSON,		/* an object a line, with a number and a time */
	LT_N_LOG_FORMATS,
};

/* By which clock a time is. */
enum lt_log_clock {
	LT_LOG_REAL,		/* since 1970, UTC */
	LT_LOG_BOOT,
	LT_LOG_MONO,
	LT_LOG_LOCAL,		/* the scheduler's, of printk, perf and ftrace */
	LT_N_LOG_CLOCKS,
};

enum lt_log_unit {
	LT_LOG_UNIT_AUTO,
	LT_LOG_S,
	LT_LOG_MS,
	LT_LOG_US,
	LT_LOG_NS,
	LT_N_LOG_UNITS,
};

/* A time without a date, or without a zone, may be several instants. */
#define LT_LOG_TIMES	8

/**
 * struct lt_log_line - what a line says
 * @pid: the number of a task; not 0
 * @clock: of @times
 * @times: ns; the line means one of these
 * @n_times: at least 1
 * @more: the line may mean still others
 * @span: ns by which the text may be off, since it has so many digits, or the clock ticks so slowly
 * @late: ns by which the time may be later than what the line is about
 * @comm: the name of the task, as the line has it; NULL: it has none
 * @host: name of the machine; NULL: the line has none
 * @has_cpu, @cpu: of LT_LOG_FTRACE and LT_LOG_PERF: the CPU in brackets
 * @flags: of LT_LOG_FTRACE: "d..2."; NULL: the line has none
 * @rest: of these two, and of LT_LOG_STRACE, what stands behind the time
 */
struct lt_log_line {
	uint32_t pid;
	enum lt_log_clock clock;
	uint64_t times[LT_LOG_TIMES];
	unsigned int n_times;
	bool more;
	uint64_t span;
	uint64_t late;
	const char *comm;
	size_t comm_len;
	const char *host;
	size_t host_len;
	bool has_cpu;
	uint32_t cpu;
	const char *flags;
	size_t flags_len;
	const char *rest;
	size_t rest_len;
};

enum lt_log_said {
	LT_LOG_NO_TASK,		/* the line names none */
	LT_LOG_TASK,
	LT_LOG_BAD,		/* it does, but number or time cannot be read; or is no such line */
};

/**
 * struct lt_log_options - how a log is read
 * @pid_field, @time_field: of LT_LOG_JSON: members, a dot leads into an object; NULL: the usual
 *	ones
 * @unit: of a number that is the time in LT_LOG_JSON
 * @from, @to: dates that are missing are chosen so that times are in or near this span of UTC, ns
 *	since 1970; both 0: not known
 */
struct lt_log_options {
	const char *pid_field;
	const char *time_field;
	enum lt_log_unit unit;
	uint64_t from;
	uint64_t to;
};

/* The last minute of local time that was converted. */
struct lt_log_minute {
	bool known;
	int year, month, day, minute;
	uint64_t epoch[LT_LOG_TIMES];
	unsigned int n;
	bool more;
};

/* Reads the lines of one log; set up by lt_log_parser_init(), owns no memory. */
struct lt_log_parser {
	enum lt_log_format format;
	struct lt_log_options o;
	struct lt_log_minute minute;
};

/* scan.c */
/**
 * lt_log_time() - a time by the wall clock, as people write it
 * @text: "2026-11-29T17:19:21.5Z", with a blank for the T, or without a zone: of that of this
 *	process; "17:19:21.5", "17:19"
 * @from, @to: as in struct lt_log_options: dates that are missing are near to these
 * @out: its times are set
 * Return: false: it is no such text.
 */
bool lt_log_time(const char *text, uint64_t from, uint64_t to, struct lt_log_line *out);

/* formats.c */
const char *lt_log_format_name(enum lt_log_format format);
/* What such a line is, for messages. */
const char *lt_log_format_text(enum lt_log_format format);
const char *lt_log_clock_name(enum lt_log_clock clock);
const char *lt_log_unit_name(enum lt_log_unit unit);

void lt_log_parser_init(struct lt_log_parser *p, enum lt_log_format format,
			const struct lt_log_options *o);

/**
 * lt_log_parse() - read a line
 * @line, @len: without the newline; any bytes
 * @out: set if the result is LT_LOG_TASK; its texts are parts of @line
 * @why: set if the result is LT_LOG_BAD
 */
enum lt_log_said lt_log_parse(struct lt_log_parser *p, const char *line, size_t len,
			      struct lt_log_line *out, struct lt_why *why);

/* As lt_log_parse(), also of the idle task, whose number is 0. */
enum lt_log_said lt_log_parse_all(struct lt_log_parser *p, const char *line, size_t len,
				  struct lt_log_line *out, struct lt_why *why);

/**
 * lt_log_guess() - the format of a log, by its first lines
 * @text, @len: these lines
 * @format: the one of which the most lines are
 * Return: how many lines are of @format; 0: they are of none.
 */
unsigned int lt_log_guess(const char *text, size_t len, const struct lt_log_options *o,
			  enum lt_log_format *format);

/**
 * lt_log_refused() - whether not one of the first lines can be read
 * @text, @len: these lines
 * @why: set if so
 * Return: the number of the first one that cannot, from 1 on; 0: one can, or none has to be.
 */
unsigned int lt_log_refused(const char *text, size_t len, enum lt_log_format format,
			    const struct lt_log_options *o, struct lt_why *why);

/* hint.c */

/**
 * lt_log_hint() - what to do with a log of no known format
 * @text, @len: its begin
 * Return: NULL: not known.
 */
const char *lt_log_hint(const char *text, size_t len);

/* The length of a line without a carriage return at its end. */
static inline size_t lt_log_without_cr(const char *line, size_t len)
{
	return len && line[len - 1] == '\r' ? len - 1 : len;
}

/* reader.c */

/* A longer line is an error. */
#define LT_LOG_LINE_MAX	(16U << 20)

/* The lines of a file; { .fd = … } before the first call. Memory is that of the longest line. */
struct lt_log_reader {
	int fd;
	char *buf;
	size_t cap;
	size_t at;
	size_t end;
	uint64_t number;	/* of the line that was read last, from 1 on */
	bool cut;		/* it has no newline: it is the last one, and perhaps not whole */
	bool eof;
};

/**
 * lt_log_next() - the next line
 * @line, @len: without the newline; valid until the next call
 * Return: 1; 0: there is no more; -1: errno is set, EFBIG if the line is too long.
 */
int lt_log_next(struct lt_log_reader *r, const char **line, size_t *len);

/*
 * What stands at the begin of the file, before the first lt_log_next(): whole lines, unless the
 * file or the first line ends behind it. Return: 0 or -1.
 */
int lt_log_peek(struct lt_log_reader *r, const char **text, size_t *len);

void lt_log_reader_destroy(struct lt_log_reader *r);

#endif /* LT_LOGS_LOGS_H */
