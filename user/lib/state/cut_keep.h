/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cutting out what some tasks did: packets with some of their records. They keep their numbers,
 * times and losses, and count what is left out as filtered, so that gaps stay what they were.
 */
#ifndef LT_STATE_CUT_KEEP_H
#define LT_STATE_CUT_KEEP_H

#include "base/buf.h"
#include "format/packet.h"
#include "state/cut_chosen.h"

struct lt_keep;

/* @t: the trace that is cut; @chosen: which records are taken; both must stay. */
struct lt_keep *lt_keep_new(const struct lt_trace *t, const struct lt_chosen *chosen);
/* @k may be NULL. */
void lt_keep_free(struct lt_keep *k);

/**
 * lt_keep_packet() - leave records out of a packet
 * @buf: the packet, which is changed
 * @count: count what is left out in this header and those of all later packets of the stream; then
 *	the packets of a stream must come in order, each once
 *
 * Packets of the channel pid, and those that are damaged, stay as they are.
 * Return: bytes of the packet.
 */
size_t lt_keep_packet(struct lt_keep *k, struct lt_buf *buf, size_t size, bool count);

/* How many events of a class of a CPU were left out. */
uint64_t lt_keep_left_out(const struct lt_keep *k, unsigned int class, uint32_t cpu);

#endif /* LT_STATE_CUT_KEEP_H */
