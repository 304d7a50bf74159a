/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of packets that use the meaning of their records.
 */
#ifndef LT_FUZZ_RECORDS_H
#define LT_FUZZ_RECORDS_H

#include "format/packet.h"
#include "format/schema.h"
#include "image.h"

/* Makes one change. The packet may grow to @max bytes and one record more. */
void fuzz_packet_change(struct fuzz_image *p, const struct lt_schema *schema, size_t max);

/* Corrects lengths, times and sums in the header, so that the reader takes the packet. */
void fuzz_packet_repair(struct fuzz_image *p, const struct lt_schema *schema);

/* Copies some records of one packet into the other. */
void fuzz_packet_cross(struct fuzz_image *p, const struct fuzz_image *from,
		       const struct lt_schema *schema);

/* The state of a stream after the packets that were repaired so far. */
struct fuzz_stream {
	uint64_t seq;
	uint64_t end;
	bool started;
	uint64_t records[LT_N_CLASSES];
	uint64_t counts[LT_N_CLASSES][6];	/* as struct lt_class_counts */
};

/*
 * Makes the packet the next one of its stream, with correct counters. Return: the number of
 * the stream, below LT_N_CHANNELS * 4; -1 for a CPU above 3.
 */
int fuzz_packet_stream(const struct fuzz_image *p);
void fuzz_packet_join(struct fuzz_image *p, const struct lt_schema *schema,
		      struct fuzz_stream *s, bool last);

#endif /* LT_FUZZ_RECORDS_H */
