/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output files that the user names.
 *
 * A file is written beside the name that it is to have, as NAME.XXXXXX.part, and gets the name when
 * it is whole: a command that fails leaves what was there as it was, and nothing else. A signal
 * that ends the command removes the part; after SIGKILL it stays.
 *
 * What the name is must stay what it is: a pipe, a device and what is below /dev or /proc are
 * written as they are, and a symbolic link goes on pointing to the file. A file that was there
 * leaves its mode and, where this process may say so, its owner to the new one. If nothing can be
 * made in the folder but the file may be written, it is written in place.
 */
#ifndef LT_OUT_OUTPUT_H
#define LT_OUT_OUTPUT_H

#include <stdbool.h>

/**
 * lt_output_open() - open a file for writing
 * @path: "-": standard output. A new file is readable for its owner alone, because
 *	addresses of the kernel are secrets.
 * Refuses to overwrite a trace: `lifetimes -o x.lt x.lt` must not destroy x.lt.
 * Return: a file descriptor, to be given to lt_output_close(); -1 after printing what is wrong.
 */
int lt_output_open(const char *path);

/* As lt_output_open(), for what has no addresses: readable as the umask says. */
int lt_output_open_public(const char *path);

/**
 * lt_output_close() - close a file, and give it its name
 * @fd: from lt_output_open(), or any other: that is closed. Standard output and standard error
 *	stay open.
 * @whole: all was written; else the file is removed, and what was there before stays
 * Return: 0, or -1 after printing why the file does not have its name.
 */
int lt_output_close(int fd, bool whole);

/* Whether a directory can be read, and has nothing in it. */
bool lt_output_is_empty_dir(const char *path);

/**
 * lt_output_make_dir() - make a directory that gets its name when it is whole
 * @path: the name; nothing, or an empty directory, is there
 * Return: the name that it has now, which is valid until lt_output_close_dir(); NULL: see errno.
 */
const char *lt_output_make_dir(const char *path);

/* As lt_output_close(), for a directory with files and nothing else. */
int lt_output_close_dir(const char *name, bool whole);

/**
 * lt_output_watch() - have a signal, and any end of the process, remove a file
 * @name: of a file that this process has made, until lt_output_unwatch()
 *
 * For files that get their names in another way. For one thread.
 */
void lt_output_watch(const char *name);
void lt_output_unwatch(const char *name);

#endif /* LT_OUT_OUTPUT_H */
