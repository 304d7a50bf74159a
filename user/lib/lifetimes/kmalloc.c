// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The slab caches of objects, and their names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lifetimes/kmalloc.h"

enum { TYPE_NORMAL, TYPE_CGROUP, TYPE_RECLAIM, TYPE_DMA };

#define TYPE_SHIFT	60

/* In place of the size: larger than all kmalloc caches. */
#define TOO_LARGE	((1ULL << TYPE_SHIFT) - 1)

static uint32_t find_bit(const struct lt_trace *t, const char *name)
{
	char buf[128];

	for (unsigned int i = 0; i < 32; i++) {
		if (!strcmp(lt_trace_gfp(t, 1U << i, buf, sizeof(buf)), name))
			return 1U << i;
	}
	return 0;
}

/* @text: "OBJECT:SLOT OBJECT:SLOT ...", from the recorder. Impossible pairs are left out. */
static void read_sizes(struct lt_kmalloc *k, const char *text)
{
	unsigned long long object, slot;
	int len;

	while (text && k->n_sizes < LT_MAX_KMALLOC_SIZES &&
	       sscanf(text, "%19llu:%19llu%n", &object, &slot, &len) == 2) {
		if (object && object <= k->largest && slot >= object)
			k->sizes[k->n_sizes++] = (struct lt_kmalloc_size){ object, slot };
		text += len;
	}
}

/* The object size in the name of the cache; 0: larger than all caches. */
static uint64_t size_of_cache(const struct lt_kmalloc *k, uint64_t bytes_req, uint64_t bytes_alloc)
{
	uint64_t found = 0;

	for (unsigned int i = 0; i < k->n_sizes; i++) {
		const struct lt_kmalloc_size *s = &k->sizes[i];

		if (s->slot == bytes_alloc && s->object >= bytes_req &&
		    (!found || s->object < found))
			found = s->object;
	}
	return found || bytes_alloc > k->largest ? found : bytes_alloc;
}

void lt_kmalloc_init(struct lt_kmalloc *k, const struct lt_trace *t)
{
	const char *release = lt_trace_info(t, "kernel_release");
	unsigned int major, minor;

	memset(k, 0, sizeof(*k));
	k->dma = find_bit(t, "__GFP_DMA");
	if (!k->dma)
		k->dma = find_bit(t, "GFP_DMA");
	k->reclaimable = find_bit(t, "__GFP_RECLAIMABLE");
	/* Accounted kmallocs have caches of their own since 5.14. */
	if (!release || sscanf(release, "%u.%u", &major, &minor) != 2 ||
	    major > 5 || (major == 5 && minor >= 14))
		k->account = find_bit(t, "__GFP_ACCOUNT");
	/* The objects of SLUB's largest cache have two pages. */
	k->largest = 2ULL << lt_trace_page_shift(t);
	read_sizes(k, lt_trace_info(t, "kmalloc_slots"));
}

uint64_t lt_cache_key(const struct lt_kmalloc *k, unsigned int kind, uint32_t cache,
		      uint64_t bytes_req, uint64_t bytes_alloc, uint32_t gfp)
{
	uint64_t type = TYPE_NORMAL, bytes;

	if (cache)
		return cache;
	if (kind != LT_CLASS_KMALLOC)
		return 0;
	bytes = size_of_cache(k, bytes_req, bytes_alloc);
	if (!bytes && bytes_alloc)
		return LT_KEY_KMALLOC | TOO_LARGE;
	if (gfp & k->dma)
		type = TYPE_DMA;
	else if (gfp & k->reclaimable)
		type = TYPE_RECLAIM;
	else if (gfp & k->account)
		type = TYPE_CGROUP;
	return LT_KEY_KMALLOC | type << TYPE_SHIFT | bytes;
}

bool lt_cache_key_large(uint64_t key)
{
	return key == (LT_KEY_KMALLOC | TOO_LARGE);
}

const char *lt_cache_key_name(const struct lt_trace *t, uint64_t key, char *buf, size_t size)
{
	static const char *const prefixes[] = { "kmalloc-", "kmalloc-cg-", "kmalloc-rcl-",
						"dma-kmalloc-" };
	uint64_t bytes = key & ((1ULL << TYPE_SHIFT) - 1);
	const struct lt_cache *c;

	if (!key)
		return "(unknown)";
	if (lt_cache_key_large(key))
		return "kmalloc (large)";
	if (key & LT_KEY_KMALLOC) {
		bool kilo = bytes >= 1024 && bytes % 1024 == 0;

		snprintf(buf, size, "%s%llu%s", prefixes[key >> TYPE_SHIFT & 3],
			 (unsigned long long)(kilo ? bytes / 1024 : bytes), kilo ? "k" : "");
		return buf;
	}
	c = lt_trace_cache(t, (uint32_t)key);
	if (c && c->name[0])
		return c->name;
	snprintf(buf, size, "cache #%llu", (unsigned long long)key);
	return buf;
}

const char *lt_cache_key_shown(const struct lt_trace *t, uint64_t key, char *buf, size_t size)
{
	const char *name = lt_cache_key_name(t, key, buf, size);
	/* kmalloc's caches are asked for by their size, whatever is merged with them. */
	size_t n = key && !(key & LT_KEY_KMALLOC) ? lt_trace_merged(t, name) : 0;
	char *shown;

	if (!n)
		return name;
	shown = lt_format("%s (+%zu)", name, n);
	snprintf(buf, size, "%s", shown);
	free(shown);
	return buf;
}

const char *lt_cache_name(const struct lt_trace *t, uint64_t key, const struct lt_cache *cache,
			  char *buf, size_t size)
{
	if (!key)
		return NULL;
	if (cache && cache->name[0] && !(key & LT_KEY_KMALLOC))
		return cache->name;
	return lt_cache_key_name(t, key, buf, size);
}
