/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of one lt_dir_read(), and what the files that make the directory share. */
#ifndef LT_FORMAT_DIR_INTERNAL_H
#define LT_FORMAT_DIR_INTERNAL_H

#include "format/dir.h"

/*
 * @base, @first, @end: the range of offsets of the file that is read, of one file or of a set,
 * and its first block
 */
struct lt_dir_reader {
	struct lt_dir *d;
	const struct lt_file *f;
	uint64_t base;
	uint64_t first;
	uint64_t end;
	lt_note_fn *note_fn;
	void *arg;
	struct lt_buf buf;
	struct lt_buf packed;
	unsigned int new_channel;	/* the first one that this version does not know */
	uint64_t new_channel_at;
};

/* dir_load.c */
void lt_dir_note(struct lt_dir_reader *r, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* dir_order.c */
/* Sorts the packets of a stream, and leaves out those that cannot stand where they do. */
void lt_dir_order(struct lt_dir_reader *r, struct lt_stream_dir *s);

/* dir_machine.c */
/* Finds out what all packets must have in common. */
void lt_dir_find_machine(struct lt_dir_reader *r);

/* dir_part.c */
/* Finds out which part of a recording the file is, when its packets are known. */
void lt_dir_read_part(struct lt_dir_reader *r);
/* Adds what is in one file of a set to the set. @one loses what it has. */
void lt_dir_add_part(struct lt_dir_reader *r, struct lt_dir *one);

#endif /* LT_FORMAT_DIR_INTERNAL_H */
