// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The directory of a trace file: from its index, or by walking over its blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "format/dir_internal.h"
#include "base/mem.h"
#include "base/text.h"

#define HEADER_SIZE	sizeof(struct lt_block_header)
#define TRAILER_BLOCK	(HEADER_SIZE + sizeof(struct lt_trailer))

static struct lt_stream_dir *get_stream(struct lt_dir *d, unsigned int channel, uint32_t cpu)
{
	uint32_t number = lt_stream_number(channel, cpu);

	if (number >= d->n_streams)
		d->streams = lt_extend(d->streams, &d->n_streams, (size_t)number + 1,
				       sizeof(*d->streams));
	if (!d->streams[number]) {
		d->streams[number] = lt_alloc(sizeof(*d->streams[number]));
		d->streams[number]->cpu = cpu;
		d->streams[number]->channel = channel;
	}
	return d->streams[number];
}

static void add_ref(struct lt_dir *d, unsigned int channel, uint32_t cpu,
		    const struct lt_packet_ref *ref)
{
	struct lt_stream_dir *s = get_stream(d, channel, cpu);

	s->refs = lt_grow(s->refs, &s->cap, s->n, sizeof(*s->refs));
	s->refs[s->n++] = *ref;
	d->packets++;
}

static void add_text(struct lt_dir *d, const struct lt_block *b)
{
	d->texts = lt_grow(d->texts, &d->cap_texts, d->n_texts, sizeof(*d->texts));
	d->texts[d->n_texts++] = (struct lt_text_ref){
		.offset = b->offset, .type = b->type, .length = b->raw_length,
		.crc = b->payload_crc,
	};
}

static void read_session(struct lt_dir_reader *r, const struct lt_block *b)
{
	const char *pos, *line;
	struct lt_why why;
	size_t len;

	if (lt_file_payload(r->f, b, &r->buf, &r->packed, &why))
		return;		/* reported when the text is loaded */
	pos = (const char *)r->buf.data;
	while (!r->d->have_session && lt_line(&pos, &line, &len))
		r->d->have_session = lt_assigned(line, len, "session", &r->d->session);
}

/* Reads a packet's header; of a compressed one that takes the whole packet. */
static int read_packet_header(struct lt_dir_reader *r, const struct lt_block *b,
			      struct lt_packet *p, struct lt_why *why)
{
	uint8_t head[LT_PACKET_MIN];
	ssize_t n;

	if (b->flags & LT_BLOCK_ZSTD) {
		if (lt_file_payload(r->f, b, &r->buf, &r->packed, why))
			return -1;
		return lt_packet_header(p, r->buf.data, r->buf.size, r->buf.size, why);
	}
	n = lt_file_pread(r->f, head, sizeof(head), b->offset + HEADER_SIZE);
	if (n < 0)
		n = 0;
	if ((size_t)n > b->length)
		n = b->length;
	return lt_packet_header(p, head, (size_t)n, b->length, why);
}

static void other_channel(struct lt_dir_reader *r, unsigned int channel, uint64_t offset)
{
	if (!r->d->other_channel++) {
		r->new_channel = channel;
		r->new_channel_at = offset;
	}
}

static void add_packet(struct lt_dir_reader *r, const struct lt_block *b)
{
	struct lt_dir *d = r->d;
	struct lt_packet p;
	struct lt_why why;

	d->packet_bytes += b->raw_length;
	if (read_packet_header(r, b, &p, &why)) {
		d->bad_packets++;
		lt_dir_note(r, b->offset, "%s; the packet is left out", why.text);
		return;
	}
	if (!p.channel || p.channel > LT_N_CHANNELS) {
		other_channel(r, p.channel, b->offset);
		return;
	}
	if (!d->have_session) {
		d->session = p.session;
		d->have_session = true;
	}
	if (p.session != d->session) {
		d->foreign++;
		lt_dir_note(r, b->offset, "a packet of another session is left out: expected session "
		     "%llu, found %llu", (unsigned long long)d->session,
		     (unsigned long long)p.session);
		return;
	}
	add_ref(d, p.channel, p.cpu, &(struct lt_packet_ref){
			.offset = b->offset, .room = lt_block_end(b) - b->offset,
			.seq = p.seq, .begin = p.begin, .end = p.end });
}

static void add_trailer(struct lt_dir_reader *r, const struct lt_block *b)
{
	struct lt_why why;

	if (lt_file_payload(r->f, b, &r->buf, &r->packed, &why) ||
	    r->buf.size < sizeof(r->d->trailer)) {
		lt_dir_note(r, b->offset, "the trailer is damaged");
		r->d->bad_blocks++;
		return;
	}
	memcpy(&r->d->trailer, r->buf.data, sizeof(r->d->trailer));
	r->d->have_trailer = true;
}

/* A block with flags that this version does not know is skipped, whatever it holds. */
static bool is_new(struct lt_dir_reader *r, const struct lt_block *b)
{
	if (!(b->flags & ~LT_BLOCK_FLAGS))
		return false;
	if (!(r->d->new_texts + r->d->new_packets))
		lt_dir_note(r, b->offset, "blocks with the flags 0x%x are left out: the flags "
					  "are unknown to this version", b->flags);
	if (b->type == LT_BLOCK_PACKET) {
		r->d->new_packets++;
		r->d->packet_bytes += b->raw_length;
	} else {
		r->d->new_texts++;
	}
	return true;
}

static void add_block(struct lt_dir_reader *r, const struct lt_block *b)
{
	r->d->blocks++;
	if (is_new(r, b))
		return;
	switch (b->type) {
	case LT_BLOCK_PACKET:
		add_packet(r, b);
		break;
	case LT_BLOCK_TRAILER:
		add_trailer(r, b);
		break;
	case LT_BLOCK_INDEX:
		break;
	case LT_BLOCK_INFO:
		if (!r->d->have_session)
			read_session(r, b);
		add_text(r->d, b);
		break;
	default:
		add_text(r->d, b);
		break;
	}
}

/*
 * Walks over the blocks in [from, to). Where the framing is broken it goes on
 * at the next header whose CRC is right.
 */
static void walk(struct lt_dir_reader *r, uint64_t from, uint64_t to)
{
	struct lt_block b;
	struct lt_why why;

	while (from < to) {
		enum lt_block_state state = lt_file_block(r->f, from, &b, &why);
		uint64_t next;

		if (state == LT_BLOCK_OK) {
			add_block(r, &b);
			from = lt_block_end(&b);
			continue;
		}
		if (state == LT_BLOCK_END)
			return;
		next = state == LT_BLOCK_IO ? r->end : lt_file_resync(r->f, from + 1);
		if (next >= r->end) {
			r->d->torn = true;
			r->d->torn_at = from;
			lt_dir_note(r, from, "%s; nothing whole follows, everything before is used",
				    why.text);
			return;
		}
		r->d->bad_blocks++;
		lt_dir_note(r, from, "%s; %llu bytes are left out, the next whole block is at offset %llu",
			    why.text, (unsigned long long)(next - from), (unsigned long long)next);
		from = next;
	}
}

/* The offset that the file gives as @at; of no place in the range of offsets: one behind it. */
static uint64_t place(const struct lt_dir_reader *r, uint64_t at)
{
	return at < r->end - r->base ? r->base + at : r->end;
}

/* Where the trailer says that the index is. */
static uint64_t index_at(const struct lt_dir_reader *r)
{
	return place(r, lt_get64(&r->d->trailer.index_offset, false));
}

/* Loads the index that the trailer points to; its entries, NULL: not usable. */
static const struct lt_index_entry *load_index(struct lt_dir_reader *r, size_t *n)
{
	uint64_t at = r->end - TRAILER_BLOCK, index_offset;
	struct lt_block b;
	struct lt_why why;

	if (r->end < r->first + TRAILER_BLOCK ||
	    lt_file_block(r->f, at, &b, &why) != LT_BLOCK_OK || b.type != LT_BLOCK_TRAILER ||
	    lt_block_end(&b) != r->end ||
	    lt_file_payload(r->f, &b, &r->buf, &r->packed, &why) ||
	    r->buf.size < sizeof(r->d->trailer))
		return NULL;
	memcpy(&r->d->trailer, r->buf.data, sizeof(r->d->trailer));
	index_offset = index_at(r);
	if (index_offset < r->first || index_offset >= at)
		return NULL;
	if (lt_file_block(r->f, index_offset, &b, &why) != LT_BLOCK_OK ||
	    b.type != LT_BLOCK_INDEX || lt_block_end(&b) != at ||
	    lt_file_payload(r->f, &b, &r->buf, &r->packed, &why))
		return NULL;
	*n = r->buf.size / sizeof(struct lt_index_entry);
	if (!*n)
		return NULL;
	return (const struct lt_index_entry *)r->buf.data;
}

/* A block that is no packet, and ends where the index says that the next one begins. */
static bool add_text_at(struct lt_dir_reader *r, uint64_t offset, uint64_t next, uint32_t type)
{
	struct lt_block b;
	struct lt_why why;

	if (lt_file_block(r->f, offset, &b, &why) != LT_BLOCK_OK || b.type != type ||
	    lt_block_end(&b) != next ||
	    type == LT_BLOCK_PACKET || type == LT_BLOCK_INDEX || type == LT_BLOCK_TRAILER)
		return false;
	/* The session's number would be read into the buffer that holds the index. */
	r->d->blocks++;
	if (!is_new(r, &b))
		add_text(r->d, &b);
	return true;
}

/*
 * Takes the blocks from the index: false when it contradicts itself. It has all blocks,
 * so that each ends where the next one begins: none lies within another.
 */
static bool take_index(struct lt_dir_reader *r, const struct lt_index_entry *e, size_t n)
{
	uint64_t end = index_at(r), next;

	for (size_t i = 0; i < n; i++) {
		struct lt_packet_ref ref = {
			.offset = place(r, lt_get64(&e[i].offset, false)),
			.seq = lt_get64(&e[i].seq, false),
			.begin = lt_get64(&e[i].timestamp_begin, false),
			.end = lt_get64(&e[i].timestamp_end, false),
		};
		uint32_t cpu = lt_get32(&e[i].cpu, false);
		uint32_t channel = lt_get32(&e[i].channel, false);

		next = i + 1 < n ? place(r, lt_get64(&e[i + 1].offset, false)) : end;
		if (ref.offset < r->first || next <= ref.offset || next > end)
			return false;
		ref.room = next - ref.offset;
		if (!channel) {
			if (!add_text_at(r, ref.offset, next, cpu))
				return false;
			continue;
		}
		if (cpu >= LT_MAX_CPU || ref.end < ref.begin)
			return false;
		if (channel > LT_N_CHANNELS)
			other_channel(r, channel, ref.offset);
		else
			add_ref(r->d, channel, cpu, &ref);
		r->d->blocks++;
	}
	return true;
}

/*
 * The fast way. That the index has all blocks is proven by their number in the
 * trailer, and by the trailer's being where the last of them ends.
 */
static bool read_by_index(struct lt_dir_reader *r)
{
	const struct lt_index_entry *e;
	const struct lt_text_ref *info;
	struct lt_block b;
	struct lt_why why;
	size_t n;

	e = load_index(r, &n);
	if (!e || !take_index(r, e, n))
		return false;
	walk(r, index_at(r), r->end);
	if (!r->d->have_trailer || r->d->torn || r->d->bad_blocks ||
	    r->d->packets + r->d->other_channel != lt_get64(&r->d->trailer.packets, false) ||
	    r->d->blocks != lt_get64(&r->d->trailer.blocks, false))
		return false;
	info = lt_dir_text(r->d, LT_BLOCK_INFO, 0);
	if (info && lt_file_block(r->f, info->offset, &b, &why) == LT_BLOCK_OK)
		read_session(r, &b);
	r->d->packet_bytes = lt_get64(&r->d->trailer.packet_bytes, false);
	r->d->from_index = true;
	return true;
}

static void order(struct lt_dir_reader *r)
{
	for (size_t i = 0; i < r->d->n_streams; i++) {
		if (r->d->streams[i])
			lt_dir_order(r, r->d->streams[i]);
	}
}

/* An index with packets in an impossible order is not believed: their own headers are asked. */
static bool order_by_index(struct lt_dir_reader *r)
{
	order(r);
	return !r->d->repeated && !r->d->misplaced;
}

static void quiet(void *arg, uint64_t offset, const char *text)
{
	(void)arg;
	(void)offset;
	(void)text;
}

/* What is in one file, or in one of a set: in the range of offsets of @r. */
static void read_file(struct lt_dir_reader *r, bool scan, lt_note_fn *note_fn)
{
	struct lt_dir *d = r->d;

	r->note_fn = quiet;
	if (scan || !read_by_index(r) || !order_by_index(r)) {
		lt_dir_free(d);
		r->note_fn = note_fn;
		walk(r, r->first, r->end);
		if (!d->have_trailer && !d->torn) {
			d->torn = true;
			d->torn_at = r->end;
			lt_dir_note(r, r->end, "the file ends without a trailer: the recorder was "
			     "killed or is still running; everything there is used");
		}
	}
	r->note_fn = note_fn;
	if (d->from_index && d->unordered)
		lt_dir_note(r, r->first, "%llu packets are not in the order of their numbers; "
			    "they are sorted", (unsigned long long)d->unordered);
	if (d->other_channel)
		lt_dir_note(r, r->new_channel_at, "packets of channel %u are left out: it is "
						  "unknown to this version", r->new_channel);
	if (!d->from_index)
		order(r);
	lt_dir_read_part(r);
}

static void read_set(struct lt_dir_reader *r, bool scan, lt_note_fn *note_fn)
{
	const struct lt_set *set = r->f->parts->set;
	struct lt_dir *all = r->d;

	for (size_t i = 0; i < set->n; i++) {
		struct lt_dir one = { 0 };

		r->d = &one;
		r->base = set->parts[i].base;
		r->first = r->base + LT_FILE_FIRST;
		r->end = r->base + set->parts[i].size;
		r->new_channel = 0;
		read_file(r, scan, note_fn);
		r->d = all;
		lt_dir_add_part(r, &one);
		lt_dir_free(&one);
	}
	for (size_t i = 0; i < all->n_streams; i++) {
		if (all->streams[i])
			lt_dir_order(r, all->streams[i]);
	}
}

void lt_dir_read(struct lt_dir *d, const struct lt_file *f, bool scan, lt_note_fn *note_fn,
		 void *arg)
{
	struct lt_dir_reader r = { .d = d, .f = f, .first = LT_FILE_FIRST, .end = f->size,
				   .arg = arg };
	struct lt_file_window window;

	memset(d, 0, sizeof(*d));
	lt_file_read_small(f, &window);
	if (f->parts)
		read_set(&r, scan, note_fn);
	else
		read_file(&r, scan, note_fn);
	lt_dir_find_machine(&r);
	lt_file_read_small(f, NULL);
	lt_buf_free(&r.buf);
	lt_buf_free(&r.packed);
}

void lt_dir_free(struct lt_dir *d)
{
	for (size_t i = 0; i < d->n_streams; i++) {
		if (d->streams[i])
			free(d->streams[i]->refs);
		free(d->streams[i]);
	}
	free(d->streams);
	free(d->texts);
	free(d->parts);
	free(d->copies);
	memset(d, 0, sizeof(*d));
}
