// SPDX-License-Identifier: GPL-2.0
/*
 * tracegen: events and packets of made-up traces. The file around them:
 * tracefile.c.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracegen.h"
#include "tracegen_private.h"

static void *zalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

/* Writes an integer of the traced machine's byte order. */
static uint8_t *put(const struct tg *g, uint8_t *p, unsigned int size, uint64_t v)
{
	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * (g->o.big_endian ? size - 1 - i : i));
	return p + size;
}

#define PUT_u8(p, v)	put(g, p, 1, v)
#define PUT_s8(p, v)	put(g, p, 1, (uint64_t)(int64_t)(v))
#define PUT_u16(p, v)	put(g, p, 2, v)
#define PUT_u32(p, v)	put(g, p, 4, v)
#define PUT_s32(p, v)	put(g, p, 4, (uint64_t)(int64_t)(v))
#define PUT_u40(p, v)	put(g, p, 5, v)
#define PUT_u64(p, v)	put(g, p, 8, v)

static uint8_t *put_text(uint8_t *p, size_t size, const char *text)
{
	size_t n = strlen(text);

	memset(p, 0, size);
	memcpy(p, text, n < size ? n : size);
	return p + size;
}

struct tg *tg_new(const struct tg_options *o)
{
	struct tg *g = zalloc(sizeof(*g));

	if (o)
		g->o = *o;
#define DEFAULT(member, value) (g->o.member = g->o.member ? g->o.member : (value))
	DEFAULT(size_long, 8);
	DEFAULT(size_ptr, 8);
	DEFAULT(page_shift, 12);
	DEFAULT(text_base, 0xffffffff80000000ULL);
	DEFAULT(ptr_base, 0xffff888000000000ULL);
	DEFAULT(clock, "mono");
	DEFAULT(clock_freq, 1000000000);
	DEFAULT(session, 0x5e55);
	DEFAULT(subbuf_size, 65536);
	DEFAULT(info, "");
#undef DEFAULT
	return g;
}

void tg_free(struct tg *g)
{
	for (size_t i = 0; i < g->n_streams; i++) {
		free(g->streams[i].buf);
		free(g->streams[i].sites);
	}
	for (size_t i = 0; i < g->n_packets; i++)
		free(g->packets[i].data);
	for (size_t i = 0; i < g->n_texts; i++)
		free(g->texts[i].text);
	free(g->streams);
	free(g->packets);
	free(g->texts);
	free(g->info_text);
	free(g->schema_text);
	free(g);
}

static size_t stream_number(uint32_t cpu)
{
	return (size_t)(cpu & ~TG_PID(0)) * LT_N_CHANNELS + (cpu >= TG_PID(0));
}

static struct tg_cpu *get_cpu(struct tg *g, uint32_t cpu)
{
	size_t stream = stream_number(cpu);

	while (g->n_streams <= stream) {
		g->streams = realloc(g->streams, (g->n_streams + 1) * sizeof(*g->streams));
		memset(&g->streams[g->n_streams], 0, sizeof(*g->streams));
		g->n_streams++;
	}
	return &g->streams[stream];
}

void tg_context(struct tg *g, uint32_t cpu, unsigned int context)
{
	get_cpu(g, cpu)->context = context;
}

void tg_auto_task(struct tg *g, bool on)
{
	g->auto_task = on;
}

struct lt_class_counts *tg_counts(struct tg *g, uint32_t cpu)
{
	return get_cpu(g, cpu)->counts;
}

void tg_lost(struct tg *g, uint32_t cpu, unsigned int class, enum tg_reason reason,
	     uint64_t n)
{
	struct lt_class_counts *c = &get_cpu(g, cpu)->counts[class % LT_N_CLASSES];

	c->seen += n;
	switch (reason) {
	case TG_FULL:
		c->lost_full += n;
		break;
	case TG_NMI:
		c->lost_nmi += n;
		break;
	case TG_NESTED:
		c->lost_nested += n;
		break;
	case TG_NOBUF:
		c->lost_nobuf += n;
		break;
	}
}

void tg_filtered(struct tg *g, uint32_t cpu, unsigned int class, uint64_t n)
{
	struct lt_class_counts *c = &get_cpu(g, cpu)->counts[class % LT_N_CLASSES];

	c->seen += n;
	c->filtered += n;
}

static void write_record(struct tg *g, struct tg_cpu *c, uint64_t time, unsigned int id,
			 const void *payload, size_t size)
{
	uint8_t *p = c->buf + c->len;
	bool is_long = time - c->last >= 1U << LT_TIME_BITS || id >= LT_EV_LONG;
	uint32_t low = (uint32_t)time & LT_TIME_MASK;

	if (is_long) {
		p = PUT_u8(p, g->o.big_endian ? LT_EV_LONG << 2 : LT_EV_LONG);
		p = PUT_u16(p, id);
		p = PUT_u64(p, time);
		p = PUT_u8(p, g->o.big_endian ? c->context << 6 : c->context);
	} else if (g->o.big_endian) {
		p = PUT_u32(p, id << 26 | low << 2 | c->context);
	} else {
		p = PUT_u32(p, id | low << 6 | (uint32_t)c->context << 30);
	}
	memcpy(p, payload, size);
	c->len = (size_t)(p - c->buf) + size;
	c->last = time;
}

void tg_open(struct tg *g, uint32_t cpu, uint64_t time)
{
	struct tg_cpu *c = get_cpu(g, cpu);

	if (c->open)
		tg_close(g, cpu, time);
	if (!c->buf)
		c->buf = zalloc(g->o.subbuf_size + 16384);
	c->len = sizeof(struct lt_packet_header);
	c->begin = time;
	c->last = time;
	c->open = true;
	c->used = true;
	c->stamp++;
	if (g->auto_task && c->has_task)
		write_record(g, c, time, LT_EV_TASK, c->task, sizeof(c->task));
}

void tg_raw(struct tg *g, uint32_t cpu, uint64_t time, unsigned int id, unsigned int class,
	    const void *payload, size_t size)
{
	struct tg_cpu *c = get_cpu(g, cpu);

	if (c->open && c->len + LT_REC_LONG + size > g->o.subbuf_size)
		tg_close(g, cpu, c->last);
	c = get_cpu(g, cpu);
	if (!c->open)
		tg_open(g, cpu, time);
	/* In the record the id stands without its channel. */
	if (cpu >= TG_PID(0) && id >= LT_EV(LT_CHANNEL_PID, 0))
		id -= LT_EV(LT_CHANNEL_PID, 0);
	write_record(g, c, time, id, payload, size);
	if (class != LT_CLASS_NONE)
		c->counts[class % LT_N_CLASSES].seen++;
}

static void write_header(struct tg *g, struct tg_cpu *c, size_t stream, uint64_t end,
			 uint16_t flags)
{
	uint64_t discarded = 0;
	uint8_t *p = c->buf;

	for (unsigned int i = 0; i < LT_N_CLASSES; i++)
		discarded += c->counts[i].lost_full + c->counts[i].lost_nmi +
			     c->counts[i].lost_nested + c->counts[i].lost_nobuf;
	p = PUT_u32(p, LT_PACKET_MAGIC);
	p = PUT_u8(p, tg_stream_channel(stream));
	p = PUT_u8(p, LT_VERSION_MAJOR);
	p = PUT_u8(p, LT_VERSION_MINOR);
	p = PUT_u8(p, g->o.page_shift);
	p = PUT_u16(p, sizeof(struct lt_packet_header));
	p = PUT_u16(p, flags);
	p = PUT_u8(p, g->o.size_long);
	p = PUT_u8(p, g->o.size_ptr);
	p = PUT_u8(p, 4);
	p = PUT_u8(p, 4);
	p = PUT_u32(p, tg_stream_cpu(stream));
	p = PUT_u32(p, LT_N_CLASSES);
	p = PUT_u64(p, c->seq);
	p = PUT_u64(p, c->begin);
	p = PUT_u64(p, end);
	p = PUT_u64(p, c->len * 8);
	p = PUT_u64(p, c->len * 8);
	p = PUT_u64(p, discarded);
	p = PUT_u64(p, g->o.text_base);
	p = PUT_u64(p, g->o.ptr_base);
	p = PUT_u64(p, g->o.session);
	for (unsigned int i = 0; i < LT_N_CLASSES; i++) {
		p = PUT_u64(p, c->counts[i].seen);
		p = PUT_u64(p, c->counts[i].lost_full);
		p = PUT_u64(p, c->counts[i].lost_nmi);
		p = PUT_u64(p, c->counts[i].lost_nested);
		p = PUT_u64(p, c->counts[i].lost_nobuf);
		p = PUT_u64(p, c->counts[i].filtered);
	}
}

static void close_packet(struct tg *g, uint32_t cpu, uint64_t end, uint16_t flags, bool keep)
{
	struct tg_cpu *c = get_cpu(g, cpu);
	size_t stream = stream_number(cpu);
	struct tg_packet *pkt;

	if (!c->open)
		return;
	write_header(g, c, stream, end, flags);
	if (keep) {
		if (g->n_packets == g->cap_packets) {
			g->cap_packets = g->cap_packets * 2 + 16;
			g->packets = realloc(g->packets,
					     g->cap_packets * sizeof(*g->packets));
		}
		pkt = &g->packets[g->n_packets++];
		pkt->data = malloc(c->len);
		memcpy(pkt->data, c->buf, c->len);
		pkt->size = c->len;
		pkt->cpu = tg_stream_cpu(stream);
		pkt->channel = tg_stream_channel(stream);
		pkt->seq = c->seq;
		pkt->begin = c->begin;
		pkt->end = end;
	}
	c->seq++;
	c->open = false;
	c->last_end = end;
}

void tg_close(struct tg *g, uint32_t cpu, uint64_t time)
{
	close_packet(g, cpu, time, 0, true);
}

void tg_drop(struct tg *g, uint32_t cpu, uint64_t time)
{
	close_packet(g, cpu, time, 0, false);
}

void tg_skip_seq(struct tg *g, uint32_t cpu, uint64_t n)
{
	get_cpu(g, cpu)->seq += n;
}

void tg_last(struct tg *g, uint32_t cpu, uint64_t time)
{
	if (!get_cpu(g, cpu)->open)
		tg_open(g, cpu, time);
	close_packet(g, cpu, time, LT_PACKET_LAST, true);
	get_cpu(g, cpu)->used = false;
}

void tg_finish(struct tg *g, uint64_t time)
{
	for (size_t i = 0; i < g->n_streams; i++) {
		uint32_t cpu = tg_stream_cpu(i);

		if (g->streams[i].used)
			tg_last(g, tg_stream_channel(i) == LT_CHANNEL_PID ? TG_PID(cpu) : cpu,
				time);
	}
}

struct tg_packet *tg_packets(struct tg *g, size_t *n)
{
	*n = g->n_packets;
	return g->packets;
}

void tg_set_n_packets(struct tg *g, size_t n)
{
	g->n_packets = n;
}

/* Events. */

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
		c->sites = zalloc(TG_SITES * sizeof(*c->sites));
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
	put(g, p, 2, (uint64_t)(int64_t)s->node);
	tg_raw(g, cpu, time, LT_EV_SITE, LT_CLASS_NONE, rec, sizeof(rec));
}

/* The short form, if that is wanted and possible, and its site before it. */
static bool put_brief(struct tg *g, uint32_t cpu, uint64_t time, unsigned int id,
		      unsigned int class, uint64_t ptr, struct tg_site what)
{
	uint8_t rec[sizeof(struct lt_rec_KFREE_SHORT)];
	struct tg_cpu *c = get_cpu(g, cpu);
	struct tg_site *s;

	if (!g->o.brief || !fits40(g, ptr) || !fits32(g, what.call_site) ||
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
	PUT_u40(PUT_u16(rec, (uint64_t)(s - c->sites)), ptr - g->o.ptr_base);
	tg_raw(g, cpu, time, id, class, rec, sizeof(rec));
	return true;
}

void tg_task(struct tg *g, uint32_t cpu, uint64_t time, uint32_t tid, uint32_t tgid,
	     uint64_t start, uint8_t flags, const char *comm)
{
	struct tg_cpu *c = get_cpu(g, cpu);
	uint8_t rec[sizeof(struct lt_rec_TASK)], *p = rec;

	p = PUT_u32(p, tid);
	p = PUT_u32(p, tgid);
	p = PUT_u64(p, start);
	p = PUT_u8(p, flags);
	put_text(p, 16, comm);
	memcpy(c->task, rec, sizeof(rec));
	c->has_task = true;
	tg_raw(g, cpu, time, LT_EV_TASK, LT_CLASS_NONE, rec, sizeof(rec));
}

void tg_kmalloc(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		uint64_t req, uint64_t alloc, uint32_t gfp, int32_t node)
{
	uint8_t rec[64], *p = rec;
	bool wide = !fits40(g, ptr) || !fits32(g, site) || req > 0xffff || alloc > 0xffff ||
		    node < -128 || node > 127;

	if (put_brief(g, cpu, time, LT_EV_KMALLOC_SHORT, LT_CLASS_KMALLOC, ptr,
		      (struct tg_site){ .call_site = site, .req = req, .alloc = alloc,
					.gfp = gfp, .node = node }))
		return;
	p = wide ? PUT_u64(p, ptr) : PUT_u40(p, ptr - g->o.ptr_base);
	p = wide ? PUT_u64(p, site) : PUT_u32(p, code32(g, site));
	p = PUT_u32(p, gfp);
	p = put(g, p, wide ? 8 : 2, req);
	p = put(g, p, wide ? 8 : 2, alloc);
	p = put(g, p, wide ? 4 : 1, (uint64_t)(int64_t)node);
	tg_raw(g, cpu, time, wide ? LT_EV_KMALLOC_WIDE : LT_EV_KMALLOC, LT_CLASS_KMALLOC, rec,
	       (size_t)(p - rec));
}

/* ptr, call_site: the beginning of most events. */
static uint8_t *put_ptr_site(const struct tg *g, uint8_t *p, bool wide, uint64_t ptr,
			     uint64_t site)
{
	p = wide ? PUT_u64(p, ptr) : PUT_u40(p, ptr - g->o.ptr_base);
	return wide ? PUT_u64(p, site) : PUT_u32(p, code32(g, site));
}

static void put_free(struct tg *g, uint32_t cpu, uint64_t time, unsigned int id,
		     unsigned int brief, unsigned int class, uint64_t ptr, uint64_t site)
{
	bool wide = !fits40(g, ptr) || !fits32(g, site);
	uint8_t rec[64], *p = put_ptr_site(g, rec, wide, ptr, site);

	if (put_brief(g, cpu, time, brief, class, ptr, (struct tg_site){ .call_site = site }))
		return;
	tg_raw(g, cpu, time, id + wide, class, rec, (size_t)(p - rec));
}

static void put_object_alloc(struct tg *g, uint32_t cpu, uint64_t time, unsigned int id,
			     unsigned int brief, unsigned int class, uint64_t ptr,
			     uint64_t site, uint32_t gfp, uint16_t cache, int32_t node)
{
	bool wide = !fits40(g, ptr) || !fits32(g, site) || node < -128 || node > 127;
	uint8_t rec[64], *p = put_ptr_site(g, rec, wide, ptr, site);

	if (put_brief(g, cpu, time, brief, class, ptr,
		      (struct tg_site){ .call_site = site, .gfp = gfp, .cache = cache,
					.node = node }))
		return;
	p = PUT_u32(p, gfp);
	p = PUT_u16(p, cache);
	p = put(g, p, wide ? 4 : 1, (uint64_t)(int64_t)node);
	tg_raw(g, cpu, time, id + wide, class, rec, (size_t)(p - rec));
}

static void put_object_free(struct tg *g, uint32_t cpu, uint64_t time, unsigned int id,
			    unsigned int brief, unsigned int class, uint64_t ptr,
			    uint64_t site, uint16_t cache)
{
	bool wide = !fits40(g, ptr) || !fits32(g, site);
	uint8_t rec[64], *p = put_ptr_site(g, rec, wide, ptr, site);

	if (put_brief(g, cpu, time, brief, class, ptr,
		      (struct tg_site){ .call_site = site, .cache = cache }))
		return;
	p = PUT_u16(p, cache);
	tg_raw(g, cpu, time, id + wide, class, rec, (size_t)(p - rec));
}

void tg_kfree(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site)
{
	put_free(g, cpu, time, LT_EV_KFREE, LT_EV_KFREE_SHORT, LT_CLASS_KFREE, ptr, site);
}

void tg_rcu_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site)
{
	put_free(g, cpu, time, LT_EV_RCU_FREE, LT_EV_RCU_FREE_SHORT, LT_CLASS_RCU_FREE, ptr, site);
}

void tg_cache_alloc(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		    uint32_t gfp, uint16_t cache, int32_t node)
{
	put_object_alloc(g, cpu, time, LT_EV_CACHE_ALLOC, LT_EV_CACHE_ALLOC_SHORT, LT_CLASS_CACHE_ALLOC, ptr,
			 site, gfp, cache, node);
}

void tg_bulk_alloc(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		   uint32_t gfp, uint16_t cache, int32_t node)
{
	put_object_alloc(g, cpu, time, LT_EV_BULK_ALLOC, LT_EV_BULK_ALLOC_SHORT, LT_CLASS_BULK_ALLOC, ptr,
			 site, gfp, cache, node);
}

void tg_cache_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		   uint16_t cache)
{
	put_object_free(g, cpu, time, LT_EV_CACHE_FREE, LT_EV_CACHE_FREE_SHORT, LT_CLASS_CACHE_FREE, ptr,
			site, cache);
}

void tg_bulk_free(struct tg *g, uint32_t cpu, uint64_t time, uint64_t ptr, uint64_t site,
		  uint16_t cache)
{
	put_object_free(g, cpu, time, LT_EV_BULK_FREE, LT_EV_BULK_FREE_SHORT, LT_CLASS_BULK_FREE, ptr,
			site, cache);
}

void tg_cache(struct tg *g, uint32_t cpu, uint64_t time, uint16_t id, uint64_t ptr,
	      uint32_t object_size, uint32_t size, const char *name)
{
	uint8_t rec[sizeof(struct lt_rec_CACHE)], *p = rec;

	p = PUT_u16(p, id);
	p = PUT_u64(p, ptr);
	p = PUT_u32(p, object_size);
	p = PUT_u32(p, size);
	put_text(p, 64, name);
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

void tg_alloc_failed(struct tg *g, uint32_t cpu, uint64_t time, uint64_t site, uint64_t req,
		     uint32_t gfp, int32_t node, uint16_t cache, uint8_t what)
{
	uint8_t rec[sizeof(struct lt_rec_ALLOC_FAILED)], *p = rec;

	p = PUT_u64(p, site);
	p = PUT_u64(p, req);
	p = PUT_u32(p, gfp);
	p = PUT_s32(p, node);
	p = PUT_u16(p, cache);
	PUT_u8(p, what);
	tg_raw(g, cpu, time, LT_EV_ALLOC_FAILED, LT_CLASS_ALLOC_FAILED, rec, sizeof(rec));
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

void tg_marker(struct tg *g, uint32_t cpu, uint64_t time, const char *text)
{
	uint8_t rec[sizeof(struct lt_rec_MARKER)];

	put_text(rec, sizeof(rec), text);
	tg_raw(g, cpu, time, LT_EV_MARKER, LT_CLASS_MARKER, rec, sizeof(rec));
}

/* A field, from this machine's byte order to the traced one's. */
static void turn(const struct tg *g, uint8_t *at, size_t size, const char *type)
{
	bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

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
#define PUT_CASE(id, NAME, name, CLASS, text)					\
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
	LT_KMEM_EVENTS(PUT_CASE)
	LT_PID_EVENTS(PUT_CASE)
	default:
		abort();
	}
}
