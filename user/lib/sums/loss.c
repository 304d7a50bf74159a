// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is missing in a trace.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "sums/loss.h"

static uint64_t count_missed(const struct lt_trace *t)
{
	const struct lt_gap *gaps;
	size_t n = lt_trace_gaps(t, &gaps);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		for (unsigned int k = 0; k < LT_N_CLASSES && gaps[i].cpu == LT_ANY_CPU; k++)
			sum += gaps[i].lost[k];
	}
	return sum;
}

/*
 * Of the losses of an import only the sum is known. Its packets count this sum in each class that
 * may be meant, so that the sum over the classes is several times as much.
 */
static void use_imported(const struct lt_trace *t, struct lt_loss *s)
{
	const char *text = lt_trace_text(t, LT_BLOCK_STATS, SIZE_MAX);
	uint64_t lost, unnumbered;
	char buf[128];

	while (lt_line_text(&text, buf, sizeof(buf))) {
		if (sscanf(buf, "import places %*u lost %" SCNu64 " unnumbered %" SCNu64, &lost,
			   &unnumbered) != 2)
			continue;
		/* A window has less of them than the trace that it is of. */
		s->at_least = s->full && unnumbered;
		if (lost < s->full && unnumbered < s->full - lost)
			s->full = lost + unnumbered;
		return;
	}
}

struct lt_loss lt_trace_loss(const struct lt_trace *t)
{
	struct lt_loss s = { .missed = count_missed(t) };

	for (unsigned int i = 0; i < LT_MAX_CLASSES; i++) {
		struct lt_class_counts c = lt_trace_counts(t, i);

		s.records += lt_trace_records(t, i);
		s.full += c.lost_full;
		s.nmi += c.lost_nmi;
		s.nested += c.lost_nested;
		s.nobuf += c.lost_nobuf;
		s.filtered += c.filtered;
	}
	use_imported(t, &s);
	s.at_least = s.at_least || lt_trace_info(t, "losses_unknown");
	s.damaged = lt_trace_missing(t);
	s.lost = s.full + s.nmi + s.nested + s.nobuf + s.damaged;
	return s;
}
