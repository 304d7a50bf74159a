/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A set: the files of a recording that was cut into parts, read as one file.
 *
 * The parts of a set stand behind each other, in the order of their numbers, in one range of
 * offsets: a part with its file header at offset @base has its first block at @base +
 * LT_FILE_FIRST. So an offset says which part it is of, and a place in a set needs no more
 * memory than one in a file.
 */
#ifndef LT_FORMAT_SET_H
#define LT_FORMAT_SET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct lt_set_file - one file of a set
 * @path: its name when the set was made
 * @base: offset of the file in the set
 * @size: bytes, when the set was made; what is written later is not read
 * @number: of the part, by its PART block
 * @until: of a window, where it ends, clock units; UINT64_MAX: with the trace, or it is no window
 * @minor: the minor version of the file
 * @device, @inode: which file it is
 */
struct lt_set_file {
	char *path;
	uint64_t base;
	uint64_t size;
	uint64_t number;
	uint64_t until;
	unsigned int minor;
	dev_t device;
	ino_t inode;
};

/* @held: how many hold it; it stays until nobody does */
struct lt_set {
	struct lt_set *next;
	size_t held;
	char *name;
	struct lt_set_file *parts;
	size_t n;
	uint64_t size;
};

/* set.c */
/**
 * lt_set_name() - the name by which several files are opened as one trace
 * @paths: files of one recording in any order, or directories of them
 * @n: at least 1
 *
 * Which files a directory holds is found out once, at the first call that names it.
 *
 * Return: what lt_file_open() and lt_trace_open() take, valid until the program ends; of one
 * file its own path. NULL if they are not one trace, after lt_error().
 */
const char *lt_set_name(const char *const paths[], size_t n);

/**
 * lt_set_hold() - lt_set_name() for those who go on for long
 *
 * Return: the name, for lt_set_release(), after which a directory is looked at again; NULL as
 * lt_set_name() does.
 */
char *lt_set_hold(const char *const paths[], size_t n);
/* Nothing that was opened by the name may be open any more. NULL is allowed. */
void lt_set_release(char *name);

/**
 * lt_set_find() - the set that a path stands for
 * @path: a name of lt_set_name(), a directory, or the path of a file
 * @set: NULL: it is one file, or nothing at all
 * Return: 0, or -1 after lt_error().
 */
int lt_set_find(const char *path, const struct lt_set **set);

/* parts.c */
/**
 * struct lt_parts - the open files of a set
 * @last: the part that was found last
 * @fds: the files that are open, most of those that are read in turns; @part: whose, @used: when
 * @latest: of these, the one that was asked for last
 */
#define LT_PARTS_OPEN	128

struct lt_parts {
	const struct lt_set *set;
	size_t last;
	uint64_t clock;
	size_t n;
	size_t latest;
	struct {
		int fd;
		size_t part;
		uint64_t used;
	} fds[LT_PARTS_OPEN];
};

struct lt_parts *lt_parts_new(const struct lt_set *set);
void lt_parts_free(struct lt_parts *p);

/* The part that an offset of the set is in; of one behind the end, the last part. */
const struct lt_set_file *lt_parts_at(struct lt_parts *p, uint64_t offset);

/* A descriptor of that part, valid until the next call. -1: errno is set. */
int lt_parts_fd(struct lt_parts *p, const struct lt_set_file *part);

#endif /* LT_FORMAT_SET_H */
