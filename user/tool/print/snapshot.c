// SPDX-License-Identifier: GPL-2.0
/*
 * Files that a flight recorder has made.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "out/units.h"
#include "print/snapshot.h"

/* How a value of the text PART is printed. */
enum form {
	FORM_TEXT,
	FORM_COUNT,
	FORM_SPAN,	/* ns */
	FORM_CLOCK,	/* clock units, printed as the time of the trace */
	FORM_BYTES,
	FORM_BOOL,
};

static const struct {
	const char *key;
	const char *name;	/* of the line; NULL: there is none */
	const char *json;
	enum form form;
} values[] = {
	{ "trigger", "trigger", "trigger", FORM_TEXT },
	{ "also", "also", NULL, FORM_TEXT },
	{ "trigger_clock", "triggered at [s]", "trigger_ns", FORM_CLOCK },
	{ "triggers_missed", "triggers missed", "triggers_missed", FORM_COUNT },
	{ "window_ns", "window", "window_ns", FORM_SPAN },
	{ "window_wanted_ns", "window wanted", "window_wanted_ns", FORM_SPAN },
	{ "window_short", NULL, "window_short", FORM_BOOL },
	{ "memory", "memory", "memory_bytes", FORM_BYTES },
	{ "memory_used", "memory used", "memory_used_bytes", FORM_BYTES },
};

#define N_VALUES	(sizeof(values) / sizeof(values[0]))

/* The text of a snapshot; NULL: it is another trace. */
static const char *text_of(const struct lt_trace *t)
{
	const struct lt_dir *d = lt_trace_dir(t);

	return d->n_parts == 1 && d->parts[0].is_snapshot ? lt_trace_text(t, LT_BLOCK_PART, 0) :
							    NULL;
}

/*
 * A line KEY=VALUE with a key of the table. Return: the number of the key, N_VALUES: there is
 * none, or its value is no number although it must be one.
 */
static size_t parse(const char *line, size_t len, const char **value, size_t *n, uint64_t *number)
{
	const char *is = memchr(line, '=', len);
	size_t i = 0;

	if (!is)
		return N_VALUES;
	*value = is + 1;
	*n = len - (size_t)(*value - line);
	while (i < N_VALUES && (strlen(values[i].key) != (size_t)(is - line) ||
				memcmp(values[i].key, line, (size_t)(is - line))))
		i++;
	if (i < N_VALUES && values[i].form != FORM_TEXT &&
	    !lt_assigned(line, len, values[i].key, number))
		return N_VALUES;
	return i;
}

static void text_value(struct lt_out *o, const struct lt_times *times, enum form form, uint64_t v)
{
	char buf[LT_TIME_TEXT];

	switch (form) {
	case FORM_SPAN:
		lt_human_ns(v, buf, sizeof(buf));
		break;
	case FORM_BYTES:
		lt_human_bytes(v, buf, sizeof(buf));
		break;
	case FORM_CLOCK:
		lt_times_text(times, lt_clock_ns(lt_trace_clock(times->trace), v), 6, buf);
		break;
	default:
		snprintf(buf, sizeof(buf), "%" PRIu64, v);
	}
	lt_out_str(o, buf);
}

void lt_snapshot_text(struct lt_out *o, const struct lt_trace *t, const struct lt_times *times)
{
	const char *text = text_of(t), *line, *value;
	size_t len, n, i;
	char name[32];
	uint64_t v;

	if (!text)
		return;
	lt_out_str(o, "\n  A snapshot of a flight recorder: it has what happened in its window, and what "
		   "was alive before.\n");
	while (lt_line(&text, &line, &len)) {
		i = parse(line, len, &value, &n, &v);
		if (i == N_VALUES || !values[i].name)
			continue;
		snprintf(name, sizeof(name), "  %-18s", values[i].name);
		lt_out_str(o, name);
		if (values[i].form == FORM_TEXT)
			lt_out_text(o, value, n);
		else
			text_value(o, times, values[i].form, v);
		lt_out_char(o, '\n');
	}
}

static void json_value(struct lt_json *j, const struct lt_times *times, size_t i, uint64_t v)
{
	const char *name = values[i].json;

	if (values[i].form == FORM_BOOL)
		lt_json_bool(j, name, v);
	else if (values[i].form == FORM_CLOCK)
		lt_json_s64(j, name,
			    lt_times_ns(times, lt_clock_ns(lt_trace_clock(times->trace), v)));
	else
		lt_json_u64(j, name, v);
}

/* The texts of all lines "also". */
static void json_also(struct lt_json *j, const char *text)
{
	const char *line, *value;
	uint64_t v;
	size_t len, n;

	lt_json_array(j, "also");
	while (lt_line(&text, &line, &len)) {
		size_t i = parse(line, len, &value, &n, &v);

		if (i < N_VALUES && !strcmp(values[i].key, "also"))
			lt_json_text(j, NULL, value, n);
	}
	lt_json_end(j);
}

void lt_snapshot_json(struct lt_json *j, const struct lt_trace *t, const struct lt_times *times)
{
	const char *text = text_of(t), *all = text, *line, *value;
	size_t len, n, i;
	uint64_t v;

	if (!text)
		return;
	lt_json_object(j, "snapshot");
	while (lt_line(&text, &line, &len)) {
		i = parse(line, len, &value, &n, &v);
		if (i == N_VALUES || !values[i].json)
			continue;
		if (values[i].form == FORM_TEXT)
			lt_json_text(j, values[i].json, value, n);
		else
			json_value(j, times, i, v);
	}
	json_also(j, all);
	lt_json_end(j);
}
