// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification of a trace file: the readings of the clocks, which convert the times of a
 * counter.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "verify/internal.h"

/* The scale without readings. Return: whether INFO says which clock it is; @name: that. */
static bool begin_scale(struct lt_checker *c, struct lt_clock *clock, char name[16])
{
	const struct lt_text_ref *ref = lt_dir_text(&c->dir, LT_BLOCK_INFO, 0);
	char *info = ref ? lt_check_load_text(c, ref) : NULL;
	const char *pos = info, *line;
	uint64_t freq = 0;
	size_t len;

	name[0] = 0;
	while (pos && lt_line(&pos, &line, &len)) {
		if (len > 6 && !memcmp(line, "clock=", 6))
			snprintf(name, 16, "%.*s", (int)(len - 6), line + 6);
		else
			lt_assigned(line, len, "clock_freq", &freq);
	}
	free(info);
	lt_clock_init(clock, name, freq, false);
	return *name;
}

static void check_reading(struct lt_checker *c, struct lt_clock *clock,
			  const struct lt_text_ref *ref)
{
	char *text = lt_check_load_text(c, ref);
	struct lt_clock_reading r;
	const char *why = "expected clock=N realtime=N boottime=N monotonic=N raw=N";

	/* A damaged block was found before. */
	if (!text)
		return;
	if (lt_clock_parse(text, &r))
		why = lt_clock_refusal(lt_clock_add(clock, &r));
	if (why) {
		lt_check_fail(c, LT_CHECK_CLOCKS);
		lt_check_note(c, ref->offset, "a reading of the clocks is left out: %s", why);
	}
	free(text);
}

/*
 * A time of the clock from the begin of the trace, as all that is printed. @clock: NULL: it has no
 * scale. Return: to be freed.
 */
static char *when_of(const struct lt_checker *c, const struct lt_clock *clock, uint64_t units)
{
	uint64_t begin = UINT64_MAX, ns, from;

	for (size_t i = 0; i < c->dir.n_streams; i++) {
		const struct lt_stream_dir *s = c->dir.streams[i];

		if (s && s->n && s->refs[0].begin < begin)
			begin = s->refs[0].begin;
	}
	if (!clock || begin == UINT64_MAX)
		return lt_format("%" PRIu64 ", in units of the clock,", units);
	from = lt_clock_peek(clock, begin);
	ns = lt_clock_peek(clock, units);
	ns = ns > from ? ns - from : 0;
	return lt_format("%" PRIu64 ".%09" PRIu64 " s", ns / 1000000000, ns % 1000000000);
}

/*
 * @clock: NULL: it has no scale. Return: false: the module has stopped to read the counter, since
 * the kernel does not trust it.
 */
static bool check_trust(struct lt_checker *c, const struct lt_clock *clock)
{
	char *stats = lt_check_read_text(c, LT_BLOCK_STATS), why[32], *at;
	bool unstable;
	uint64_t when;

	unstable = stats && lt_clock_left(stats, &when, why) && !strcmp(why, "unstable");
	if (unstable) {
		lt_check_fail(c, LT_CHECK_CLOCKS);
		at = when_of(c, clock, when);
		lt_check_note(c, LT_NO_OFFSET, "at %s the kernel declared the CPU's counter unstable: "
			      "times before that of different CPUs may be apart", at);
		free(at);
	}
	free(stats);
	return !unstable;
}

/* ns of times behind the last reading, as of a file that is cut off, whose rate is not known. */
static uint64_t behind_last(const struct lt_checker *c, const struct lt_clock *clock)
{
	const struct lt_clock_point *last = &clock->points[clock->n_points - 1];
	uint64_t end = 0;

	for (size_t i = 0; i < c->dir.n_streams; i++) {
		const struct lt_stream_dir *s = c->dir.streams[i];

		if (s && s->n && s->refs[s->n - 1].end > end)
			end = s->refs[s->n - 1].end;
	}
	return end > last->r.clock ? lt_clock_peek(clock, end) - last->ns : 0;
}

/* @refused: how many readings were left out. */
static void say_deviation(struct lt_checker *c, const struct lt_clock *clock, bool trusted,
			  uint64_t refused)
{
	uint64_t deviation = lt_clock_deviation(clock), behind = behind_last(c, clock);
	char text[128] = "";

	if (!trusted)
		snprintf(text, sizeof(text), "how exact times are is not known");
	else if (deviation == UINT64_MAX)
		snprintf(text, sizeof(text), "too few to say how exact times are");
	else if (behind)
		snprintf(text, sizeof(text), "times are within %" PRIu64 " ns of the monotonic "
			 "clock, but for those of the %" PRIu64 ".%06" PRIu64 " s behind the last "
			 "one", deviation, behind / 1000000000, behind % 1000000000 / 1000);
	else
		snprintf(text, sizeof(text), "times are within %" PRIu64 " ns of the monotonic "
			 "clock", deviation);
	lt_check_say(c, LT_CHECK_CLOCKS, "%zu readings agree, left out %" PRIu64 "; %s",
		     clock->n_points, refused, text);
}

void lt_check_clocks(struct lt_checker *c)
{
	struct lt_clock clock;
	char name[16];
	bool known = begin_scale(c, &clock, name), trusted, settled;
	uint64_t *offsets = lt_alloc_array(c->dir.n_texts + 1, sizeof(*offsets));
	uint64_t refused, wrong;

	for (size_t i = 0; i < c->dir.n_texts; i++) {
		size_t n = clock.n_points;

		if (c->dir.texts[i].type != LT_BLOCK_CLOCK)
			continue;
		check_reading(c, &clock, &c->dir.texts[i]);
		if (clock.n_points > n)
			offsets[n] = c->dir.texts[i].offset;
	}
	refused = c->v->checks[LT_CHECK_CLOCKS].failures;
	if (known)
		lt_check_readings(c, &clock, name, offsets);
	free(offsets);
	wrong = c->v->checks[LT_CHECK_CLOCKS].failures - refused;
	settled = known && clock.n_points && lt_clock_settle(&clock);
	trusted = check_trust(c, settled ? &clock : NULL);
	if (!known || !clock.n_points) {
		c->v->checks[LT_CHECK_CLOCKS].absent = true;
		lt_check_say(c, LT_CHECK_CLOCKS, "the file has no reading of the clocks");
	} else if (!settled) {
		lt_check_fail(c, LT_CHECK_CLOCKS);
		lt_check_say(c, LT_CHECK_CLOCKS, "the frequency of the counter is not known");
	} else if (wrong) {
		lt_check_say(c, LT_CHECK_CLOCKS, "%zu readings, left out %" PRIu64 "; what they "
			     "contradict in each other: %" PRIu64 "; how exact times are is not known",
			     clock.n_points, refused, wrong);
	} else if (!clock.counter) {
		lt_check_say(c, LT_CHECK_CLOCKS, "%zu readings agree, left out %" PRIu64,
			     clock.n_points, refused);
	} else {
		say_deviation(c, &clock, trusted, refused);
	}
	lt_check_span(c, &clock);
	lt_clock_destroy(&clock);
}
