// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One trace of a comparison: its rows with their names, and what is missing in it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "compare/budget.h"
#include "format/channel.h"
#include "sums/loss.h"

/* Probe hits that the kernel did not deliver have no CPU, and no number if that is not known. */
static void count_gaps(struct lt_side *s, const struct lt_trace *t, enum lt_space space)
{
	const struct lt_gap *gaps;
	size_t n = lt_trace_gaps(t, &gaps);

	for (size_t i = 0; i < n; i++) {
		uint64_t sum = 0;

		for (unsigned int k = 0; k < LT_N_CLASSES; k++) {
			unsigned int class = LT_CLASS(gaps[i].channel, k);

			sum += gaps[i].lost[k];
			if (gaps[i].cpu == LT_ANY_CPU && lt_class_is_birth(class) &&
			    lt_class_space(class) == space)
				s->lost_births += (double)gaps[i].lost[k];
		}
		if (!sum && lt_channel_get(gaps[i].channel) &&
		    lt_channel_get(gaps[i].channel)->lifetimes)
			s->lost_births = INFINITY;
		if (!sum && !lt_trace_missing(t))
			s->lost.high = INFINITY;
	}
}

static void count_losses(struct lt_side *s, const struct lt_trace *t, enum lt_space space)
{
	const struct lt_loss loss = lt_trace_loss(t);
	double left_out = 0;

	s->lost.low = (double)loss.lost + (double)loss.missed;
	s->lost.high = loss.at_least ? INFINITY : s->lost.low;
	s->silent = loss.at_least && !loss.lost;
	if (loss.damaged || loss.at_least)
		s->lost_births = INFINITY;
	for (unsigned int class = 0; class < LT_MAX_CLASSES; class++) {
		struct lt_class_counts c = lt_trace_counts(t, class);
		double lost = (double)c.lost_full + (double)c.lost_nmi + (double)c.lost_nested +
			      (double)c.lost_nobuf;

		if (!lt_class_is_birth(class) || lt_class_space(class) != space)
			continue;
		s->lost_births += lost;
		left_out += (double)c.filtered;
	}
	count_gaps(s, t, space);
	if (lt_trace_dir(t)->torn || lt_trace_left_out(t).packets)
		s->lost.high = s->lost_births = INFINITY;
	s->why |= s->lost_births > 0 ? LT_UNSURE_LOST : 0;
	s->why |= left_out > 0 ? LT_UNSURE_LEFT_OUT : 0;
	s->lost_births += left_out;
	if (lt_births_unwatched(t, space)) {
		s->lost_births = INFINITY;
		s->why |= LT_UNSURE_NOT_WATCHED;
	}
}

static void name_rows(struct lt_side *s)
{
	const struct lt_report *r = s->report;
	char buf[256];

	s->names = lt_alloc_array(r->n_rows + 1, sizeof(*s->names));
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct lt_piece *p = &r->pieces->list[r->rows[i].key];
		const char *module, *name;
		uint64_t offset;

		s->names[i].cache = lt_strdup(p->cache ? lt_cache_key_name(r->trace, p->cache, buf,
									   sizeof(buf)) : "");
		name = p->site ? lt_trace_function(r->trace, p->site, &offset, &module) : "";
		s->names[i].function = lt_strdup(name ? name : "");
		s->names[i].site = lt_strdup(p->site ? lt_trace_symbol(r->trace, p->site, true, buf,
								       sizeof(buf)) : "");
		s->names[i].comm = lt_strdup(lt_pieces_comm(r->pieces, (uint32_t)r->rows[i].key,
							    buf, sizeof(buf)));
	}
}

int lt_side_make(struct lt_side *s, const char *path, const struct lt_report_options *opts)
{
	struct lt_report_options o = *opts;
	struct lt_report *r;

	*s = (struct lt_side){ .path = path };
	o.by = LT_BY_PIECE;
	r = s->report = lt_report_make(path, &o);
	if (!r)
		return -1;
	if (!lt_space_recorded(r->trace, o.space)) {
		lt_side_free(s);
		return -1;
	}
	if (r->pieces->full) {
		lt_error("%s: there are more than %u combinations of cache, call site and name of a "
			 "task; leave comm out of the rules", path, LT_PIECES_MOST);
		lt_side_free(s);
		return -1;
	}
	if (lt_trace_end(r->trace) > r->watched)
		s->seconds = (double)(lt_trace_end(r->trace) - r->watched) / 1e9;
	count_losses(s, r->trace, r->opts.space);
	name_rows(s);
	return 0;
}

void lt_side_free(struct lt_side *s)
{
	if (!s->report)
		return;
	for (size_t i = 0; s->names && i < s->report->n_rows; i++) {
		free(s->names[i].cache);
		free(s->names[i].function);
		free(s->names[i].site);
		free(s->names[i].comm);
	}
	free(s->names);
	lt_report_free(s->report);
	*s = (struct lt_side){ .report = NULL };
}
