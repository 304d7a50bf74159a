/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The schema of a trace: its classes, events and fields, as its text declares them.
 *
 * The decoder uses the schema of the trace, not the structs that it was compiled with, and
 * so reads events to which a newer module has appended fields.
 */
#ifndef LT_LIB_SCHEMA_H
#define LT_LIB_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uapi/lifetrace.h"

#define LT_SCHEMA_FIELDS	64	/* of an event */
#define LT_SCHEMA_IDS		(LT_N_CHANNELS << 8)	/* LT_EV(channel, id) is below this */
#define LT_NAME_SIZE		32
#define LT_FULL_MAX		48	/* bytes of a form that a short one is completed to */

/* The channel of an event, from its LT_EV(channel, id). */
#define LT_EV_CHANNEL(event)	(((event) >> 8) + 1U)

enum lt_field_type {
	LT_TYPE_UINT,
	LT_TYPE_SINT,
	LT_TYPE_CHARS,
};

enum lt_kind {
	LT_KIND_OTHER,		/* not known to this version */
	LT_KIND_ADDR,
	LT_KIND_CODE,
	LT_KIND_PFN,
	LT_KIND_BYTES,
	LT_KIND_GFP,
	LT_KIND_NODE,
	LT_KIND_CACHE,
	LT_KIND_ORDER,
	LT_KIND_TID,
	LT_KIND_TGID,
	LT_KIND_PIDNS,
	LT_KIND_UID,
	LT_KIND_NSEC,
	LT_KIND_CLASS,
	LT_KIND_BITS,
	LT_KIND_NUM,
	LT_KIND_REG,
	LT_KIND_SITE,
	LT_KIND_STACK,
	LT_KIND_TASK,
	LT_KIND_TEXT,
};

/**
 * struct lt_field - a field of an event
 * @offset: bytes from the begin of the payload
 * @offset_big: the same in packets of big-endian machines; another one in the tight form only
 * @size: bytes of an integer, or of a text
 * @count: integers, one behind the other: 1 but for arrays
 * @mask: the bits of the integer that are the value; in the tight form others are of another field
 */
struct lt_field {
	char name[LT_NAME_SIZE];
	enum lt_field_type type;
	enum lt_kind kind;
	uint32_t offset;
	uint32_t offset_big;
	uint32_t size;
	uint32_t count;
	uint64_t mask;
};

/* What a field's value is added to. */
enum lt_base {
	LT_BASE_NONE,
	LT_BASE_PTR,
	LT_BASE_TEXT,		/* unless the value is 0 */
};

/* Members of struct lt_event that fields are decoded into. */
enum lt_target {
	LT_TO_PTR,
	LT_TO_CALL_SITE,
	LT_TO_BYTES_REQ,
	LT_TO_BYTES_ALLOC,
	LT_TO_GFP,
	LT_TO_NODE,
	LT_TO_CACHE,
	LT_TO_ORDER,
	LT_TO_MIGRATETYPE,
	LT_TO_SINGLE,
	LT_N_TARGETS,
};

/* One step of decoding an event: load, extend, add a base, store. Not of a tight form. */
struct lt_step {
	uint16_t offset;
	uint8_t shift;		/* 64 - bits of the field */
	uint8_t is_signed;
	uint8_t base;		/* enum lt_base */
	uint8_t target;		/* enum lt_target */
};

/*
 * One step of completing a short form: copies a field into the full form.
 */
struct lt_copy {
	uint16_t to;		/* offset in the full form */
	uint16_t from;
	uint16_t from_big;	/* as in struct lt_field */
	uint64_t mask;
	uint8_t to_size;
	uint8_t from_size;
	uint8_t is_signed;
	uint8_t base;		/* enum lt_base of the source */
};

#define LT_KEY_WORDS	16	/* of a stack of 32 frames in the narrow form */
#define LT_KEY_FROM	sizeof(uint16_t)	/* behind a number */

/**
 * struct lt_event_desc - one event of the schema
 * @channel: enum lt_channel_id
 * @id: as in the records, LT_EV(channel, id)
 * @event: as in struct lt_event: the id of the narrow form
 * @class: number, LT_CLASS_NONE
 * @size: bytes of payload
 * @full: of a short or tight form, and of one that has the number of a task in place of it: the
 *	form that it is completed to; else NULL
 * @n_copies: steps of that; the first @n_own of them take a field of the record itself. Of a narrow
 *	form that announces a site or a task: those of lt_widen()
 * @has_site: the event is a short or tight form, or the event "site" or "stack"
 * @is_tight: it is a tight form
 * @site: offset of the number of its site; of the event "stack" that of the stack's number; of an
 *	event that announces a task, or has its number in place of it, that of the task's number, if
 *	@has_task
 * @site_big, @site_mask: of that number, as in struct lt_field
 * @ptr_big, @ptr_mask: of a short or tight form that has an address: of that, as in struct lt_field
 * @stack: of the event "site": offset of the number of its stack, if @has_stack
 * @frames: of the event "stack": its frames; else NULL
 * @n_frames: of the event "stack": how many of them are used
 * @stack_flags: of the event "stack": enum lt_stack_flag
 * @key_words, @key_tail: of the events "site" and "stack": words, and bytes behind them, between
 *	the numbers that it, and its stack, has in the packet; @has_key: there is nothing else
 */
struct lt_event_desc {
	char name[LT_NAME_SIZE];
	uint16_t id;
	uint16_t event;
	uint8_t channel;
	uint8_t class;
	uint8_t n_steps;
	uint8_t n_fields;
	uint32_t size;
	const struct lt_event_desc *full;
	uint16_t site;
	uint16_t site_big;
	uint16_t site_mask;
	uint16_t ptr_big;
	uint64_t ptr_mask;
	uint8_t n_copies;
	uint8_t n_own;
	bool has_site;
	bool has_stack;
	bool has_task;
	bool is_tight;
	uint16_t stack;
	const struct lt_field *frames;
	const struct lt_field *n_frames;
	const struct lt_field *stack_flags;
	bool has_key;
	uint8_t key_words;
	uint8_t key_tail;
	struct lt_copy copies[LT_N_TARGETS];
	struct lt_step steps[LT_N_TARGETS];
	struct lt_field fields[LT_SCHEMA_FIELDS];
};

enum lt_announces { LT_ANNOUNCES_NOTHING, LT_ANNOUNCES_STACK, LT_ANNOUNCES_SITE };

/**
 * struct lt_plain - what the walk over a packet needs of the records with an id, see format/plain.h
 * @desc: the full form; NULL: these records are not plain
 * @each: the full form of records that get a form one by one, where that is wanted (struct
 *	lt_records); or NULL
 * @brief: the short form; NULL: it is the full form
 * @bytes: of the whole record with its short head; 0: there is no such record
 * @index: LT_CLASS_INDEX() of the class, LT_N_CLASSES: it has none
 * @site: of a short form: offset of the number of its site, from the begin of the record
 * @ptr: of a short form: offset of the address, and
 * @shift, @base: as in struct lt_step
 * @mask: its bits, of the eight bytes that are loaded, when these are shifted if they are
 *	big-endian
 * @site_big, @site_mask, @ptr_big: as in struct lt_field
 * @rest: of a record of pages that has no site: offset of what follows the page, 0: it is another
 *	one
 * @rest_mask: the bits of that, of eight bytes that are loaded as little-endian ones
 * @announces: enum lt_announces: of a record that begins with a number by which others refer to it,
 *	and that has a key, see struct lt_event_desc
 * @at: of such a record: offset of the number of its stack, 0: it has none; or of the byte that
 *	says how many frames there are
 * @most: frames that there may be at the most
 */
struct lt_plain {
	const struct lt_event_desc *desc;
	const struct lt_event_desc *each;
	const struct lt_event_desc *brief;
	uint32_t bytes;
	uint8_t index;
	uint16_t site;
	uint16_t site_big;
	uint16_t site_mask;
	uint16_t ptr;
	uint16_t ptr_big;
	uint8_t shift;
	uint8_t base;
	uint8_t rest;
	uint8_t announces;
	uint8_t at;
	uint8_t most;
	uint64_t mask;
	uint64_t rest_mask;
};
_Static_assert(sizeof(void *) < 8 || sizeof(struct lt_plain) == 64, "it is one line of the processor's cache");

struct lt_gfp_name {
	uint32_t mask;
	char name[LT_NAME_SIZE];
};

struct lt_schema {
	unsigned int major;
	unsigned int minor;
	char class_names[LT_MAX_CLASSES][LT_NAME_SIZE];
	struct lt_event_desc *events[LT_SCHEMA_IDS];	/* by LT_EV(), NULL: none */
	struct lt_plain plain[LT_N_CHANNELS][LT_ID_MASK + 1];	/* by id */
	struct lt_gfp_name *gfp;
	size_t n_gfp;
	size_t cap_gfp;
	unsigned int unknown_events;	/* that this version has no name for */
	unsigned int unknown_fields;	/* of a type that it does not know; they are skipped */
	unsigned int unknown_lines;
};

/**
 * lt_schema_parse() - parse the text of a schema
 * @text: the text
 * @where: name of its source, for messages
 *
 * Events of channels that this version does not know are left out.
 * Return: NULL if the schema cannot be used, after lt_error().
 */
struct lt_schema *lt_schema_parse(const char *text, const char *where);

void lt_schema_free(struct lt_schema *s);

/* Records of an event, LT_EV(channel, id), are not plain, nor are those of its short form. */
void lt_schema_not_plain(struct lt_schema *s, unsigned int event);

static inline const struct lt_event_desc *
lt_schema_event(const struct lt_schema *s, unsigned int event)
{
	return event < LT_SCHEMA_IDS ? s->events[event] : NULL;
}

/* The bytes that a field takes. */
static inline uint32_t lt_field_bytes(const struct lt_field *f)
{
	return f->size * f->count;
}

/*
 * The base that is added to the value of a field: 64-bit addresses are absolute, narrower
 * ones relative.
 */
static inline enum lt_base lt_field_base(const struct lt_field *f)
{
	if (f->type != LT_TYPE_UINT || f->size >= 8)
		return LT_BASE_NONE;
	if (f->kind == LT_KIND_ADDR)
		return LT_BASE_PTR;
	return f->kind == LT_KIND_CODE ? LT_BASE_TEXT : LT_BASE_NONE;
}

/* Whether an event, of struct lt_event, announces the task that runs. */
static inline bool lt_event_announces_task(unsigned int event)
{
	return event == LT_EV_TASK || event == LT_EV_AREA_TASK || event == LT_EV_SYSCALL_TASK ||
	       event == LT_EV_CALL_TASK;
}

/* The field of that name, or NULL. */
const struct lt_field *lt_schema_field(const struct lt_event_desc *d, const char *name);

/* By enum lt_class: the name that this version gives a class, or NULL. */
const char *lt_class_id_name(unsigned int class);

#endif /* LT_LIB_SCHEMA_H */
