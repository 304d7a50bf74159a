// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a packet has, and what its counters say that it has.
 */
#include <string.h>

#include "trace/counted.h"

/*
 * A packet of which only some records are taken is walked over once. One that is damaged is read
 * record by record, which finds out what is wrong.
 */
static bool find(const struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p)
{
	s->found.marks = t->narrowed ? lt_narrowed_marks(t, p) : NULL;
	s->skims = s->found.marks;
	if (!s->skims)
		return lt_packet_tally(p, t->schema, s->tally);
	s->next_found = 0;
	s->skimmed_from = s->n_records;
	s->skims = lt_packet_find(p, t->schema, s->tally, &s->found);
	return s->skims;
}

/* Return: whether the records of the packet could be counted. */
static bool tally(const struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p)
{
	if (s->tallied)
		return !s->uncounted;
	memset(s->tally, 0, sizeof(s->tally));
	s->uncounted = !find(t, s, p);
	s->tallied = true;
	return !s->uncounted;
}

/* How many records of a class a packet has, by its counters. */
static uint64_t counted(const struct lt_stream *s, const struct lt_packet *p, unsigned int i)
{
	struct lt_class_counts c = lt_packet_counts(p, i);

	return lt_written(&c) - lt_written(&s->prev_counts[i]);
}

bool lt_stream_adds_up(struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p,
		       bool missing)
{
	const uint64_t *n = s->tally;
	bool known;

	if (t->raw_order)
		return true;
	known = tally(t, s, p);
	s->tallied = false;
	if (!known)
		return false;
	for (unsigned int i = 0; !missing && i < LT_N_CLASSES; i++) {
		if (counted(s, p, i) == n[i])
			continue;
		lt_trace_note(t, LT_NO_OFFSET, "packet %llu of cpu %u%s has %llu records of the class "
			      "%s, by its counters %lld; what is missing there is not known",
			      (unsigned long long)p->seq, p->cpu, lt_of_channel(p->channel),
			      (unsigned long long)n[i],
			      t->schema->class_names[LT_CLASS(p->channel, i)],
			      (long long)counted(s, p, i));
		return false;
	}
	return true;
}

bool lt_counts_lower(const struct lt_class_counts *c, const struct lt_class_counts *prev)
{
	return c->seen < prev->seen || c->filtered < prev->filtered ||
	       c->lost_full < prev->lost_full || c->lost_nmi < prev->lost_nmi ||
	       c->lost_nested < prev->lost_nested || c->lost_nobuf < prev->lost_nobuf;
}

bool lt_stream_follows(const struct lt_trace *t, struct lt_stream *s, const struct lt_packet *p)
{
	uint64_t sum = 0;

	if (!s->started || s->last || p->seq != s->prev_seq + 1 || !tally(t, s, p))
		return false;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		struct lt_class_counts c = lt_packet_counts(p, i);

		sum += lt_lost(&c);
		if (lt_counts_lower(&c, &s->prev_counts[i]) || counted(s, p, i) != s->tally[i] ||
		    lt_lost(&c) != lt_lost(&s->prev_counts[i]))
			return false;
	}
	return sum == p->discarded;
}
