// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks: which of them are recorded, and which a CPU has announced in its open packet.
 *
 * Everything here but open and close runs between lt_enter() and lt_leave(), and the tables
 * need no lock; see unwind.c.
 */
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "kmem/stack.h"
#include "kmem/unwind.h"

/* Stacks that a CPU remembers; a workload has some hundred. */
#define STACKS_BITS	11
#define STACKS		BIT(STACKS_BITS)

/**
 * struct entry - a stack that was announced
 * @seq: lt_channel_cpu.seq when it was; another one: in a packet that is closed
 * @hash: of the frames
 * @number: in that packet
 * @n: frames
 * @flags: enum lt_stack_flag
 * @frames: @n return addresses
 */
struct entry {
	u64 seq;
	u32 hash;
	u16 number;
	u8 n;
	u8 flags;
	unsigned long frames[];
};

/**
 * struct stacks - the table of a CPU
 * @seq: of the packet that @last is of
 * @last: the number that was given last. Numbers are given in order and not by the place in
 *	the table: a stack that takes the entry of another one must not take its number, under
 *	which sites of this packet are announced
 * @walks: what was learned of unwinding, behind the entries
 * @entries: of size entry_size() each
 */
struct stacks {
	u64 seq;
	unsigned int last;
	struct lt_walks *walks;
	u8 entries[] __aligned(8);
};

struct lt_stack_filter lt_stack_filter __read_mostly;

/* Frames of a stack; 0: there are no tables. */
static unsigned int stack_depth __read_mostly;
static DEFINE_PER_CPU(struct stacks *, cpu_stacks);

/* Of the running or last session. */
static struct lt_stack_options options;
static u64 missed, unwound, wrong;	/* by CPUs whose tables were freed */

static size_t entry_size(unsigned int depth)
{
	return sizeof(struct entry) + ALIGN(depth * sizeof(unsigned long), 8);
}

static size_t table_size(unsigned int depth)
{
	return sizeof(struct stacks) + STACKS * entry_size(depth) + lt_walks_size();
}

/* Does a session with these options record stacks? */
static bool wanted(const struct lt_stack_options *o)
{
	return o->one_in || o->min || o->pages;
}

/**
 * lt_stacks_bytes() - bytes of the tables of a session, on all CPUs
 * @o: options of the session
 */
size_t lt_stacks_bytes(const struct lt_stack_options *o)
{
	return wanted(o) ? table_size(o->depth) * num_possible_cpus() : 0;
}

/* Does the session record stacks? Context: between lt_stacks_open() and _close(). */
bool lt_stacks_on(void)
{
	return stack_depth;
}

/* Does it record stacks of objects? Context: as lt_stacks_on(). */
bool lt_stacks_of_objects(void)
{
	return stack_depth && (options.one_in || options.min);
}

/*
 * Does the running or last session record the stacks of all pages?
 * Context: no session is being started.
 */
bool lt_page_stacks(void)
{
	return options.pages || options.one_in == 1;
}

/* The options of the running or last session. Context: no session is being started. */
const struct lt_stack_options *lt_stacks_of_session(void)
{
	return &options;
}

/* A figure of all CPUs: @before of those whose tables were freed, and of the others now. */
static u64 sum(u64 before, u64 (*figure)(const struct lt_walks *ws))
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(cpu_stacks, cpu))
			before += figure(per_cpu(cpu_stacks, cpu)->walks);
	return before;
}

/*
 * Events of the running or last session in whose stack their caller was not found, and so
 * no stack was recorded. Context: process; no session is being started or stopped.
 */
u64 lt_stacks_missed(void)
{
	return sum(missed, lt_walks_missed);
}

/* How often the kernel's unwinder was called for them. Context: as lt_stacks_missed(). */
u64 lt_stacks_unwound(void)
{
	return sum(unwound, lt_walks_unwound);
}

/* And how often it then found others than by known steps. Context: as lt_stacks_missed(). */
u64 lt_stacks_wrong(void)
{
	return sum(wrong, lt_walks_wrong);
}

/**
 * lt_stacks_open() - allocate the tables for a session, if it records stacks
 * @o: options of the session
 *
 * Context: process, sleeps; before any probe is attached; lt_steps_open() before a probe is.
 * Return: 0 or -ENOMEM, then there are none.
 */
int lt_stacks_open(const struct lt_stack_options *o)
{
	unsigned int cpu;

	lt_stacks_close();
	missed = 0;
	unwound = 0;
	wrong = 0;
	options = *o;
	if (!wanted(o))
		return 0;
	for_each_possible_cpu(cpu) {
		struct stacks *st;
		int node = cpu_to_node(cpu);

		/* The node of a CPU that is not online yet may not be online, either. */
		if (node != NUMA_NO_NODE && !node_online(node))
			node = NUMA_NO_NODE;
		st = kvzalloc_node(table_size(o->depth), GFP_KERNEL, node);
		if (!st) {
			lt_stacks_close();
			return -ENOMEM;
		}
		st->walks = (void *)st + table_size(o->depth) - lt_walks_size();
		per_cpu(cpu_stacks, cpu) = st;
	}
	stack_depth = o->depth;
	lt_stack_filter.below = o->one_in ? div_u64(1ULL << 32, o->one_in) : 0;
	lt_stack_filter.pages = lt_page_stacks();
	lt_stack_filter.min = o->min ?: SIZE_MAX;
	lt_stack_filter.frees = o->frees;
	return 0;
}

/* Free the tables, if there are any. Context: process, after the last probe is gone. */
void lt_stacks_close(void)
{
	unsigned int cpu;

	missed = lt_stacks_missed();
	unwound = lt_stacks_unwound();
	wrong = lt_stacks_wrong();
	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(cpu_stacks, cpu));
		per_cpu(cpu_stacks, cpu) = NULL;
	}
	stack_depth = 0;
	lt_stack_filter = (struct lt_stack_filter) { .min = SIZE_MAX };
}

/**
 * lt_stack_save() - unwind from here to the caller of the allocator, and on from it
 * @call_site: the caller
 * @s: result, valid until the event is written
 *
 * Context: between lt_enter() and lt_leave(); the session records stacks.
 * Return: false: the caller is not in the stack; counted.
 */
bool lt_stack_save(unsigned long call_site, struct lt_stack *s)
{
	return lt_unwind_caller(this_cpu_read(cpu_stacks)->walks, call_site, stack_depth, s);
}

/* ------------------------------------------------------------------------
 * Announcing
 */

/* The most that an event takes with all that may have to stand before it. */
#define MOST_BYTES	(LT_REC_LONG + sizeof(struct lt_rec_TASK) +	\
			 LT_REC_WORD + sizeof(struct lt_rec_STACK_WIDE) + \
			 LT_REC_WORD + sizeof(struct lt_rec_SITE) +	\
			 LT_REC_WORD + sizeof(struct lt_rec_PAGE_ALLOC_SHORT))

/**
 * lt_stack_room() - make sure that an event fits the open packet with its stack and site
 * @c: state of this CPU, which has a buffer; c->now is the time of the event
 *
 * A new packet in between would make the stack's number invalid.
 *
 * Context: between lt_enter() and lt_leave(); the session records stacks.
 * Return: false: the buffer is full.
 */
bool lt_stack_room(struct lt_channel_cpu *c)
{
	const struct stacks *st = this_cpu_read(cpu_stacks);

	BUILD_BUG_ON(sizeof(struct lt_packet_header) + MOST_BYTES > LT_MIN_SUBBUF_SIZE);
	BUILD_BUG_ON(sizeof(struct lt_rec_PAGE_ALLOC_SHORT) < LT_BRIEF_PAYLOAD);
	if (c->buf->offset + MOST_BYTES <= c->size &&
	    !(st->seq == c->seq && st->last == U16_MAX))
		return true;
	relay_switch_subbuf(c->buf, MOST_BYTES);
	return c->buf->offset + MOST_BYTES <= c->size;
}

static u32 hash_of(const struct lt_stack *s)
{
	u32 hash = s->n | s->flags << 8;
	unsigned int i;

	for (i = 0; i < s->n; i++)
		hash = (hash ^ (u32)s->frames[i]) * 0x9e3779b1U;
	return hash;
}

static bool is_stack(const struct entry *e, const struct lt_stack *s, u32 hash)
{
	unsigned int i;

	if (e->hash != hash || e->n != s->n || e->flags != s->flags)
		return false;
	for (i = 0; i < s->n; i++)
		if (e->frames[i] != s->frames[i])
			return false;
	return true;
}

/* The narrowest form that holds all frames. */
static unsigned int form_of(const struct lt_stack *s, size_t *size)
{
	unsigned int i;

	for (i = 0; i < s->n; i++)
		if (!lt_code_narrow(s->frames[i])) {
			*size = sizeof(struct lt_rec_STACK_WIDE);
			return LT_EV_STACK_WIDE;
		}
	if (s->n <= ARRAY_SIZE(((struct lt_rec_STACK *)0)->frames)) {
		*size = sizeof(struct lt_rec_STACK);
		return LT_EV_STACK;
	}
	if (s->n <= ARRAY_SIZE(((struct lt_rec_STACK_16 *)0)->frames)) {
		*size = sizeof(struct lt_rec_STACK_16);
		return LT_EV_STACK_16;
	}
	*size = sizeof(struct lt_rec_STACK_32);
	return LT_EV_STACK_32;
}

static bool write_stack(struct lt_channel *ch, struct lt_channel_cpu *c,
			const struct lt_stack *s, u16 number)
{
	size_t size;
	unsigned int id = form_of(s, &size), i;
	struct lt_rec_STACK *r = lt_reserve_slow(ch, c, id, size);	/* all forms begin so */

	BUILD_BUG_ON(offsetof(struct lt_rec_STACK_WIDE, frames) !=
		     offsetof(struct lt_rec_STACK, frames));
	if (!r)
		return false;
	memset(r, 0, size);	/* frames that are not used */
	r->stack = number;
	r->n_frames = s->n;
	r->flags = s->flags;
	for (i = 0; i < s->n; i++)
		if (id == LT_EV_STACK_WIDE)
			((struct lt_rec_STACK_WIDE *)r)->frames[i] = s->frames[i];
		else
			((struct lt_rec_STACK_32 *)r)->frames[i] = lt_code(s->frames[i]);
	return true;
}

/**
 * lt_stack_announce() - announce a stack, unless it is announced in the open packet
 * @ch: channel
 * @c: state of this CPU; c->now is the time of the event, and lt_stack_room() was true
 * @s: the stack, of not more frames than the session has
 *
 * Context: between lt_enter() and lt_leave(); the session records stacks.
 * Return: its number in the open packet; 0: it could not be announced.
 */
u16 lt_stack_announce(struct lt_channel *ch, struct lt_channel_cpu *c,
		      const struct lt_stack *s)
{
	struct stacks *st = this_cpu_read(cpu_stacks);
	u32 hash = hash_of(s);
	struct entry *e = (void *)&st->entries[(hash >> (32 - STACKS_BITS)) *
					       entry_size(stack_depth)];

	if (e->seq == c->seq && is_stack(e, s, hash))
		return e->number;
	if (st->seq != c->seq) {
		st->seq = c->seq;
		st->last = 0;
	}
	if (WARN_ON_ONCE(s->n > stack_depth) || !write_stack(ch, c, s, st->last + 1))
		return 0;
	e->seq = c->seq;
	e->hash = hash;
	e->number = ++st->last;
	e->n = s->n;
	e->flags = s->flags;
	memcpy(e->frames, s->frames, s->n * sizeof(*s->frames));
	return e->number;
}
