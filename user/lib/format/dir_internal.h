/* SPDX-License-Identifier: GPL-2.0 */
/* State of one lt_dir_read(), and what the files that make the directory share. */
#ifndef LT_FORMAT_DIR_INTERNAL_H
#define LT_FORMAT_DIR_INTERNAL_H

#include "format/dir.h"

struct lt_dir_reader {
	struct lt_dir *d;
	const struct lt_file *f;
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

#endif /* LT_FORMAT_DIR_INTERNAL_H */
