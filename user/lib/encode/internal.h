/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Within the encoder, and for tests that write damaged packets.
 */
#ifndef LT_ENCODE_INTERNAL_H
#define LT_ENCODE_INTERNAL_H

#include "encode/encode.h"

/* Bytes that a record of a trace's schema may be longer than that of this version. */
#define LT_ENCODE_LONGER	64U

/* Bytes of @records records with payloads of @size bytes in all, and of all beginnings but one. */
static inline size_t lt_encode_room(const struct lt_encoder *e, unsigned int records, size_t size)
{
	size_t longer = e->machine.schema ? LT_ENCODE_LONGER : 0;

	return records * (LT_REC_WORD + longer) + size;
}

/* ------------------------------------------------------------------------
 * head.c
 */

/**
 * lt_encode_head() - write the beginning of a record
 * @e: the encoder, ready
 * @id: of the event in its channel; one above LT_ID_MASK takes the long form
 * @context: enum lt_context
 * @time: of the record, by lt_encode_ready()
 * @size: bytes of the payload
 *
 * Return: where the payload goes, @size bytes.
 */
uint8_t *lt_encode_head(struct lt_encoder *e, unsigned int id, unsigned int context,
			uint64_t time, size_t size);

/* ------------------------------------------------------------------------
 * packet.c
 */

/**
 * lt_encode_ready() - make the open packet ready for an event
 * @e: the encoder
 * @time: of the event
 * @context: enum lt_context
 * @size: bytes of the event's records at the most, by lt_encode_room()
 *
 * Begins another packet if there is no room, and announces the running task if that is due.
 * Return: the time that the event's records get.
 */
uint64_t lt_encode_ready(struct lt_encoder *e, uint64_t time, unsigned int context, size_t size);

/* Counts an event that was written. */
static inline void lt_encode_count(struct lt_encoder *e, unsigned int class)
{
	e->counts[LT_CLASS_INDEX(class)].seen++;
}

#define LT_ENCODE_TASK_BITS	6
#define LT_ENCODE_TASKS		(1U << LT_ENCODE_TASK_BITS)

/**
 * struct lt_encode_seen_task - a task that was announced
 * @task: the task
 * @stamp: the packet has announced it if this is the encoder's
 */
struct lt_encode_seen_task {
	struct lt_encode_task task;
	uint32_t stamp;
};

/*
 * Whether the open packet has announced the running task, by a number, and it is that task by its
 * identity. The encoder is ready.
 */
bool lt_encode_is_running(const struct lt_encoder *e, const struct lt_encode_task *task,
			  uint8_t *number);

#define LT_BIG_ENDIAN	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Is the byte order of the machine that of this one? */
static inline bool lt_encode_same_order(const struct lt_encoder *e)
{
	return e->machine.big == LT_BIG_ENDIAN;
}

/* ------------------------------------------------------------------------
 * record.c
 */

/*
 * Writes a record of any event, from its struct in this machine's byte order, and does not count
 * it. The encoder is ready. Relative addresses are not changed.
 */
void lt_encode_put(struct lt_encoder *e, uint64_t time, unsigned int context, unsigned int event,
		   const void *rec);

/* Whether the schema of the machine has an event as this version has it. */
bool lt_encode_has(struct lt_encoder *e, unsigned int event);

/* The class of an event; LT_CLASS_NONE: it has none. The bytes of its payload. */
unsigned int lt_encode_class(unsigned int event);
size_t lt_encode_size(unsigned int event);

/* ------------------------------------------------------------------------
 * site.c
 */

/* What all events of a place have in common. */
struct lt_encode_place {
	uint64_t call_site;
	uint64_t sizes;		/* requested, and given in the upper half */
	uint64_t how;		/* flags; above them node and cache, 16 bits each */
};

/**
 * struct lt_encode_site - an entry of the table of sites
 * @place: the place
 * @stamp: the entry is announced in the open packet if this is the encoder's
 * @number: in that packet
 * @stack: number of the stack in that packet
 */
struct lt_encode_site {
	struct lt_encode_place place;
	uint32_t stamp;
	uint16_t number;
	uint16_t stack;
};

#define LT_ENCODE_SITE_BITS	12
#define LT_ENCODE_N_SITES	(1U << LT_ENCODE_SITE_BITS)
#define LT_ENCODE_TRIES		8U	/* entries that a place may have */

/*
 * Sizes may be chosen by a user, and each makes another place. A packet gives so many entries to
 * the sizes of a call site, and to all more of them together one for so many of its bytes, but not
 * more than this share of the table: see lt_sites_admit() of module/core/site.c.
 */
#define LT_ENCODE_SIZES_BITS	9
#define LT_ENCODE_SIZES_EACH	8
#define LT_ENCODE_SIZES_SHIFT	9
#define LT_ENCODE_SIZES_SHARE	4

struct lt_encode_sites {
	struct lt_encode_site table[LT_ENCODE_N_SITES + LT_ENCODE_TRIES];
	uint8_t sizes[1U << LT_ENCODE_SIZES_BITS];
};

static inline unsigned int lt_encode_site_slot(const struct lt_encode_place *p)
{
	uint64_t key = p->call_site ^ (p->sizes << 20 | p->sizes >> 44) ^ p->how;

	return (unsigned int)((key * 0x9e3779b97f4a7c15ULL) >> (64 - LT_ENCODE_SITE_BITS));
}

static inline bool lt_encode_is_place(const struct lt_encode_place *a,
				      const struct lt_encode_place *b)
{
	return a->call_site == b->call_site && a->sizes == b->sizes && a->how == b->how;
}

/**
 * lt_encode_site() - the number of a place in the open packet
 * @e: the encoder, ready
 * @time, @context: of the event
 * @place: the place
 * @stack: number of the stack in the packet, 0: none
 * @number: result
 *
 * Announces the site if it is not yet announced.
 * Return: false: there is no entry for it, and the event is to be written in full. Not with a
 * stack.
 */
bool lt_encode_site(struct lt_encoder *e, uint64_t time, unsigned int context,
		    const struct lt_encode_place *place, uint16_t stack, uint16_t *number);

/* Tables of a new packet are empty. */
void lt_encode_sites_begin(struct lt_encoder *e);

/* Does the packet have numbers for a site and a stack more? */
static inline bool lt_encode_has_numbers(const struct lt_encoder *e)
{
	return e->n_sites < UINT16_MAX && e->n_stacks < UINT16_MAX;
}

/* ------------------------------------------------------------------------
 * stack.c
 */

#define LT_ENCODE_STACKS_BITS	10

/* A stack that was announced in the packet of the stamp. */
struct lt_encode_seen_stack {
	uint64_t hash;
	uint32_t stamp;
	uint16_t number;
	uint8_t n;
	uint8_t flags;
	uint64_t frames[LT_STACK_FRAMES];
};

struct lt_encode_stacks {
	struct lt_encode_seen_stack table[1U << LT_ENCODE_STACKS_BITS];
};

/* The number of a stack in the open packet, in which it is announced from here on. */
uint16_t lt_encode_stack(struct lt_encoder *e, uint64_t time, unsigned int context,
			 const struct lt_encode_stack *stack);

/* An address of code as 32 bits above text_base, 0: not known. */
static inline bool lt_encode_narrow_code(const struct lt_encoder *e, uint64_t addr)
{
	uint64_t base = e->machine.text_base;

	/* The base itself would be 0. */
	return !addr || (addr > base && addr - base <= UINT32_MAX);
}

static inline uint32_t lt_encode_code(const struct lt_encoder *e, uint64_t addr)
{
	return addr ? (uint32_t)(addr - e->machine.text_base) : 0;
}

#endif /* LT_ENCODE_INTERNAL_H */
