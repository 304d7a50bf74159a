// SPDX-License-Identifier: GPL-2.0
/*
 * size-columns TRACE [OUT]: what compressing the packets of a trace costs and saves.
 * A line each: packets as they are, compressed by zstd as they are and as columns;
 * bytes for two events of objects (a pair of alloc and free), ns of CPU for a record
 * when it is written, and when it is read. With OUT the trace is written anew, as
 * `record --zstd` would.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "format/pack.h"
#include "format/record.h"

#define REPEATS		7
#define TURN_RECORDS	1000000U	/* in one repeat, at least */

struct job {
	struct lt_pack *columns;
	struct lt_buf *packets;		/* of the channel kmem */
	size_t n;
	uint64_t bytes, records, objects;
	struct lt_buf *out;		/* compressed, one for each packet */
	struct lt_buf room;
	ZSTD_CCtx *cctx;
};

static void fail(const char *what)
{
	fprintf(stderr, "size-columns: %s\n", what);
	exit(1);
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One frame, in parts as the recorder cuts them. */
static void compress(struct job *j, struct lt_buf *out, int level, bool columns,
		     const struct lt_buf *packet)
{
	const size_t *parts = columns ? j->columns->parts : &packet->size;
	size_t n = columns ? LT_PACK_PARTS : 1;
	const uint8_t *from = packet->data;
	ZSTD_outBuffer o = { out->data, out->cap, 0 };

	if (columns && !lt_pack_packet(j->columns, packet->data, packet->size))
		fail("a packet cannot be cut into columns");
	if (columns)
		from = j->columns->out.data;
	ZSTD_CCtx_reset(j->cctx, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(j->cctx, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setPledgedSrcSize(j->cctx, columns ? j->columns->out.size : packet->size);
	for (size_t i = 0; i < n; i++) {
		ZSTD_inBuffer in = { from, parts[i], 0 };

		if (ZSTD_compressStream2(j->cctx, &o, &in, i + 1 < n ? ZSTD_e_flush : ZSTD_e_end))
			fail("zstd failed");
		from += parts[i];
	}
	out->size = o.pos;
}

static void unpack(struct job *j, const struct lt_buf *from, bool columns,
		   const struct lt_buf *packet)
{
	uint8_t *behind = j->room.data + packet->size;
	uint8_t *to = columns ? behind : j->room.data;
	size_t n = ZSTD_decompress(to, j->room.cap - (size_t)(to - j->room.data), from->data,
				   from->size);
	struct lt_why why;

	if (ZSTD_isError(n) ||
	    (columns && lt_pack_restore(behind, n, j->room.data, packet->size, &why)))
		fail("a packet did not come back");
}

/* The least of some repeats, for a record. */
static double measure(struct job *j, int level, bool columns, bool write)
{
	double best = 0;

	for (int r = 0; r < REPEATS; r++) {
		uint64_t records = 0;
		double t = cpu_ns();

		while (records < TURN_RECORDS) {
			for (size_t i = 0; i < j->n; i++) {
				if (write)
					compress(j, &j->out[i], level, columns, &j->packets[i]);
				else
					unpack(j, &j->out[i], columns, &j->packets[i]);
			}
			records += j->records;
		}
		t = (cpu_ns() - t) / (double)records;
		if (!r || t < best)
			best = t;
	}
	return best;
}

static void one_way(struct job *j, int level, bool columns)
{
	double write = measure(j, level, columns, true), read = measure(j, level, columns, false);
	uint64_t bytes = 0;

	for (size_t i = 0; i < j->n; i++) {
		bytes += j->out[i].size;
		unpack(j, &j->out[i], columns, &j->packets[i]);
		if (memcmp(j->room.data, j->packets[i].data, j->packets[i].size))
			fail("another packet came back");
	}
	printf("%-8s zstd -%d %8.2f bytes a pair, %6.1f ns a record to write, %5.1f to read\n",
	       columns ? "columns" : "packets", level, 2.0 * (double)bytes / (double)j->objects,
	       write, read);
}

/* Events of objects: those in a short form, which is nearly all. */
static void count(struct job *j, const struct lt_packet *p, const struct lt_schema *schema)
{
	struct lt_sites sites = { 0 };
	struct lt_records it;
	struct lt_record r;
	struct lt_why why;

	lt_records_begin(&it, p, schema, &sites);
	while (lt_records_next(&it, &r, &why) == 1) {
		j->records++;
		j->objects += r.site != NULL;
	}
	lt_sites_free(&sites);
}

static void keep(struct job *j, const struct lt_buf *from)
{
	struct lt_buf *to;

	j->packets = realloc(j->packets, (j->n + 1) * sizeof(*j->packets));
	j->out = realloc(j->out, (j->n + 1) * sizeof(*j->out));
	if (!j->packets || !j->out)
		fail("no memory");
	to = &j->packets[j->n];
	memset(to, 0, sizeof(*to));
	lt_buf_reserve(to, from->size);
	memcpy(to->data, from->data, from->size);
	to->size = from->size;
	memset(&j->out[j->n], 0, sizeof(*j->out));
	lt_buf_reserve(&j->out[j->n], (size_t)lt_pack_max((uint32_t)from->size));
	if (j->room.cap < 4 * from->size + (1 << 17))
		lt_buf_reserve(&j->room, 4 * from->size + (1 << 17));
	j->bytes += from->size;
	j->n++;
}

/* Also into a file, as it would have been recorded. */
static void copy(struct lt_writer *w, const struct lt_block *b, const struct lt_buf *payload,
		 const struct lt_packet *p)
{
	int err = 0;

	if (b->type == LT_BLOCK_PACKET)
		err = lt_writer_packet(w, payload->data, payload->size, p->cpu, p->channel, p->seq,
				       p->begin, p->end);
	else if (b->type != LT_BLOCK_INDEX && b->type != LT_BLOCK_TRAILER)
		err = lt_writer_text(w, b->type, true, payload->data, payload->size);
	if (err)
		fail("cannot write");
}

static void read_trace(struct job *j, const struct lt_file *f, struct lt_writer *w)
{
	struct lt_buf payload = { 0 }, packed = { 0 };
	struct lt_schema *schema = NULL;
	struct lt_packet p;
	struct lt_block b;
	struct lt_why why;

	for (uint64_t at = LT_FILE_FIRST; lt_file_block(f, at, &b, &why) == LT_BLOCK_OK;
	     at = lt_block_end(&b)) {
		if (lt_file_payload(f, &b, &payload, &packed, &why))
			fail(why.text);
		if (b.type == LT_BLOCK_SCHEMA) {
			schema = lt_schema_parse((const char *)payload.data, f->path);
			if (!schema)
				exit(1);
			j->columns = lt_pack_new(schema);
			if (w)
				lt_writer_pack(w, schema);
		}
		if (b.type == LT_BLOCK_PACKET) {
			if (!schema || lt_packet_parse(&p, payload.data, payload.size, &why))
				fail("a packet that cannot be read");
			if (p.channel == LT_CHANNEL_KMEM) {
				count(j, &p, schema);
				keep(j, &payload);
			}
		}
		if (w)
			copy(w, &b, &payload, &p);
	}
	lt_schema_free(schema);
	lt_buf_free(&payload);
	lt_buf_free(&packed);
}

static void write_end(struct lt_writer *w)
{
	if (w && (lt_writer_finish(w) || lt_writer_close(w)))
		fail("cannot write");
}

int main(int argc, char **argv)
{
	struct lt_file *f = argc == 2 || argc == 3 ? lt_file_open(argv[1]) : NULL;
	struct lt_writer *w = f && argc == 3 ? lt_writer_open(argv[2], false) : NULL;
	struct job j = { 0 };

	if (!f || (argc == 3 && !w)) {
		fprintf(stderr, "usage: size-columns TRACE [OUT]\n");
		return 2;
	}
	if (w)
		w->zstd = true;
	read_trace(&j, f, w);
	write_end(w);
	lt_file_close(f);
	if (!j.objects)
		fail("no event of an object in a short form");
	j.cctx = ZSTD_createCCtx();
	printf("%" PRIu64 " records, %zu packets of %" PRIu64 " bytes\n", j.records, j.n, j.bytes);
	printf("packets          %8.2f bytes a pair\n", 2.0 * (double)j.bytes / (double)j.objects);
	for (int level = 1; level <= 3; level += 2) {
		one_way(&j, level, false);
		one_way(&j, level, true);
	}
	ZSTD_freeCCtx(j.cctx);
	return 0;
}
