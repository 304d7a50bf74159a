// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The lifetimes that contained given addresses. Memory is proportional to the addresses and to what
 * is kept of each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "base/text.h"
#include "lifetimes/history.h"
#include "lifetimes/read.h"

#define NO_PFN	UINT64_MAX

static bool info_number(const struct lt_trace *t, const char *key, uint64_t *value)
{
	const char *text = lt_trace_info(t, key);

	return text && lt_number(text, 0, value);
}

struct lt_history *lt_history_new(struct lt_trace *t, size_t most)
{
	struct lt_history *h = lt_alloc(sizeof(*h));
	const char *machine = lt_trace_info(t, "machine");

	h->t = t;
	h->most = most;
	h->tagged = machine && !strcmp(machine, "aarch64");
	h->page_shift = lt_trace_page_shift(t);
	h->linear = info_number(t, "linear_base", &h->linear_base);
	h->end = lt_trace_end(t);
	return h;
}

void lt_history_free(struct lt_history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->at[i].lifetimes);
	free(h->at);
	free(h->by_addr);
	free(h->by_pfn);
	free(h->pfns);
	free(h);
}

/* Pointers of arm64 may have a tag in their first byte, of which the allocator takes no notice. */
static uint64_t plain(const struct lt_history *h, uint64_t addr)
{
	return h->tagged && addr & 1ULL << 55 ? addr | 0xffULL << 56 : addr;
}

size_t lt_history_add(struct lt_history *h, uint64_t addr, bool is_pfn)
{
	struct lt_place_history *at;

	for (size_t i = 0; i < h->n; i++) {
		if (h->at[i].addr == addr && h->at[i].is_pfn == is_pfn)
			return i;
	}
	h->at = lt_grow(h->at, &h->cap, h->n, sizeof(*h->at));
	at = &h->at[h->n];
	*at = (struct lt_place_history){ .addr = addr, .is_pfn = is_pfn, .plain = plain(h, addr) };
	return h->n++;
}

static uint64_t pfn_of(const struct lt_history *h, const struct lt_place_history *at)
{
	if (at->is_pfn)
		return at->addr;
	/* Below it there are no pages; above it what is no page has numbers that no page has. */
	return h->linear && at->plain - h->linear_base < UINT64_MAX / 2 ?
	       (at->plain - h->linear_base) >> h->page_shift : NO_PFN;
}

/* ------------------------------------------------------------------------
 * Reading
 */

static int by_plain(const void *a, const void *b, void *arg)
{
	const struct lt_history *h = arg;
	uint64_t x = h->at[*(const uint32_t *)a].plain, y = h->at[*(const uint32_t *)b].plain;

	return x < y ? -1 : x > y;
}

static int by_pfn(const void *a, const void *b, void *arg)
{
	const struct lt_history *h = arg;
	uint64_t x = h->pfns[*(const uint32_t *)a], y = h->pfns[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

static void sort_addresses(struct lt_history *h)
{
	h->by_addr = lt_alloc_array(h->n + 1, sizeof(*h->by_addr));
	h->by_pfn = lt_alloc_array(h->n + 1, sizeof(*h->by_pfn));
	h->pfns = lt_alloc_array(h->n + 1, sizeof(*h->pfns));
	for (size_t i = 0; i < h->n; i++) {
		h->pfns[i] = pfn_of(h, &h->at[i]);
		if (!h->at[i].is_pfn)
			h->by_addr[h->n_addr++] = (uint32_t)i;
		if (h->pfns[i] != NO_PFN)
			h->by_pfn[h->n_pfn++] = (uint32_t)i;
	}
	qsort_r(h->by_addr, h->n_addr, sizeof(*h->by_addr), by_plain, h);
	qsort_r(h->by_pfn, h->n_pfn, sizeof(*h->by_pfn), by_pfn, h);
}

/* The first of the sorted addresses that is not below @value. */
static size_t first_at(const struct lt_history *h, bool pfns, uint64_t value)
{
	return pfns ? lt_first_not(h->n_pfn, i, h->pfns[h->by_pfn[i]] < value) :
		      lt_first_not(h->n_addr, i, h->at[h->by_addr[i]].plain < value);
}

uint64_t lt_history_extent(const struct lt_history *h, const struct lt_lifetime *l)
{
	uint64_t bytes = lt_lifetime_bytes(l);

	if (l->space == LT_SPACE_PAGE)
		return l->order < 32 ? 1ULL << l->order << h->page_shift : 1;
	if (!bytes && l->space == LT_SPACE_SLAB && l->cache) {
		const struct lt_cache *cache = lt_trace_cache(h->t, l->cache);

		bytes = cache ? cache->size ? cache->size : cache->object_size : 0;
	}
	return bytes ? bytes : 1;
}

/* Objects before the pages that they are in, then the newest first. Negative: @a is first. */
static int newer(const void *a, const void *b)
{
	const struct lt_lifetime *x = a, *y = b;

	if ((x->space == LT_SPACE_PAGE) != (y->space == LT_SPACE_PAGE))
		return x->space == LT_SPACE_PAGE ? 1 : -1;
	if (x->death.time != y->death.time)
		return x->death.time > y->death.time ? -1 : 1;
	if ((x->ending == LT_END_ALIVE) != (y->ending == LT_END_ALIVE))
		return x->ending == LT_END_ALIVE ? -1 : 1;
	if (x->birth.time != y->birth.time)
		return x->birth.time > y->birth.time ? -1 : 1;
	return x->space < y->space ? -1 : x->space > y->space;
}

static void sort_lifetimes(struct lt_history *h, struct lt_place_history *at)
{
	if (at->n)
		qsort(at->lifetimes, at->n, sizeof(*at->lifetimes), newer);
	if (h->most && at->n > h->most)
		at->n = h->most;
}

static void keep(struct lt_history *h, struct lt_place_history *at, const struct lt_lifetime *l)
{
	at->total++;
	/* Sorted and cut each time that as many came as are kept. */
	if (h->most && at->n >= 2 * h->most)
		sort_lifetimes(h, at);
	at->lifetimes = lt_grow(at->lifetimes, &at->cap, at->n, sizeof(*at->lifetimes));
	at->lifetimes[at->n++] = *l;
}

/* An object that is alive, and may have been overrun at an address near it. */
static void look_near(struct lt_history *h, const struct lt_lifetime *l, uint64_t ptr,
		      uint64_t size)
{
	uint64_t page = 1ULL << h->page_shift, from = ptr > page ? ptr - page : 0;

	for (size_t i = first_at(h, false, from); i < h->n_addr; i++) {
		struct lt_place_history *at = &h->at[h->by_addr[i]];

		if (at->plain < ptr) {
			if (!at->has_after || plain(h, at->after.ptr) > ptr)
				at->after = *l;
			at->has_after = true;
		} else if (at->plain - ptr >= size) {
			if (at->plain - ptr - size >= page)
				break;
			if (!at->has_before || plain(h, at->before.ptr) < ptr)
				at->before = *l;
			at->has_before = true;
		}
	}
}

static void ended(void *arg, const struct lt_lifetime *l)
{
	struct lt_history *h = arg;
	bool pages = l->space == LT_SPACE_PAGE;
	uint64_t size = pages ? l->order < 32 ? 1ULL << l->order : 1 : lt_history_extent(h, l);
	uint64_t ptr = pages ? l->ptr : plain(h, l->ptr);
	const uint32_t *sorted = pages ? h->by_pfn : h->by_addr;
	size_t n = pages ? h->n_pfn : h->n_addr;

	for (size_t i = first_at(h, pages, ptr); i < n; i++) {
		uint32_t k = sorted[i];

		if ((pages ? h->pfns[k] : h->at[k].plain) - ptr >= size)
			break;
		keep(h, &h->at[k], l);
	}
	if (l->ending == LT_END_ALIVE &&
	    (l->space == LT_SPACE_SLAB || l->space == LT_SPACE_VMALLOC))
		look_near(h, l, ptr, size);
}

void lt_history_read(struct lt_history *h)
{
	const struct lt_lifetime_ops ops = { .ended = ended, .arg = h };

	sort_addresses(h);
	lt_lifetimes_read(h->t, &ops);
	h->end = lt_trace_end(h->t);
	for (size_t i = 0; i < h->n; i++)
		sort_lifetimes(h, &h->at[i]);
}

/* ------------------------------------------------------------------------
 * What was found
 */

uint64_t lt_history_offset(const struct lt_history *h, const struct lt_place_history *at,
			   const struct lt_lifetime *l)
{
	if (l->space != LT_SPACE_PAGE)
		return at->plain - plain(h, l->ptr);
	if (at->is_pfn)
		return (at->addr - l->ptr) << h->page_shift;
	return at->plain - h->linear_base - (l->ptr << h->page_shift);
}

const struct lt_lifetime *lt_history_last_free(const struct lt_place_history *at)
{
	const struct lt_lifetime *page = NULL;

	for (size_t i = 0; i < at->n; i++) {
		const struct lt_lifetime *l = &at->lifetimes[i];

		if (!l->death.known)
			continue;
		if (l->space != LT_SPACE_PAGE)
			return l;
		if (!page)
			page = l;
	}
	return page;
}
