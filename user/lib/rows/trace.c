// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Columns of traces. No sum of the other tables has that a machine was watched at all, for how
 * long, what was lost and what was not watched.
 */
#include <string.h>

#include "base/text.h"
#include "rows/internal.h"
#include "rows/trace.h"

uint64_t lt_trace_option(const struct lt_trace *t, const char *key, uint64_t otherwise)
{
	const char *value = lt_trace_info(t, key);
	uint64_t n;

	return value && lt_number(value, 0, &n) ? n : otherwise;
}

/* The names of all events that were not watched, with commas. */
static const char *unwatched(struct lt_trace_ctx *c, const struct lt_trace *t)
{
	const char *text = lt_trace_text(t, LT_BLOCK_EVENTS, SIZE_MAX), *line;
	size_t len;

	c->text.used = 0;
	lt_out_make_room(&c->text);
	while (text && lt_line(&text, &line, &len)) {
		char name[64], why[32];
		const char *end = memchr(line, '\t', len);
		size_t n = end ? (size_t)(end - line) : 0;

		if (!n || n >= sizeof(name) || c->text.used > LT_OUT_SIZE / 8)
			continue;
		memcpy(name, line, n);
		name[n] = 0;
		if (!lt_line_unwatched(line, len, name, why, sizeof(why)))
			continue;
		if (c->text.used)
			lt_out_char(&c->text, ',');
		lt_out_str(&c->text, name);
	}
	lt_out_char(&c->text, 0);
	return c->text.buf;
}

#define GETTER(id, name, TYPE, marks, known, value, meaning)			\
	LT_ROW_GETTER(id, struct lt_trace_row, r, struct lt_trace_ctx, c, TYPE, known, value)

#define INFO(C, id, text)	C(id, #id, NAME, F | N, true, lt_trace_info(r->trace, #id), text)
#define REAL			lt_trace_realtime(r->trace, r->begin)

#define TRACE(C)	\
	INFO(C, kernel_version, "version of the kernel")	\
	INFO(C, cpus_online, "CPUs that were online")	\
	C(mem_total, "mem_total", BYTES, F | N, lt_trace_option(r->trace, "mem_total", UINT64_MAX) != UINT64_MAX, \
	  lt_trace_option(r->trace, "mem_total", 0), "memory of the machine")	\
	C(begin, "begin_ns", INSTANT, F, true, r->begin, "begin, on the trace's clock")	\
	C(end, "end_ns", INSTANT, F, true, r->end, "end")	\
	C(begin_unix, "begin_unix_ns", COUNT, F | N, REAL, REAL, "begin, since 1970")	\
	C(end_unix, "end_unix_ns", COUNT, F | N, REAL, lt_trace_realtime(r->trace, r->end), "end, since 1970") \
	C(recorded, "recorded_ns", NS, F, true, r->end > r->begin ? r->end - r->begin : 0, \
	  "from begin to end")	\
	C(bytes, "trace_bytes", BYTES, F, true, lt_trace_size(r->trace), "bytes of the file")	\
	C(complete, "complete", COUNT, F, true, !lt_trace_dir(r->trace)->torn, "the file has its end")	\
	C(records, "records", COUNT, F, true, r->loss.records, "records")	\
	C(lost, "lost", COUNT, F, true, r->loss.lost, "events that were lost")	\
	C(missed, "missed", COUNT, F, true, r->loss.missed, "events that the kernel did not deliver")	\
	C(filtered, "filtered", COUNT, F, true, r->loss.filtered, "events left out on purpose")	\
	C(gaps, "gaps", COUNT, F, true, r->gaps, "intervals of a CPU in which something was lost")	\
	C(unwatched, "not_watched", NAME, F, true, unwatched(c, r->trace), "events that were not watched")	\
	C(sample, "sample", COUNT, F, true, lt_trace_sample(r->trace), \
	  "objects at one address in so many were recorded")	\
	C(min_size, "min_size", BYTES, F, true, lt_trace_option(r->trace, "min_size", 0), \
	  "and of so many bytes at least")	\
	C(stacks, "stacks", COUNT, F, true, lt_trace_option(r->trace, "stacks", 0), \
	  "births at one address in so many have stacks; 0: none")	\
	INFO(C, tool_version, "version of lifetrace")	\
	INFO(C, command, "what was recorded")

TRACE(GETTER)

static const struct lt_column trace_columns[] = { TRACE(LT_ROW_COLUMN) };

LT_ROW_KIND(trace, "trace", "a trace, or a part of one that is being recorded");
