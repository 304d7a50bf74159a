// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification of a trace file: packet by packet, then the file's trailer, index and sums.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/wide.h"
#include "verify/internal.h"

static const char *class_name(const struct lt_checker *c, unsigned int channel, unsigned int i)
{
	const char *name = c->v->class_names[LT_CLASS(channel, i)];

	return *name ? name : "unnamed class";
}

static void check_sequence(struct lt_checker *c, struct lt_check_stream *s,
			   const struct lt_packet *p, uint64_t offset)
{
	uint64_t expected = s->started ? s->prev_seq + 1 : 0;

	if (c->v->flight && !s->started)
		s->overwritten_packets = expected = p->seq;
	if (p->seq > expected) {
		uint64_t n = p->seq - expected;

		lt_check_fail(c, LT_CHECK_SEQUENCE);
		s->missing = n > UINT64_MAX - s->missing ? UINT64_MAX : s->missing + n;
		lt_check_note(c, offset, "cpu %u%s: %" PRIu64 " packets are missing before packet %"
			      PRIu64, p->cpu, lt_of_channel(p->channel), n, p->seq);
	}
	if (s->last) {
		lt_check_fail(c, LT_CHECK_LAST);
		lt_check_note(c, offset, "cpu %u%s: packet %" PRIu64 " follows the one marked as "
			      "the last", p->cpu, lt_of_channel(p->channel), p->seq);
	}
	s->last = p->flags & LT_PACKET_LAST;
}

/* Counts the records of a packet by class. */
static void check_records(struct lt_checker *c, struct lt_check_stream *s,
			  const struct lt_packet *p, uint64_t offset)
{
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;
	int ret;

	lt_records_begin(&it, p, c->schema, &c->sites);
	while ((ret = lt_records_next(&it, &r, &why)) > 0) {
		c->v->records++;
		s->records[r.desc->class == LT_CLASS_NONE ? LT_N_CLASSES :
			   LT_CLASS_INDEX(r.desc->class)]++;
	}
	if (!ret)
		return;
	lt_check_fail(c, LT_CHECK_RECORDS);
	lt_check_note(c, offset, "%s", why.text);
}

/*
 * What the first packet of a stream counts beyond its own records was in the packets before it. Of
 * a stream that begins with its first packet that is nothing.
 */
static void take_overwritten(struct lt_check_stream *s, unsigned int i, int64_t *open)
{
	if (!s->started && s->overwritten_packets && *open > 0)
		s->overwritten[i] = (uint64_t)*open;
	*open -= (int64_t)s->overwritten[i];
}

/* seen = records + lost + filtered + overwritten, at the end of each packet. */
static void check_counts(struct lt_checker *c, struct lt_check_stream *s,
			 const struct lt_packet *p, uint64_t offset)
{
	uint64_t discarded = 0;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		struct lt_class_counts now = lt_packet_counts(p, i);
		int64_t open;

		if (lt_check_decreased(&s->counts[i], &now)) {
			lt_check_fail(c, LT_CHECK_COUNTERS);
			lt_check_note(c, offset, "cpu %u, %s: a counter of packet %" PRIu64
				      " is lower than before", p->cpu, class_name(c, p->channel, i),
				      p->seq);
		}
		discarded += lt_lost(&now);
		open = (int64_t)(now.seen - lt_lost(&now) - now.filtered - s->records[i] -
				 s->before[i]);
		take_overwritten(s, i, &open);
		if (open != s->unaccounted[i]) {
			lt_check_fail(c, LT_CHECK_CONSERVATION);
			lt_check_note(c, offset, "cpu %u, %s, packet %" PRIu64 ": seen %" PRIu64
				      " - lost %" PRIu64 " - filtered %" PRIu64 " - records %"
				      PRIu64 " = %" PRId64 ", expected 0", p->cpu,
				      class_name(c, p->channel, i), p->seq, (uint64_t)now.seen,
				      lt_lost(&now), (uint64_t)now.filtered, s->records[i], open);
		}
		s->unaccounted[i] = open;
		s->counts[i] = now;
	}
	if (discarded != p->discarded) {
		lt_check_fail(c, LT_CHECK_COUNTERS);
		lt_check_note(c, offset, "cpu %u%s, packet %" PRIu64 ": 'discarded' is %" PRIu64
			      ", the sum of its loss counters %" PRIu64, p->cpu,
			      lt_of_channel(p->channel), p->seq, p->discarded, discarded);
	}
}

static void check_packet(struct lt_checker *c, struct lt_check_stream *s,
			 const struct lt_stream_dir *d, const struct lt_packet_ref *ref)
{
	struct lt_packet p;
	struct lt_why why;
	int ret;

	ret = lt_dir_load(&c->dir, c->f, d, ref, &c->buf, &c->packed, &p, &why);
	if (ret) {
		lt_check_fail(c, ret > 0 ? LT_CHECK_HEADERS : LT_CHECK_BLOCKS);
		lt_check_note(c, ref->offset, "packet %" PRIu64 " of cpu %u%s: %s", ref->seq,
			      s->cpu, lt_of_channel(s->channel), why.text);
		return;
	}
	lt_check_bridge(c, s, ref->offset);
	s->present = true;
	s->packets++;
	s->bytes += p.size;
	c->v->packets++;
	lt_check_flags(c, &p, ref->offset);
	lt_check_part_of(c, &p, ref->offset);
	check_sequence(c, s, &p, ref->offset);
	check_records(c, s, &p, ref->offset);
	check_counts(c, s, &p, ref->offset);
	s->started = true;
	s->prev_seq = p.seq;
	s->prev_end = p.end;
}

/* Texts are not used here, but their CRCs must be right, too. */
static void check_texts(struct lt_checker *c)
{
	struct lt_block b;
	struct lt_why why;
	uint64_t at;

	if (lt_dir_odd_text(&c->dir, &at, &why)) {
		lt_check_fail(c, LT_CHECK_BLOCKS);
		lt_check_note(c, at, "%s", why.text);
	}
	for (size_t i = 0; i < c->dir.n_texts; i++) {
		const struct lt_text_ref *t = &c->dir.texts[i];

		if (lt_file_block(c->f, t->offset, &b, &why) == LT_BLOCK_OK &&
		    !lt_file_payload(c->f, &b, &c->buf, &c->packed, &why))
			continue;
		lt_check_fail(c, LT_CHECK_BLOCKS);
		lt_check_note(c, t->offset, "%s", why.text);
	}
}

/* The sums of a file's trailer, and what was found. */
struct ends {
	uint64_t blocks, packets, bytes;
	uint64_t found_blocks, found_packets, found_bytes;
	size_t missing;		/* files without a trailer */
};

static void check_end(struct lt_checker *c, const struct lt_dir_part *p, struct ends *sum)
{
	uint64_t blocks = lt_get64(&p->trailer.blocks, false);
	uint64_t packets = lt_get64(&p->trailer.packets, false);
	uint64_t bytes = lt_get64(&p->trailer.packet_bytes, false);

	if (!p->have_trailer) {
		lt_check_fail(c, LT_CHECK_TRAILER);
		lt_check_say(c, LT_CHECK_TRAILER, "missing: the file ends at offset %" PRIu64
			     " of %" PRIu64 " without one, so the recorder was killed, the disk "
			     "was full, or the end was cut off", p->torn_at - p->base,
			     p->end - p->base);
		sum->missing++;
		return;
	}
	if (p->torn) {
		lt_check_fail(c, LT_CHECK_TRAILER);
		lt_check_note(c, p->torn_at, "something that is not a block follows the trailer");
	}
	if (blocks != p->blocks || packets != p->packets || bytes != p->packet_bytes)
		lt_check_fail(c, LT_CHECK_TRAILER);
	sum->blocks += blocks;
	sum->packets += packets;
	sum->bytes += bytes;
	sum->found_blocks += p->blocks;
	sum->found_packets += p->packets;
	sum->found_bytes += p->packet_bytes;
}

static void check_trailer(struct lt_checker *c)
{
	const struct lt_dir *d = &c->dir;
	struct ends sum = { 0 };

	for (size_t i = 0; i < d->n_parts; i++)
		check_end(c, &d->parts[i], &sum);
	if (sum.missing)
		return;
	lt_check_say(c, LT_CHECK_TRAILER, "%s %" PRIu64 " blocks, %" PRIu64 " packets of %" PRIu64
		     " bytes; found %" PRIu64 " blocks, %" PRIu64 " packets of %" PRIu64 " bytes",
		     d->n_parts > 1 ? "of all files, they say" : "says", sum.blocks, sum.packets,
		     sum.bytes, sum.found_blocks, sum.found_packets, sum.found_bytes);
}

/* The first walk over the file has reported all damage. */
static void no_note(void *arg, uint64_t offset, const char *text)
{
	(void)arg;
	(void)offset;
	(void)text;
}

static bool is_one(const struct lt_packet_ref *a, const struct lt_packet_ref *b)
{
	return a->offset == b->offset && a->room == b->room && a->seq == b->seq &&
	       a->begin == b->begin && a->end == b->end;
}

/* Whether all packets of @a are in @b, both in the order of their numbers. */
static bool has_all(const struct lt_stream_dir *a, const struct lt_stream_dir *b)
{
	size_t n = a ? a->n : 0, m = b ? b->n : 0, k = 0;

	for (size_t i = 0; i < n; i++) {
		while (k < m && !is_one(&a->refs[i], &b->refs[k]))
			k++;
		if (k++ == m)
			return false;
	}
	return true;
}

/* Whether each file has an index; of a single file @at is where, of a set no place. */
static bool has_index(const struct lt_checker *c, uint64_t *at)
{
	*at = LT_NO_OFFSET;
	for (size_t i = 0; i < c->dir.n_parts; i++) {
		const struct lt_dir_part *p = &c->dir.parts[i];
		uint64_t index = lt_get64(&p->trailer.index_offset, false);

		if (!p->have_trailer || !index)
			return false;
		if (c->dir.n_parts == 1)
			*at = p->base + index;
	}
	return true;
}

/* The index must have the places, numbers and times that the walk over the file found. */
static void check_index(struct lt_checker *c)
{
	struct lt_dir fast;
	uint64_t differ = 0, at;

	if (!has_index(c, &at)) {
		c->v->checks[LT_CHECK_INDEX].absent = true;
		lt_check_say(c, LT_CHECK_INDEX, "none; readers walk over the whole file instead");
		return;
	}
	lt_dir_read(&fast, c->f, false, no_note, NULL);
	if (!fast.from_index) {
		lt_check_fail(c, LT_CHECK_INDEX);
		lt_check_note(c, at, "the index contradicts itself, the trailer or the blocks that it "
			      "points to");
		lt_check_say(c, LT_CHECK_INDEX, "cannot be used; readers walk over the whole file "
			     "instead");
		lt_dir_free(&fast);
		return;
	}
	for (size_t i = 0; i < c->dir.n_streams || i < fast.n_streams; i++) {
		const struct lt_stream_dir *a = i < c->dir.n_streams ? c->dir.streams[i] : NULL;
		const struct lt_stream_dir *b = i < fast.n_streams ? fast.streams[i] : NULL;

		differ += !has_all(a, b) || (!c->dir.new_packets && !has_all(b, a));
	}
	if (differ) {
		lt_check_fail(c, LT_CHECK_INDEX);
		lt_check_note(c, at, "the index has other places, numbers or times of packets than "
			      "their own headers");
	}
	lt_check_say(c, LT_CHECK_INDEX, "%" PRIu64 " packets, %" PRIu64 " streams differ from the "
		     "packets' own headers", fast.packets, differ);
	lt_dir_free(&fast);
}

/* Sums over all streams. */
struct sums {
	uint64_t streams;
	uint64_t ended;
	uint64_t limited;	/* streams of which a limit left out the end */
	uint64_t missing;
	uint64_t pairs;		/* of CPU and class with events */
	uint64_t lost;
	uint64_t overwritten;
	uint64_t overwritten_packets;
	uint64_t bridged;	/* packets of parts that are missing */
	uint64_t open;		/* events that are unaccounted for */
};

static void sum_stream(struct lt_checker *c, const struct lt_check_stream *s, struct sums *sum)
{
	sum->streams++;
	sum->ended += s->last;
	sum->missing = lt_add_limited(sum->missing, s->missing);
	sum->overwritten_packets = lt_add_limited(sum->overwritten_packets, s->overwritten_packets);
	sum->bridged = lt_add_limited(sum->bridged, s->bridged);
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		int64_t open = s->unaccounted[i];

		sum->pairs += s->counts[i].seen != 0;
		sum->lost = lt_add_limited(sum->lost, lt_lost(&s->counts[i]));
		sum->overwritten = lt_add_limited(sum->overwritten, s->overwritten[i]);
		sum->open = lt_add_limited(sum->open, open < 0 ? -(uint64_t)open : (uint64_t)open);
	}
	sum->limited += s->left_out != 0;
	if (s->last || s->left_out || lt_check_goes_on(c))
		return;
	lt_check_fail(c, LT_CHECK_LAST);
	lt_check_note(c, LT_NO_OFFSET, "cpu %u%s: its last packet, number %" PRIu64
		      ", is not marked as the last; what came after %" PRIu64 " is missing", s->cpu,
		      lt_of_channel(s->channel), s->prev_seq, s->prev_end);
}

static void say_conservation(struct lt_checker *c, const struct sums *sum)
{
	char missed[100] = "", overwritten[48] = "";

	if (c->v->flight)
		snprintf(overwritten, sizeof(overwritten), ", overwritten %" PRIu64,
			 sum->overwritten);
	if (c->missed_probes)
		snprintf(missed, sizeof(missed), "; %" PRIu64 " hits of %" PRIu64
			 " probes were left out by the kernel", c->missed_hits, c->missed_probes);
	lt_check_say(c, LT_CHECK_CONSERVATION, "seen = records + lost + filtered%s, for %" PRIu64
		     " pairs of CPU and class at the end of each packet: lost %" PRIu64
		     "%s, unaccounted for %" PRIu64 "%s", c->v->flight ? " + overwritten" : "",
		     sum->pairs, sum->lost, overwritten, sum->open, missed);
}

static void say_last(struct lt_checker *c, const struct sums *sum)
{
	const struct lt_verify_result *v = c->v;

	if (lt_check_goes_on(c)) {
		c->v->checks[LT_CHECK_LAST].absent = true;
		lt_check_say(c, LT_CHECK_LAST, "the recording goes on in another part");
		return;
	}
	if (!v->left_out.packets) {
		lt_check_say(c, LT_CHECK_LAST, "%" PRIu64 " of %" PRIu64 " streams end with their "
			     "last packet", sum->ended, sum->streams);
		return;
	}
	c->v->checks[LT_CHECK_LAST].limited = true;
	lt_check_say(c, LT_CHECK_LAST, "%" PRIu64 " of %" PRIu64 " streams end with their last packet, "
		     "%" PRIu64 " at the limit of --max-size, %" PRIu64 " bytes: packets left out %"
		     PRIu64 ", of %" PRIu64 " bytes", sum->ended, sum->streams, sum->limited,
		     v->left_out.max_size, v->left_out.packets, v->left_out.bytes);
}

/*
 * Packets in a form of a newer version were skipped, as the format says. Without them these
 * sums cannot close, which is no fault of the file.
 */
static void leave_unchecked(struct lt_checker *c)
{
	static const enum lt_check_id ids[] = {
		LT_CHECK_SEQUENCE, LT_CHECK_LAST, LT_CHECK_CONSERVATION, LT_CHECK_STATS,
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct lt_check *check = &c->v->checks[ids[i]];

		check->failures = 0;
		check->absent = true;
		lt_check_say(c, ids[i], "not checked: %" PRIu64 " packets are in a form that this "
			     "version does not know", c->dir.new_packets);
	}
}

static void sum_up(struct lt_checker *c)
{
	const struct lt_dir *d = &c->dir;
	struct lt_verify_result *v = c->v;
	struct lt_check *check = v->checks;
	struct sums sum = { 0 };
	char overwritten[48] = "", bridged[64] = "";

	for (size_t i = 0; i < v->n_streams; i++) {
		if (v->streams[i] && v->streams[i]->present)
			sum_stream(c, v->streams[i], &sum);
	}
	check[LT_CHECK_BLOCKS].failures += d->bad_blocks;
	check[LT_CHECK_HEADERS].failures += d->bad_packets;
	check[LT_CHECK_SESSION].failures += d->foreign;
	check[LT_CHECK_SEQUENCE].failures += d->unordered + d->repeated;
	check[LT_CHECK_TIME].failures += d->misplaced;
	check[LT_CHECK_CONSERVATION].failures += sum.open != 0;
	lt_check_say(c, LT_CHECK_BLOCKS, "%" PRIu64 " blocks framed right, %" PRIu64
		     " places damaged", d->blocks, check[LT_CHECK_BLOCKS].failures);
	lt_check_say(c, LT_CHECK_HEADERS, "%" PRIu64 " packet headers read, %" PRIu64
		     " not valid or of another machine", v->packets,
		     check[LT_CHECK_HEADERS].failures);
	lt_check_say(c, LT_CHECK_SESSION, "session %" PRIu64 ", packets of another one: %" PRIu64,
		     d->session, d->foreign);
	if (v->flight)
		snprintf(overwritten, sizeof(overwritten), ", overwritten %" PRIu64,
			 sum.overwritten_packets);
	if (c->n_holes)
		snprintf(bridged, sizeof(bridged), ", in parts that are missing %" PRIu64,
			 sum.bridged);
	lt_check_say(c, LT_CHECK_SEQUENCE, "%" PRIu64 " packets of %" PRIu64 " streams, missing %"
		     PRIu64 ", out of order %" PRIu64 ", twice %" PRIu64 "%s%s", v->packets,
		     sum.streams, sum.missing, d->unordered, d->repeated, overwritten, bridged);
	say_last(c, &sum);
	lt_check_say(c, LT_CHECK_RECORDS, "%" PRIu64 " records, packets damaged: %" PRIu64,
		     v->records, check[LT_CHECK_RECORDS].failures);
	lt_check_say(c, LT_CHECK_TIME, "packets whose times contradict those of the others: %"
		     PRIu64, check[LT_CHECK_TIME].failures);
	lt_check_say(c, LT_CHECK_COUNTERS, "counters that decrease or do not add up to "
		     "'discarded': %" PRIu64, check[LT_CHECK_COUNTERS].failures);
	say_conservation(c, &sum);
	if (d->new_packets)
		leave_unchecked(c);
}

static bool load_schema(struct lt_checker *c)
{
	const struct lt_text_ref *ref = lt_dir_text(&c->dir, LT_BLOCK_SCHEMA, 0);
	char *text = ref ? lt_check_read_text(c, LT_BLOCK_SCHEMA) : NULL;

	if (!text) {
		lt_error("%s: expected a SCHEMA block, found %s; without it nothing can be checked",
			 c->f->name, ref ? "a damaged one" : "none");
		return false;
	}
	c->schema = lt_schema_parse(text, c->f->name);
	free(text);
	if (!c->schema)
		return false;
	memcpy(c->v->class_names, c->schema->class_names, sizeof(c->v->class_names));
	return true;
}

/* A stream of a part goes on behind the packet that the part says was the last one before it. */
static void begin_stream(const struct lt_trace *t, struct lt_check_stream *s)
{
	if (!lt_trace_before(t, s->channel, s->cpu, &s->prev_seq, s->counts))
		return;
	s->started = true;
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		const struct lt_class_counts *n = &s->counts[i];

		s->before[i] = n->seen - lt_lost(n) - n->filtered;
	}
}

/* Whether the buffers were overwritten, by INFO. */
static bool is_flight(struct lt_checker *c)
{
	char *info = lt_check_read_text(c, LT_BLOCK_INFO);
	const char *pos = info, *line;
	bool flight = false;
	size_t len;

	while (pos && lt_line(&pos, &line, &len))
		flight |= len == 11 && !memcmp(line, "mode=flight", 11);
	free(info);
	return flight;
}

static void check_all(struct lt_checker *c)
{
	bool later = c->dir.n_parts && c->dir.parts[0].have_cut;
	struct lt_trace *t = later ? lt_trace_open(c->f->path) : NULL;

	c->v->flight = is_flight(c);
	c->newer = lt_check_is_newer(c);
	c->v->n_streams = c->dir.n_streams;
	c->v->streams = lt_alloc_array(c->dir.n_streams, sizeof(*c->v->streams));
	lt_check_find_holes(c);
	for (size_t k = 0; k < c->dir.n_streams; k++) {
		const struct lt_stream_dir *d = c->dir.streams[k];
		struct lt_check_stream *s;

		/* CPU numbers may have gaps. */
		if (!d)
			continue;
		s = c->v->streams[k] = lt_alloc(sizeof(*s));
		s->channel = d->channel;
		s->cpu = d->cpu;
		if (t)
			begin_stream(t, s);
		for (size_t i = 0; i < d->n; i++)
			check_packet(c, s, d, &d->refs[i]);
	}
	lt_trace_close(t);
	lt_check_free_holes(c);
	check_texts(c);
	lt_check_unknown(c);
	lt_check_parts(c);
	lt_check_carried(c);
	lt_check_contents(c);
	check_trailer(c);
	check_index(c);
	if (lt_check_goes_on(c)) {
		c->v->checks[LT_CHECK_STATS].absent = true;
		lt_check_say(c, LT_CHECK_STATS, "not compared: the recording goes on in another part");
	} else {
		lt_check_stats(c);
	}
	lt_check_clocks(c);
	lt_check_calls(c);
	sum_up(c);
}

struct lt_verify_result *lt_verify(const char *path)
{
	static const char *const names[] = {
		"blocks", "trailer", "index", "headers", "session", "sequence", "last packet",
		"records", "time", "counters", "conservation", "stats",
		"contents", "state", "clocks", "calls",
	};
	struct lt_checker c = { .f = lt_file_open(path) };
	bool ok;

	_Static_assert(sizeof(names) / sizeof(names[0]) == LT_N_CHECKS, "a name each");
	if (!c.f)
		return NULL;
	c.v = lt_alloc(sizeof(*c.v));
	c.v->file_size = c.f->size;
	for (unsigned int i = 0; i < LT_N_CHECKS; i++)
		c.v->checks[i].name = names[i];
	lt_dir_read(&c.dir, c.f, true, lt_check_add_note, &c);
	ok = load_schema(&c);
	if (ok)
		check_all(&c);
	lt_schema_free(c.schema);
	lt_sites_free(&c.sites);
	lt_dir_free(&c.dir);
	lt_buf_free(&c.buf);
	lt_buf_free(&c.packed);
	lt_file_close(c.f);
	if (ok)
		return c.v;
	lt_verify_result_free(c.v);
	return NULL;
}

void lt_verify_result_free(struct lt_verify_result *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n_notes; i++)
		free(v->notes[i].text);
	free(v->notes);
	for (size_t i = 0; i < v->n_streams; i++)
		free(v->streams[i]);
	free(v->streams);
	free(v->holes);
	free(v->missed);
	free(v);
}

bool lt_verify_result_good(const struct lt_verify_result *v)
{
	for (unsigned int i = 0; i < LT_N_CHECKS; i++) {
		if (v->checks[i].failures)
			return false;
	}
	return true;
}
