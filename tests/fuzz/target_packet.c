// SPDX-License-Identifier: GPL-2.0
/*
 * Packets, one behind the other, with the schema of this tree. The first byte of the input
 * selects whether each is decoded and exported by itself, or all are pushed into a live trace,
 * as during a recording.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "export/ctf/packet.h"
#include "format/block.h"
#include "fuzz.h"
#include "format/record.h"
#include "records.h"
#include "format/schema.h"
#include "tasks/read.h"
#include "tasks/tasks.h"
#include "trace/internal.h"

static struct lt_schema *schema;

/* Decodes one packet, behind which there are LT_SLACK bytes. */
static uint64_t decode(const uint8_t *data, size_t size, struct lt_sites *sites)
{
	uint64_t last = 0, sum = 0;
	struct lt_records it;
	struct lt_record r;
	struct lt_event ev;
	struct lt_packet p;
	struct lt_why why;

	if (lt_packet_parse(&p, data, size, &why) || !p.channel || p.channel > LT_N_CHANNELS)
		return 0;
	for (unsigned int i = 0; i <= LT_N_CLASSES; i++)
		sum += lt_packet_counts(&p, i).seen;
	lt_records_begin(&it, &p, schema, sites);
	while (lt_records_next(&it, &r, &why) > 0) {
		if (r.time < last || r.time > p.end)
			fuzz_wrong("a time that cannot be");
		last = r.time;
		lt_decode(&p, &r, &ev);
		for (unsigned int i = 0; i < r.desc->n_fields; i++) {
			const struct lt_field *f = &r.desc->fields[i];

			if (f->type == LT_TYPE_CHARS)
				sum += strnlen((const char *)ev.raw + f->offset, f->size);
			else
				sum += lt_field_element(&p, f, ev.raw, f->count - 1);
		}
		sum += ev.ptr;
	}
	return sum;
}

#define AT(member)	offsetof(struct lt_packet_header, member)

/*
 * The header of an exported packet: the recorded one up to version_major, cpu, and from seq to
 * events_discarded. The lengths in it are those of the exported packet.
 */
#define EXPORTED_CPU	AT(version_major)
#define EXPORTED_SEQ	(EXPORTED_CPU + sizeof(__u32))
#define CONTENT_BITS	(EXPORTED_SEQ + AT(content_bits) - AT(seq))
#define PACKET_BITS	(CONTENT_BITS + sizeof(__u64))
#define DISCARDED	(PACKET_BITS + sizeof(__u64))
#define EXPORTED_HEADER	(DISCARDED + sizeof(__u64))

static void check_header(const struct lt_ctf_packet *c, const struct lt_packet *p)
{
	if (lt_get64(c->data + CONTENT_BITS, p->big) != c->size * 8 ||
	    lt_get64(c->data + PACKET_BITS, p->big) != c->size * 8)
		fuzz_wrong("an exported packet says another length");
	if (memcmp(c->data, p->data, EXPORTED_CPU) ||
	    memcmp(c->data + EXPORTED_CPU, p->data + AT(cpu), sizeof(__u32)) ||
	    memcmp(c->data + EXPORTED_SEQ, p->data + AT(seq), CONTENT_BITS - EXPORTED_SEQ) ||
	    memcmp(c->data + DISCARDED, p->data + AT(discarded), sizeof(__u64)))
		fuzz_wrong("an exported packet has another header");
}

/* Bytes of the last event: its head, and what the exported header has not. */
#define COUNTERS(p)	(LT_LONG_CTX + sizeof("task") + AT(cpu) - AT(version_major) +	\
			 sizeof(__u32) + (p)->header_size - AT(text_base))

/* The last event of an exported packet has what the exported header has not. */
static void check_counters(const struct lt_ctf_packet *c, const struct lt_packet *p)
{
	size_t rest = p->header_size - AT(text_base);
	const uint8_t *end = c->data + c->size - rest;
	const uint8_t *classes = end - sizeof(__u32);
	const uint8_t *version = classes - (AT(cpu) - AT(version_major));
	const uint8_t *context = version - sizeof("task");
	const uint8_t *head = context - LT_LONG_CTX;

	if (head[0] != (p->big ? LT_EV_LONG << 2 : LT_EV_LONG) ||
	    memcmp(context, "task", sizeof("task")) ||
	    lt_get16(head + LT_LONG_ID, p->big) != LT_CTF_COUNTERS ||
	    lt_get64(head + LT_LONG_TIME, p->big) != p->end)
		fuzz_wrong("an exported packet does not end with its counters");
	if (memcmp(version, p->data + AT(version_major), AT(cpu) - AT(version_major)) ||
	    memcmp(classes, p->data + AT(n_classes), sizeof(__u32)) ||
	    memcmp(end, p->data + AT(text_base), rest))
		fuzz_wrong("an exported packet has other counters");
}

/* Each record but those of sites is exported, with the name of its context and all its fields. */
static void check_records(const struct lt_ctf_packet *c, const struct lt_packet *p)
{
	const uint8_t *at = c->data + EXPORTED_HEADER;
	struct lt_sites sites = { 0 };
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;

	lt_records_begin(&it, p, schema, &sites);
	while (lt_records_next(&it, &r, &why) > 0) {
		const char *context = lt_context_name(r.context);

		if (r.desc->event == LT_EV_SITE)
			continue;
		at += (p->big ? *at >> 2 : *at & LT_ID_MASK) == LT_EV_LONG ? LT_LONG_CTX :
									    LT_REC_WORD;
		if (strcmp((const char *)at, context))
			fuzz_wrong("an exported record has another context");
		at += strlen(context) + 1;
		if (!r.site && memcmp(at, r.payload, r.desc->size))
			fuzz_wrong("an exported record of the full form has changed");
		at += r.desc->size;
	}
	if (at != c->data + c->size - COUNTERS(p))
		fuzz_wrong("an exported packet has more or fewer records");
	lt_sites_free(&sites);
}

/*
 * Checks the packet that is exported for @data. It has all bytes of the header, if at other places.
 */
static void export(const uint8_t *data, size_t size)
{
	struct lt_ctf_packet c = { 0 };
	struct lt_ctf_machine m = { 0 };
	struct lt_packet p;
	struct lt_why why;

	/* Without a trace callers stay numbers, so that sizes can be compared. */
	lt_ctf_names_init(&m.names, NULL);
	if (!lt_packet_parse(&p, data, size, &why) && p.channel && p.channel <= LT_N_CHANNELS &&
	    !lt_ctf_packet_complete(&c, schema, &m, &p, &why)) {
		if (c.size < (size_t)p.header_size + LT_LONG_CTX)
			fuzz_wrong("an exported packet lacks a part of its header");
		check_header(&c, &p);
		check_counters(&c, &p);
		check_records(&c, &p);
	}
	lt_ctf_packet_destroy(&c);
	lt_ctf_names_destroy(&m.names);
}

static void push_all(const uint8_t *data, size_t size, bool tasks)
{
	struct lt_trace *t = lt_trace_live("clock=mono\nchannels=kmem,pid\n", fuzz_schema_text());
	struct lt_tasks *tb;

	if (!t)
		fuzz_wrong("the schema is refused");
	while (size) {
		size_t n = lt_packet_length(data, size);

		n = n ? n : size;
		lt_trace_push(t, data, n);
		data += n;
		size -= n;
	}
	lt_trace_watermark(t, UINT64_MAX);
	if (tasks) {
		tb = lt_tasks_for(t, true);
		if (tb)
			lt_tasks_read(t, tb);
		lt_tasks_free(tb);
	} else {
		fuzz_follow(t);
	}
	lt_trace_close(t);
}

static void each(const uint8_t *data, size_t size)
{
	struct lt_sites sites = { 0 };

	while (size) {
		size_t n = lt_packet_length(data, size);
		uint8_t *copy;

		n = n ? n : size;
		copy = malloc(n + LT_SLACK);
		memcpy(copy, data, n);
		memset(copy + n, 0, LT_SLACK);
		decode(copy, n, &sites);
		export(copy, n);
		free(copy);
		data += n;
		size -= n;
	}
	lt_sites_free(&sites);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!schema)
		schema = lt_schema_parse(fuzz_schema_text(), "fuzz");
	if (!size)
		return 0;
	fuzz_memory_begin();
	/* A live trace parses the schema each time, which is slow, so its bytes are rare. */
	switch (data[0]) {
	case 'k':
		push_all(data + 1, size - 1, false);
		break;
	case 'p':
		push_all(data + 1, size - 1, true);
		break;
	default:
		each(data + 1, size - 1);
	}
	fuzz_memory_end((8U << 20) + 128 * size);
	return 0;
}

/* Changes one of the packets by the meaning of its records. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	static const char ways[] = { 'd', 'd', 'd', 'd', 'd', 'd', 'k', 'p' };
	struct fuzz_image all = { NULL, 0 }, one = { NULL, 0 };
	size_t at = 1, n;

	fuzz_seed(seed);
	if (!schema)
		schema = lt_schema_parse(fuzz_schema_text(), "fuzz");
	if (size < 2 || !fuzz_below(8))
		return LLVMFuzzerMutate(data, size, max);
	if (!fuzz_below(8))
		data[0] = (uint8_t)ways[fuzz_below(sizeof(ways))];
	for (;;) {
		n = lt_packet_length(data + at, size - at);
		n = n ? n : size - at;
		if (at + n >= size || !fuzz_below(3))
			break;
		at += n;
	}
	fuzz_image_set(&one, data + at, n);
	fuzz_image_set(&all, data + at + n, size - at - n);
	for (size_t i = fuzz_below(4); i < 4; i++)
		fuzz_packet_change(&one, schema, max);
	if (fuzz_below(8))
		fuzz_packet_repair(&one, schema);
	if (at + one.size + all.size <= max) {
		memcpy(data + at, one.data, one.size);
		memcpy(data + at + one.size, all.data, all.size);
		size = at + one.size + all.size;
	}
	fuzz_image_free(&one);
	fuzz_image_free(&all);
	return size;
}
