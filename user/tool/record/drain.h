/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Draining: takes whole packets out of the per-CPU files of the module.
 */
#ifndef LT_LIB_DRAIN_H
#define LT_LIB_DRAIN_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/packet.h"

/* What one stream has given so far. */
struct lt_drain_cpu {
	unsigned int channel;
	uint32_t cpu;
	int fd;			/* -1: its file is gone */
	bool eof_told;
	uint64_t packets;
	uint64_t bytes;
	uint64_t end;		/* timestamp_end of the last packet */
	uint64_t begin;		/* timestamp_begin of the first one */
	uint16_t flags;		/* of the last packet */
	struct lt_class_counts counts[LT_N_CLASSES];	/* of its channel */
};

/* Takes one packet. Return: 0, or -1 to stop. */
typedef int lt_packet_fn(void *arg, const struct lt_packet *p);

struct lt_drain {
	const char *dirs[LT_N_CHANNELS];	/* kmem/, pid/; by channel - 1 */
	struct lt_drain_cpu *cpus;	/* the rare channel's first: it waits least */
	size_t n;
	size_t cap;
	struct pollfd *fds;	/* extra ones first */
	size_t cap_fds;
	uint8_t *buf;
	size_t buf_size;
	lt_packet_fn *fn;
	void *arg;
	uint64_t packets;
	uint64_t bytes;
	bool finished;		/* a stream has given its last packet */
	unsigned int errors;	/* told of */
};

/* @dirs: one a channel; all but the first need not exist. They are not copied. */
void lt_drain_init(struct lt_drain *d, const char *const dirs[LT_N_CHANNELS], size_t buf_size,
		   lt_packet_fn *fn, void *arg);
void lt_drain_free(struct lt_drain *d);

/* CPUs that have given something, or may. */
size_t lt_drain_n_cpus(const struct lt_drain *d);

/* Opens the files of CPUs that have none yet. Return: how many, -1: told why. */
int lt_drain_scan(struct lt_drain *d);

/**
 * lt_drain_wait() - until a file can be read or the time is over
 * @extra: further descriptors to wait for; revents are filled in
 * @hurt: set when a file reports an error, so that a new scan is due
 * Return: false when nothing can be read.
 */
bool lt_drain_wait(struct lt_drain *d, struct pollfd *extra, size_t n_extra, int timeout_ms,
		   bool *hurt);

/**
 * lt_drain_round() - one read of each file
 * Return: bytes taken, -1 when @fn said to stop.
 */
ssize_t lt_drain_round(struct lt_drain *d);

/**
 * lt_drain_until() - read until everything up to a time has been taken
 * @clock: UINT64_MAX: until there is nothing left
 * Return: 0, or -1 when @fn said to stop.
 */
int lt_drain_until(struct lt_drain *d, uint64_t clock);

#endif /* LT_LIB_DRAIN_H */
