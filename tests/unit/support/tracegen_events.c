// SPDX-License-Identifier: GPL-2.0
/*
 * tracegen: events of made-up traces.
 */
#include <stdlib.h>
#include <string.h>

#include "tracegen.h"
#include "tracegen_private.h"

static bool fits40(const struct tg *g, uint64_t ptr)
{
	return ptr >= g->o.ptr_base && ptr - g->o.ptr_base < 1ULL << 40;
}

static bool fits32(const struct tg *g, uint64_t site)
{
	return !site || (site > g->o.text_base && site - g->o.text_base <= UINT32_MAX);
}

static uint64_t code32(const struct tg *g, uint64_t site)
{
	return site ? site - g->o.text_base : 0;
}

/* The entry of a site, or a free one, from its hash on; NULL: all are taken. */
static struct tg_site *find_site(struct tg_cpu *c, const struct tg_site *what)
{
	uint64_t hash = (what->call_site ^ what->req << 32 ^ what->alloc << 40 ^ what->gfp ^
			 (uint64_t)what->cache << 16 ^ (uint64_t)what->node << 24) *
			0x9e3779b97f4a7c15ULL;

	if (!c->sites)
		c->sites = tg_zalloc(TG_SITES * sizeof(*c->sites));
	for (size_t i = 0; i < TG_SITES; i++) {
		struct tg_site *s = &c->sites[(i + (hash >> 48)) % TG_SITES];

		if (s->stamp != c->stamp ||
		    (s->call_site == what->call_site && s->req == what->req &&
		     s->alloc == what->alloc && s->gfp == what->gfp && s->node == what->node &&
		     s->cache == what->cache))
			return s;
	}
	return NULL;
}

static void put_site(struct tg *g, uint32_t cpu, uint64_t time, unsigned int number,
		     const struct tg_site *s)
{
	uint8_t rec[sizeof(struct lt_rec_SITE)], *p = rec;

	p = PUT_u16(p, number);
	p = PUT_u32(p, code32(g, s->call_site));
	p = PUT_u32(p, s->gfp);
	p = PUT_u32(p, s->req);
	p = PUT_u32(p, s->alloc);
	p = PUT_u16(p, s->cache);
	p = tg_put_uint(g, p, 2, (uint64_t)(int64_t)s->node);
	PUT_u16(p, 0);
	tg_raw(g, cpu, time, LT_EV_SITE, LT_CLASS_NONE, rec, sizeof(rec));
}

/**
 * struct object_event - an event of an object, in any form
 * @id: of the narrow form; that of the wide form is one more
 * @brief: of the short form
 * @class: by which it is counted
 * @ptr: the object
 * @what: what it has in common with others
 * @request: it has the flags and the node of a request, and the cache
 * @cache: it has the cache
 */
struct object_event {
	unsigned int id, brief, class;
	uint64_t ptr;
	struct tg_site what;
	bool request, cache;
};

#define OBJECT(NAME, ...)						\
	(&(const struct object_event){					\
		.id = LT_EV_##NAME, .brief = LT_EV_##NAME##_SHORT,	\
		.class = LT_CLASS_##NAME, .ptr = ptr, __VA_ARGS__ })

/* The short form, if that is wanted and possible, and its site before it. */
static bool put_brief(struct tg *g, uint32_t cpu, uint64_t time, const struct object_event *e)
{
	uint8_t rec[sizeof(struct lt_rec_KFREE_SHORT)];
	struct tg_cpu *c = tg_get_cpu(g, cpu);
	struct tg_site what = e->what, *s;

	if (!g->o.brief || !fits40(g, e->ptr) || !fits32(g, what.call_site) ||
	    what.req > UINT32_MAX || what.alloc > UINT32_MAX || what.node < INT16_MIN ||
	    what.node > INT16_MAX)
		return false;
	/* Both are in one packet. */
	if (c->open && c->len + 2 * LT_REC_LONG + sizeof(struct lt_rec_SITE) + sizeof(rec) >
		       g->o.subbuf_size)
		tg_close(g, cpu, c->last);
	if (!c->open)
		tg_open(g, cpu, time);
	s = find_site(c, &what);
	if (!s)
		return false;
	if (s->stamp != c->stamp) {
		what.stamp = c->stamp;
		*s = what;
		put_site(g, cpu, time, (unsigned int)(s - c->sites), s);
	}
	PUT_u40(PUT_u16(rec, (uint64_t)(s - c->sites)), e->ptr - g->o.ptr_base);
	tg_raw(g, cpu, time, e->brief, e->class, rec, sizeof(rec));
	return true;
}

void tg_task(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_running *t)
{
	struct tg_cpu *c = tg_get_cpu(g, cpu);
	uint8_t rec[sizeof(struct lt_rec_TASK)], *p = rec;

	p = PUT_u32(p, t->tid);
	p = PUT_u32(p, t->tgid);
	p = PUT_u64(p, t->start);
	p = PUT_u8(p, t->flags);
	tg_put_text(p, 16, t->comm);
	memcpy(c->task, rec, sizeof(rec));
	c->has_task = true;
	tg_raw(g, cpu, time, LT_EV_TASK, LT_CLASS_NONE, rec, sizeof(rec));
}

/* ptr, call_site: the beginning of most events. */
static uint8_t *put_ptr_site(const struct tg *g, uint8_t *p, bool wide, uint64_t ptr,
			     uint64_t site)
{
	p = wide ? PUT_u64(p, ptr) : PUT_u40(p, ptr - g->o.ptr_base);
	return wide ? PUT_u64(p, site) : PUT_u32(p, code32(g, site));
}

void tg_kmalloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b)
{
	const struct object_event e = {
		.id = LT_EV_KMALLOC, .brief = LT_EV_KMALLOC_SHORT, .class = LT_CLASS_KMALLOC,
		.ptr = b->ptr,
		.what = { .call_site = b->call_site, .req = b->bytes_req, .alloc = b->bytes_alloc,
			  .gfp = b->gfp, .node = b->node },
	};
	bool wide = !fits40(g, b->ptr) || !fits32(g, b->call_site) || b->bytes_req > 0xffff ||
		    b->bytes_alloc > 0xffff || b->node < -128 || b->node > 127;
	uint8_t rec[64], *p = put_ptr_site(g, rec, wide, b->ptr, b->call_site);

	if (put_brief(g, cpu, time, &e))
		return;
	p = PUT_u32(p, b->gfp);
	p = tg_put_uint(g, p, wide ? 8 : 2, b->bytes_req);
	p = tg_put_uint(g, p, wide ? 8 : 2, b->bytes_alloc);
	p = tg_put_uint(g, p, wide ? 4 : 1, (uint64_t)(int64_t)b->node);
	tg_raw(g, cpu, time, e.id + wide, e.class, rec, (size_t)(p - rec));
}

static void put_object(struct tg *g, uint32_t cpu, uint64_t time, const struct object_event *e)
{
	const struct tg_site *s = &e->what;
	bool wide = !fits40(g, e->ptr) || !fits32(g, s->call_site) || s->node < -128 ||
		    s->node > 127;
	uint8_t rec[64], *p = put_ptr_site(g, rec, wide, e->ptr, s->call_site);

	if (put_brief(g, cpu, time, e))
		return;
	if (e->request)
		p = PUT_u32(p, s->gfp);
	if (e->request || e->cache)
		p = PUT_u16(p, s->cache);
	if (e->request)
		p = tg_put_uint(g, p, wide ? 4 : 1, (uint64_t)(int64_t)s->node);
	tg_raw(g, cpu, time, e->id + wide, e->class, rec, (size_t)(p - rec));
}

void tg_kfree(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site)
{
	put_object(g, cpu, time, OBJECT(KFREE, .what = { .call_site = site }));
}

void tg_rcu_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site)
{
	put_object(g, cpu, time, OBJECT(RCU_FREE, .what = { .call_site = site }));
}

void tg_cache_alloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b)
{
	const struct object_event e = {
		.id = LT_EV_CACHE_ALLOC, .brief = LT_EV_CACHE_ALLOC_SHORT,
		.class = LT_CLASS_CACHE_ALLOC, .ptr = b->ptr, .request = true,
		.what = { .call_site = b->call_site, .gfp = b->gfp, .cache = b->cache,
			  .node = b->node },
	};

	put_object(g, cpu, time, &e);
}

void tg_bulk_alloc(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_birth *b)
{
	const struct object_event e = {
		.id = LT_EV_BULK_ALLOC, .brief = LT_EV_BULK_ALLOC_SHORT,
		.class = LT_CLASS_BULK_ALLOC, .ptr = b->ptr, .request = true,
		.what = { .call_site = b->call_site, .gfp = b->gfp, .cache = b->cache,
			  .node = b->node },
	};

	put_object(g, cpu, time, &e);
}

void tg_cache_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		   uint16_t cache)
{
	put_object(g, cpu, time, OBJECT(CACHE_FREE, .cache = true, .what = {
		   .call_site = site, .cache = cache }));
}

void tg_bulk_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		  uint16_t cache)
{
	put_object(g, cpu, time, OBJECT(BULK_FREE, .cache = true, .what = {
		   .call_site = site, .cache = cache }));
}

void tg_cache(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_slab_cache *cache)
{
	uint8_t rec[sizeof(struct lt_rec_CACHE)], *p = rec;

	p = PUT_u16(p, cache->id);
	p = PUT_u64(p, cache->ptr);
	p = PUT_u32(p, cache->object_size);
	p = PUT_u32(p, cache->size);
	tg_put_text(p, 64, cache->name);
	tg_raw(g, cpu, time, LT_EV_CACHE, LT_CLASS_NONE, rec, sizeof(rec));
}

void tg_cache_gone(struct tg *g, uint32_t cpu, uint64_t time, uint16_t id)
{
	uint8_t rec[2];

	PUT_u16(rec, id);
	tg_raw(g, cpu, time, LT_EV_CACHE_GONE, LT_CLASS_NONE, rec, sizeof(rec));
}

void tg_page_alloc(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn, uint32_t gfp,
		   uint8_t order, uint8_t migratetype)
{
	uint8_t rec[sizeof(struct lt_rec_PAGE_ALLOC)], *p = rec;

	p = PUT_u40(p, pfn);
	p = PUT_u32(p, gfp);
	p = PUT_u8(p, order);
	PUT_u8(p, migratetype);
	tg_raw(g, cpu, time, LT_EV_PAGE_ALLOC, LT_CLASS_PAGE_ALLOC, rec, sizeof(rec));
}

void tg_page_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn, uint8_t order)
{
	uint8_t rec[sizeof(struct lt_rec_PAGE_FREE)], *p = rec;

	p = PUT_u40(p, pfn);
	PUT_u8(p, order);
	tg_raw(g, cpu, time, LT_EV_PAGE_FREE, LT_CLASS_PAGE_FREE, rec, sizeof(rec));
}

void tg_page_batched(struct tg *g, uint32_t cpu, uint64_t time, uint64_t pfn)
{
	uint8_t rec[sizeof(struct lt_rec_PAGE_BATCHED)];

	PUT_u40(rec, pfn);
	tg_raw(g, cpu, time, LT_EV_PAGE_BATCHED, LT_CLASS_PAGE_BATCHED, rec, sizeof(rec));
}

void tg_task_exit(struct tg *g, uint32_t cpu, uint64_t time, uint32_t tid, uint32_t tgid,
		  uint64_t start, uint8_t group_dead)
{
	uint8_t rec[sizeof(struct lt_rec_TASK_EXIT)], *p = rec;

	p = PUT_u32(p, tid);
	p = PUT_u32(p, tgid);
	p = PUT_u64(p, start);
	PUT_u8(p, group_dead);
	tg_raw(g, cpu, time, LT_EV_TASK_EXIT, LT_CLASS_TASK_EXIT, rec, sizeof(rec));
}

/* By the bytes of the values that they hold. */
static const struct {
	unsigned int event;
	unsigned int size;
} call_forms[] = {
	{ LT_EV_CALL_0, 0 }, { LT_EV_CALL_4, 4 }, { LT_EV_CALL_8, 8 }, { LT_EV_CALL_12, 12 },
	{ LT_EV_CALL_16, 16 }, { LT_EV_CALL_20, 20 }, { LT_EV_CALL_24, 24 }, { LT_EV_CALL_28, 28 },
	{ LT_EV_CALL_32, 32 }, { LT_EV_CALL_40, 40 }, { LT_EV_CALL_48, 48 }, { LT_EV_CALL_64, 64 },
	{ LT_EV_CALL_80, 80 }, { LT_EV_CALL_96, 96 }, { LT_EV_CALL_128, 128 },
	{ LT_EV_CALL_192, 192 }, { LT_EV_CALL_256, 256 },
}, wide_call_forms[] = {
	{ LT_EV_CALL_WIDE_0, 0 }, { LT_EV_CALL_WIDE_32, 32 }, { LT_EV_CALL_WIDE_64, 64 },
	{ LT_EV_CALL_WIDE_128, 128 }, { LT_EV_CALL_WIDE_256, 256 },
};

void tg_call(struct tg *g, uint32_t cpu, uint64_t time, const struct tg_call *call)
{
	bool wide = call->unread || call->cut || call->duration > UINT32_MAX;
	uint8_t rec[sizeof(struct lt_rec_CALL_WIDE_256)] = { 0 }, *p = rec, *values;
	size_t form = 0;

	p = PUT_u16(p, call->function);
	p = PUT_u16(p, call->depth);
	p = wide ? PUT_u64(p, call->duration) : PUT_u32(p, call->duration);
	if (wide)
		p = PUT_u32(PUT_u32(p, call->unread), call->cut);
	values = p;
	for (const struct tg_value *v = call->values; v->size; v++) {
		if (v->bytes) {
			memcpy(p, v->bytes, v->size);
			p += v->size;
		} else {
			p = tg_put_uint(g, p, v->size, v->v);
		}
	}
	while ((wide ? wide_call_forms : call_forms)[form].size < (size_t)(p - values))
		form++;
	tg_raw(g, cpu, time, (wide ? wide_call_forms : call_forms)[form].event, LT_CLASS_CALL, rec,
	       (size_t)(values - rec) + (wide ? wide_call_forms : call_forms)[form].size);
}

void tg_marker(struct tg *g, uint32_t cpu, uint64_t time, const char *text)
{
	uint8_t rec[sizeof(struct lt_rec_MARKER)];

	tg_put_text(rec, sizeof(rec), text);
	tg_raw(g, cpu, time, LT_EV_MARKER, LT_CLASS_MARKER, rec, sizeof(rec));
}

/* A field, from this machine's byte order to the traced one's. */
static void turn(const struct tg *g, uint8_t *at, size_t size, const char *type)
{
	bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const char *times = strchr(type, 'x');
	size_t count = times ? strtoul(times + 1, NULL, 10) : 1;

	if (count > 1) {
		for (size_t i = 0; i < count; i++)
			turn(g, at + i * (size / count), size / count, "element");
		return;
	}
	if (g->o.big_endian == host_big || !strncmp(type, "char", 4))
		return;
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t byte = at[i];

		at[i] = at[size - 1 - i];
		at[size - 1 - i] = byte;
	}
}

#define TURN_FIELD(type, name, kind, text)					\
	turn(g, out + offsetof(__typeof__(*r), name), sizeof(r->name), #type);
#define PUT_CASE(CHANNEL, id, NAME, name, CLASS, text)				\
	case LT_EV_##NAME: {							\
		const struct lt_rec_##NAME *r = rec;				\
										\
		memcpy(out, r, sizeof(*r));					\
		LT_FIELDS_##NAME(TURN_FIELD)					\
		tg_raw(g, cpu, time, event, LT_CLASS_##CLASS, out, sizeof(*r));	\
		break;								\
	}

void tg_put(struct tg *g, uint32_t cpu, uint64_t time, unsigned int event, const void *rec)
{
	uint8_t out[8192];

	switch (event) {
	LT_EVENTS(PUT_CASE)
	default:
		abort();
	}
}
