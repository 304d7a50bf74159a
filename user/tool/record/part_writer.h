/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a recording that is cut: a thread of their own compresses, writes and deletes them,
 * so that nothing of that stops the drain.
 */
#ifndef LT_RECORD_PART_WRITER_H
#define LT_RECORD_PART_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/packet.h"

struct lt_part_writer;

/**
 * struct lt_part_writer_options - where parts go
 * @dir: the directory, which is made if it does not exist
 * @name: what their names begin with
 * @zstd: compress packets
 * @keep: bytes of all parts in the directory at the most, 0: any
 * @keep_free: percent of the file system that stay free, 0: any
 * @queue: bytes that may wait to be written, 0: 256 MiB
 */
struct lt_part_writer_options {
	const char *dir;
	const char *name;
	bool zstd;
	uint64_t keep;
	unsigned int keep_free;
	size_t queue;
};

/**
 * struct lt_writing - how writing goes
 * @begun: of the part that was asked for last all is written of before lt_part_writer_begun()
 * @bytes: of that part
 * @carried: of these, what was alive at its begin
 * @parts: that were completed
 * @deleted: parts, also of earlier recordings, that made room
 * @left_out: packets that were not written
 * @queued: bytes that wait to be written; 0: all that was asked for is done
 * @stuck: nothing is written, since there is no room and nothing to delete, or an error
 */
struct lt_writing {
	bool begun;
	uint64_t bytes;
	uint64_t carried;
	uint64_t parts;
	uint64_t deleted;
	uint64_t left_out;
	uint64_t queued;
	bool stuck;
};

/* Return: NULL if the directory cannot be used, after lt_error(). The options are copied. */
struct lt_part_writer *lt_part_writer_new(const struct lt_part_writer_options *o);

/* Packets of this schema are packed by columns; before the first part. @text is not copied. */
void lt_part_writer_schema(struct lt_part_writer *p, const char *text);

/* Begins a part; what follows goes to it. */
void lt_part_writer_open(struct lt_part_writer *p, uint64_t number);

/* What the part begins with, was alive then above all, has been given. */
void lt_part_writer_begun(struct lt_part_writer *p);

void lt_part_writer_text(struct lt_part_writer *p, unsigned int type, bool zstd, const void *text,
			 size_t size);

/* A packet; if the queue is full it is left out. */
void lt_part_writer_packet(struct lt_part_writer *p, const struct lt_packet *packet);

/* Ends the part. @until: where the next one begins, clock units; UINT64_MAX: it is the last one. */
void lt_part_writer_close(struct lt_part_writer *p, uint64_t until);

struct lt_writing lt_part_writer_look(struct lt_part_writer *p);

/* Waits until everything is written. Return: the state then. @p may be NULL. */
struct lt_writing lt_part_writer_free(struct lt_part_writer *p);

#endif /* LT_RECORD_PART_WRITER_H */
