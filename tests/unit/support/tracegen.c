// SPDX-License-Identifier: GPL-2.0
/*
 * tracegen: packets of made-up traces. The events in them: tracegen_events.c; the
 * file around them: tracefile.c.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracegen.h"
#include "tracegen_private.h"

void *tg_zalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

struct tg *tg_new(const struct tg_options *o)
{
	struct tg *g = tg_zalloc(sizeof(*g));

	if (o)
		g->o = *o;
#define DEFAULT(member, value) (g->o.member = g->o.member ? g->o.member : (value))
	DEFAULT(size_long, 8);
	DEFAULT(size_ptr, 8);
	DEFAULT(page_shift, 12);
	DEFAULT(text_base, 0xffffffff80000000ULL);
	DEFAULT(ptr_base, 0xffff888000000000ULL);
	DEFAULT(machine, "test");
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

static unsigned int channel_of(uint32_t cpu)
{
	if (cpu & TG_PID(0))
		return LT_CHANNEL_PID;
	if (cpu & TG_SYSCALL(0))
		return LT_CHANNEL_SYSCALL;
	if (cpu & TG_CALL(0))
		return LT_CHANNEL_CALL;
	return (cpu & TG_AREA(0)) ? LT_CHANNEL_AREA : LT_CHANNEL_KMEM;
}

static size_t stream_number(uint32_t cpu)
{
	return (size_t)(cpu & ~(TG_PID(0) | TG_AREA(0) | TG_SYSCALL(0) | TG_CALL(0))) *
	       LT_N_CHANNELS + channel_of(cpu) - 1;
}

struct tg_cpu *tg_get_cpu(struct tg *g, uint32_t cpu)
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
	tg_get_cpu(g, cpu)->context = context;
}

void tg_auto_task(struct tg *g, bool on)
{
	g->auto_task = on;
}

struct lt_class_counts *tg_counts(struct tg *g, uint32_t cpu)
{
	return tg_get_cpu(g, cpu)->counts;
}

void tg_lost(struct tg *g, uint32_t cpu, unsigned int class, enum tg_reason reason,
	     uint64_t n)
{
	struct lt_class_counts *c = &tg_get_cpu(g, cpu)->counts[class % LT_N_CLASSES];

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
	struct lt_class_counts *c = &tg_get_cpu(g, cpu)->counts[class % LT_N_CLASSES];

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
	struct tg_cpu *c = tg_get_cpu(g, cpu);

	if (c->open)
		tg_close(g, cpu, time);
	if (!c->buf)
		c->buf = tg_zalloc(g->o.subbuf_size + 16384);
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
	struct tg_cpu *c = tg_get_cpu(g, cpu);

	if (c->open && c->len + LT_REC_LONG + size > g->o.subbuf_size)
		tg_close(g, cpu, c->last);
	c = tg_get_cpu(g, cpu);
	if (!c->open)
		tg_open(g, cpu, time);
	/* In the record the id stands without its channel. */
	if (channel_of(cpu) != LT_CHANNEL_KMEM && id >= LT_EV(channel_of(cpu), 0))
		id -= LT_EV(channel_of(cpu), 0);
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
	struct tg_cpu *c = tg_get_cpu(g, cpu);
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
	tg_get_cpu(g, cpu)->seq += n;
}

void tg_last(struct tg *g, uint32_t cpu, uint64_t time)
{
	if (!tg_get_cpu(g, cpu)->open)
		tg_open(g, cpu, time);
	close_packet(g, cpu, time, LT_PACKET_LAST, true);
	tg_get_cpu(g, cpu)->used = false;
}

void tg_finish(struct tg *g, uint64_t time)
{
	static const uint32_t marks[] = {
		[LT_CHANNEL_PID] = TG_PID(0), [LT_CHANNEL_AREA] = TG_AREA(0),
		[LT_CHANNEL_SYSCALL] = TG_SYSCALL(0), [LT_CHANNEL_CALL] = TG_CALL(0),
	};

	for (size_t i = 0; i < g->n_streams; i++) {
		if (g->streams[i].used)
			tg_last(g, tg_stream_cpu(i) | marks[tg_stream_channel(i)], time);
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
