// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The stacks of a trace, without the frames of the page allocator.
 *
 * The tracepoint of an allocation of pages has no caller, and stands within the page allocator.
 * So the module records a stack from there on, and the functions that are the page allocator's
 * own are left out here, by their names.
 */
#include <string.h>

#include "base/mem.h"
#include "trace/internal.h"

#define NOT_COUNTED	0xff

/*
 * Functions of Debian's kernels from 5.10 to 7.3, in the order in which they call each other; a
 * star stands for the rest of a name. What a kernel does not have matches nothing. Other functions
 * that allocate pages for others (page tables, slabs, stacks) say something, and stay.
 */
static const char *const page_allocator[] = {
	"__traceiter_mm_page_alloc", "__alloc_pages*", "__alloc_frozen_pages*", "alloc_pages*",
	"alloc_frozen_pages*", "alloc_page_interleave", "__folio_alloc*", "folio_alloc*",
	"vma_alloc_folio*", "vma_alloc_zeroed_movable_folio*", "alloc_zeroed_user_highpage*",
	"__get_free_pages*", "get_free_pages*", "get_zeroed_page*",
	"__page_frag_alloc_align*", "__page_frag_cache_*", "page_frag_alloc*",
};

static bool in_page_allocator(const struct lt_trace *t, uint64_t addr)
{
	const char *module;
	uint64_t offset;
	const char *name = lt_trace_function(t, addr, &offset, &module);

	for (size_t i = 0;
	     name && !module && i < sizeof(page_allocator) / sizeof(page_allocator[0]); i++) {
		size_t n = strlen(page_allocator[i]);

		if (page_allocator[i][n - 1] == '*' ? !strncmp(name, page_allocator[i], n - 1) :
						      !strcmp(name, page_allocator[i]))
			return true;
	}
	return false;
}

unsigned int lt_trace_own_frames(const struct lt_trace *t, const struct lt_stack *stack)
{
	unsigned int n = 0;

	while (n + 1 < stack->n && in_page_allocator(t, stack->frames[n]))
		n++;
	return n;
}

struct lt_stack lt_trace_stack(const struct lt_trace *t, uint32_t number)
{
	/* Kept with the trace, as its symbols are: what can be found out again is no state. */
	struct lt_trace *kept = (struct lt_trace *)(uintptr_t)t;
	size_t old = t->n_own_frames;
	struct lt_stack stack;

	/*
	 * Without lt_trace_hold(): stacks that were handed out do not move, see struct lt_stacks.
	 */
	stack = lt_stacks_get(&t->stacks, number);
	if (!stack.n)
		return stack;
	if (number >= old) {
		kept->own_frames = lt_extend(kept->own_frames, &kept->n_own_frames, number + 1, 1);
		memset(kept->own_frames + old, NOT_COUNTED, kept->n_own_frames - old);
	}
	if (kept->own_frames[number] == NOT_COUNTED)
		kept->own_frames[number] = (uint8_t)lt_trace_own_frames(t, &stack);
	stack.frames += kept->own_frames[number];
	stack.n -= kept->own_frames[number];
	return stack;
}

uint64_t lt_page_caller(const struct lt_trace *t, const struct lt_event *ev)
{
	struct lt_stack stack = lt_trace_stack(t, ev->stack);

	return stack.n ? stack.frames[0] : ev->call_site;
}

void lt_trace_forget_symbols(struct lt_trace *t)
{
	lt_symbols_free(t->symbols);
	t->symbols = NULL;
	/* Own frames were found by their names. */
	for (size_t i = 0; i < t->n_own_frames; i++)
		t->own_frames[i] = NOT_COUNTED;
}
