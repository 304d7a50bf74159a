// SPDX-License-Identifier: GPL-2.0
/*
 * What a panic has left of a recording: see uapi/lifetrace_panic.h.
 */
#include <stdlib.h>
#include <string.h>

#include "uapi/lifetrace_panic.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/packet.h"
#include "format/schema.h"
#include "record/recover.h"

/* The parts of the file. */
struct left {
	const char *name;
	const uint8_t *head;
	const uint8_t *caches;
	const uint8_t *stats;
	const uint8_t *packets;
	struct lt_panic_header h;
};

static int find_parts(struct left *l, const uint8_t *data, size_t size)
{
	uint64_t rest;

	if (size < sizeof(l->h)) {
		lt_error("%s: expected a header of %zu bytes, found %zu bytes", l->name,
			 sizeof(l->h), size);
		return -1;
	}
	memcpy(&l->h, data, sizeof(l->h));
	if (l->h.magic != LT_PANIC_MAGIC || l->h.version != LT_PANIC_VERSION) {
		lt_error("%s: expected version %d of what a panic leaves, found magic 0x%llx, "
			 "version %u; use the lifetrace that came with the module", l->name,
			 LT_PANIC_VERSION, (unsigned long long)l->h.magic, l->h.version);
		return -1;
	}
	rest = size - sizeof(l->h);
	if (l->h.head > rest || l->h.caches > rest - l->h.head ||
	    l->h.stats > rest - l->h.head - l->h.caches ||
	    l->h.packets != rest - l->h.head - l->h.caches - l->h.stats) {
		lt_error("%s: expected parts of %zu bytes in all, found lengths of %llu, %llu, "
			 "%llu and %llu bytes", l->name, size - sizeof(l->h),
			 (unsigned long long)l->h.head, (unsigned long long)l->h.caches,
			 (unsigned long long)l->h.stats, (unsigned long long)l->h.packets);
		return -1;
	}
	l->head = data + sizeof(l->h);
	l->caches = l->head + l->h.head;
	l->stats = l->caches + l->h.caches;
	l->packets = l->stats + l->h.stats;
	return 0;
}

/* Packed by columns, which the schema defines, as a recorder does. */
static void use_columns(const struct left *l, struct lt_writer *w, const struct lt_buf *text)
{
	char *copy = lt_alloc(text->size + 1);
	struct lt_schema *schema;

	memcpy(copy, text->data, text->size);
	schema = lt_schema_parse(copy, l->name);
	if (schema)
		lt_writer_pack(w, schema);
	lt_schema_free(schema);
	free(copy);
}

/* A packet that the recorder had written; what follows them in their streams are the others. */
static int put_early(struct lt_writer *w, const struct lt_buf *payload, struct lt_why *why)
{
	struct lt_packet p;

	if (lt_packet_parse(&p, payload->data, payload->size, why))
		return -1;
	lt_writer_packet(w, p.data, p.size, p.cpu, p.channel, p.seq, p.begin, p.end);
	return 0;
}

static int put_block(const struct left *l, struct lt_writer *w, const struct lt_block *b,
		     struct lt_buf *payload, struct lt_buf *packed, struct lt_why *why)
{
	struct lt_buf *to = lt_block_stored(b, payload, packed);

	memcpy(to->data, l->head + b->offset + sizeof(struct lt_block_header), b->length);
	if (lt_block_unpack(b, payload, packed, why))
		return -1;
	if (b->type == LT_BLOCK_PACKET)
		return put_early(w, payload, why);
	if (b->type == LT_BLOCK_SCHEMA)
		use_columns(l, w, payload);
	/* The writer keeps its error. */
	lt_writer_text(w, b->type, b->flags & LT_BLOCK_ZSTD, payload->data, payload->size);
	return 0;
}

/* The writer makes an index and a trailer of its own; a part of a set is not made whole. */
static bool is_expected(unsigned int type)
{
	return type != LT_BLOCK_INDEX && type != LT_BLOCK_TRAILER && type != LT_BLOCK_STATE &&
	       type != LT_BLOCK_PART;
}

/* What the recorder has written: the texts, and the packets of a recording that streams. */
static int put_head(const struct left *l, struct lt_writer *w)
{
	struct lt_buf payload = { 0 }, packed = { 0 };
	uint64_t at = LT_FILE_FIRST;
	struct lt_file_header h;
	struct lt_why why;
	unsigned int minor;
	bool bad = false;

	if (l->h.head >= sizeof(h))
		memcpy(&h, l->head, sizeof(h));
	if (!lt_file_header_check(l->name, &h, l->h.head < sizeof(h) ? 0 : sizeof(h), &minor))
		return -1;
	while (!bad && at < l->h.head) {
		struct lt_block b;
		enum lt_block_state state = lt_block_parse(l->head + at, l->h.head - at, at, &b,
							   &why);

		bad = true;
		if (state == LT_BLOCK_TORN || (state == LT_BLOCK_OK &&
					       lt_block_end(&b) > l->h.head))
			lt_why_set(&why, "expected a whole block, found the end of the texts");
		else if (state == LT_BLOCK_OK && !is_expected(b.type))
			lt_why_set(&why, "expected a text or a packet, found a block of type %u",
				   b.type);
		else if (state == LT_BLOCK_OK && !put_block(l, w, &b, &payload, &packed, &why))
			bad = false;
		if (bad)
			lt_error("%s: offset %llu: %s", l->name,
				 (unsigned long long)(sizeof(l->h) + at), why.text);
		else
			at = lt_block_end(&b);
	}
	lt_buf_free(&payload);
	lt_buf_free(&packed);
	return bad ? -1 : 0;
}

/* In the order in which the packets of a CPU were written. */
static int order(const void *a, const void *b)
{
	const struct lt_packet *x = a, *y = b;

	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int find_packets(const struct left *l, struct lt_packet **packets, size_t *n)
{
	size_t cap = 0, len;
	struct lt_why why;

	for (uint64_t at = 0; at < l->h.packets; at += len) {
		len = lt_packet_length(l->packets + at, l->h.packets - at);
		if (!len || len > l->h.packets - at)
			lt_why_set(&why, "expected a whole packet");
		*packets = lt_grow(*packets, &cap, *n, sizeof(**packets));
		if (!len || len > l->h.packets - at ||
		    lt_packet_parse(*packets + *n, l->packets + at, len, &why)) {
			lt_error("%s: offset %llu: %s", l->name,
				 (unsigned long long)(sizeof(l->h) + l->h.head + l->h.caches +
						      l->h.stats + at), why.text);
			return -1;
		}
		(*n)++;
	}
	return 0;
}

static int put_packets(const struct left *l, struct lt_writer *w)
{
	struct lt_packet *packets = NULL;
	size_t n = 0;
	int ret = find_packets(l, &packets, &n);

	if (!ret && n)
		qsort(packets, n, sizeof(*packets), order);
	for (size_t i = 0; !ret && i < n; i++) {
		const struct lt_packet *p = &packets[i];

		lt_writer_packet(w, p->data, p->size, p->cpu, p->channel, p->seq, p->begin, p->end);
	}
	free(packets);
	return ret;
}

int lt_recover(const char *name, const void *data, size_t size, struct lt_writer *w)
{
	struct left l = { .name = name };
	struct lt_buf copy = { 0 };
	int ret;

	/* A decoder of packets may read LT_SLACK bytes behind the last, which the buffer has. */
	lt_buf_reserve(&copy, size);
	memcpy(copy.data, data, size);
	w->zstd = true;
	ret = find_parts(&l, copy.data, size) || put_head(&l, w);
	if (!ret && l.h.caches)
		lt_writer_text(w, LT_BLOCK_CACHES, true, l.caches, l.h.caches);
	if (!ret && l.h.stats)
		lt_writer_text(w, LT_BLOCK_STATS, false, l.stats, l.h.stats);
	ret = ret || put_packets(&l, w);
	if (!ret && w->error) {
		lt_error("%s: %s", w->path, strerror(w->error));
		ret = -1;
	}
	lt_buf_free(&copy);
	return ret ? -1 : 0;
}
