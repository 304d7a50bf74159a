// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A trace that is read while it is written: from bytes to blocks, and from blocks to a trace.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "format/block.h"
#include "live/feed.h"

#define HEADER_SIZE	sizeof(struct lt_block_header)
#define MAX_TEXT_BYTES	(256U << 20)	/* of all texts; what comes behind is left out */

/**
 * struct lt_feed - a trace that is being read
 * @fd: where from
 * @name: for messages
 * @offset: of the header that is being read
 * @head: the header of the file, then of a block
 * @have: bytes of it
 * @begun: the header of the file was read
 * @block: the block that is being read, if @stored
 * @stored: where its bytes go; NULL: its header is being read
 * @got: bytes of it
 * @payload: its content
 * @packed: the content as it is stored
 * @info, @schema: texts before there is a trace
 * @texts: texts that came before the first packet, with their types, but for these two
 * @text_bytes: bytes of all texts
 * @t: the trace; NULL: there is none yet
 * @newest: the latest end of a packet, ns
 * @whole: the trailer was read
 * @is_part: that it is a part of a recording was reported
 */
struct lt_feed {
	int fd;
	const char *name;
	uint64_t offset;
	uint8_t head[HEADER_SIZE];
	size_t have;
	bool begun;
	struct lt_block block;
	struct lt_buf *stored;
	size_t got;
	struct lt_buf payload;
	struct lt_buf packed;
	char *info;
	char *schema;
	struct text {
		unsigned int type;
		char *text;
	} *texts;
	size_t n_texts;
	size_t cap_texts;
	uint64_t text_bytes;
	struct lt_trace *t;
	uint64_t newest;
	bool whole;
	bool is_part;
};

_Static_assert(sizeof(struct lt_file_header) <= HEADER_SIZE, "both are read into one place");

struct lt_feed *lt_feed_new(int fd, const char *name)
{
	struct lt_feed *f = lt_alloc(sizeof(*f));

	f->fd = fd;
	f->name = name;
	return f;
}

void lt_feed_free(struct lt_feed *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_texts; i++)
		free(f->texts[i].text);
	free(f->texts);
	free(f->info);
	free(f->schema);
	lt_buf_free(&f->payload);
	lt_buf_free(&f->packed);
	lt_trace_close(f->t);
	free(f);
}

/* ------------------------------------------------------------------------
 * Blocks
 */

static void give_text(struct lt_feed *f, unsigned int type, const char *text)
{
	uint64_t clock;

	lt_trace_add_text(f->t, type, text);
	/* It stands before the last packets, so that frees after the stop are known as such. */
	if (type == LT_BLOCK_STATS && lt_stats_stopped(text, &clock))
		lt_trace_set_stopped(f->t, clock);
}

/* What a trace begins with is complete. */
static int begin_trace(struct lt_feed *f)
{
	if (f->t)
		return 0;
	if (!f->schema) {
		lt_error("%s: expected a SCHEMA block before offset %llu, found none; without it no "
			 "event can be decoded", f->name, (unsigned long long)f->offset);
		return -1;
	}
	f->t = lt_trace_live(f->info ? f->info : "", f->schema);
	for (size_t i = 0; f->t && i < f->n_texts; i++)
		give_text(f, f->texts[i].type, f->texts[i].text);
	return f->t ? 0 : -1;
}

static void take_text(struct lt_feed *f)
{
	unsigned int type = f->block.type;
	const char *text = (const char *)f->payload.data;

	f->text_bytes += f->payload.size;
	if (f->text_bytes > MAX_TEXT_BYTES) {
		lt_warn("%s: offset %llu: more than %u bytes of texts; this one, of type %s, is left "
			"out", f->name, (unsigned long long)f->offset, MAX_TEXT_BYTES,
			lt_block_name(type));
		return;
	}
	if (f->t) {
		give_text(f, type, text);
	} else if (type == LT_BLOCK_INFO && !f->info) {
		f->info = lt_strdup(text);
	} else if (type == LT_BLOCK_SCHEMA && !f->schema) {
		f->schema = lt_strdup(text);
	} else {
		f->texts = lt_grow(f->texts, &f->cap_texts, f->n_texts, sizeof(*f->texts));
		f->texts[f->n_texts++] = (struct text){ type, lt_strdup(text) };
	}
}

static int take_packet(struct lt_feed *f)
{
	struct lt_packet p;
	struct lt_why why;
	uint64_t end;

	if (begin_trace(f))
		return -1;
	/* One that cannot be taken is a gap; that was reported. */
	if (lt_trace_push(f->t, f->payload.data, f->payload.size) ||
	    lt_packet_parse(&p, f->payload.data, f->payload.size, &why))
		return 0;
	end = lt_clock_ns(lt_trace_clock(f->t), p.end);
	if (end > f->newest)
		f->newest = end;
	if (f->newest > LT_FEED_LAG_NS)
		lt_trace_watermark_ns(f->t, f->newest - LT_FEED_LAG_NS);
	return 0;
}

static bool is_text(unsigned int type)
{
	switch (type) {
	case LT_BLOCK_INFO:
	case LT_BLOCK_SCHEMA:
	case LT_BLOCK_EVENTS:
	case LT_BLOCK_CLOCK:
	case LT_BLOCK_SYMBOLS:
	case LT_BLOCK_MODULES:
	case LT_BLOCK_SLAB:
	case LT_BLOCK_STATS:
	case LT_BLOCK_CGROUPS:
	case LT_BLOCK_CACHES:
	case LT_BLOCK_CODE:
	case LT_BLOCK_FUNCTIONS:
		return true;
	default:
		return false;
	}
}

/*
 * A part of a recording says what was alive at its begin, and which of its events count. That is
 * read of a whole file only.
 */
static void leave_out(struct lt_feed *f)
{
	if ((f->block.type != LT_BLOCK_STATE && f->block.type != LT_BLOCK_PART) || f->is_part)
		return;
	f->is_part = true;
	lt_warn("%s: offset %llu: this is a part of a recording; what was alive at its begin, and "
		"where it begins and ends, is not read while it is written or from a pipe, so that "
		"figures are of all its events and of nothing before them; expected a whole file, "
		"by its name", f->name, (unsigned long long)f->offset);
}

static int take_block(struct lt_feed *f)
{
	struct lt_why why;

	if (f->block.type == LT_BLOCK_TRAILER)
		f->whole = true;
	if (f->block.type != LT_BLOCK_PACKET && !is_text(f->block.type)) {
		leave_out(f);
		return 0;
	}
	if (lt_block_unpack(&f->block, &f->payload, &f->packed, &why)) {
		lt_warn("%s: offset %llu: %s; the block is left out", f->name,
			(unsigned long long)f->offset, why.text);
		return 0;
	}
	if (f->block.type == LT_BLOCK_PACKET)
		return take_packet(f);
	take_text(f);
	return 0;
}

/* ------------------------------------------------------------------------
 * Bytes
 */

static int end_block(struct lt_feed *f)
{
	int ret = take_block(f);

	f->offset = lt_block_end(&f->block);
	f->stored = NULL;
	f->have = 0;
	return ret;
}

static int end_header(struct lt_feed *f)
{
	unsigned int minor;
	struct lt_why why;

	f->have = 0;
	if (!f->begun) {
		struct lt_file_header h;

		memcpy(&h, f->head, sizeof(h));
		f->begun = true;
		f->offset = LT_FILE_FIRST;
		return lt_file_header_check(f->name, &h, sizeof(h), &minor) ? 0 : -1;
	}
	if (lt_block_parse(f->head, HEADER_SIZE, f->offset, &f->block, &why) != LT_BLOCK_OK) {
		lt_error("%s: offset %llu: %s; what follows is not read", f->name,
			 (unsigned long long)f->offset, why.text);
		return -1;
	}
	f->stored = lt_block_stored(&f->block, &f->payload, &f->packed);
	f->got = 0;
	return f->block.length ? 0 : end_block(f);
}

int lt_feed_read(struct lt_feed *f)
{
	size_t size = f->begun ? HEADER_SIZE : sizeof(struct lt_file_header);
	ssize_t n;

	if (f->whole)
		return 0;
	if (f->stored)
		n = read(f->fd, f->stored->data + f->got, f->stored->size - f->got);
	else
		n = read(f->fd, f->head + f->have, size - f->have);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n < 0) {
		lt_error("%s: %s", f->name, strerror(errno));
		return -1;
	}
	if (!n)
		return 0;
	if (f->stored) {
		f->got += (size_t)n;
		if (f->got < f->stored->size)
			return 1;
		return end_block(f) ? -1 : 1;
	}
	f->have += (size_t)n;
	if (f->have < size)
		return 1;
	return end_header(f) ? -1 : 1;
}

struct lt_trace *lt_feed_trace(struct lt_feed *f)
{
	return f->t;
}

bool lt_feed_is_whole(const struct lt_feed *f)
{
	return f->whole;
}

int lt_feed_finish(struct lt_feed *f)
{
	unsigned int minor;
	struct lt_file_header h = { 0 };

	if (!f->begun) {
		memcpy(&h, f->head, f->have);
		lt_file_header_check(f->name, &h, f->have, &minor);
		return -1;
	}
	if (f->stored || f->have)
		lt_warn("%s: offset %llu: the trace ends within a block; the part is left out",
			f->name, (unsigned long long)f->offset);
	if (begin_trace(f))
		return -1;
	lt_trace_watermark(f->t, UINT64_MAX);
	return 0;
}
