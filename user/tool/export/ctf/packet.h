/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets for readers of CTF: every record has all its fields, function calls are events of their
 * functions, and most of the header is an event, the last one.
 */
#ifndef LT_EXPORT_CTF_PACKET_H
#define LT_EXPORT_CTF_PACKET_H

#include "export/ctf/ctf.h"
#include "format/record.h"

/**
 * struct lt_ctf_packet - a packet to be written; starts as { 0 }
 * @data: the packet, @size bytes; reused for the next packet
 * @time: of the last record in it, clock units
 * @found: records that name caches
 */
struct lt_ctf_packet {
	uint8_t *data;
	size_t size;
	size_t cap;
	uint64_t time;
	struct lt_sites sites;
	struct lt_found found;
};

/* Takes in the names of caches of a packet, in a pass before that of lt_ctf_packet_complete(). */
void lt_ctf_packet_look(struct lt_ctf_packet *c, const struct lt_schema *s,
			struct lt_ctf_machine *m, const struct lt_packet *p);

/**
 * lt_ctf_packet_complete() - replace the short forms, and the calls, of a packet by full records
 * @c: receives the new packet
 * @s: the trace's schema
 * @m: of all packets; takes the names in
 * @p: the packet; the new one may be a few times as long
 * @why: what is wrong with @p
 *
 * Return: 0, or -1 with @why filled in if a record of @p cannot be read.
 */
int lt_ctf_packet_complete(struct lt_ctf_packet *c, const struct lt_schema *s,
			   struct lt_ctf_machine *m, const struct lt_packet *p,
			   struct lt_why *why);

void lt_ctf_packet_destroy(struct lt_ctf_packet *c);

#endif /* LT_EXPORT_CTF_PACKET_H */
