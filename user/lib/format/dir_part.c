// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The directory of a set: what is in each file, as if it were in one.
 *
 * A packet that a cut divides stands in both parts, and is taken once. A text that a part
 * repeats, so that it can be read alone, is taken once, too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/dir_internal.h"

static void read_lines(struct lt_dir_part *p, const char *text)
{
	uint64_t flight = 0, window = 0;
	const char *line;
	size_t len;

	while (lt_line(&text, &line, &len)) {
		lt_assigned(line, len, "flight", &flight);
		lt_assigned(line, len, "window", &window);
		p->is_part |= lt_assigned(line, len, "part", &p->number);
		p->have_cut |= lt_assigned(line, len, "cut", &p->cut);
		p->have_until |= lt_assigned(line, len, "until", &p->until);
	}
	p->is_snapshot |= flight == 1;
	p->is_window |= window == 1;
}

/* Whether all packets and texts that the file says it has were found, each in order. */
static bool is_whole(const struct lt_dir *d)
{
	uint64_t found = d->packets + d->other_channel;

	return d->have_trailer && !d->torn && !d->bad_blocks && !d->bad_packets && !d->foreign &&
	       !d->new_packets && !d->repeated && !d->misplaced &&
	       found == lt_get64(&d->trailer.packets, false);
}

void lt_dir_read_part(struct lt_dir_reader *r)
{
	struct lt_dir *d = r->d;
	struct lt_dir_part *p;
	struct lt_block b;
	struct lt_why why;

	d->parts = lt_grow(d->parts, &d->cap_parts, d->n_parts, sizeof(*d->parts));
	p = &d->parts[d->n_parts++];
	*p = (struct lt_dir_part){
		.base = r->base, .end = r->end, .whole = is_whole(d), .blocks = d->blocks,
		.packets = d->packets + d->bad_packets + d->foreign + d->other_channel +
			   d->new_packets,
		.packet_bytes = d->packet_bytes, .trailer = d->trailer,
		.have_trailer = d->have_trailer, .torn = d->torn, .torn_at = d->torn_at,
	};
	for (size_t i = 0; i < d->n_texts; i++) {
		if (d->texts[i].type != LT_BLOCK_PART ||
		    lt_file_block(r->f, d->texts[i].offset, &b, &why) != LT_BLOCK_OK ||
		    lt_file_payload(r->f, &b, &r->buf, &r->packed, &why))
			continue;
		read_lines(p, (const char *)r->buf.data);
	}
	p->have_until &= !p->have_cut || p->until >= p->cut;
}

/* ------------------------------------------------------------------------
 * Packets
 */

static bool is_same(const struct lt_packet_ref *a, const struct lt_packet_ref *b)
{
	return a->seq == b->seq && a->begin == b->begin && a->end == b->end;
}

static void add_copy(struct lt_dir *d, const struct lt_stream_dir *s,
		     const struct lt_packet_ref *listed, const struct lt_packet_ref *other)
{
	d->copies = lt_grow(d->copies, &d->cap_copies, d->n_copies, sizeof(*d->copies));
	d->copies[d->n_copies++] = (struct lt_packet_copy){
		.offset = listed->offset, .other = *other,
		.stream = lt_stream_number(s->channel, s->cpu),
	};
}

/* The packets of a stream of both; of two with one number that differ, one is wrong. */
static void merge(struct lt_dir_reader *r, struct lt_stream_dir *to, const struct lt_stream_dir *s)
{
	struct lt_packet_ref *refs = lt_alloc_array(to->n + s->n, sizeof(*refs));
	size_t i = 0, k = 0, n = 0;

	while (i < to->n || k < s->n) {
		if (k == s->n || (i < to->n && to->refs[i].seq < s->refs[k].seq)) {
			refs[n++] = to->refs[i++];
			continue;
		}
		if (i == to->n || s->refs[k].seq < to->refs[i].seq) {
			refs[n++] = s->refs[k++];
			continue;
		}
		refs[n] = to->refs[i++];
		refs[n].hole |= s->refs[k].hole;
		if (is_same(&refs[n], &s->refs[k])) {
			add_copy(r->d, s, &refs[n], &s->refs[k]);
		} else {
			lt_dir_note(r, s->refs[k].offset, "packet %llu of cpu %u%s is there twice, "
				    "with other times than in another part; it is left out",
				    (unsigned long long)refs[n].seq, s->cpu,
				    lt_of_channel(s->channel));
			r->d->repeated++;
			refs[n].hole = true;
		}
		n++;
		k++;
	}
	r->d->packets += n - to->n;
	free(to->refs);
	to->refs = refs;
	to->cap = i + k;
	to->n = n;
}

/* Nearly always what a part adds to a stream is behind what the parts before it have. */
static void append(struct lt_dir_reader *r, struct lt_stream_dir *to, const struct lt_stream_dir *s)
{
	size_t skip = to->n && s->n && is_same(&to->refs[to->n - 1], &s->refs[0]);

	if (to->n && s->n > skip && s->refs[skip].seq <= to->refs[to->n - 1].seq) {
		merge(r, to, s);
		return;
	}
	if (skip) {
		to->refs[to->n - 1].hole |= s->refs[0].hole;
		add_copy(r->d, s, &to->refs[to->n - 1], &s->refs[0]);
	}
	for (size_t i = skip; i < s->n; i++) {
		to->refs = lt_grow(to->refs, &to->cap, to->n, sizeof(*to->refs));
		to->refs[to->n++] = s->refs[i];
	}
	r->d->packets += s->n - skip;
}

/* The files are of one recording by their PART blocks; a session that differs is a damage. */
static bool is_session(struct lt_dir_reader *r, const struct lt_dir *one)
{
	struct lt_dir *d = r->d;

	if (!d->have_session) {
		d->have_session = one->have_session;
		d->session = one->session;
	}
	if (!one->have_session || one->session == d->session)
		return true;
	d->foreign += one->packets;
	lt_dir_note(r, r->first, "the packets of this part are left out: expected session %llu, "
		    "found %llu", (unsigned long long)d->session, (unsigned long long)one->session);
	return false;
}

static void add_packets(struct lt_dir_reader *r, const struct lt_dir *one)
{
	struct lt_dir *d = r->d;

	if (!is_session(r, one))
		return;
	if (one->n_streams > d->n_streams)
		d->streams = lt_extend(d->streams, &d->n_streams, one->n_streams,
				       sizeof(*d->streams));
	for (size_t i = 0; i < one->n_streams; i++) {
		const struct lt_stream_dir *s = one->streams[i];

		if (!s)
			continue;
		if (!d->streams[i]) {
			d->streams[i] = lt_alloc(sizeof(*d->streams[i]));
			d->streams[i]->cpu = s->cpu;
			d->streams[i]->channel = s->channel;
		}
		append(r, d->streams[i], s);
	}
}

/* ------------------------------------------------------------------------
 * Texts
 */

/* Whether a part repeats a text of that type as it was known when the part was begun. */
static bool is_repeated(unsigned int type)
{
	return type == LT_BLOCK_EVENTS || type == LT_BLOCK_CLOCK || type == LT_BLOCK_SYMBOLS ||
	       type == LT_BLOCK_MODULES || type == LT_BLOCK_BUILDS || type == LT_BLOCK_CGROUPS ||
	       type == LT_BLOCK_CODE || type == LT_BLOCK_FUNCTIONS;
}

/* Whether a text need not be taken, since one of the first @n of the set says what it says. */
static bool has_text(const struct lt_dir *d, const struct lt_text_ref *x, size_t n)
{
	bool one = x->type == LT_BLOCK_INFO || x->type == LT_BLOCK_SCHEMA;

	for (size_t i = 0; (one || is_repeated(x->type)) && i < n; i++) {
		const struct lt_text_ref *t = &d->texts[i];

		if (t->type == x->type && (one || (t->length == x->length && t->crc == x->crc)))
			return true;
	}
	return false;
}

static void add_texts(struct lt_dir *d, const struct lt_dir *one)
{
	size_t before = d->n_texts;

	for (size_t i = 0; i < one->n_texts; i++) {
		if (has_text(d, &one->texts[i], before))
			continue;
		d->texts = lt_grow(d->texts, &d->cap_texts, d->n_texts, sizeof(*d->texts));
		d->texts[d->n_texts++] = one->texts[i];
	}
}

void lt_dir_add_part(struct lt_dir_reader *r, struct lt_dir *one)
{
	struct lt_dir *d = r->d;

	if (!d->odd)
		d->odd = lt_dir_odd_text(one, &d->odd_at, &d->odd_why);
	d->from_index = one->from_index && (d->from_index || !d->n_parts);
	add_packets(r, one);
	d->parts = lt_grow(d->parts, &d->cap_parts, d->n_parts, sizeof(*d->parts));
	d->parts[d->n_parts] = one->parts[0];
	d->parts[d->n_parts].first_text = d->n_texts;
	add_texts(d, one);
	d->parts[d->n_parts++].end_text = d->n_texts;
	d->blocks += one->blocks;
	d->packet_bytes += one->packet_bytes;
	d->trailer = one->trailer;
	d->have_trailer = one->have_trailer;
	d->torn = one->torn;
	d->torn_at = one->torn_at;
	d->bad_blocks += one->bad_blocks;
	d->bad_packets += one->bad_packets;
	d->foreign += one->foreign;
	d->other_channel += one->other_channel;
	d->new_texts += one->new_texts;
	d->new_packets += one->new_packets;
	d->unordered += one->unordered;
	d->repeated += one->repeated;
	d->misplaced += one->misplaced;
}
