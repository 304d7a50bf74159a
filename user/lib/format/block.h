/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace file as a sequence of framed blocks; the content of the blocks is not
 * interpreted here.
 */
#ifndef LT_LIB_FILE_H
#define LT_LIB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/why.h"
#include "format/replace.h"
#include "format/set.h"
#include "uapi/lifetrace_file.h"

#define LT_FILE_FIRST	((uint64_t)sizeof(struct lt_file_header))	/* first block */

/*
 * Where the blocks are read from: a file, or the files of a set, of which the offsets are those
 * of format/set.h.
 */
#define LT_FILE_WINDOW	4096	/* bytes */

/* @n bytes at @at that were read at once. */
struct lt_file_window {
	uint64_t at;
	size_t n;
	uint8_t bytes[LT_FILE_WINDOW];
};

/* @window: NULL, or what is near the latest of many small reads, see lt_file_read_small() */
struct lt_file {
	int fd;			/* -1: a set */
	struct lt_parts *parts;	/* of a set; NULL: one file */
	char *path;
	const char *name;	/* for messages, see lt_file_name() */
	uint64_t size;		/* when it was opened; of a set that of all files */
	unsigned int minor;
	struct lt_file_window *window;
};

/* block_read.c */

/*
 * From here on many headers and short texts that stand near each other will be read, by one thread.
 * @w: NULL: no more of them, or room, not initialised.
 */
void lt_file_read_small(const struct lt_file *f, struct lt_file_window *w);

/* The flags that this version knows. */
#define LT_BLOCK_FLAGS	(LT_BLOCK_ZSTD | LT_BLOCK_COLUMNS)

/* The header of a block, checked. */
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

/* What a file is called in messages: its path, or "standard input" for "-". */
const char *lt_file_name(const char *path);

/**
 * lt_file_open_one() - open a trace file and check its header
 * @path: its name; "-": standard input, see lt_spool_stdin()
 * Return: NULL if it cannot be read, after lt_error().
 */
struct lt_file *lt_file_open_one(const char *path);
void lt_file_close(struct lt_file *f);

/**
 * lt_file_header_check() - check the header of a trace file
 * @name: of the file, for messages
 * @n: bytes of @h that are there
 * @minor: the minor version of the file
 * Return: false after lt_error() if this version cannot read the file.
 */
bool lt_file_header_check(const char *name, const struct lt_file_header *h, size_t n,
			  unsigned int *minor);

enum lt_block_state {
	LT_BLOCK_OK,
	LT_BLOCK_END,		/* nothing at this offset: the file ends here */
	LT_BLOCK_TORN,		/* the file ends within this block */
	LT_BLOCK_BAD,		/* not a block, see why */
	LT_BLOCK_IO,		/* could not be read, see why */
};

/**
 * lt_block_parse() - check the header of a block
 * @header: @size bytes that are there; a header has sizeof(struct lt_block_header)
 * @offset: of the header in the file or stream
 * Return: LT_BLOCK_OK, LT_BLOCK_TORN if bytes are missing, LT_BLOCK_BAD; @why says why.
 */
enum lt_block_state lt_block_parse(const void *header, size_t size, uint64_t offset,
				   struct lt_block *b, struct lt_why *why);

/*
 * Makes room for the b->length bytes that follow the header, and sets the size of the buffer to
 * that. Return: which of the two buffers the caller fills before lt_block_unpack().
 */
struct lt_buf *lt_block_stored(const struct lt_block *b, struct lt_buf *payload,
			       struct lt_buf *packed);

/* As lt_file_payload(), of bytes that are in the buffer of lt_block_stored(). */
int lt_block_unpack(const struct lt_block *b, struct lt_buf *payload, struct lt_buf *packed,
		    struct lt_why *why);

/* Reads and checks the header of the block at an offset. */
enum lt_block_state lt_file_block(const struct lt_file *f, uint64_t offset,
				  struct lt_block *b, struct lt_why *why);

/**
 * lt_file_payload() - read the payload of a block, check its CRC and unpack it
 * @f: the file
 * @b: the block, from lt_file_block()
 * @payload: takes the payload
 * @packed: scratch for compressed blocks
 * @why: the reason of a failure
 * Return: 0 or -1.
 */
int lt_file_payload(const struct lt_file *f, const struct lt_block *b,
		    struct lt_buf *payload, struct lt_buf *packed, struct lt_why *why);

/*
 * The size that a compressed block may unpack to, so that a small file cannot make the
 * reader allocate much memory. Packets and texts of the kernel pack to about a tenth; the
 * writer stores what packs much better uncompressed.
 */
static inline uint64_t lt_block_raw_max(uint32_t length)
{
	return LT_BLOCK_RAW_BASE + (uint64_t)length * LT_BLOCK_RAW_FACTOR;
}

/*
 * Offset of the next valid block header at or after @from, in the same file of a set; where that
 * file ends: none.
 */
uint64_t lt_file_resync(const struct lt_file *f, uint64_t from);

/* Reads up to @size bytes; fewer at the end of the file. -1: errno is set. */
ssize_t lt_file_pread(const struct lt_file *f, void *buf, size_t size, uint64_t offset);

/* Name of a block type, for messages. */
const char *lt_block_name(unsigned int type);

/* file.c */
/**
 * lt_file_open() - open a trace file or a set
 * @path: of a file, as for lt_file_open_one(); a directory of parts, or a name of lt_set_name()
 * Return: NULL if it cannot be read, after lt_error().
 */
struct lt_file *lt_file_open(const char *path);

/**
 * lt_file_place() - the file that an offset is in, and the place there
 * @at: the offset in that file
 * Return: the file's name for messages.
 */
const char *lt_file_place(const struct lt_file *f, uint64_t offset, uint64_t *at);

/* contents.c */
/* Blocks of one type; @bytes: of their payloads, unpacked. */
struct lt_block_count {
	uint64_t blocks;
	uint64_t bytes;
};

/*
 * The text CONTENTS, to be freed, of a file with these entries of the index and these blocks by
 * type.
 */
char *lt_contents_text(const struct lt_index_entry *index, size_t n,
		       const struct lt_block_count counts[LT_N_BLOCK_TYPES]);

/* block_write.c */
struct lt_pack;
struct lt_schema;
struct ZSTD_CCtx_s;

struct lt_writer {
	int fd;
	char *path;
	const char *name;	/* for messages, see lt_file_name() */
	struct lt_replace replace;
	bool is_stdout;		/* perhaps a pipe: what is written stays written */
	bool zstd;		/* compress every block */
	bool publish_last;	/* the file gets its name only when it is whole and on the disk */
	bool finished;
	uint64_t offset;	/* where the next block begins */
	uint64_t blocks;
	uint64_t packets;
	uint64_t packet_bytes;	/* sum of their contents */
	struct lt_block_count counts[LT_N_BLOCK_TYPES];
	struct lt_index_entry *index;
	size_t n_index;
	size_t cap_index;
	struct lt_buf packed;
	struct lt_pack *pack;	/* NULL: packets are compressed as they are */
	struct ZSTD_CCtx_s *cctx;
	int error;		/* errno of the write that failed; nothing more is written */
};

/**
 * lt_writer_open() - create a trace file that only its owner can read
 * @path: the name of the file, see lt_replace_open(); "-": standard output
 * @force: replace also a file that is not a trace
 *
 * The file has the name PATH.part until lt_writer_publish(), and is removed by
 * lt_writer_close() if it never gets its own.
 *
 * Return: NULL if that fails, after lt_error().
 */
struct lt_writer *lt_writer_open(const char *path, bool force);

/*
 * As lt_writer_open(), for a name at which nothing may be, see lt_replace_new(). The file gets it
 * by lt_writer_close() when it is whole. Return: NULL if that fails, after lt_error(), with errno.
 */
struct lt_writer *lt_writer_open_new(const char *path);

/* Gives the file its name, see lt_replace_publish(). Return: 0, or -1 after lt_error(). */
int lt_writer_publish(struct lt_writer *w);

/* The file keeps the name PATH.part when it is closed, although it is not whole. */
void lt_writer_keep_part(struct lt_writer *w);

/* Packs the packets from here on, which have that schema, with lt_pack_packet(). */
void lt_writer_pack(struct lt_writer *w, const struct lt_schema *schema);

/**
 * lt_writer_block() - append one block
 * @w: the file
 * @type: enum lt_block_type
 * @zstd: compress the block
 * @payload: @size bytes, at most LT_BLOCK_MAX
 *
 * After a failure the file ends with its last whole block.
 * Return: 0, or -1 with w->error set.
 */
int lt_writer_block(struct lt_writer *w, unsigned int type, bool zstd, const void *payload,
		    size_t size);

/* Appends a block of text, and its entry in the index. Return: as lt_writer_block(). */
int lt_writer_text(struct lt_writer *w, unsigned int type, bool zstd, const void *text,
		   size_t size);

/* Appends a packet, and its entry in the index. Return: as lt_writer_block(). */
int lt_writer_packet(struct lt_writer *w, const void *packet, size_t size, uint32_t cpu,
		     uint32_t channel, uint64_t seq, uint64_t begin, uint64_t end);

/*
 * Appends CONTENTS, the index and the trailer, and publishes the file.
 * Return: as lt_writer_block().
 */
int lt_writer_finish(struct lt_writer *w);

/* fsync and close. Return: 0, or -1 with errno set. */
int lt_writer_close(struct lt_writer *w);

#endif /* LT_LIB_FILE_H */
