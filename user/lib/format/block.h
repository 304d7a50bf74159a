/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trace file as framed blocks, for reading and for writing. What the blocks
 * hold is not known here.
 */
#ifndef LT_LIB_FILE_H
#define LT_LIB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/why.h"
#include "uapi/lifetrace_file.h"

#define LT_FILE_FIRST	((uint64_t)sizeof(struct lt_file_header))	/* first block */

struct lt_file {
	int fd;
	char *path;
	uint64_t size;		/* when it was opened */
	unsigned int minor;
};

/* A block's header, checked. */
struct lt_block {
	uint64_t offset;	/* of the header */
	unsigned int type;
	unsigned int flags;
	uint32_t length;
	uint32_t raw_length;
	uint32_t payload_crc;
};

static inline uint64_t lt_block_end(const struct lt_block *b)
{
	return b->offset + sizeof(struct lt_block_header) + b->length;
}

/**
 * lt_file_open() - open a trace file and check its header
 * Return: NULL after printing what is wrong.
 */
struct lt_file *lt_file_open(const char *path);
void lt_file_close(struct lt_file *f);

enum lt_block_state {
	LT_BLOCK_OK,
	LT_BLOCK_END,		/* nothing at this offset: the file ends here */
	LT_BLOCK_TORN,		/* the file ends within this block */
	LT_BLOCK_BAD,		/* not a block, see why */
	LT_BLOCK_IO,		/* could not be read, see why */
};

/* The header of the block at an offset. */
enum lt_block_state lt_file_block(const struct lt_file *f, uint64_t offset,
				  struct lt_block *b, struct lt_why *why);

/**
 * lt_file_payload() - a block's payload, CRC checked and unpacked
 * @packed: scratch for compressed blocks
 * Return: 0, or -1 with @why filled in.
 */
int lt_file_payload(const struct lt_file *f, const struct lt_block *b,
		    struct lt_buf *payload, struct lt_buf *packed, struct lt_why *why);

/*
 * What a compressed block may unpack to, so that a small file does not take much
 * memory. The kernel's packets and texts pack to a tenth; what packs much better is
 * stored as it is.
 */
static inline uint64_t lt_block_raw_max(uint32_t length)
{
	return LT_BLOCK_RAW_BASE + (uint64_t)length * LT_BLOCK_RAW_FACTOR;
}

/* Offset of the next valid block header at or after @from; the file's size: none. */
uint64_t lt_file_resync(const struct lt_file *f, uint64_t from);

/* Reads up to @size bytes; fewer at the end of the file. -1: errno is set. */
ssize_t lt_file_pread(const struct lt_file *f, void *buf, size_t size, uint64_t offset);

/* Name of a block type, for messages. */
const char *lt_block_name(unsigned int type);

/* Writing. */
struct lt_pack;
struct lt_schema;
struct ZSTD_CCtx_s;

struct lt_writer {
	int fd;
	char *path;
	bool zstd;		/* compress every block */
	uint64_t offset;	/* where the next block begins */
	uint64_t blocks;
	uint64_t packets;
	uint64_t packet_bytes;	/* sum of their contents */
	struct lt_index_entry *index;
	size_t n_index;
	size_t cap_index;
	struct lt_buf packed;
	struct lt_pack *pack;	/* NULL: packets are compressed as they are */
	struct ZSTD_CCtx_s *cctx;
	int error;		/* errno of the write that failed; nothing more is written */
};

/**
 * lt_writer_open() - a new trace file, readable by its owner alone
 * @force: replace a file that is not a trace
 * Return: NULL after printing what is wrong.
 */
struct lt_writer *lt_writer_open(const char *path, bool force);

/* From here on compressed packets, of that schema, are cut into columns before. */
void lt_writer_pack(struct lt_writer *w, const struct lt_schema *schema);

/**
 * lt_writer_block() - append one block
 * Either the whole block is in the file, or, after a failure, nothing of it.
 * Return: 0, or -1 with w->error set.
 */
int lt_writer_block(struct lt_writer *w, unsigned int type, bool zstd, const void *payload,
		    size_t size);

/* The same for a text, which goes into the index, too. */
int lt_writer_text(struct lt_writer *w, unsigned int type, bool zstd, const void *text,
		   size_t size);

/* The same for a packet. */
int lt_writer_packet(struct lt_writer *w, const void *packet, size_t size, uint32_t cpu,
		     uint32_t channel, uint64_t seq, uint64_t begin, uint64_t end);

/* Index and trailer. */
int lt_writer_finish(struct lt_writer *w);

/* fsync and close. Return: 0, or -1 with errno set. */
int lt_writer_close(struct lt_writer *w);

#endif /* LT_LIB_FILE_H */
