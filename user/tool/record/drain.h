/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Draining: reads whole packets from the streams of an engine.
 */
#ifndef LT_RECORD_DRAIN_H
#define LT_RECORD_DRAIN_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/packet.h"
#include "engine/engine.h"

/* A stream and what was read from it so far. */
struct lt_drain_cpu {
	unsigned int channel;
	uint32_t cpu;
	int fd;			/* -1: the file is gone */
	uint64_t packets;
	uint64_t first;		/* number of the first packet */
	uint64_t bytes;
	uint64_t end;		/* timestamp_end of the last packet */
	uint64_t begin;		/* timestamp_begin of the first packet */
	uint16_t flags;		/* of the last packet */
	struct lt_class_counts counts[LT_N_CLASSES];	/* of the last packet */
	uint64_t left_out;	/* packets for which the file had no room, the last ones */
	struct lt_class_counts kept[LT_N_CLASSES];	/* of the last packet before these */
};

/*
 * Called for each packet, before the counts of its stream are those of the packet. Return: 0,
 * or -1 to stop draining.
 */
typedef int lt_packet_fn(void *arg, const struct lt_packet *p);

struct lt_drain {
	const struct lt_engine *engine;
	struct lt_drain_cpu *cpus;	/* streams, those of higher channels first */
	size_t n;
	size_t cap;
	struct pollfd *fds;	/* those of lt_drain_wait()'s @extra first */
	size_t cap_fds;
	uint8_t *buf;
	size_t buf_size;
	lt_packet_fn *fn;
	void *arg;
	uint64_t packets;
	uint64_t bytes;
	bool finished;		/* the last packet of some stream was read */
	unsigned int errors;	/* errors so far; only the first MAX_ERRORS are reported */
};

void lt_drain_init(struct lt_drain *d, const struct lt_engine *engine, size_t buf_size,
		   lt_packet_fn *fn, void *arg);
void lt_drain_free(struct lt_drain *d);

/* The stream of a channel and CPU; NULL: nothing was read from it. */
struct lt_drain_cpu *lt_drain_stream(struct lt_drain *d, unsigned int channel, uint32_t cpu);

/*
 * Number of CPUs with a stream of the channel kmem. @no_cpu: streams that are of none have this
 * number
 */
size_t lt_drain_n_cpus(const struct lt_drain *d, uint32_t no_cpu);

/* Opens the files of CPUs that are new. Return: how many; -1 after printing why not. */
int lt_drain_scan(struct lt_drain *d);

/**
 * lt_drain_wait() - wait until a file can be read, or @timeout_ms
 * @extra: further descriptors to wait for; revents are filled in
 * @broken: set to true if a file reports an error, so that lt_drain_scan() is due
 * Return: whether a file can be read.
 */
bool lt_drain_wait(struct lt_drain *d, struct pollfd *extra, size_t n_extra, int timeout_ms,
		   bool *broken);

/**
 * lt_drain_round() - read each file once
 * Return: bytes read, -1 if @fn has returned -1.
 */
ssize_t lt_drain_round(struct lt_drain *d);

/**
 * lt_drain_until() - read until everything before a time was read
 * @clock: clock units; UINT64_MAX: until nothing is left
 * Return: 0, or -1 if @fn has returned -1.
 */
int lt_drain_until(struct lt_drain *d, uint64_t clock);

#endif /* LT_RECORD_DRAIN_H */
