/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory of a trace file: where its packets and texts are.
 */
#ifndef LT_LIB_DIR_H
#define LT_LIB_DIR_H

#include "format/block.h"
#include "format/packet.h"

/* A packet: where, and what its header or the index says. In clock units. */
struct lt_packet_ref {
	uint64_t offset;	/* of the block header */
	uint64_t room;		/* bytes of the block with its header */
	uint64_t seq;
	uint64_t begin;
	uint64_t end;
};

/*
 * Streams are numbered: those of the same channel and CPU are one. Numbers are
 * below LT_MAX_STREAMS, and in the order of CPUs.
 */
#define LT_MAX_STREAMS	((size_t)LT_MAX_CPU * LT_N_CHANNELS)

static inline uint32_t lt_stream_number(unsigned int channel, uint32_t cpu)
{
	return cpu * LT_N_CHANNELS + channel - 1;
}

/* The packets of one stream, in order of seq, none twice. */
struct lt_stream_dir {
	uint32_t cpu;
	unsigned int channel;
	struct lt_packet_ref *refs;
	size_t n;
	size_t cap;
};

struct lt_text_ref {
	uint64_t offset;
	unsigned int type;
};

/**
 * struct lt_dir - what is in a file
 * @session: that the packets must have
 * @blocks: found whole
 * @torn: the file does not end with a trailer
 * @torn_at: offset of the first byte that is not part of a whole block
 * @from_index: taken from the index, without a look at every packet
 * @bad_blocks: places where the framing was broken
 * @bad_packets: packets whose header could not be read
 * @foreign: packets of another session
 * @other_channel: packets of channels that this version does not know
 * @unordered: packets that stand before one with a lower number
 * @repeated: packets left out because their number was there already
 */
struct lt_dir {
	struct lt_stream_dir **streams;		/* by lt_stream_number(), NULL: none */
	size_t n_streams;
	struct lt_text_ref *texts;
	size_t n_texts;
	size_t cap_texts;
	bool have_session;
	uint64_t session;
	uint64_t blocks;
	uint64_t packets;
	uint64_t packet_bytes;
	struct lt_trailer trailer;
	bool have_trailer;
	bool torn;
	uint64_t torn_at;
	bool from_index;
	uint64_t bad_blocks;
	uint64_t bad_packets;
	uint64_t foreign;
	uint64_t other_channel;
	uint64_t unordered;
	uint64_t repeated;
};

/* Told about everything in the file that is not as it should be. */
typedef void lt_note_fn(void *arg, uint64_t offset, const char *text);

/**
 * lt_dir_read() - find out what is in a file
 * @scan: look at every block even if there is an index
 * Damage is told through @note and counted, and what is whole is kept.
 */
void lt_dir_read(struct lt_dir *d, const struct lt_file *f, bool scan, lt_note_fn *note,
		 void *arg);
void lt_dir_free(struct lt_dir *d);

/* The n-th text of a type, n = SIZE_MAX: the last; NULL: there is none. */
const struct lt_text_ref *lt_dir_text(const struct lt_dir *d, unsigned int type, size_t n);

/**
 * lt_dir_load() - load a packet and check that it is the one it should be
 * @buf: takes the packet, @packed is scratch
 * Return: 0, or -1 with @why filled in.
 */
int lt_dir_load(const struct lt_dir *d, const struct lt_file *f,
		const struct lt_stream_dir *s, const struct lt_packet_ref *ref,
		struct lt_buf *buf, struct lt_buf *packed, struct lt_packet *p,
		struct lt_why *why);

#endif /* LT_LIB_DIR_H */
