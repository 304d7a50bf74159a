// SPDX-License-Identifier: GPL-2.0
/*
 * What raw records refer to by addresses: slab caches. They get ids here, and a record says what
 * these are.
 *
 * Rings are read one after the other, so a record may be older than what was taken in before it.
 * What it refers to follows from its time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "bpf/transcode_internal.h"

#define MAX_IDS		65534U

/* ------------------------------------------------------------------------
 * Caches
 */

void lt_transcode_doubt_caches(struct lt_transcode *t, uint64_t now)
{
	t->caches.doubts++;
	t->caches.doubted = now;
	for (unsigned int i = 0; i < LT_TRANSCODE_RECENT; i++)
		t->caches.recent[i].addr = 0;
}

static uint32_t hash_of(uint64_t addr)
{
	return (uint32_t)lt_hash64(addr, 0);
}

/* The cache that was at an address at a time; of several the one that came first. NULL: none. */
static struct lt_transcode_cache *find_cache(struct lt_transcode_caches *c, uint64_t addr,
					     uint64_t time)
{
	uint32_t number;

	if (!c->by_addr.slots)
		return NULL;
	lt_map_for_each(number, at, &c->by_addr, hash_of(addr)) {
		struct lt_transcode_cache *cache = &c->all[number - 1];

		if (cache->addr == addr && time >= cache->from && time <= cache->until)
			return cache;
	}
	return NULL;
}

/* When the last cache at an address went. */
static uint64_t last_gone(const struct lt_transcode_caches *c, uint64_t addr)
{
	uint64_t last = 0;
	uint32_t number;

	lt_map_for_each(number, at, &c->by_addr, hash_of(addr)) {
		const struct lt_transcode_cache *cache = &c->all[number - 1];

		if (cache->addr == addr && cache->until != UINT64_MAX && cache->until >= last)
			last = cache->until + 1;
	}
	return last;
}

static struct lt_transcode_cache *new_cache(struct lt_transcode_caches *c, uint64_t addr)
{
	if (!c->by_addr.slots)
		lt_map_init(&c->by_addr);
	c->all = lt_grow(c->all, &c->cap, c->n, sizeof(*c->all));
	c->all[c->n] = (struct lt_transcode_cache){
		.addr = addr, .from = last_gone(c, addr), .until = UINT64_MAX, .said = UINT64_MAX,
		.doubts = c->doubts,
	};
	lt_map_add(&c->by_addr, hash_of(addr), (uint32_t)(++c->n));
	return &c->all[c->n - 1];
}

/* No id is used twice: what it means is the same in the whole trace. */
static void use(struct lt_transcode_caches *c, struct lt_transcode_cache *cache)
{
	if (cache->used)
		return;
	cache->used = true;
	cache->id = c->ids < MAX_IDS ? (uint16_t)(++c->ids) : 0;
	if (cache->what)
		cache->what->cache = cache->id;
}

static void remember(struct lt_transcode_caches *c, const struct lt_transcode_cache *cache)
{
	struct lt_transcode_cache *recent = &c->recent[lt_transcode_recent(cache->addr)];

	if (cache->until != UINT64_MAX)
		return;
	*recent = *cache;
	if (cache->said != UINT64_MAX && cache->said > recent->from)
		recent->from = cache->said;
}

static void learn(struct lt_transcode_cache *cache, const struct lt_rec_CACHE *what)
{
	cache->what = lt_alloc(sizeof(*cache->what));
	*cache->what = *what;
	cache->what->ptr = cache->addr;
	cache->what->cache = cache->id;
}

/*
 * Asks the kernel: the record LT_RAW_CACHE may be in another ring, which is read later. Or the
 * cache is gone by now, and nobody knows what it was.
 */
static void ask(const struct lt_transcode_ring *r, struct lt_transcode_cache *cache)
{
	const struct lt_transcode_config *config = &r->t->config;
	struct lt_rec_CACHE what = { .ptr = cache->addr };

	if (cache->until == UINT64_MAX && config->cache &&
	    config->cache(config->source, cache->addr, &what))
		learn(cache, &what);
}

/* After a doubt: is it still the cache that it was, as far as the kernel says? */
static bool is_still(const struct lt_transcode_ring *r, struct lt_transcode_cache *cache,
		     uint64_t time)
{
	const struct lt_transcode_config *config = &r->t->config;
	struct lt_rec_CACHE now = { .ptr = cache->addr };

	/* A record of before the doubt says nothing of what is there now. */
	if (cache->doubts == r->t->caches.doubts || time < r->t->caches.doubted)
		return true;
	cache->doubts = r->t->caches.doubts;
	if (!config->cache || !config->cache(config->source, cache->addr, &now))
		return true;
	/* That cache could not be named, since it was gone when it was asked for. */
	if (!cache->what)
		return false;
	return now.object_size == cache->what->object_size && now.size == cache->what->size &&
	       !strncmp(now.name, cache->what->name, sizeof(now.name));
}

/*
 * A reader takes events by time: what an id means must stand before its first use. That
 * may be in a ring which is read after the one that has said it, and is said there as well.
 */
static void announce(struct lt_transcode_ring *r, struct lt_transcode_cache *cache, uint64_t time)
{
	if (!cache->what || !cache->id || time >= cache->said)
		return;
	lt_encode_record(&r->e, time, LT_CTX_TASK, LT_EV_CACHE, cache->what);
	cache->said = time;
}

uint16_t lt_transcode_cache_slow(struct lt_transcode_ring *r, uint64_t addr, uint64_t time)
{
	struct lt_transcode_caches *c = &r->t->caches;
	struct lt_transcode_cache *cache = find_cache(c, addr, time);

	if (cache && cache->until == UINT64_MAX && time > cache->from &&
	    !is_still(r, cache, time)) {
		cache->until = time - 1;
		cache = NULL;
	}
	if (!cache) {
		cache = new_cache(c, addr);
		if (time < c->doubted)
			cache->doubts = c->doubts - 1;
		ask(r, cache);
	}
	use(c, cache);
	announce(r, cache, time);
	/* What is remembered is not doubted. */
	if (cache->doubts == c->doubts)
		remember(c, cache);
	c->overflow += !cache->id;
	return cache->id;
}

/* What a record says of a cache, if that is not known yet. */
static void learn_raw(struct lt_transcode_cache *cache, const struct lt_raw_cache *raw)
{
	struct lt_rec_CACHE what = { .object_size = raw->object_size, .size = raw->size };

	memcpy(what.name, raw->name, strnlen(raw->name, sizeof(what.name)));
	if (!cache->what && what.name[0])
		learn(cache, &what);
}

void lt_transcode_cache_seen(struct lt_transcode_ring *r, const struct lt_raw_cache *raw)
{
	struct lt_transcode_caches *c = &r->t->caches;
	struct lt_transcode_cache *cache = find_cache(c, raw->cache, raw->time);

	if (!cache)
		cache = new_cache(c, raw->cache);
	use(c, cache);
	learn_raw(cache, raw);
	announce(r, cache, raw->time);
	remember(c, cache);
}

/* Those that are used before may be in rings that are read later. */
void lt_transcode_cache_gone(struct lt_transcode_ring *r, const struct lt_raw_cache *raw)
{
	struct lt_transcode_caches *c = &r->t->caches;
	struct lt_transcode_cache *cache = find_cache(c, raw->cache, raw->time);

	if (cache && cache->until != UINT64_MAX) {
		/* It was the one before, whose end is in a ring that is read later. */
		uint64_t from = cache->from;

		cache->from = raw->time + 1;
		cache = new_cache(c, raw->cache);
		cache->from = from;
	}
	if (!cache)
		cache = new_cache(c, raw->cache);
	learn_raw(cache, raw);
	cache->until = raw->time;
	if (c->recent[lt_transcode_recent(raw->cache)].addr == raw->cache)
		c->recent[lt_transcode_recent(raw->cache)].addr = 0;
	if (cache->id)
		LT_ENCODE(&r->e, raw->time, LT_CTX_TASK, CACHE_GONE, .cache = cache->id);
}

void lt_transcode_refs_free(struct lt_transcode *t)
{
	for (size_t i = 0; i < t->caches.n; i++)
		free(t->caches.all[i].what);
	free(t->caches.all);
	if (t->caches.by_addr.slots)
		lt_map_destroy(&t->caches.by_addr);
}
