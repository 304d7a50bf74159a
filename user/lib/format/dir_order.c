// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The packets of a stream in their order. A packet whose number or times contradict those of
 * the others is left out, and the next one is marked: what is missing there is a loss.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "format/dir_internal.h"

static int by_seq(const void *a, const void *b)
{
	const struct lt_packet_ref *x = a, *y = b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The order in the file need not be the order of the numbers. */
static void sort(struct lt_dir_reader *r, struct lt_stream_dir *s)
{
	size_t bad = 0, kept = 0;
	bool hole = false;

	for (size_t i = 1; i < s->n; i++)
		bad += s->refs[i].seq <= s->refs[i - 1].seq;
	if (!bad)
		return;
	r->d->unordered += bad;
	lt_dir_note(r, s->refs[0].offset, "%zu packets of cpu %u%s are not in the order of their "
		    "numbers; they are sorted", bad, s->cpu, lt_of_channel(s->channel));
	qsort(s->refs, s->n, sizeof(*s->refs), by_seq);
	for (size_t i = 0; i < s->n; i++) {
		if (kept && s->refs[i].seq == s->refs[kept - 1].seq) {
			lt_dir_note(r, s->refs[i].offset, "packet %llu of cpu %u%s is there twice; "
				    "the second is left out", (unsigned long long)s->refs[i].seq,
				    s->cpu, lt_of_channel(s->channel));
			r->d->repeated++;
			/* Which one has a wrong number is not known: the first is in doubt, too. */
			s->refs[kept - 1].hole = true;
			hole = true;
			continue;
		}
		s->refs[kept] = s->refs[i];
		s->refs[kept++].hole = hole;
		hole = false;
	}
	s->n = kept;
}

/*
 * The longest chain of packets of which each begins at or after the end of the one before. An
 * impossible time, even of one packet that ends in a thousand years, so costs that packet and
 * not all that follow.
 *
 * @last: by length of a chain - 1, the packet that ends the chain of this length which ends
 *	first; these ends do not decrease with the length
 * @before: the packet before each one in its chain
 */
struct chains {
	size_t *last;
	size_t *before;
	size_t n;
};

static void add_to_chains(struct chains *c, const struct lt_packet_ref *refs, size_t i)
{
	size_t low = lt_first_not(c->n, k, refs[c->last[k]].end <= refs[i].begin);

	c->before[i] = low ? c->last[low - 1] : SIZE_MAX;
	if (low == c->n)
		c->n++;
	else if (refs[c->last[low]].end <= refs[i].end)
		return;
	c->last[low] = i;
}

/* Keeps the packets of the longest chain. */
static void keep_chain(struct lt_dir_reader *r, struct lt_stream_dir *s, const struct chains *c)
{
	bool *chosen = lt_alloc_array(s->n, sizeof(*chosen));
	bool hole = false;
	size_t kept = 0;

	for (size_t i = c->last[c->n - 1]; i != SIZE_MAX; i = c->before[i])
		chosen[i] = true;
	for (size_t i = 0; i < s->n; i++) {
		hole |= s->refs[i].hole;
		if (!chosen[i]) {
			lt_dir_note(r, s->refs[i].offset, "packet %llu of cpu %u%s: its times, %llu "
				    "to %llu, contradict those of the other packets; it is left out",
				    (unsigned long long)s->refs[i].seq, s->cpu,
				    lt_of_channel(s->channel), (unsigned long long)s->refs[i].begin,
				    (unsigned long long)s->refs[i].end);
			r->d->misplaced++;
			hole = true;
			continue;
		}
		s->refs[kept] = s->refs[i];
		s->refs[kept++].hole = hole;
		hole = false;
	}
	s->n = kept;
	free(chosen);
}

static bool is_ordered(const struct lt_stream_dir *s)
{
	for (size_t i = 1; i < s->n; i++) {
		if (s->refs[i].begin < s->refs[i - 1].end || s->refs[i].seq <= s->refs[i - 1].seq)
			return false;
	}
	return true;
}

void lt_dir_order(struct lt_dir_reader *r, struct lt_stream_dir *s)
{
	struct chains c = { 0 };

	if (is_ordered(s))
		return;
	sort(r, s);
	if (is_ordered(s))
		return;
	c.last = lt_alloc_array(s->n, sizeof(*c.last));
	c.before = lt_alloc_array(s->n, sizeof(*c.before));
	for (size_t i = 0; i < s->n; i++)
		add_to_chains(&c, s->refs, i);
	keep_chain(r, s, &c);
	free(c.last);
	free(c.before);
}
