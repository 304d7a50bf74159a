/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who owns the files that a command makes, and those that it finds.
 */
#ifndef LT_BASE_OWNER_H
#define LT_BASE_OWNER_H

#include <stdbool.h>

/**
 * lt_owner_refuses() - is something at a name that root must not write through?
 * @path: the name of an output
 * @links: only symbolic links are asked about: what else is there is not written to
 *
 * Who may write to a directory may put a symbolic link there that leads to a file of root, or a
 * file or pipe whose owner would get what root writes. So root refuses what belongs to somebody
 * else, neither root nor the user who called sudo, in a directory that others than these may write
 * to. What is behind a link is looked at, too. Any other user is served by the kernel.
 *
 * Return: true: after lt_error().
 */
bool lt_owner_refuses(const char *path, bool links);

/**
 * lt_owner_give() - give a file to the user who called sudo
 * @fd: a file that this process has just made with O_CREAT | O_EXCL, or by mkstemp()
 *
 * Does nothing where root was not reached by sudo. The descriptor, and no name, says which file it
 * is: a name may be another file's by now. A file system that has no owners leaves the file to
 * root.
 */
void lt_owner_give(int fd);

/**
 * lt_owner_give_dir() - the same for a directory that mkdir() has just made
 * @path: its name. What is there now is given away only if it is a directory of root, which is
 *	empty and which nobody else may enter, and no symbolic link.
 */
void lt_owner_give_dir(const char *path);

#endif /* LT_BASE_OWNER_H */
