/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks: how the caller of an allocator was called. A packet announces a stack once, with
 * a number; its sites hold the number.
 */
#ifndef LT_STACK_H
#define LT_STACK_H

#include "kmem/object.h"

/**
 * struct lt_stack_options - which stacks a session records
 * @one_in: of one address in so many; 0: none, 1: all
 * @min: and of all allocations of so many bytes or more; 0: of no others
 * @depth: frames at the most: 8, 16 or 32
 * @frees: also of frees of the addresses that @one_in chooses
 * @pages: of all allocations of pages; so it is if @one_in is 1, too
 */
struct lt_stack_options {
	unsigned int one_in;
	unsigned long min;
	unsigned int depth;
	bool frees;
	bool pages;
};

/**
 * struct lt_stack - return addresses, the innermost first
 * @frames: the first is the caller of the allocator
 * @n: how many; 0: the stack is not known
 * @flags: enum lt_stack_flag
 */
struct lt_stack {
	const unsigned long *frames;
	unsigned int n;
	unsigned int flags;
};

/**
 * struct lt_stack_filter - which events get a stack; set before probes are attached
 * @below: those of addresses whose hash is below this; 0: none, 1 << 32: all
 * @min: and births of so many bytes or more; SIZE_MAX: no others
 * @frees: also deaths, by their address
 * @pages: all births of pages
 */
struct lt_stack_filter {
	u64 below;
	size_t min;
	bool frees;
	bool pages;
};

extern struct lt_stack_filter lt_stack_filter;

static __always_inline bool lt_stack_chosen(const void *ptr)
{
	return LT_STACK_HASH((unsigned long)ptr) < lt_stack_filter.below;
}

/* Is the stack of this birth to be recorded? */
static __always_inline bool lt_stack_wanted(const void *ptr, size_t bytes)
{
	return lt_stack_chosen(ptr) || bytes >= lt_stack_filter.min;
}

/*
 * Is the stack of this birth of pages to be recorded? They are not chosen by their address:
 * a block may be freed in parts, which have other ones, so a sample could not be weighted.
 */
static __always_inline bool lt_page_stack_wanted(unsigned int order)
{
	return lt_stack_filter.pages || PAGE_SIZE << order >= lt_stack_filter.min;
}

/* Is the stack of this death to be recorded? */
static __always_inline bool lt_free_stack_wanted(const void *ptr)
{
	return lt_stack_filter.frees && lt_stack_chosen(ptr);
}

int lt_stacks_open(const struct lt_stack_options *o);
void lt_stacks_close(void);
bool lt_stacks_on(void);
bool lt_stacks_of_objects(void);
bool lt_page_stacks(void);
const struct lt_stack_options *lt_stacks_of_session(void);
size_t lt_stacks_bytes(const struct lt_stack_options *o);
u64 lt_stacks_missed(void);
u64 lt_stacks_unwound(void);
u64 lt_stacks_wrong(void);
bool lt_stack_save(unsigned long call_site, struct lt_stack *s);
bool lt_stack_room(struct lt_channel_cpu *c);
u16 lt_stack_announce(struct lt_channel *ch, struct lt_channel_cpu *c,
		      const struct lt_stack *s);

#endif /* LT_STACK_H */
