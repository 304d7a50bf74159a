/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory of what was received, which any number of receivers share.
 *
 *	HOST_BOOT_START_TOKEN.lt	a whole trace
 *	HOST_BOOT_START_TOKEN.lt.part	one that is being received, or whose sender may come back
 *	HOST_BOOT_START_TOKEN.cut.lt	one without its end
 *
 * TOKEN belongs to one stream, so no two of them have one file.
 */
#ifndef LT_STREAM_STORE_H
#define LT_STREAM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/check.h"
#include "stream/words.h"

/**
 * struct lt_store_options - where to, and how much
 * @dir: the directory, which is made if it does not exist
 * @host: what files have as their host, whatever traces say; NULL: what these say
 * @keep: bytes of all files at the most, 0: any
 * @keep_free: percent of the file system that stay free
 * @delete_old: older files make room; else nothing is deleted
 * @max_size: bytes of one stream at the most, 0: any
 */
struct lt_store_options {
	const char *dir;
	const char *host;
	uint64_t keep;
	unsigned int keep_free;
	bool delete_old;
	uint64_t max_size;
};

/* What there is of a stream. */
enum lt_store_state {
	LT_STORE_NOTHING,
	LT_STORE_PART,		/* more may come */
	LT_STORE_WHOLE,
	LT_STORE_CUT,
};

/**
 * struct lt_store - the directory, and the file of one stream
 * @dir: a descriptor
 * @lock: of the file by which receivers take turns
 * @fd: of the stream's file; -1: there is none yet
 * @part: the name of its part, without the suffix
 * @name: the name that it will have, without the suffix
 * @size: bytes of it
 *
 * The file of @lock has what all files take, so that neither a write nor a connection need look at
 * them.
 */
struct lt_store {
	const struct lt_store_options *o;
	int dir;
	int lock;
	int fd;
	char *part;
	char *name;
	uint64_t size;
};

/* Return: 0, or -1 after lt_error(). lt_store_close() is due in both cases. */
int lt_store_open(struct lt_store *s, const struct lt_store_options *o);
void lt_store_close(struct lt_store *s);

/*
 * Finds what there is of a stream. LT_STORE_PART: the file is open, and nobody deletes it.
 */
enum lt_store_state lt_store_find(struct lt_store *s, const char *token);

/*
 * What the file of a stream is called, by what is known of it now; it is made by the first write. A
 * file that is there keeps the name of its part to the end.
 */
void lt_store_name(struct lt_store *s, const struct lt_stream_about *about, const char *token);

/**
 * lt_store_write() - write to the file, if there is room
 * @why: why there is none, or what failed
 * Return: 0; -1: not all was written, but what @size says.
 */
int lt_store_write(struct lt_store *s, const void *data, size_t size, uint64_t offset,
		   struct lt_why *why);

/*
 * Gives the file its name: it is all there will be, up to @size bytes; without a byte it is
 * removed.
 * Return: 0, or -1 after lt_error(): it has the name of a part still.
 */
int lt_store_finish(struct lt_store *s, uint64_t size, bool whole);

#endif /* LT_STREAM_STORE_H */
