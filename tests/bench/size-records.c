// SPDX-License-Identifier: GPL-2.0
/*
 * size-records TRACE: what the bytes of a trace are. A line each: kind of record,
 * how many, bytes of their payloads as written, in a short form or not; then "packets",
 * their number and the bytes of all; then "headers", in that form, and "file", its bytes.
 *
 * What the payloads and the packet headers leave of the packets are the records' own
 * beginnings: id, context and time.
 *
 * The packets are read one by one, not as a trace: its merge decodes ahead, and does not keep
 * in which form a record was written.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/block.h"
#include "format/record.h"

#define MAX_KINDS	256	/* names of events, in all channels */

struct kind {
	char name[LT_NAME_SIZE];
	uint64_t n, bytes;
};

struct sums {
	struct kind kinds[MAX_KINDS];
	size_t n_kinds;
	uint64_t packets, bytes, headers;
};

static void fail(const char *path, const char *what)
{
	fprintf(stderr, "size-records: %s: %s\n", path, what);
	exit(2);
}

/* Forms of one name are one kind, as `stack` has them. */
static struct kind *kind_of(struct sums *s, const char *name)
{
	size_t i = 0;

	while (i < s->n_kinds && strcmp(s->kinds[i].name, name))
		i++;
	if (i == MAX_KINDS)
		fail(name, "more kinds of records than expected");
	if (i == s->n_kinds) {
		strcpy(s->kinds[i].name, name);
		s->n_kinds++;
	}
	return &s->kinds[i];
}

static void count_packet(struct sums *s, const char *path, const struct lt_packet *p,
			 const struct lt_schema *schema)
{
	struct lt_sites sites = { 0 };
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;
	int err;

	lt_records_begin(&it, p, schema, &sites);
	while ((err = lt_records_next(&it, &r, &why)) == 1) {
		struct kind *k = kind_of(s, r.desc->name);

		k->n++;
		k->bytes += (r.brief ? r.brief : r.desc)->size;
	}
	if (err)
		fail(path, why.text);
	lt_sites_free(&sites);
	s->packets++;
	s->bytes += p->size;
	s->headers += p->header_size;
}

static void read_blocks(struct sums *s, const struct lt_file *f)
{
	struct lt_buf payload = { 0 }, packed = { 0 };
	struct lt_schema *schema = NULL;
	struct lt_packet p;
	struct lt_block b;
	struct lt_why why;

	for (uint64_t at = LT_FILE_FIRST; lt_file_block(f, at, &b, &why) == LT_BLOCK_OK;
	     at = lt_block_end(&b)) {
		if (b.type != LT_BLOCK_SCHEMA && b.type != LT_BLOCK_PACKET)
			continue;
		if (lt_file_payload(f, &b, &payload, &packed, &why))
			fail(f->path, why.text);
		if (b.type == LT_BLOCK_SCHEMA && !schema)
			schema = lt_schema_parse((const char *)payload.data, f->path);
		if (!schema)
			fail(f->path, "no schema that can be read before the first packet");
		if (b.type != LT_BLOCK_PACKET)
			continue;
		if (lt_packet_parse(&p, payload.data, payload.size, &why))
			fail(f->path, why.text);
		count_packet(s, f->path, &p, schema);
	}
	lt_schema_free(schema);
	lt_buf_free(&payload);
	lt_buf_free(&packed);
}

int main(int argc, char **argv)
{
	struct lt_file *f = argc == 2 ? lt_file_open(argv[1]) : NULL;
	static struct sums s;

	if (!f) {
		fprintf(stderr, "usage: size-records TRACE\n");
		return 2;
	}
	read_blocks(&s, f);
	for (size_t i = 0; i < s.n_kinds; i++)
		printf("%s %" PRIu64 " %" PRIu64 "\n", s.kinds[i].name, s.kinds[i].n,
		       s.kinds[i].bytes);
	printf("packets %" PRIu64 " %" PRIu64 "\n", s.packets, s.bytes);
	printf("headers %" PRIu64 " %" PRIu64 "\n", s.packets, s.headers);
	printf("file 1 %" PRIu64 "\n", (uint64_t)f->size);
	lt_file_close(f);
	return 0;
}
