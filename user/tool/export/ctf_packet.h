/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets for readers of CTF: each record tells all by itself.
 */
#ifndef LT_LIB_CTF_PACKET_H
#define LT_LIB_CTF_PACKET_H

#include "format/record.h"

/**
 * struct lt_ctf_packet - the packet that is to be written
 * @data: it, @size bytes; used again for the next one
 *
 * Start with { 0 }.
 */
struct lt_ctf_packet {
	uint8_t *data;
	size_t size;
	size_t cap;
	struct lt_sites sites;
};

/**
 * lt_ctf_packet_complete() - a packet, its short forms completed
 * @c: here it is then
 * @s: the trace's schema
 * @p: the packet; may come out a few times as long
 * @why: what is wrong with it
 *
 * All else stays as it is.
 *
 * Return: 0, or -1 with @why filled in: its records cannot all be read.
 */
int lt_ctf_packet_complete(struct lt_ctf_packet *c, const struct lt_schema *s,
		  const struct lt_packet *p, struct lt_why *why);

void lt_ctf_packet_destroy(struct lt_ctf_packet *c);

#endif /* LT_LIB_CTF_PACKET_H */
