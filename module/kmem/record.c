// SPDX-License-Identifier: GPL-2.0
/*
 * The channel kmem, its filter, and records that are rare: failed allocations and
 * markers.
 */
#include <linux/kallsyms.h>
#include <linux/string.h>

#include "kmem/caller.h"
#include "kmem/compat.h"
#include "kmem/kmem.h"

/* Every event reads it: not in a cache line with variables that change often. */
struct lt_channel lt_channel_kmem __read_mostly;

size_t lt_min_size __read_mostly;
u32 lt_sample __read_mostly;
unsigned int lt_sample_one_in = 1;
bool lt_sample_changes;

/**
 * lt_set_sample() - keep the events of one address in @one_in
 * @one_in: 0 or 1: keep all
 *
 * The addresses of a sample are some of those of each larger one.
 *
 * Context: no probe is attached, or lt_kmem_resample().
 */
void lt_set_sample(unsigned int one_in)
{
	lt_sample_one_in = one_in ?: 1;
	WRITE_ONCE(lt_sample, one_in > 1 ? U32_MAX / one_in : 0);
}

/**
 * lt_variant_of_session() - which version of the probes fits stacks, filter and clock?
 *
 * Context: stacks, filter and clock of the session are set.
 */
enum lt_variant lt_variant_of_session(void)
{
	if (lt_stacks_of_objects())
		return LT_STACKED;
	if (lt_births_on)
		return LT_FILTERED;
	if (lt_min_size || lt_sample || lt_sample_changes)
		return LT_ANY;
	switch (lt_clock_used) {
	case LT_CLOCK_COUNTER:
		return LT_COUNTER;
	case LT_CLOCK_MONO:
		return LT_MONO;
	default:
		return LT_ANY;
	}
}

/* As lt_variant_of_session(), of the probe on allocations of pages. */
enum lt_variant lt_variant_of_pages(void)
{
	return lt_stacks_on() ? LT_STACKED : lt_births_on ? LT_FILTERED : LT_ANY;
}

/* ------------------------------------------------------------------------
 * Allocations that failed
 */

/* Of a function. Used between lt_enter() and lt_leave(). */
static DEFINE_PER_CPU(char [KSYM_SYMBOL_LEN], allocator_name);

/*
 * Some kernels trace a kmalloc that is too large for a slab twice: from within the allocator, and
 * then for its caller. Is that the first event, whose call site is in the allocator? The second one
 * follows whatever comes in between, as the kernel's own warning of the failure.
 */
static bool is_first(const struct lt_rec_ALLOC_FAILED *new)
{
	char *name = *this_cpu_ptr(&allocator_name);

	if (new->what != LT_CLASS_KMALLOC || new->bytes_req <= KMALLOC_MAX_CACHE_SIZE)
		return false;
	sprint_symbol(name, (unsigned long)new->call_site);
	return strstarts(name, "__kmalloc") || strstarts(name, "__kvmalloc");
}

/**
 * lt_alloc_failed() - write that an allocation returned nothing
 * @what: class of the event that there would have been
 * @call_site: the caller
 * @bytes_req: bytes requested
 * @gfp: flags of the request
 * @node: node of the request
 * @s: the cache, or NULL
 *
 * Context: any.
 */
void lt_alloc_failed(unsigned int what, unsigned long call_site, size_t bytes_req,
		     gfp_t gfp, int node, const struct kmem_cache *s)
{
	struct lt_rec_ALLOC_FAILED *rec, new = {
		.call_site = lt_real_caller(call_site, false), .bytes_req = bytes_req,
		.gfp_flags = (__force u32)gfp, .node = node, .cache = LT_CACHE_UNKNOWN,
		.what = what,
	};
	struct lt_channel_cpu *c;
	unsigned long flags;
	u16 id;

	c = lt_enter(&lt_channel_kmem, LT_CLASS_ALLOC_FAILED, &flags);
	if (!c)
		return;
	if (LT_LARGE_TWICE && is_first(&new)) {
		lt_cancel(c, flags);
		return;
	}
	if (s) {
		id = lt_cache_id(&lt_channel_kmem, c, s);
		new.cache = id == LT_CACHE_LOST ? LT_CACHE_UNKNOWN : id;
	}
	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_ALLOC_FAILED, LT_EV_ALLOC_FAILED,
			 sizeof(*rec));
	if (rec)
		*rec = new;
	lt_leave(c, LT_CLASS_ALLOC_FAILED, flags);
}

/**
 * lt_kmem_mark() - write a marker into the stream of the current CPU
 * @text: bytes of the line
 * @len: not more than the marker's field holds
 *
 * Context: process; recording.
 * Return: 0, -ENOSPC: the buffer is full.
 */
int lt_kmem_mark(const char *text, size_t len)
{
	struct lt_rec_MARKER *rec;
	struct lt_channel_cpu *c;
	unsigned long flags;

	c = lt_enter(&lt_channel_kmem, LT_CLASS_MARKER, &flags);
	if (!c)
		return -ENOSPC;
	rec = lt_reserve(&lt_channel_kmem, c, LT_CLASS_MARKER, LT_EV_MARKER, sizeof(*rec));
	if (rec) {
		memset(rec->text, 0, sizeof(rec->text));
		memcpy(rec->text, text, len);
	}
	lt_leave(c, LT_CLASS_MARKER, flags);
	return rec ? 0 : -ENOSPC;
}
