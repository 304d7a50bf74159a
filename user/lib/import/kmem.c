// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of memory, and the caches that they name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "import/internal.h"

#define MAX_IDS	65534U
#define MAX_ORDER	30U

/* ------------------------------------------------------------------------
 * Caches
 */

void lt_import_caches_init(struct lt_import_caches *c)
{
	lt_map_init(&c->map);
	c->seed = lt_hash_seed();
}

void lt_import_caches_destroy(struct lt_import_caches *c)
{
	free(c->all);
	lt_map_destroy(&c->map);
}

static uint32_t hash_of(const struct lt_import_caches *c, const struct lt_import_cache *cache)
{
	size_t len = strnlen(cache->name, sizeof(cache->name));

	/* A cache without a name is known by its sizes. */
	return len ? lt_hash_text(cache->name, len, c->seed) :
	       (uint32_t)lt_hash64(cache->object_size ^ (uint64_t)cache->size << 32, c->seed);
}

static bool is_same(const struct lt_import_cache *a, const struct lt_import_cache *b)
{
	return !strcmp(a->name, b->name) &&
	       (a->name[0] || (a->object_size == b->object_size && a->size == b->size));
}

static void announce(struct lt_encoder *e, uint64_t time, const struct lt_import_cache *cache,
		     uint16_t id)
{
	struct lt_rec_CACHE rec = {
		.cache = id, .object_size = cache->object_size,
		.size = cache->size,
	};

	if (cache->name[0])
		memcpy(rec.name, cache->name, sizeof(rec.name));
	else
		snprintf(rec.name, sizeof(rec.name), "(unnamed, %" PRIu32 " bytes)",
			 cache->object_size);
	lt_encode_record(e, time, LT_CTX_TASK, LT_EV_CACHE, &rec);
}

/* Frees do not say the sizes: these are said again with the first birth. */
static void learn(struct lt_encoder *e, uint64_t time, struct lt_import_cache *known,
		  const struct lt_import_cache *cache, uint16_t id)
{
	if (known->size || !cache->size)
		return;
	*known = *cache;
	announce(e, time, known, id);
}

/* The id of a cache, which is said before its first use. 0: there are too many. */
static uint16_t id_of(struct lt_import *im, struct lt_encoder *e, uint64_t time,
		      const struct lt_import_cache *cache)
{
	struct lt_import_caches *c = &im->caches;
	uint32_t hash = hash_of(c, cache), number;

	lt_map_for_each(number, at, &c->map, hash) {
		if (!is_same(&c->all[number - 1], cache))
			continue;
		learn(e, time, &c->all[number - 1], cache, (uint16_t)number);
		return (uint16_t)number;
	}
	if (c->n == MAX_IDS) {
		c->overflow++;
		return 0;
	}
	c->all = lt_grow(c->all, &c->cap, c->n, sizeof(*c->all));
	c->all[c->n++] = *cache;
	lt_map_add(&c->map, hash, (uint32_t)c->n);
	announce(e, time, cache, (uint16_t)c->n);
	return (uint16_t)c->n;
}

static uint32_t narrow(uint64_t bytes)
{
	return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

static bool has_sizes(const struct lt_import_event *ev)
{
	return ev->kind == LT_IMPORT_CACHE_ALLOC || ev->kind == LT_IMPORT_CACHE_ALLOC_NODE;
}

/*
 * Kernels whose births have no name have one with frees. A cache of which only the sizes are known
 * and one of which only the name is are perhaps the same: so the names of frees are left out then.
 */
static uint16_t cache_of(struct lt_import *im, struct lt_encoder *e,
			 const struct lt_import_event *ev)
{
	struct lt_import_cache cache = { 0 };

	if (!im->source.alloc_has_name && !has_sizes(ev))
		return 0;
	if (im->source.alloc_has_name)
		memcpy(cache.name, ev->name, strnlen(ev->name, sizeof(cache.name) - 1));
	if (has_sizes(ev)) {
		cache.object_size = narrow(ev->bytes_req);
		cache.size = narrow(ev->bytes_alloc);
	}
	return cache.name[0] || cache.size ? id_of(im, e, ev->time, &cache) : 0;
}

/* ------------------------------------------------------------------------
 * Events
 */

/* The kernel calls kfree() without an object, or with one of no size, very often. */
static bool is_no_object(uint64_t ptr)
{
	return ptr <= 16;
}

static bool is_pages(enum lt_import_kind kind)
{
	return kind >= LT_IMPORT_PAGE_ALLOC && kind <= LT_IMPORT_PAGE_BATCHED;
}

static bool is_birth(enum lt_import_kind kind)
{
	return kind <= LT_IMPORT_CACHE_ALLOC_NODE || kind == LT_IMPORT_PAGE_ALLOC;
}

/* Of a page that was not there, the number is -1, as a long of the machine, or 0. */
static bool has_failed(const struct lt_import *im, const struct lt_import_event *ev)
{
	uint64_t none = im->source.machine.size_long == 4 ? UINT32_MAX : UINT64_MAX;

	return ev->kind == LT_IMPORT_PAGE_ALLOC ? ev->ptr == none : !ev->ptr;
}

static void put_failed(struct lt_encoder *e, const struct lt_import_event *ev, uint16_t cache)
{
	bool pages = ev->kind == LT_IMPORT_PAGE_ALLOC;

	LT_ENCODE(e, ev->time, ev->context, ALLOC_FAILED, .call_site = ev->call_site,
		  .bytes_req = pages ? (uint64_t)4096 << ev->order : ev->bytes_req,
		  .gfp_flags = ev->gfp, .node = ev->has_node ? ev->node : -1, .cache = cache,
		  .what = (uint8_t)lt_import_class(ev->kind));
}

void lt_import_kmem(struct lt_import *im, const struct lt_import_event *ev)
{
	struct lt_encoder *e = lt_import_stream(im, LT_CHANNEL_KMEM, ev->cpu);
	struct lt_encode_object o = {
		.class = lt_import_class(ev->kind), .ptr = ev->ptr, .call_site = ev->call_site,
		.bytes_req = ev->bytes_req, .bytes_alloc = ev->bytes_alloc, .gfp = ev->gfp,
		.node = ev->has_node ? ev->node : -1, .order = ev->order,
		.last = ev->migratetype,
	};

	/* No allocator has such blocks. */
	if (is_pages(ev->kind) && ev->order > MAX_ORDER) {
		im->counts.unusable++;
		return;
	}
	lt_import_run(im, e, ev);
	if (o.class == LT_CLASS_CACHE_ALLOC || o.class == LT_CLASS_CACHE_FREE)
		o.cache = cache_of(im, e, ev);
	if (is_birth(ev->kind) && has_failed(im, ev))
		put_failed(e, ev, o.cache);
	else if (!is_pages(ev->kind) && is_no_object(ev->ptr))
		lt_encode_lost(e, o.class, LT_ENCODE_FILTERED, 1);
	else
		lt_encode_object(e, ev->time, ev->context, &o);
}
