/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by tracegen.c, tracegen_events.c, tracefile.c and tests/bench/mktrace.c only. */
#ifndef TRACEGEN_PRIVATE_H
#define TRACEGEN_PRIVATE_H

#include <string.h>

#include "encode/encode.h"
#include "tracegen.h"

/* A stream, by its CPU and channel. */
#define TG_TASKS	8U

struct tg_cpu {
	struct lt_encoder e;	/* without a buffer until the first packet is opened */
	bool used;		/* has had a packet, and not its last one */
	bool has_task;
	unsigned int context;
	struct lt_rec_TASK task;
	/* With short forms: what the packet of the stamp has announced, by the tasks' numbers. */
	struct lt_rec_TASK seen[TG_TASKS];
	uint32_t seen_stamp[TG_TASKS];
};

struct tg_text {
	unsigned int type;
	char *text;
	bool early;
};

static inline uint32_t tg_stream_cpu(size_t stream)
{
	return (uint32_t)(stream / LT_N_CHANNELS);
}

static inline unsigned int tg_stream_channel(size_t stream)
{
	return (unsigned int)(stream % LT_N_CHANNELS) + 1;
}

struct tg {
	struct tg_options o;
	struct tg_cpu *streams;
	size_t n_streams;
	struct tg_packet *packets;
	size_t n_packets;
	size_t cap_packets;
	struct tg_text *texts;
	size_t n_texts;
	bool auto_task;
	bool drop;		/* the packet that is closed is lost */
	char *info_text;
	char *schema_text;
};

void *tg_zalloc(size_t size);
struct tg_cpu *tg_get_cpu(struct tg *g, uint32_t cpu);
/* Writes the task of the stream, and has it announced in each packet from here on. */
void tg_repeat_task(struct tg_cpu *c, uint64_t time);
/* The encoder of a stream, for an event at a time that may be before that of the last one. */
struct lt_encoder *tg_encoder(struct tg *g, uint32_t cpu, uint64_t time);

/* Writes an integer of the traced machine's byte order. */
static inline uint8_t *tg_put_uint(const struct tg *g, uint8_t *p, unsigned int size, uint64_t v)
{
	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * (g->o.big_endian ? size - 1 - i : i));
	return p + size;
}

#endif /* TRACEGEN_PRIVATE_H */
