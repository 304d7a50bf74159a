// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Verification that a file has what its writer has put into it, by the text CONTENTS. Files of
 * earlier writers have none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "verify/internal.h"

/* The packets of a stream in one file. */
struct packets {
	uint64_t n;
	uint64_t first;
	uint64_t last;
	uint64_t begin;
	uint64_t end;
};

/* What one file has. @streams: by lt_stream_number() */
struct contents {
	const struct lt_dir_part *part;
	uint64_t offset;		/* of its text */
	struct lt_block_count blocks[LT_N_BLOCK_TYPES];
	struct packets *streams;
	size_t n_streams;
};

static void bad(struct lt_checker *c, const struct contents *x, const char *text)
{
	lt_check_fail(c, LT_CHECK_CONTENTS);
	lt_check_note(c, x->offset, "CONTENTS: %s", text);
}

static bool is_in(const struct contents *x, uint64_t offset)
{
	return offset >= x->part->base && offset < x->part->end;
}

/* Up to the text itself, which does not count itself. */
static void find_blocks(struct lt_checker *c, struct contents *x)
{
	uint64_t at = x->part->base + sizeof(struct lt_file_header);
	struct lt_block b;
	struct lt_why why;

	while (at < x->offset) {
		if (lt_file_block(c->f, at, &b, &why) != LT_BLOCK_OK) {
			at = lt_file_resync(c->f, at + 1);
			continue;
		}
		if (b.type < LT_N_BLOCK_TYPES) {
			x->blocks[b.type].blocks++;
			x->blocks[b.type].bytes += b.raw_length;
		}
		at = lt_block_end(&b);
	}
}

static void add_packet(struct contents *x, size_t number, const struct lt_packet_ref *ref)
{
	struct packets *s = &x->streams[number];

	if (!s->n || ref->seq < s->first) {
		s->first = ref->seq;
		s->begin = ref->begin;
	}
	if (!s->n || ref->seq >= s->last) {
		s->last = ref->seq;
		s->end = ref->end;
	}
	s->n++;
}

static void find_packets(struct lt_checker *c, struct contents *x)
{
	x->n_streams = c->dir.n_streams;
	x->streams = lt_alloc_array(x->n_streams + 1, sizeof(*x->streams));
	for (size_t i = 0; i < c->dir.n_streams; i++) {
		const struct lt_stream_dir *s = c->dir.streams[i];

		for (size_t k = 0; s && k < s->n; k++) {
			if (is_in(x, s->refs[k].offset))
				add_packet(x, i, &s->refs[k]);
		}
	}
	for (size_t i = 0; i < c->dir.n_copies; i++) {
		const struct lt_packet_copy *copy = &c->dir.copies[i];

		if (is_in(x, copy->other.offset))
			add_packet(x, copy->stream, &copy->other);
	}
}

static unsigned int type_of(const char *name)
{
	for (unsigned int i = 1; i < LT_N_BLOCK_TYPES; i++) {
		if (!strcmp(lt_block_name(i), name))
			return i;
	}
	return 0;
}

/* "blocks PACKET 31 bytes 123456" */
static void check_blocks(struct lt_checker *c, struct contents *x, const char *line)
{
	struct lt_block_count says, *found;
	unsigned int type;
	char name[32];
	struct lt_why why;

	if (sscanf(line, "blocks %31s %" SCNu64 " bytes %" SCNu64, name, &says.blocks,
		   &says.bytes) != 3)
		return;
	type = type_of(name);
	found = &x->blocks[type];
	if (type && (found->blocks != says.blocks || found->bytes != says.bytes)) {
		lt_why_set(&why, "expected %" PRIu64 " blocks %s of %" PRIu64 " bytes, found %"
			   PRIu64 " of %" PRIu64 " bytes", says.blocks, name, says.bytes,
			   found->blocks, found->bytes);
		bad(c, x, why.text);
	}
	*found = (struct lt_block_count){ 0 };
}

/* "stream kmem 0 packets 12 first 0 last 11 begin 1000 end 2000" */
static void check_stream(struct lt_checker *c, struct contents *x, const char *line)
{
	struct packets says, found = { 0 };
	unsigned int channel, cpu;
	char name[32];
	struct lt_why why;
	size_t number;

	if (sscanf(line, "stream %31s %u packets %" SCNu64 " first %" SCNu64 " last %" SCNu64
		   " begin %" SCNu64 " end %" SCNu64, name, &cpu, &says.n, &says.first, &says.last,
		   &says.begin, &says.end) != 7)
		return;
	channel = lt_channel_of_name(name);
	if (!channel || cpu >= LT_MAX_CPU)
		return;
	number = lt_stream_number(channel, cpu);
	if (number < x->n_streams) {
		found = x->streams[number];
		x->streams[number].n = 0;
	}
	if (!memcmp(&says, &found, sizeof(says)))
		return;
	lt_why_set(&why, "cpu %u%s: expected %" PRIu64 " packets, %" PRIu64 " to %" PRIu64
		   " of the times %" PRIu64 " to %" PRIu64 ", found %" PRIu64 ", %" PRIu64 " to %"
		   PRIu64 " of %" PRIu64 " to %" PRIu64, cpu, lt_of_channel(channel), says.n,
		   says.first, says.last, says.begin, says.end, found.n, found.first, found.last,
		   found.begin, found.end);
	bad(c, x, why.text);
}

/* What the text does not say. */
static void check_rest(struct lt_checker *c, struct contents *x)
{
	struct lt_why why;

	for (unsigned int i = 1; i < LT_N_BLOCK_TYPES; i++) {
		if (!x->blocks[i].blocks)
			continue;
		lt_why_set(&why, "expected no block %s, found %" PRIu64, lt_block_name(i),
			   x->blocks[i].blocks);
		bad(c, x, why.text);
	}
	for (size_t i = 0; i < x->n_streams; i++) {
		if (!x->streams[i].n)
			continue;
		lt_why_set(&why, "cpu %u%s: expected no packet, found %" PRIu64,
			   c->dir.streams[i]->cpu, lt_of_channel(c->dir.streams[i]->channel),
			   x->streams[i].n);
		bad(c, x, why.text);
	}
}

static void check_file(struct lt_checker *c, const struct lt_dir_part *p,
		       const struct lt_text_ref *ref)
{
	struct contents x = { .part = p, .offset = ref->offset };
	char *text = lt_check_load_text(c, ref);
	const char *pos = text;
	char line[256];

	find_blocks(c, &x);
	find_packets(c, &x);
	while (lt_line_text(&pos, line, sizeof(line))) {
		check_blocks(c, &x, line);
		check_stream(c, &x, line);
	}
	if (text)
		check_rest(c, &x);
	free(text);
	free(x.streams);
}

/* Of two texts each may count what the other one does not. */
static void check_second(struct lt_checker *c, size_t i)
{
	const struct lt_text_ref *ref = &c->dir.texts[i];
	struct lt_block b;
	struct lt_why why;

	if (lt_file_block(c->f, ref->offset, &b, &why) != LT_BLOCK_OK ||
	    lt_file_block(c->f, lt_block_end(&b), &b, &why) != LT_BLOCK_OK ||
	    b.type == LT_BLOCK_INDEX || b.type == LT_BLOCK_TRAILER)
		return;
	lt_check_fail(c, LT_CHECK_CONTENTS);
	lt_check_note(c, ref->offset, "CONTENTS: expected INDEX or TRAILER behind it, found %s",
		      lt_block_name(b.type));
}

void lt_check_contents(struct lt_checker *c)
{
	size_t files = 0;

	for (size_t i = 0; i < c->dir.n_texts; i++) {
		const struct lt_text_ref *ref = &c->dir.texts[i];

		for (size_t k = 0; ref->type == LT_BLOCK_CONTENTS && k < c->dir.n_parts; k++) {
			const struct lt_dir_part *p = &c->dir.parts[k];

			if (ref->offset < p->base || ref->offset >= p->end)
				continue;
			check_file(c, p, ref);
			check_second(c, i);
			files++;
		}
	}
	if (files)
		lt_check_say(c, LT_CHECK_CONTENTS, "blocks and packets as counted by the writer of %s; "
			     "what differs: %" PRIu64, files > 1 ? "each file" : "the file",
			     c->v->checks[LT_CHECK_CONTENTS].failures);
}
