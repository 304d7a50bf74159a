// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting a window: what had been lost when it ends. A stream shows that by its next packet, which
 * the window does not have, or by its end.
 */
#include <inttypes.h>

#include "state/cut_internal.h"
#include "trace/part.h"

/* What a stream had come to by one of its packets. */
struct mark {
	bool any;
	bool last;
	uint64_t seq;
	uint64_t end;
	uint64_t lost[LT_N_CLASSES];
};

static struct mark mark_of(const struct lt_packet *p)
{
	struct mark m = {
		.any = true, .last = p->flags & LT_PACKET_LAST, .seq = p->seq, .end = p->end,
	};

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		struct lt_class_counts counts = lt_packet_counts(p, i);

		m.lost[i] = lt_lost(&counts);
	}
	return m;
}

/* What a trace that is a part itself says of before its first packet. */
static struct mark first_mark(const struct lt_cutter *c, const struct lt_stream_dir *s)
{
	struct lt_class_counts counts[LT_N_CLASSES];
	struct mark m = { .any = false };

	m.any = lt_trace_before(c->t, s->channel, s->cpu, &m.seq, counts);
	for (unsigned int i = 0; m.any && i < LT_N_CLASSES; i++)
		m.lost[i] = lt_lost(&counts[i]);
	return m;
}

/* Whether nothing was lost between two packets that follow one another. */
static bool follows(const struct mark *m, const struct lt_packet *p)
{
	struct mark next = mark_of(p);

	if (p->seq != (m->any ? m->seq + 1 : 0))
		return false;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		if (next.lost[i] != m->lost[i])
			return false;
	}
	return true;
}

static bool ends_with_trace(const struct lt_cutter *c)
{
	return c->d->parts[c->d->n_parts - 1].have_until;
}

/* Whether events of a stream may be missing before the window ends. @from: since then. */
static bool is_unseen(struct lt_cutter *c, const struct lt_stream_dir *s, uint64_t *from)
{
	struct mark m = first_mark(c, s);
	bool unread = false;
	struct lt_packet p;
	size_t n = 0;

	while (n < s->n && s->refs[n].begin < c->until)
		n++;
	for (size_t i = n; i--;) {
		if (lt_cut_load_packet(c, s, &s->refs[i], &p)) {
			m = mark_of(&p);
			break;
		}
		unread = true;
	}
	*from = m.end;
	if (m.any && m.end >= c->until)
		return false;
	if (unread)
		return true;
	if (n == s->n)
		return !m.last && !ends_with_trace(c);
	return s->refs[n].hole || !lt_cut_load_packet(c, s, &s->refs[n], &p) || !follows(&m, &p);
}

void lt_cut_describe_unseen(struct lt_cutter *c, struct lt_str *text)
{
	uint64_t from;

	for (size_t i = 0; i < c->d->n_streams; i++) {
		const struct lt_stream_dir *s = c->d->streams[i];

		if (s && s->n && is_unseen(c, s, &from))
			lt_str_add(text, "unseen=%s %u %" PRIu64 "\n", lt_channel_name(s->channel),
				   s->cpu, from);
	}
	lt_trace_describe_unseen(text, c->t, c->until);
}
