/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events, one on each line.
 */
#ifndef LT_PRINT_DUMP_H
#define LT_PRINT_DUMP_H

#include "base/json.h"
#include "base/out.h"
#include "format/schema.h"
#include "out/address.h"
#include "out/cells.h"
#include "out/memo.h"
#include "print/times.h"
#include "trace/trace.h"

struct lt_dump_plan;

#define LT_DUMP_SPAN	1000000	/* ns */

/**
 * struct lt_dump_span - a millisecond, as its times are printed
 * @begin: ns; lt_times_ns() of its begin
 * @len: of @text; 0: there is none
 * @text: all that stands before the last six digits
 */
struct lt_dump_span {
	uint64_t begin;
	uint32_t len;
	char text[LT_PIECE];
};

struct lt_dump_meaning;
struct lt_dump_announced;

/**
 * struct lt_dump_form - how the line of an event in a short form ends, see lt_trace_form_recorded()
 * @stamp: as long as lt_trace_cache_changes() + 1 is this; 0: it is not known
 * @text: what stands before the address, @head bytes of @len, and behind it
 */
struct lt_dump_form {
	uint64_t stamp;
	uint32_t head;
	uint32_t len;
	char *text;
};

/**
 * struct lt_dump_where - where the latest event was whose text is there
 * @task: the task, as it is called in @turn of struct lt_dump
 * @where: CPU and context
 */
struct lt_dump_where {
	const struct lt_task *task;
	uint64_t where;
	uint64_t turn;
};

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
	struct lt_memo tasks;	/* of text: " [001] T comm-12/10"; or members from the context on */
	struct lt_memo tails;	/* the ends of lines, behind the first field */
	struct lt_dump_meaning *meanings;		/* of each in @tails */
	/* Of the packet that these are of: */
	uint64_t text_base;
	uint64_t ptr_base;
	bool big;
	struct lt_dump_span span;
	struct lt_dump_form *forms;			/* of text, by the number of the form */
	size_t n_forms;
	struct lt_out line;				/* the end of one */
	struct lt_memo wheres;				/* as @tasks, by CPU and context */
	struct lt_dump_where *latest;			/* of each in @wheres */
	uint64_t turn;					/* calls of lt_dump_plain() */
	struct lt_dump_announced *announced;		/* texts of announcements */
	struct lt_address_text address;
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

#define LT_DUMP_HEAD	(LT_TIME_TEXT + LT_MEMO_TEXT + LT_PIECE)
#define LT_DUMP_GFP	256	/* the names of all flags */
#define LT_DUMP_ROOM	32768	/* for the head, the name and the fields that are put at once */

/**
 * struct lt_dump_plan - what is equal in all events of a kind
 * @name: the name of the event; text for people has it
 * @channel: of JSON: the channel, and the key "seq"
 * @start: the field "start"; NULL: none
 * @has_tid: an event has a field "tid", which replaces that key of JSON; so do the others
 * @room: of text: bytes of the longest line of such an event, without the fields from @n_simple on,
 *	which have room of their own: arrays and long texts
 * @tail_words: of the payload behind the first field: words of 8 bytes, 0: a line has no tail
 * @tail_mask: of the last of these: the bits that belong to the payload
 * @tail_at: offset of these
 * @code, @cache: of the tail: the field of a call site, and that of a cache; NULL: none
 * @hits, @misses: of tails, since they were last judged
 * @is_kept: of announcements: lines differ in numbers alone where the key of the record is the same
 * @keys: what stands before a field
 */
struct lt_dump_plan {
	struct lt_dump_key name;
	struct lt_dump_key channel;
	const struct lt_field *start;
	bool has_tid;
	bool has_tgid;
	bool has_comm;
	bool has_name;
	size_t room;
	unsigned int n_simple;
	uint32_t tail_words;
	uint32_t tail_at;
	uint64_t tail_mask;
	const struct lt_field *code;
	const struct lt_field *cache;
	uint32_t hits;
	uint32_t misses;
	bool is_kept;
	struct lt_dump_key keys[];
};

/* The first field of an announcement behind those that its key has. */
static inline unsigned int lt_dump_key_end(const struct lt_event_desc *d)
{
	return d->n_fields - (unsigned int)d->has_stack;
}

/* Bytes of the longest value of a field; of an array each. */
size_t lt_dump_field_room(const struct lt_field *f);

struct lt_dump_plan *lt_dump_make_plan(struct lt_dump *d, const struct lt_event_desc *desc);

static inline struct lt_dump_plan *lt_dump_plan_of(struct lt_dump *d,
						   const struct lt_event_desc *desc)
{
	struct lt_dump_plan *plan = d->plans[desc->id];

	return plan ? plan : lt_dump_make_plan(d, desc);
}

/* Copies the whole buffer: a constant size is faster than the size of the text. */
static inline char *lt_dump_copy_key(char *p, const struct lt_dump_key *key)
{
	memcpy(p, key->text, sizeof(key->text));
	return p + key->len;
}

static inline void lt_dump_put_key(struct lt_out *o, const struct lt_dump_key *key)
{
	lt_out_done(o, lt_dump_copy_key(lt_out_room(o, sizeof(key->text)), key));
}

/* The piece of a line that says where an event was, and its task, which changes its name. */
static inline struct lt_memo_text *lt_dump_task(const struct lt_dump *d, const void *of,
						const struct lt_event *ev, uint32_t cpu)
{
	const struct lt_task *task = ev->task;
	uint64_t words[6] = {
		(uintptr_t)of, task->tid | (uint64_t)task->tgid << 32, task->start,
	};

	lt_memo_name(words + 3, task->comm, ev->context | (uint64_t)cpu << 8);
	return lt_memo_find(&d->tasks, words, 6);
}

/* dump_tail.c */

#define LT_DUMP_TAIL_WORDS	8	/* of the payload, at most */

/*
 * Most events have one of few call sites, with its sizes and flags: all but the address of the
 * object is equal in many. So the end of their lines is made once.
 */
void lt_dump_tails_init(struct lt_dump *d);
void lt_dump_tails_destroy(struct lt_dump *d);

/* Sets the members of a plan that are about that. */
void lt_dump_plan_tail(const struct lt_dump *d, struct lt_dump_plan *plan,
		       const struct lt_event_desc *desc);

/*
 * The end of an event's line; NULL: it has none. Where its @len is 0, the caller makes it and calls
 * lt_dump_keep_tail().
 */
struct lt_memo_text *lt_dump_find_tail(struct lt_dump *d, struct lt_dump_plan *plan,
				       const struct lt_packet *p, const struct lt_event *ev);
void lt_dump_keep_tail(struct lt_dump *d, const struct lt_dump_plan *plan,
		       const struct lt_packet *p, const struct lt_event *ev,
		       struct lt_memo_text *tail, const char *from, char *end);

/* dump_text.c */

/* Many events have the millisecond of the one before. */
static inline char *lt_dump_put_time(struct lt_dump *d, char *p, uint64_t time)
{
	struct lt_dump_span *s = &d->span;
	uint64_t ns = (uint64_t)lt_times_ns(&d->times, time);
	char *end;

	if (s->len && ns - s->begin < LT_DUMP_SPAN) {
		memcpy(p, s->text, sizeof(s->text));
		return lt_put_6(p + s->len, (uint32_t)(ns - s->begin));
	}
	end = lt_times_put(&d->times, p, time, 9);
	s->len = 0;
	/* Of the wall clock there is something behind the fraction, too. */
	if ((int64_t)ns >= 0 && d->times.base != LT_TIMES_WALL) {
		s->begin = ns - ns % LT_DUMP_SPAN;
		s->len = (uint32_t)(end - 6 - p);
		memcpy(s->text, p, s->len);
	}
	return end;
}

/* Where an event was, and its task. Only these members of @ev and its channel are used. */
char *lt_dump_put_where(struct lt_dump *d, char *p, const struct lt_event *ev);

/* The value of a field at a time, which takes at most lt_dump_field_room(). */
char *lt_dump_put_number(struct lt_dump *d, const struct lt_dump_plan *plan, char *p,
			 const struct lt_field *f, uint64_t time, uint64_t v);

/* Fields @from to @to, without that, of a record, whose bytes are @raw. */
void lt_dump_out_fields(struct lt_dump *d, const struct lt_dump_plan *plan,
			const struct lt_event_desc *desc, const struct lt_packet *packet,
			const uint8_t *raw, uint64_t time, unsigned int from, unsigned int to);

/* The stack of an event, if it has one, and the end of the line. */
void lt_dump_out_end(struct lt_dump *d, uint32_t stack);

void lt_dump_text(struct lt_dump *d, const struct lt_event *ev);

/* dump_plain.c */

#define LT_DUMP_WHERES	64

/*
 * Whether all events that are in a short form can be printed as text without their bytes: of each
 * field the value is in struct lt_event.
 */
bool lt_dump_takes_plain(const struct lt_dump *d);

/* Prints events of lt_trace_next_plain(), of a pass with @announced. */
void lt_dump_plain(struct lt_dump *d, const struct lt_plain_event *evs, size_t n);
void lt_dump_plain_destroy(struct lt_dump *d);

/* dump_announced.c */

void lt_dump_announced_init(struct lt_dump *d);
void lt_dump_announced_destroy(struct lt_dump *d);

/*
 * Finds the texts of the announcements of a batch, up to LT_PASS_MAX events, and brings them into
 * the processor's cache. Return: how many there are.
 */
size_t lt_dump_expect(struct lt_dump *d, const struct lt_plain_event *evs, size_t n);

/* Prints the next announcement of the batch, behind where it was. */
void lt_dump_announced(struct lt_dump *d);

/* dump_json.c */
void lt_dump_json(struct lt_dump *d, const struct lt_event *ev);

#endif /* LT_PRINT_DUMP_H */
