/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directory of a trace file: where its packets and texts are.
 */
#ifndef LT_LIB_DIR_H
#define LT_LIB_DIR_H

#include "format/block.h"
#include "format/packet.h"

/*
 * Where a packet is, and its number and times (clock units) by its header or the index.
 * @hole: a packet that stood before it was left out: its number was there twice, or its times
 * are not possible
 */
struct lt_packet_ref {
	uint64_t offset;	/* of the block header */
	uint64_t room;		/* bytes of the block with its header */
	uint64_t seq;
	uint64_t begin;
	uint64_t end;
	bool hole;
};

/*
 * The number of a stream, the packets of one CPU and channel: below LT_MAX_STREAMS, and in
 * the order of the CPUs.
 */
#define LT_MAX_STREAMS	((size_t)LT_MAX_CPU * LT_N_CHANNELS)

static inline uint32_t lt_stream_number(unsigned int channel, uint32_t cpu)
{
	return cpu * LT_N_CHANNELS + channel - 1;
}

/*
 * The packets of one stream, in the order of their numbers, none twice. Each begins at or
 * after the end of the one before it.
 */
struct lt_stream_dir {
	uint32_t cpu;
	unsigned int channel;
	struct lt_packet_ref *refs;
	size_t n;
	size_t cap;
};

/*
 * A packet that stands in two parts: the offset of the one that is listed, and the other one.
 * @stream: as of lt_stream_number()
 */
struct lt_packet_copy {
	uint64_t offset;
	struct lt_packet_ref other;
	uint32_t stream;
};

struct lt_text_ref {
	uint64_t offset;
	unsigned int type;
	uint32_t length;	/* unpacked */
	uint32_t crc;		/* of what is stored */
};

/**
 * struct lt_dir_part - one file of a set, or the only file
 * @base, @end: its range of offsets
 * @first_text, @end_text: of a set, its texts among those of all: from that number on, up to before
 *	that one
 * @is_part: it is a part of a recording that was cut; the rest up to @until is of its PART
 *	blocks
 * @is_snapshot: a flight recorder has made it, which has kept nothing of before and after
 * @is_window: it was cut out of a trace: its number is the time at which it begins
 * @number: of the part
 * @cut, @until: the times of the cuts at which it begins and ends, clock units
 * @have_cut, @have_until: @cut and @until are set: part 0 begins with the session, the last part
 *	ends with it
 * @whole: all that was written into the file has been found; what is missing in the set never
 *	was in this file
 * @blocks, @packets, @packet_bytes: found, for comparison with @trailer
 */
struct lt_dir_part {
	uint64_t base;
	uint64_t end;
	size_t first_text;
	size_t end_text;
	bool is_part;
	bool is_snapshot;
	bool is_window;
	uint64_t number;
	bool have_cut;
	bool have_until;
	uint64_t cut;
	uint64_t until;
	bool whole;
	uint64_t blocks;
	uint64_t packets;
	uint64_t packet_bytes;
	struct lt_trailer trailer;
	bool have_trailer;
	bool torn;
	uint64_t torn_at;
};

/* Whether parts are missing between two that follow one another, or could not be written. */
static inline bool lt_dir_missing_between(const struct lt_dir_part *before,
					  const struct lt_dir_part *p)
{
	return before->have_until && p->have_cut && before->until < p->cut;
}

/**
 * struct lt_dir - what is in a file, or in the files of a set
 * @parts: the files, one or more
 * @copies: packets that stand in two parts, since a cut divides them; each is listed once
 * @session: that the packets must have
 * @blocks: found whole
 * @have_trailer, @trailer, @torn, @torn_at: of a set, those of the last file
 * @torn: the file does not end with a trailer
 * @torn_at: offset of the first byte that is not part of a whole block
 * @from_index: taken from the index, without a look at every packet
 * @bad_blocks: places where the framing was broken
 * @bad_packets: packets whose header could not be read
 * @foreign: packets of another session
 * @other_channel: packets of channels that this version does not know
 * @new_texts, @new_packets: blocks whose flags this version does not know; they are skipped
 * @unordered: packets that stand before one with a lower number
 * @repeated: packets left out because their number was there already
 * @misplaced: packets left out because their times contradict those of the others
 * @machine: what all headers must have in common, see lt_packet_differs(); by INFO, and where
 *	INFO does not have it by the packets
 * @have_machine: that is known
 * @odd: what lt_dir_odd_text() found in a part of a set, at @odd_at
 */
struct lt_dir {
	struct lt_stream_dir **streams;		/* by lt_stream_number(), NULL: none */
	size_t n_streams;
	struct lt_text_ref *texts;
	size_t n_texts;
	size_t cap_texts;
	struct lt_dir_part *parts;
	size_t n_parts;
	size_t cap_parts;
	struct lt_packet_copy *copies;
	size_t n_copies;
	size_t cap_copies;
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
	uint64_t new_texts;
	uint64_t new_packets;
	uint64_t unordered;
	uint64_t repeated;
	uint64_t misplaced;
	struct lt_packet machine;
	bool have_machine;
	bool odd;
	uint64_t odd_at;
	struct lt_why odd_why;
};

/* Receives a sentence about each place of the file that is damaged or unexpected. */
typedef void lt_note_fn(void *arg, uint64_t offset, const char *text);

/**
 * lt_dir_read() - find the packets and texts of a file
 * @d: filled in; free it by lt_dir_free()
 * @f: the file
 * @scan: read every block even if there is an index
 * @note_fn: called with @arg for each damage, which is also counted; the rest is used
 */
void lt_dir_read(struct lt_dir *d, const struct lt_file *f, bool scan, lt_note_fn *note_fn,
		 void *arg);
void lt_dir_free(struct lt_dir *d);

/* The n-th text of a type, n = SIZE_MAX: the last; NULL: there is none. */
const struct lt_text_ref *lt_dir_text(const struct lt_dir *d, unsigned int type, size_t n);

/**
 * lt_dir_odd_text() - whether blocks of text stand where a file cannot have them
 * @at: offset of the block that is wrong
 * @why: the reason
 *
 * A file has one INFO and one SCHEMA, before the first packet. In a file with more of them no
 * text, and no time, can be said to be that of the packets.
 */
bool lt_dir_odd_text(const struct lt_dir *d, uint64_t *at, struct lt_why *why);

/**
 * lt_dir_load() - load a packet and check that it is the one that the directory lists
 * @d: the directory
 * @f: its file
 * @s: the stream
 * @ref: the packet, of @s
 * @buf: takes the content of the packet
 * @packed: scratch
 * @p: its header
 * @why: the reason of a failure
 * Return: 0; -1: it cannot be read, or is another one; 1: its header contradicts INFO, the
 * other packets or the directory.
 */
int lt_dir_load(const struct lt_dir *d, const struct lt_file *f,
		const struct lt_stream_dir *s, const struct lt_packet_ref *ref,
		struct lt_buf *buf, struct lt_buf *packed, struct lt_packet *p,
		struct lt_why *why);

#endif /* LT_LIB_DIR_H */
