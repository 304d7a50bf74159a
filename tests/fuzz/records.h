/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing packets by what their records mean.
 */
#ifndef LT_FUZZ_RECORDS_H
#define LT_FUZZ_RECORDS_H

#include "format/packet.h"
#include "format/schema.h"
#include "image.h"

/* One change. The packet may grow, but for one record not beyond @max bytes. */
void fuzz_packet_change(struct fuzz_image *p, const struct lt_schema *schema, size_t max);

/* Lengths, times and sums in the header, so that the packet is taken. */
void fuzz_packet_repair(struct fuzz_image *p, const struct lt_schema *schema);

/* Some of the one packet's records into the other. */
void fuzz_packet_cross(struct fuzz_image *p, const struct fuzz_image *from,
		       const struct lt_schema *schema);

/* What is known of a stream from the packets that were repaired before. */
struct fuzz_stream {
	uint64_t seq;
	uint64_t end;
	bool started;
	uint64_t records[LT_N_CLASSES];
	uint64_t counts[LT_N_CLASSES][6];	/* as struct lt_class_counts */
};

/*
 * Makes the packet the next one of its stream, with counters that close. Return: the
 * stream's number, below LT_N_CHANNELS * 4: higher CPUs are not looked after; or -1.
 */
int fuzz_packet_stream(const struct fuzz_image *p);
void fuzz_packet_join(struct fuzz_image *p, const struct lt_schema *schema,
		      struct fuzz_stream *s, bool last);

#endif /* LT_FUZZ_RECORDS_H */
