/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by tracegen.c, tracegen_events.c and tracefile.c only. */
#ifndef TRACEGEN_PRIVATE_H
#define TRACEGEN_PRIVATE_H

#include <string.h>

#include "tracegen.h"

#define TG_SITES	65536U

/* What a number of a site means, in the packet that is the stamp's. */
struct tg_site {
	uint64_t call_site;
	uint64_t req;
	uint64_t alloc;
	uint32_t gfp;
	int32_t node;
	uint16_t cache;
	uint64_t stamp;
};

/* A stream, by 2 * cpu for kmem, + 1 for pid. */
struct tg_cpu {
	uint8_t *buf;
	size_t len;
	bool open;
	bool used;		/* has had a packet, and not its last one */
	bool has_task;
	unsigned int context;
	uint64_t begin;
	uint64_t last;		/* time of the last record */
	uint64_t last_end;
	uint64_t seq;		/* of the open or next packet */
	uint64_t stamp;		/* of the sites that the open packet has announced */
	struct tg_site *sites;	/* by their numbers; NULL: none yet */
	struct lt_class_counts counts[LT_N_CLASSES];
	uint8_t task[sizeof(struct lt_rec_TASK)];
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
	char *info_text;
	char *schema_text;
};

void *tg_zalloc(size_t size);
struct tg_cpu *tg_get_cpu(struct tg *g, uint32_t cpu);

/* Writes an integer of the traced machine's byte order. */
static inline uint8_t *tg_put_uint(const struct tg *g, uint8_t *p, unsigned int size, uint64_t v)
{
	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * (g->o.big_endian ? size - 1 - i : i));
	return p + size;
}

#define PUT_u8(p, v)	tg_put_uint(g, p, 1, v)
#define PUT_s8(p, v)	tg_put_uint(g, p, 1, (uint64_t)(int64_t)(v))
#define PUT_u16(p, v)	tg_put_uint(g, p, 2, v)
#define PUT_u32(p, v)	tg_put_uint(g, p, 4, v)
#define PUT_s32(p, v)	tg_put_uint(g, p, 4, (uint64_t)(int64_t)(v))
#define PUT_u40(p, v)	tg_put_uint(g, p, 5, v)
#define PUT_u64(p, v)	tg_put_uint(g, p, 8, v)

static inline uint8_t *tg_put_text(uint8_t *p, size_t size, const char *text)
{
	size_t n = strlen(text);

	memset(p, 0, size);
	memcpy(p, text, n < size ? n : size);
	return p + size;
}

#endif /* TRACEGEN_PRIVATE_H */
