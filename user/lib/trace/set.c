// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of a recording that are not among the files.
 */
#include "trace/internal.h"

/*
 * The interval before part @i of the directory, ns, of which the part before it does not have the
 * packets: parts are missing, or could not be written. Return: false if there is none.
 */
static bool missing_before(const struct lt_trace *t, size_t i, uint64_t *from, uint64_t *to)
{
	const struct lt_dir_part *before = &t->dir.parts[i - 1], *p = &t->dir.parts[i];

	if (!before->have_until || !p->have_cut || before->until >= p->cut)
		return false;
	*from = lt_trace_ns(t, before->until);
	*to = lt_trace_ns(t, p->cut);
	return true;
}

void lt_set_clip_gap(const struct lt_trace *t, uint64_t *begin, uint64_t *end)
{
	uint64_t from, to, first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < t->dir.n_parts; i++) {
		/* What is missing may have stood in a file that is damaged. */
		if (!t->dir.parts[i].whole)
			return;
		if (!i || !missing_before(t, i, &from, &to) || from >= *end || to <= *begin)
			continue;
		first = from < first ? from : first;
		last = to > last ? to : last;
	}
	if (first > last)
		return;
	*begin = first > *begin ? first : *begin;
	*end = last < *end ? last : *end;
}
