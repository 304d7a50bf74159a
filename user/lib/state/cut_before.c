// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cutting a window: what comes before it. Packets are given to a live trace, as the recorder gives
 * them to its own where it cuts a recording.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "lifetimes/carry.h"
#include "lifetimes/read.h"
#include "state/cut_internal.h"
#include "trace/part.h"
#include "trace/pass.h"

/* So many packets are given to the trace before their events are taken. */
#define PUSH_SOME	64

static bool is_in(const struct lt_dir_part *part, const struct lt_text_ref *ref)
{
	return ref->offset >= part->base && ref->offset < part->end;
}

/* Whether a part says all that was alive at its begin. */
static bool has_whole_state(struct lt_cutter *c, const struct lt_dir_part *part)
{
	bool any = false;

	for (size_t i = 0; i < c->d->n_texts; i++) {
		const struct lt_text_ref *ref = &c->d->texts[i];

		if (ref->type != LT_BLOCK_STATE || !is_in(part, ref))
			continue;
		if (!lt_cut_load_text(c, ref, NULL))
			return false;
		any = true;
	}
	return any && part->whole;
}

/* From where on the trace is read. Return: NULL: from the begin of the session. */
static const struct lt_dir_part *choose_part(struct lt_cutter *c)
{
	for (size_t i = c->d->n_parts; i--;) {
		const struct lt_dir_part *p = &c->d->parts[i];

		if (p->have_cut && p->cut <= c->begin && (!i || has_whole_state(c, p)))
			return p;
	}
	return NULL;
}

/* What is between the parts before the end of the window cannot be carried over its begin. */
static int check_missing(const struct lt_cutter *c, const struct lt_dir_part *part)
{
	for (size_t i = 1; i < c->d->n_parts; i++) {
		const struct lt_dir_part *a = &c->d->parts[i - 1], *b = &c->d->parts[i];

		if (!lt_dir_missing_between(a, b) || a->until >= c->until ||
		    (part && b->cut <= part->cut))
			continue;
		lt_error("%s: the parts from %" PRIu64 " to %" PRIu64 " (clock units) are missing; a "
			 "window must begin behind them, or end before", lt_trace_path(c->t),
			 a->until, b->cut);
		return -1;
	}
	return 0;
}

/* The texts by which times and names are known. */
static void add_texts(struct lt_cutter *c, struct lt_trace *t)
{
	static const unsigned int types[] = {
		LT_BLOCK_CLOCK, LT_BLOCK_EVENTS, LT_BLOCK_SYMBOLS, LT_BLOCK_MODULES, LT_BLOCK_CODE,
		LT_BLOCK_FUNCTIONS, LT_BLOCK_CACHES,
	};

	for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
		for (size_t i = 0; i < c->d->n_texts; i++) {
			const char *text;

			if (c->d->texts[i].type != types[k])
				continue;
			text = lt_cut_load_text(c, &c->d->texts[i], NULL);
			if (text)
				lt_trace_add_text(t, types[k], text);
		}
	}
}

/* What was lost, and, of a part, what was before it and alive. */
static void begin_with_part(struct lt_cutter *c, struct lt_trace *t, const struct lt_dir_part *part)
{
	struct lt_str text = { .n = 0 };

	for (size_t i = 0; part && i < c->d->n_texts; i++) {
		if (c->d->texts[i].type == LT_BLOCK_PART && is_in(part, &c->d->texts[i])) {
			lt_str_add(&text, "%s", lt_cut_load_text(c, &c->d->texts[i], NULL) ?: "");
			break;
		}
	}
	lt_trace_describe_gaps(&text, c->t, part ? part->cut : 0, c->begin);
	if (text.s)
		lt_trace_add_text(t, LT_BLOCK_PART, text.s);
	free(text.s);
	lt_trace_live_part(t);
	for (size_t i = 0; part && i < c->d->n_texts; i++) {
		if (c->d->texts[i].type != LT_BLOCK_STATE || !is_in(part, &c->d->texts[i]))
			continue;
		/* Without it nothing that was alive is certain. */
		if (lt_cut_load_text(c, &c->d->texts[i], NULL))
			lt_trace_push_state(t, c->buf.data, c->buf.size);
		else
			lt_trace_push_state(t, "", 0);
	}
}

static int take_event(void *arg, const struct lt_event *ev)
{
	const struct lt_cut_before *b = arg;

	lt_lifetimes_take(b->lf, b->t, ev);
	return 0;
}

static int take_some(void *arg, const struct lt_event *evs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		take_event(arg, &evs[i]);
	return 0;
}

static int take_plain(void *arg, const struct lt_plain_event *evs, size_t n)
{
	const struct lt_cut_before *b = arg;

	return lt_lifetimes_take_plain(b->lf, b->t, evs, n, take_event, arg);
}

static int take_events(struct lt_cut_before *b, uint64_t up_to)
{
	const struct lt_pass pass = {
		.event = take_event, .some = take_some, .plain = take_plain, .arg = b,
	};

	lt_trace_watermark(b->t, up_to);
	return lt_trace_pass(b->t, &pass);
}

static int push_packets(struct lt_cutter *c)
{
	struct lt_cut_before *b = &c->before;
	uint64_t from = b->part ? b->part->cut : 0;
	size_t waiting = 0;
	struct lt_packet p;

	for (; b->pushed < c->n_packets; b->pushed++) {
		const struct lt_cut_packet *packet = &c->packets[b->pushed];
		const struct lt_packet_ref *ref = packet->ref;

		if (ref->begin >= c->begin)
			break;
		if (ref->end < from)
			continue;
		/* Those that begin earlier were pushed. */
		if (++waiting % PUSH_SOME == 0 && ref->begin && take_events(b, ref->begin - 1))
			return -1;
		/* One that cannot be read is missing. */
		if (!lt_cut_load_packet(c, packet->s, ref, &p))
			continue;
		if (lt_trace_push(b->t, p.data, p.size))
			return -1;
	}
	return take_events(b, c->begin - 1);
}

/* The trace before any event. Return: 0, or -1 after lt_error(). */
static int begin_reading(struct lt_cutter *c)
{
	const struct lt_lifetime_ops ops = { .busy = NULL };
	struct lt_cut_before *b = &c->before;

	/* Without INFO the trace was opened all the same. */
	b->t = lt_trace_live(lt_trace_text(c->t, LT_BLOCK_INFO, 0) ?: "",
			     lt_trace_text(c->t, LT_BLOCK_SCHEMA, 0));
	if (!b->t)
		return -1;
	add_texts(c, b->t);
	begin_with_part(c, b->t, b->part);
	b->lf = lt_lifetimes_of(b->t, &ops);
	lt_lifetimes_restore(b->lf, b->t);
	return 0;
}

/* What is known of gaps must be known before the first event, and of no gap behind the window. */
static bool has_gaps(const struct lt_cutter *c)
{
	struct lt_str text = { .n = 0 };

	lt_trace_describe_gaps(&text, c->t, 0, UINT64_MAX);
	free(text.s);
	return text.n;
}

int lt_cut_read_before(struct lt_cutter *c)
{
	struct lt_cut_before *b = &c->before;

	if (b->t && has_gaps(c))
		lt_cut_before_free(b);
	if (!b->t)
		b->part = choose_part(c);
	if (check_missing(c, b->part) || (!b->t && begin_reading(c)))
		return -1;
	return push_packets(c);
}

void lt_cut_before_free(struct lt_cut_before *b)
{
	lt_lifetimes_free(b->lf);
	if (b->t)
		lt_trace_close(b->t);
	*b = (struct lt_cut_before){ .t = NULL };
}
