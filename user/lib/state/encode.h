/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a trace says of objects that are alive, given to the encoder: in packets of the layout that
 * the trace has.
 */
#ifndef LT_STATE_ENCODE_H
#define LT_STATE_ENCODE_H

#include "encode/encode.h"
#include "lifetimes/carry.h"
#include "trace/trace.h"

/**
 * struct lt_state_encoder - packets of what is alive
 * @t: whose events are encoded
 * @out: one stream after the other
 * @emit, @arg: where a packet goes
 * @ret: the first result of @emit that was not 0; -1: an error was reported
 * @task, @comm: runs in the present stream; NULL: it is not known
 */
struct lt_state_encoder {
	const struct lt_trace *t;
	struct lt_encoder out;
	int (*emit)(void *arg, const void *packet, size_t size);
	void *arg;
	int ret;
	const struct lt_task *task;
	const char *comm;
};

/* @end: of all packets, clock units. Must not move until lt_state_encoder_destroy(). */
void lt_state_encoder_init(struct lt_state_encoder *e, const struct lt_trace *t, uint64_t end);
/* Ends the packet. */
void lt_state_encoder_destroy(struct lt_state_encoder *e);

/* The records that follow are of this stream, in order of time. */
void lt_state_stream(struct lt_state_encoder *e, unsigned int channel, uint32_t cpu,
		     unsigned int flags);

/* A birth or free, and the size that the object has got since. @units: its time. */
void lt_state_carried(struct lt_state_encoder *e, const struct lt_carried *carried, uint64_t units);
void lt_state_cache(struct lt_state_encoder *e, const struct lt_cache *cache, uint64_t units);
void lt_state_cache_gone(struct lt_state_encoder *e, uint32_t number, uint64_t units);
void lt_state_exit(struct lt_state_encoder *e, const struct lt_task *task, uint64_t units);

#endif /* LT_STATE_ENCODE_H */
