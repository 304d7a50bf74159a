// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading a part of the events: see narrow.h. Of a packet in which no event can be wanted, only
 * the records that describe tasks and caches are taken. These are found by the walk over the packet
 * that counts its records, which takes a small part of the time of decoding it.
 */
#include "base/mem.h"
#include "trace/internal.h"
#include "trace/narrow.h"

void lt_trace_narrow(struct lt_trace *t, const struct lt_narrow *narrow)
{
	struct lt_narrowed *x = lt_alloc(sizeof(*x));

	x->from = narrow->from;
	x->to = narrow->to;
	x->all = true;
	for (unsigned int id = 0; id < LT_SCHEMA_IDS; id++) {
		const struct lt_event_desc *d = lt_schema_event(t->schema, id), *full;

		if (!d)
			continue;
		full = d->full ? d->full : d;
		x->wanted[id] = !narrow->wants || narrow->wants(narrow->arg, full);
		x->all &= x->wanted[id];
		x->before[id] = t->entities.fields[full->id];
		x->within[id] = x->wanted[id] || x->before[id];
		/* A site can be looked up only if the whole packet is read. */
		x->sites_before[d->channel] |= x->before[id] && d->has_site;
		x->sites_within[d->channel] |= x->within[id] && d->has_site;
	}
	t->narrowed = x;
}

const bool *lt_narrowed_marks(const struct lt_trace *t, const struct lt_packet *p)
{
	const struct lt_narrowed *x = t->narrowed;
	bool before = lt_trace_ns(t, p->end) < x->from;

	if (!lt_part_has(&t->part, p->begin) || !lt_part_has(&t->part, p->end) ||
	    (before ? x->sites_before : x->sites_within)[p->channel])
		return NULL;
	return before ? x->before : x->within;
}
