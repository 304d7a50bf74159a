/* SPDX-License-Identifier: GPL-2.0 */
/* The parts in a directory, for the thread that writes them. */
#ifndef LT_RECORD_PARTS_DIR_H
#define LT_RECORD_PARTS_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/**
 * struct lt_parts_found - the parts in a directory, but for the open one
 * @bytes: of all
 * @oldest: the name that comes first; "": there is none
 * @oldest_bytes: its bytes
 */
struct lt_parts_found {
	uint64_t bytes;
	char oldest[NAME_MAX + 1];
	uint64_t oldest_bytes;
};

#define LT_PART_NAME	32

/*
 * What the names of a recording's parts begin with: a time, which is @now, but later than that of
 * all recordings in the directory. So no name is used twice and the order of the names is that of
 * the recordings, also where the clock was set back, or begins anew at each boot.
 */
void lt_parts_dir_name(const char *dir, time_t now, char name[LT_PART_NAME]);

/* The path of a part, to be freed. */
char *lt_part_path(const char *dir, const char *name, uint64_t number);

/* Makes the directory if there is none. Return: 0, or -1 after lt_error(). */
int lt_parts_dir_make(const char *dir);

/* @open: path of the open part, which is left out, also as PATH.part. False: errno. */
bool lt_parts_dir_scan(const char *dir, const char *open, struct lt_parts_found *found);

/* Deletes the oldest one. */
bool lt_parts_dir_delete(const char *dir, const struct lt_parts_found *found);

/* Whether less than so many percent of the file system are free. */
bool lt_parts_dir_is_full(const char *dir, unsigned int percent);

#endif /* LT_RECORD_PARTS_DIR_H */
