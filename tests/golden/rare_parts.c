// SPDX-License-Identifier: GPL-2.0
/*
 * The program rare: its trace as a recording in parts. Each part but the first begins with what was
 * alive at its cut, by the functions that the recorder has for that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "lifetimes/lifetime.h"
#include "rare.h"
#include "record/part_writer.h"
#include "state/write.h"
#include "trace/part.h"
#include "tracegen_private.h"
#include "uapi/lifetrace_file.h"

struct cutter {
	struct tg *g;
	struct lt_trace *t;
	struct lt_lifetimes *lf;
	struct lt_part_writer *parts;
	bool *pushed;		/* by packet: it was given to @t */
};

static void ignore(void *arg, const struct lt_lifetime *l)
{
	(void)arg;
	(void)l;
}

static const struct lt_cache *find_cache(void *arg, uint32_t id)
{
	return lt_trace_cache(((struct cutter *)arg)->t, id);
}

static int put_state(void *arg, const void *packet, size_t size)
{
	lt_part_writer_text(((struct cutter *)arg)->parts, LT_BLOCK_STATE, false, packet, size);
	return 0;
}

static void put_text(struct cutter *c, unsigned int type, const char *text)
{
	lt_part_writer_text(c->parts, type, false, text, strlen(text));
}

/* The texts of the trace that were there before its first packet, or those behind its last one. */
static void put_texts(struct cutter *c, bool early)
{
	for (size_t i = 0; i < c->g->n_texts; i++) {
		if (c->g->texts[i].early == early)
			put_text(c, c->g->texts[i].type, c->g->texts[i].text);
	}
}

static void describe_cut(struct cutter *c, struct lt_str *text, uint64_t cut)
{
	unsigned long long packets = 0, bytes = 0;
	const struct tg_packet *p;
	size_t n;

	p = tg_packets(c->g, &n);
	for (size_t i = 0; i < n; i++) {
		if (p[i].begin < cut) {
			packets++;
			bytes += p[i].size;
		}
	}
	lt_str_add(text, "cut=%llu\nbefore_packets=%llu\nbefore_bytes=%llu\n",
		   (unsigned long long)cut, packets, bytes);
	lt_trace_describe_cut(text, c->t, cut);
}

static int begin_part(struct cutter *c, unsigned int part, uint64_t cut)
{
	const struct lt_state_out out = { .emit = put_state, .arg = c };
	struct lt_str text = { 0 };

	lt_part_writer_open(c->parts, part);
	put_text(c, LT_BLOCK_INFO, tg_info_text(c->g));
	put_text(c, LT_BLOCK_SCHEMA, tg_schema_text(c->g));
	lt_str_add(&text, "set=1-%llx\npart=%u\n", (unsigned long long)FIRST_TIME, part);
	if (part)
		describe_cut(c, &text, cut);
	put_text(c, LT_BLOCK_PART, text.s);
	free(text.s);
	put_texts(c, true);
	return part ? lt_state_write(c->t, c->lf, cut, &out) : 0;
}

static void put_packets(struct cutter *c, uint64_t from, uint64_t until)
{
	struct tg_packet *p;
	size_t n;

	p = tg_packets(c->g, &n);
	for (size_t i = 0; i < n; i++) {
		struct lt_packet packet;
		struct lt_why why;

		if (p[i].end >= from && p[i].begin < until &&
		    !lt_packet_parse(&packet, p[i].data, p[i].size, &why))
			lt_part_writer_packet(c->parts, &packet);
	}
}

/* As the recorder, which has drained by then what begins before the cut. */
static int advance(struct cutter *c, uint64_t cut)
{
	struct tg_packet *p;
	struct lt_event ev;
	size_t n;

	p = tg_packets(c->g, &n);
	for (size_t i = 0; i < n; i++) {
		if (c->pushed[i] || p[i].begin >= cut)
			continue;
		if (lt_trace_push(c->t, p[i].data, p[i].size))
			return -1;
		c->pushed[i] = true;
	}
	lt_trace_watermark(c->t, cut - 1);
	while (lt_trace_next(c->t, &ev) > 0)
		lt_lifetimes_event(c->lf, &ev, lt_trace_gap_end(c->t, lt_event_space(&ev)));
	return 0;
}

static int put_parts(struct cutter *c, const uint64_t *cuts, unsigned int n)
{
	int err = begin_part(c, 0, 0);
	char *stats;

	for (unsigned int i = 0; i < n && !err; i++) {
		put_packets(c, i ? cuts[i - 1] : 0, cuts[i]);
		lt_part_writer_close(c->parts, cuts[i]);
		err = advance(c, cuts[i]);
		if (!err)
			err = begin_part(c, i + 1, cuts[i]);
	}
	put_packets(c, cuts[n - 1], UINT64_MAX);
	put_texts(c, false);
	stats = tg_stats_text(c->g);
	put_text(c, LT_BLOCK_STATS, stats);
	free(stats);
	lt_part_writer_close(c->parts, UINT64_MAX);
	return err;
}

int write_parts(struct tg *g, const char *dir, bool zstd, const uint64_t *cuts, unsigned int n)
{
	const struct lt_part_writer_options o = { .dir = dir, .name = "rare", .zstd = zstd };
	struct cutter c = { .g = g };
	struct lt_lifetime_ops ops = { .ended = ignore, .cache = find_cache, .arg = &c };
	struct lt_lifetime_config config;
	struct lt_writing done;
	size_t packets;
	int err;

	tg_packets(g, &packets);
	c.t = lt_trace_live(tg_info_text(g), tg_schema_text(g));
	c.parts = lt_part_writer_new(&o);
	if (!c.t || !c.parts)
		return -1;
	c.pushed = lt_alloc_array(packets + 1, sizeof(*c.pushed));
	for (size_t i = 0; i < g->n_texts; i++) {
		if (g->texts[i].early)
			lt_trace_add_text(c.t, g->texts[i].type, g->texts[i].text);
	}
	lt_part_writer_schema(c.parts, tg_schema_text(g));
	lt_lifetime_config_init(&config, c.t);
	c.lf = lt_lifetimes_new(&config, &ops);
	err = put_parts(&c, cuts, n);
	done = lt_part_writer_free(c.parts);
	if (!err && done.parts != n + 1) {
		fprintf(stderr, "rare: %s: %llu parts were written, expected %u\n", dir,
			(unsigned long long)done.parts, n + 1);
		err = -1;
	}
	lt_lifetimes_free(c.lf);
	lt_trace_close(c.t);
	free(c.pushed);
	return err;
}
