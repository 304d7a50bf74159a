// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Times of packets that the rest of the file makes impossible. Within a stream each packet bounds
 * the next; of the last one the end, and of the first one the begin, are bounded here.
 */
#include <inttypes.h>

#include "base/wide.h"
#include "verify/internal.h"

/*
 * A recorder writes a reading of the clocks each minute, so that nothing is much later than the
 * last one; and all streams begin together, but for those of CPUs that come later.
 */
#define FAR_NS		600000000000ULL

static void bad(struct lt_checker *c, const struct lt_stream_dir *s,
		const struct lt_packet_ref *ref, const char *what, uint64_t expected,
		uint64_t found)
{
	lt_check_fail(c, LT_CHECK_TIME);
	lt_check_note(c, ref->offset, "packet %" PRIu64 " of cpu %u%s: expected %s %" PRIu64
		      ", found %" PRIu64, ref->seq, s->cpu, lt_of_channel(s->channel), what,
		      expected, found);
}

static void check_end(struct lt_checker *c, const struct lt_clock *clock,
		      const struct lt_stream_dir *s)
{
	const struct lt_clock_point *last = &clock->points[clock->n_points - 1];
	const struct lt_packet_ref *ref = &s->refs[s->n - 1];

	if (lt_clock_peek(clock, ref->end) > lt_add_limited(last->ns, FAR_NS))
		bad(c, s, ref, "an end within 10 minutes of the last reading of the clocks, at",
		    last->r.clock, ref->end);
}

/* The stream whose first packet begins first, and the begin of the next one, ns. */
static void check_begin(struct lt_checker *c, const struct lt_clock *clock)
{
	const struct lt_stream_dir *first = NULL;
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < c->dir.n_streams; i++) {
		const struct lt_stream_dir *s = c->dir.streams[i];

		if (!s || !s->n || s->refs[0].seq)
			continue;
		if (!first || s->refs[0].begin < first->refs[0].begin) {
			next = first ? first->refs[0].begin : next;
			first = s;
		} else if (s->refs[0].begin < next) {
			next = s->refs[0].begin;
		}
	}
	if (!first || next == UINT64_MAX)
		return;
	if (lt_clock_peek(clock, next) >
	    lt_add_limited(lt_clock_peek(clock, first->refs[0].begin), FAR_NS))
		bad(c, first, &first->refs[0], "a begin within 10 minutes of that of all others, from",
		    next, first->refs[0].begin);
}

void lt_check_span(struct lt_checker *c, const struct lt_clock *clock)
{
	for (size_t i = 0; clock->n_points && i < c->dir.n_streams; i++) {
		if (c->dir.streams[i] && c->dir.streams[i]->n)
			check_end(c, clock, c->dir.streams[i]);
	}
	check_begin(c, clock);
}
