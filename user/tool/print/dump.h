/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events, one on each line.
 */
#ifndef LT_PRINT_DUMP_H
#define LT_PRINT_DUMP_H

#include "base/json.h"
#include "base/out.h"
#include "format/schema.h"
#include "out/cells.h"
#include "print/times.h"
#include "trace/trace.h"

struct lt_dump_plan;

/**
 * struct lt_dump - events being printed
 * @lines: source lines of code addresses; NULL: without
 * @json: a JSON object for each event, otherwise text for people
 * The rest is private.
 */
struct lt_dump {
	struct lt_out *o;
	const struct lt_trace *t;
	struct lt_lines *lines;
	struct lt_times times;
	bool json;
	struct lt_json j;
	struct lt_cells sites;
	struct lt_cells gfps;
	struct lt_out scratch;
	struct lt_dump_plan *plans[LT_SCHEMA_IDS];	/* by the record's id */
};

/* @d: with @o, @t, @lines, @times and @json set, and zeros behind them. */
void lt_dump_init(struct lt_dump *d);
void lt_dump_destroy(struct lt_dump *d);

/* Prints the event that lt_trace_next() returned last. */
void lt_dump_event(struct lt_dump *d, const struct lt_event *ev);

/* dump.c, for dump_text.c and dump_json.c */

/* A piece of a line. */
struct lt_dump_key {
	char text[LT_NAME_SIZE + 8];
	size_t len;
};

/**
 * struct lt_dump_plan - what is equal in all events of a kind
 * @name: the name of the event; text for people has it
 * @has_tid: an event has a field "tid", which replaces that key of JSON; so do the others
 * @keys: what stands before a field
 */
struct lt_dump_plan {
	struct lt_dump_key name;
	bool has_tid;
	bool has_tgid;
	bool has_comm;
	bool has_name;
	struct lt_dump_key keys[];
};

const struct lt_dump_plan *lt_dump_make_plan(struct lt_dump *d, const struct lt_event_desc *desc);

static inline const struct lt_dump_plan *lt_dump_plan_of(struct lt_dump *d,
							 const struct lt_event_desc *desc)
{
	const struct lt_dump_plan *plan = d->plans[desc->id];

	return plan ? plan : lt_dump_make_plan(d, desc);
}

static inline void lt_dump_put_key(struct lt_out *o, const struct lt_dump_key *key)
{
	/* Copies the whole buffer: a constant size is faster than the size of the text. */
	memcpy(lt_out_room(o, sizeof(key->text)), key->text, sizeof(key->text));
	o->used += key->len;
}

/* dump_text.c */
void lt_dump_text(struct lt_dump *d, const struct lt_event *ev);

/* dump_json.c */
void lt_dump_json(struct lt_dump *d, const struct lt_event *ev);

#endif /* LT_PRINT_DUMP_H */
