// SPDX-License-Identifier: GPL-2.0
/*
 * Readings of the clocks, by which the times of the trace become those of the monotonic and of
 * the wall clock. They are taken each second, more often at first; of these the file gets what
 * it needs, and the sink all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out/log.h"
#include "record/internal.h"

#define FIRST_NS	(100 * NSEC_PER_MSEC)
#define MOST_NS		(1000 * NSEC_PER_MSEC)

static int write_reading(struct lt_record_file *f, struct lt_record_tap *tap,
			 const struct lt_clock_reading *reading)
{
	char text[LT_CLOCK_TEXT];

	if (tap && tap->reading)
		tap->reading(tap, reading);
	lt_clock_text(reading, text);
	return lt_record_file_text(f, LT_BLOCK_CLOCK, false, text);
}

/* Who reads a pipe needs each reading when it is new. */
static bool is_pipe(const struct lt_record_options *o)
{
	return o->output && !strcmp(o->output, "-");
}

static void say_if_left(struct lt_record_clocks *c, const struct lt_clock_reading *reading)
{
	if (reading->kept && !c->left)
		lt_warn("the CPU's counter cannot be used any more (the machine sleeps, or the kernel "
			"does not trust it); times go on by the monotonic clock");
	c->left = reading->kept;
}

/* Takes a reading. @always: it is written. */
static int take(struct lt_recording *r, const char *text, bool always)
{
	struct lt_clock_reading reading, out[2];
	unsigned int n;
	int ret = 0;

	if (r->sink.trace)
		lt_trace_add_text(r->sink.trace, LT_BLOCK_CLOCK, text);
	/* A module of another version has a text of its own: it is written as it is. */
	if (!lt_clock_parse(text, &reading))
		return always ? lt_record_file_text(&r->file, LT_BLOCK_CLOCK, false, text) : 0;
	n = lt_clock_thin_add(&r->clocks.thin, &reading, out);
	say_if_left(&r->clocks, &reading);
	for (unsigned int i = 0; i < n; i++)
		ret = ret ? ret : write_reading(&r->file, r->opts->tap, &out[i]);
	always |= is_pipe(r->opts);
	if (!ret && always && !(n && out[n - 1].clock == reading.clock)) {
		ret = write_reading(&r->file, r->opts->tap, &reading);
		lt_clock_thin_written(&r->clocks.thin);
	}
	return ret;
}

int lt_record_need_ns(const struct lt_trace *t, const char *option)
{
	if (!lt_trace_clock(t)->counter)
		return 0;
	lt_error("--%s: the session that runs has the CPU's counter as its clock; files are cut by a "
		 "clock of ns", option);
	return -1;
}

int lt_record_clock(struct lt_recording *r)
{
	char *text = lt_engine_text(r->session.engine, LT_FILE_CLOCK);
	int ret;

	if (!text) {
		lt_error("%s/%s: %s", r->session.engine->dir, LT_FILE_CLOCK, strerror(errno));
		return -1;
	}
	ret = take(r, text, true);
	if (r->texts.clock)
		free(text);
	else
		r->texts.clock = text;
	return ret;
}

void lt_record_clock_if_due(struct lt_recording *r, uint64_t now)
{
	char *text;

	if (now < r->clocks.next_ns || r->file.error || r->file.left_out)
		return;
	r->clocks.wait_ns = r->clocks.wait_ns ? r->clocks.wait_ns * 2 : FIRST_NS;
	if (r->clocks.wait_ns > MOST_NS)
		r->clocks.wait_ns = MOST_NS;
	r->clocks.next_ns = now + r->clocks.wait_ns;
	text = lt_engine_text(r->session.engine, LT_FILE_CLOCK);
	/* The last reading, without which times are less exact, says what is wrong. */
	if (text)
		take(r, text, false);
	free(text);
}
