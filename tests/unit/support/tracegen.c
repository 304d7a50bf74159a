// SPDX-License-Identifier: GPL-2.0
/*
 * tracegen: packets of made-up traces. The events in them: tracegen_events.c; the
 * file around them: tracefile.c.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode/internal.h"
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
	DEFAULT(sample, 1);
	DEFAULT(info, "");
#undef DEFAULT
	return g;
}

void tg_free(struct tg *g)
{
	for (size_t i = 0; i < g->n_streams; i++)
		lt_encoder_destroy(&g->streams[i].e);
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

/* As the encoder has it. */
static struct lt_encode_task task_of(const struct tg_cpu *c)
{
	struct lt_encode_task task = {
		.tid = c->task.tid, .tgid = c->task.tgid, .start = c->task.start,
		.flags = c->task.flags,
	};

	memcpy(task.comm, c->task.comm, sizeof(task.comm));
	return task;
}

void tg_auto_task(struct tg *g, bool on)
{
	g->auto_task = on;
	for (size_t i = 0; i < g->n_streams; i++) {
		struct tg_cpu *c = &g->streams[i];

		c->e.task = task_of(c);
		c->e.has_task = on && c->has_task;
	}
}

struct lt_class_counts *tg_counts(struct tg *g, uint32_t cpu)
{
	return tg_get_cpu(g, cpu)->e.counts;
}

void tg_lost(struct tg *g, uint32_t cpu, unsigned int class, enum tg_reason reason,
	     uint64_t n)
{
	struct lt_class_counts *c = &tg_get_cpu(g, cpu)->e.counts[class % LT_N_CLASSES];

	c->seen += n;
	switch (reason) {
	case TG_FULL_WITHIN:
		tg_get_cpu(g, cpu)->e.within = true;
		c->lost_full += n;
		break;
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
	struct lt_class_counts *c = &tg_get_cpu(g, cpu)->e.counts[class % LT_N_CLASSES];

	c->seen += n;
	c->filtered += n;
}

static int take(void *arg, const struct lt_encode_packet *packet)
{
	struct tg *g = arg;
	struct tg_packet *pkt;

	if (g->drop)
		return 0;
	if (g->n_packets == g->cap_packets) {
		g->cap_packets = g->cap_packets * 2 + 16;
		g->packets = realloc(g->packets, g->cap_packets * sizeof(*g->packets));
	}
	pkt = &g->packets[g->n_packets++];
	*pkt = (struct tg_packet){
		.data = malloc(packet->size), .size = packet->size, .cpu = packet->cpu,
		.channel = packet->channel, .seq = packet->seq, .begin = packet->begin,
		.end = packet->end,
	};
	memcpy(pkt->data, packet->data, packet->size);
	return 0;
}

/* Counts and the number of the next packet may have been set before the first packet. */
static void init_encoder(struct tg *g, struct tg_cpu *c, size_t stream)
{
	const struct lt_encode_machine machine = {
		.big = g->o.big_endian, .version_minor = LT_VERSION_MINOR,
		.size_long = (uint8_t)g->o.size_long, .size_ptr = (uint8_t)g->o.size_ptr,
		.size_pid = 4, .size_gfp = 4, .page_shift = (uint8_t)g->o.page_shift,
		.text_base = g->o.text_base, .ptr_base = g->o.ptr_base, .session = g->o.session,
	};
	const struct lt_encoder old = c->e;

	/* A record may be longer than the packets of a test. */
	lt_encoder_init(&c->e, &machine, tg_stream_channel(stream), tg_stream_cpu(stream),
			g->o.subbuf_size + 16384, take, g);
	c->e.limit = g->o.subbuf_size;
	c->e.plain = !g->o.brief;
	c->e.seq = old.seq;
	c->e.within = old.within;
	c->e.task = task_of(c);
	c->e.has_task = g->auto_task && c->has_task;
	memcpy(c->e.counts, old.counts, sizeof(old.counts));
}

void tg_open(struct tg *g, uint32_t cpu, uint64_t time)
{
	struct tg_cpu *c = tg_get_cpu(g, cpu);

	if (c->e.len)
		tg_close(g, cpu, time);
	if (!c->e.buf)
		init_encoder(g, c, stream_number(cpu));
	c->used = true;
	c->e.last = time;	/* packets of a test may overlap */
	lt_encode_begin(&c->e, time);
	if (c->e.has_task)
		tg_repeat_task(c, time);
}

void tg_repeat_task(struct tg_cpu *c, uint64_t time)
{
	struct lt_encoder *e = &c->e;
	struct lt_encode_task task = task_of(c);

	lt_encode_run(e, &task);
	/* At once, and not with the next event. */
	e->task_due = false;
	lt_encode_record(e, time, c->context, LT_EV_TASK, &c->task);
	e->announced = true;
	lt_encode_run(e, &task);
}

struct lt_encoder *tg_encoder(struct tg *g, uint32_t cpu, uint64_t time)
{
	struct tg_cpu *c = tg_get_cpu(g, cpu);

	if (!c->e.len)
		tg_open(g, cpu, time);
	return &c->e;
}

void tg_raw(struct tg *g, uint32_t cpu, uint64_t time, unsigned int id, unsigned int class,
	    const void *payload, size_t size)
{
	struct tg_cpu *c = tg_get_cpu(g, cpu);
	uint8_t *p;

	if (c->e.len && c->e.len + LT_REC_LONG + size > g->o.subbuf_size)
		tg_close(g, cpu, c->e.last);
	if (!c->e.len)
		tg_open(g, cpu, time);
	/* In the record the id stands without its channel. */
	if (channel_of(cpu) != LT_CHANNEL_KMEM && id >= LT_EV(channel_of(cpu), 0))
		id -= LT_EV(channel_of(cpu), 0);
	p = lt_encode_head(&c->e, id, c->context, time, size);
	memcpy(p, payload, size);
	if (class != LT_CLASS_NONE)
		lt_encode_count(&c->e, class);
}

void tg_close(struct tg *g, uint32_t cpu, uint64_t time)
{
	struct tg_cpu *c = tg_get_cpu(g, cpu);

	c->e.last = time;	/* before the last record, if a test wants that */
	lt_encode_end(&c->e, time);
}

void tg_drop(struct tg *g, uint32_t cpu, uint64_t time)
{
	g->drop = true;
	tg_close(g, cpu, time);
	g->drop = false;
}

void tg_skip_seq(struct tg *g, uint32_t cpu, uint64_t n)
{
	tg_get_cpu(g, cpu)->e.seq += n;
}

void tg_last(struct tg *g, uint32_t cpu, uint64_t time)
{
	struct tg_cpu *c = tg_get_cpu(g, cpu);

	if (!c->e.len)
		tg_open(g, cpu, time);
	c->e.last = time;
	lt_encode_last(&c->e, time);
	c->used = false;
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
