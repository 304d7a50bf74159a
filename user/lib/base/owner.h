/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who owns the files that a command makes.
 */
#ifndef LT_BASE_OWNER_H
#define LT_BASE_OWNER_H

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
