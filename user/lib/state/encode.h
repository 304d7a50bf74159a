/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of the usual layout, encoded as the module does: sites, stacks, caches and tasks are
 * announced before what uses them.
 */
#ifndef LT_STATE_ENCODE_H
#define LT_STATE_ENCODE_H

#include "base/map.h"
#include "lifetimes/carry.h"
#include "trace/trace.h"

/* What the record "site" of a packet holds. */
struct lt_encoded_site {
	uint64_t call_site;
	uint64_t req;
	uint64_t alloc;
	uint32_t gfp;
	int32_t node;
	uint32_t stack;		/* number in the trace */
	uint16_t cache;
	uint16_t unused;	/* 0: sites are compared as bytes */
};

/**
 * struct lt_encoder - a packet being encoded
 * @t: whose events are encoded
 * @machine: what the headers of all packets have in common
 * @end: of all packets, clock units
 * @emit, @arg: where a packet goes
 * @ret: the first result of @emit that was not 0; -1: an error was reported
 * @channel, @cpu, @flags: of the present stream
 * @seq: of the next packet of the stream
 * @buf: the packet, @len bytes; 0: none is begun
 * @begin: its begin, clock units
 * @last: of its last record
 * @task, @comm: announced last
 * @sites, @by_site: those that the packet has announced
 * @stacks: numbers in the trace of the stacks that it has announced; @by_stack: their places
 */
struct lt_encoder {
	const struct lt_trace *t;
	const struct lt_packet *machine;
	uint64_t end;
	int (*emit)(void *arg, const void *packet, size_t size);
	void *arg;
	int ret;
	unsigned int channel;
	uint32_t cpu;
	unsigned int flags;
	uint64_t seq;
	uint8_t *buf;
	size_t len;
	uint64_t begin;
	uint64_t last;
	const struct lt_task *task;
	const char *comm;
	struct lt_encoded_site *sites;
	size_t n_sites;
	size_t cap_sites;
	struct lt_map by_site;
	uint32_t *stacks;
	size_t n_stacks;
	size_t cap_stacks;
	struct lt_map by_stack;
	uint64_t seed;
};

void lt_encoder_init(struct lt_encoder *e, const struct lt_trace *t, uint64_t end);
/* Ends the packet. */
void lt_encoder_destroy(struct lt_encoder *e);

/* The records that follow are of this stream, in order of time. */
void lt_encoder_stream(struct lt_encoder *e, unsigned int channel, uint32_t cpu,
		       unsigned int flags);

/* A birth or free, and the size that the object has got since. @units: its time. */
void lt_encode_carried(struct lt_encoder *e, const struct lt_carried *carried, uint64_t units);
void lt_encode_cache(struct lt_encoder *e, const struct lt_cache *cache, uint64_t units);
void lt_encode_cache_gone(struct lt_encoder *e, uint32_t number, uint64_t units);
void lt_encode_exit(struct lt_encoder *e, const struct lt_task *task, uint64_t units);

#endif /* LT_STATE_ENCODE_H */
