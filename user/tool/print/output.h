/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output files that the user names.
 */
#ifndef LT_PRINT_OUTPUT_H
#define LT_PRINT_OUTPUT_H

/**
 * lt_output_open() - open a file for writing
 * @path: "-": standard output. A file is made readable for its owner alone, because
 *	addresses of the kernel are secrets.
 * Refuses to overwrite a trace: `lifetimes -o x.lt x.lt` must not destroy x.lt.
 * Return: a file descriptor, -1 after printing what is wrong.
 */
int lt_output_open(const char *path);

/* As lt_output_open(), for what has no addresses: readable as the umask says. */
int lt_output_open_public(const char *path);

/* As lt_output_open(); an existing file is empty only when the caller has truncated it. */
int lt_output_open_kept(const char *path);

/**
 * lt_output_remove() - remove a file that was written in part
 * @fd: the file, still open
 * @path: its name, as given to lt_output_open()
 *
 * Readers of many formats take a part for the whole. Devices, pipes and links stay.
 */
void lt_output_remove(int fd, const char *path);

#endif /* LT_PRINT_OUTPUT_H */
