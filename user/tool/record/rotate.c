// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation.
 *
 * The cut: a first flush closes the packets that are long; a second one gives the time of the cut,
 * so that a packet which it divides is short; after a third one all losses of before are known, by
 * the packets that have begun since. Packets that end at the cut or behind it are held, for the
 * next part; those that the cut divides stand in both.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/now.h"
#include "base/str.h"
#include "base/text.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "out/log.h"
#include "out/next.h"
#include "out/units.h"
#include "record/part_writer.h"
#include "record/parts_dir.h"
#include "record/rotate.h"
#include "state/anew.h"
#include "state/write.h"
#include "trace/part.h"

#define STATE_FACTOR	10	/* a part is at least so many times what it carries */
#define RETRY_NS	(5000 * NSEC_PER_MSEC)

/* A packet that waits for the next part. */
struct held {
	struct held *next;
	bool counted;		/* it stands in the part before, too */
	size_t size;
	uint8_t data[];
};

/**
 * struct lt_rotation - a recording in parts
 * @parts: where they go
 * @lf: what is alive
 * @part: number of the open part
 * @begun: there is one
 * @cut: where it begins, clock units; 0: at the begin of the session
 * @began_ns: when that was
 * @cutting: packets from @next on are held
 * @next: where the next part begins
 * @held: packets for it
 * @anew: of which trace and table are made anew; NULL: they are not
 * @packets, @bytes: that were put into parts, each once
 * @retry_ns: when to try again, after nothing could be written
 * @result: at the end
 */
struct lt_rotation {
	struct lt_part_writer *parts;
	struct lt_lifetimes *lf;
	uint64_t part;
	bool begun;
	uint64_t cut;
	uint64_t began_ns;
	bool cutting;
	uint64_t next;
	struct {
		struct held *first;
		struct held **tail;
	} held;
	struct lt_anew *anew;
	uint64_t packets;
	uint64_t bytes;
	uint64_t retry_ns;
	struct lt_writing result;
	char name[LT_PART_NAME];
};

/* ------------------------------------------------------------------------
 * The table
 */

static void stay_busy(void *arg)
{
	lt_record_meanwhile(arg);
}

static void take_event(struct lt_rotation *x, const struct lt_trace *t, const struct lt_event *ev)
{
	lt_lifetimes_take(x->lf, t, ev);
}

/* ------------------------------------------------------------------------
 * Parts
 */

static void put_text(struct lt_rotation *x, unsigned int type, bool zstd, const char *text)
{
	if (text)
		lt_part_writer_text(x->parts, type, zstd, text, strlen(text));
}

static void take_text(struct lt_rotation *x, unsigned int type, bool zstd, const char *text)
{
	/* The first texts come before the first part, which takes them from the recording. */
	if (x->begun)
		put_text(x, type, zstd, text);
}

static int put_state(void *arg, const void *packet, size_t size)
{
	struct lt_rotation *x = arg;

	if (x->anew)
		lt_anew_carry(x->anew, packet, size);
	lt_part_writer_text(x->parts, LT_BLOCK_STATE, false, packet, size);
	return 0;
}

static void put_part(struct lt_rotation *x, const struct lt_trace *t)
{
	struct lt_str text = { 0 };

	lt_trace_describe_set(&text, t);
	lt_str_add(&text, "part=%" PRIu64 "\n", x->part);
	if (x->cut) {
		lt_str_add(&text, "cut=%" PRIu64 "\nbefore_packets=%" PRIu64 "\n"
			   "before_bytes=%" PRIu64 "\n", x->cut, x->packets, x->bytes);
		lt_trace_describe_cut(&text, t, x->cut);
	}
	put_text(x, LT_BLOCK_PART, false, text.s);
	free(text.s);
}

static void begin_part(struct lt_rotation *x, const struct lt_engine *e,
		       const struct lt_record_texts *texts, const struct lt_trace *t)
{
	char *clock = lt_engine_text(e, LT_FILE_CLOCK);

	lt_part_writer_open(x->parts, x->part);
	x->began_ns = lt_now_ns();
	put_text(x, LT_BLOCK_INFO, false, texts->info);
	put_text(x, LT_BLOCK_SCHEMA, false, texts->schema);
	put_part(x, t);
	put_text(x, LT_BLOCK_EVENTS, false, texts->events);
	put_text(x, LT_BLOCK_CLOCK, false, clock);
	put_text(x, LT_BLOCK_SYMBOLS, true, texts->symbols);
	put_text(x, LT_BLOCK_MODULES, true, texts->modules);
	put_text(x, LT_BLOCK_BUILDS, true, texts->builds);
	put_text(x, LT_BLOCK_CGROUPS, true, texts->cgroups);
	put_text(x, LT_BLOCK_CODE, true, texts->code);
	put_text(x, LT_BLOCK_FUNCTIONS, true, texts->functions);
	free(clock);
	x->begun = true;
}

/* ------------------------------------------------------------------------
 * Packets
 */

static void hold(struct lt_rotation *x, const struct lt_packet *p, bool counted)
{
	struct held *held = lt_alloc(sizeof(*held) + p->size + LT_SLACK);

	held->counted = counted;
	held->size = p->size;
	memcpy(held->data, p->data, p->size);
	*x->held.tail = held;
	x->held.tail = &held->next;
}

static void take_packet(struct lt_rotation *x, const struct lt_packet *p)
{
	/* What is drained when the part is ended has no event of before, whenever it has begun. */
	bool here = !x->cutting || (p->begin < x->next && x->cut != x->next);

	if (here) {
		lt_part_writer_packet(x->parts, p);
		x->packets++;
		x->bytes += p->size;
	}
	if (x->cutting && p->end >= x->next)
		hold(x, p, here);
}

/* Those that were held. @t: gets them, too; NULL: the trace of the table has had them. */
static void put_held(struct lt_rotation *x, struct lt_trace *t)
{
	struct held *held;
	struct lt_packet p;
	struct lt_why why;

	while ((held = x->held.first)) {
		x->held.first = held->next;
		if (!lt_packet_parse(&p, held->data, held->size, &why)) {
			lt_part_writer_packet(x->parts, &p);
			x->packets += !held->counted;
			x->bytes += held->counted ? 0 : p.size;
			if (t)
				lt_trace_push(t, p.data, p.size);
		}
		free(held);
	}
	x->held.tail = &x->held.first;
}

static void make_table(struct lt_recording *r, struct lt_trace *t)
{
	const struct lt_lifetime_ops ops = { .busy = stay_busy, .arg = r };

	r->file.rotation->lf = lt_lifetimes_of(t, &ops);
}

/*
 * A recording of days must forget what is dead: tasks, call sites, stacks. So the table is made
 * anew of what is carried, which is all that it has to have. Others may have pointers to the trace
 * of the sink, which stays.
 */
static void forget_dead(struct lt_recording *r)
{
	struct lt_rotation *x = r->file.rotation;
	struct lt_trace *t;

	/* Packets that come meanwhile are held for @t, and are given to the old one in vain. */
	t = lt_anew_trace(x->anew, r->sink.trace, x->cut, stay_busy, r);
	x->anew = NULL;
	lt_lifetimes_free(x->lf);
	make_table(r, t);
	lt_lifetimes_restore(x->lf, t);
	lt_trace_close(r->sink.trace);
	r->sink.trace = t;
}

/* ------------------------------------------------------------------------
 * The cut
 */

static int cut(struct lt_recording *r)
{
	struct lt_rotation *x = r->file.rotation;
	const struct lt_state_out out = { put_state, x, stay_busy, r };
	struct lt_engine *e = r->session.engine;
	char *stats, *counts;
	uint64_t clock, next;
	int err = lt_record_flush(e, &r->drain, &clock);

	if (!err)
		err = lt_engine_flush(e, &next);
	if (err)
		return lt_record_flush_failed(e, err);
	x->next = lt_trace_cut_before(r->sink.trace, next);
	x->cutting = true;
	if (lt_drain_until(&r->drain, next))
		return -1;
	err = lt_record_flush(e, &r->drain, &clock);
	if (err)
		return lt_record_flush_failed(e, err);
	lt_record_feed_sink(r, x->next - 1);
	r->flushed = x->next;
	/* None that was taken before is written into the next part. */
	lt_record_clock(r);
	stats = lt_record_code_lost(&r->texts, lt_engine_text(e, LT_FILE_STATS));
	put_text(x, LT_BLOCK_STATS, false, stats);
	free(stats);
	counts = lt_record_function_counts(r);
	put_text(x, LT_BLOCK_FUNCTIONS, true, counts);
	free(counts);
	/* In the end of this part, and in the begin of the next. */
	lt_record_changed_texts(r);
	lt_part_writer_close(x->parts, x->next);
	x->cut = x->next;
	x->part++;
	begin_part(x, e, &r->texts, r->sink.trace);
	x->anew = r->sink.to ? NULL : lt_anew_new();
	if (lt_state_write(r->sink.trace, x->lf, x->cut, &out))
		return -1;
	lt_part_writer_begun(x->parts);
	if (x->anew)
		forget_dead(r);
	x->cutting = false;
	put_held(x, r->sink.to ? NULL : r->sink.trace);
	/* The population of tasks is that of this part. */
	lt_engine_snapshot(e, "1");
	return 0;
}

static bool is_due(const struct lt_rotation *x, const struct lt_record_options *o, uint64_t now)
{
	struct lt_writing state = lt_part_writer_look(x->parts);

	/* What is alive waits in memory, once: no cut is made before it is written. */
	if (!state.begun)
		return false;
	/* A part of which nothing is written any more is ended when there may be room again. */
	if (state.stuck)
		return now >= x->retry_ns;
	if (state.bytes < STATE_FACTOR * state.carried)
		return false;
	return (o->rotate_ns && now - x->began_ns >= o->rotate_ns) ||
	       (o->rotate_bytes && state.bytes >= o->rotate_bytes);
}

static int step(struct lt_recording *r, uint64_t now)
{
	if (!is_due(r->file.rotation, r->opts, now))
		return 0;
	r->file.rotation->retry_ns = now + RETRY_NS;
	return cut(r);
}

/* ------------------------------------------------------------------------
 * Begin and end
 */

int lt_rotate_begin(struct lt_recording *r)
{
	struct lt_rotation *x = r->file.rotation;

	if (lt_record_need_ns(r->sink.trace, "rotate"))
		return -1;
	make_table(r, r->sink.trace);
	if (r->sink.to)
		r->sink.to->also = x->lf;
	lt_part_writer_schema(x->parts, r->texts.schema);
	begin_part(x, r->session.engine, &r->texts, r->sink.trace);
	lt_part_writer_begun(x->parts);
	return 0;
}

int lt_rotate_end(struct lt_rotation *x, const struct lt_record_options *o)
{
	if (!x || !x->parts)
		return 0;
	/* A cut that failed has left packets behind. */
	x->cutting = false;
	put_held(x, NULL);
	if (x->begun)
		lt_part_writer_close(x->parts, UINT64_MAX);
	x->result = lt_part_writer_free(x->parts);
	x->parts = NULL;
	if (!x->result.stuck)
		return 0;
	lt_error("%s: the last part could not be written to its end", o->output);
	return -1;
}

struct lt_writing lt_rotate_state(const struct lt_rotation *x)
{
	return lt_part_writer_look(x->parts);
}

static void print_summary(const struct lt_rotation *x, const struct lt_record_options *o,
			  const struct lt_next *has)
{
	char bytes[32], *last;

	if (x->result.left_out)
		lt_warn("%" PRIu64 " packets could not be written and were left out; the parts say so",
			x->result.left_out);
	if (o->quiet)
		return;
	fprintf(stderr, "\n%s: %" PRIu64 " parts %s.*.lt, %s of packets", o->output,
		x->result.parts, x->name, lt_human_bytes(x->bytes, bytes, sizeof(bytes)));
	if (x->result.deleted)
		fprintf(stderr, "; %" PRIu64 " of the oldest parts were deleted",
			x->result.deleted);
	fputc('\n', stderr);
	last = lt_format("%s/%s.%06" PRIu64 ".lt", o->output, x->name, x->part);
	lt_next_say(stderr, last, has);
	free(last);
}

int lt_rotate_new(struct lt_record_file *f, const struct lt_record_options *o)
{
	static const struct lt_rotate_ops ops = {
		take_text, take_packet, take_event, step, print_summary,
	};
	struct lt_rotation *x = lt_alloc(sizeof(*x));
	struct lt_part_writer_options parts = {
		.dir = o->output, .name = x->name, .zstd = o->zstd, .keep = o->keep,
		.keep_free = o->keep_free,
	};

	x->held.tail = &x->held.first;
	lt_parts_dir_name(o->output, time(NULL), x->name);
	f->rotation = x;
	f->rotate = &ops;
	x->parts = lt_part_writer_new(&parts);
	return x->parts ? 0 : -1;
}

void lt_rotate_free(struct lt_record_file *f, const struct lt_record_options *o)
{
	struct lt_rotation *x = f->rotation;

	if (!x)
		return;
	lt_rotate_end(x, o);
	lt_lifetimes_free(x->lf);
	lt_anew_free(x->anew);
	free(x);
	f->rotation = NULL;
	f->rotate = NULL;
}
