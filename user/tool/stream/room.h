/* SPDX-License-Identifier: GPL-2.0 */
/* The names in the directory of what was received, and what their files take. Under its lock. */
#ifndef LT_STREAM_ROOM_H
#define LT_STREAM_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/names.h"

#define LT_ROOM_WHOLE	".lt"
#define LT_ROOM_CUT	".cut.lt"
#define LT_ROOM_PART	".lt.part"

/*
 * Bytes that a file of this length counts. A short one counts as a longer one: it takes an inode,
 * and a directory of very many is slow.
 */
uint64_t lt_room_counted(uint64_t size);

/**
 * struct lt_room - the files in the directory
 * @sum: bytes of all
 * @files: each, with the number of its host in @hosts; name NULL: it was deleted
 * @host_bytes: of the files of each host, by its number
 */
struct lt_room {
	uint64_t sum;
	struct lt_room_file {
		char *name;
		size_t host;
		uint64_t bytes;
		struct timespec written;
	} *files;
	size_t n_files;
	size_t cap_files;
	struct lt_names hosts;
	uint64_t *host_bytes;
	size_t n_hosts;
};

/* Bytes of all files, as lt_room_scan() finds them, without memory for each. */
uint64_t lt_room_sum(int dir);

void lt_room_scan(struct lt_room *r, int dir);
void lt_room_free(struct lt_room *r);

/**
 * lt_room_delete() - delete one file for a stream
 * @own: the name of its own file, without the suffix, whether it is there or not
 *
 * The oldest, by the time when it was last written here, of the host that has most; of hosts that
 * have less than that of @own none. So a host that sends too much displaces its own files. Files
 * that are being received are not deleted.
 *
 * Return: false: there is none.
 */
bool lt_room_delete(struct lt_room *r, int dir, const char *own);

/* The name of the file of a stream, without its suffix, to be freed; NULL: there is none. */
char *lt_room_find(int dir, const char *token, char *suffix, size_t size);

/* Gives up files of streams that nobody has continued for a day: they get names of cut ones. */
void lt_room_end_old(int dir);

#endif /* LT_STREAM_ROOM_H */
