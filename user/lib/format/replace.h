/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace file in the making: it is written under another name, and takes its own name, and
 * so the place of an older trace, only when it is certain to hold something.
 */
#ifndef LT_LIB_REPLACE_H
#define LT_LIB_REPLACE_H

#include <stdbool.h>

/**
 * struct lt_replace - the names of a file in the making
 * @path: the name that it gets, without symbolic links
 * @part: the name under which it is written; NULL: it has its name already
 * @fresh: nothing may be at @path
 * @old: the name that the trace now at @path gets; NULL: there is none to keep
 */
struct lt_replace {
	char *path;
	char *part;
	char *old;
	bool fresh;
};

/**
 * lt_replace_open() - create the file PATH.part, which only its owner can read
 * @r: takes the names
 * @path: the name that the file is to get
 * @force: replace also files that are not traces
 *
 * The files that will be replaced are PATH.part, PATH and, if a trace is at PATH, PATH.old.
 * Nothing but PATH.part is touched now.
 *
 * Return: a descriptor, -1 after lt_error(); lt_replace_end() is due in both cases.
 */
int lt_replace_open(struct lt_replace *r, const char *path, bool force);

/**
 * lt_replace_new() - create the file PATH.part, which only its owner can read
 * Neither a file PATH.part nor PATH may exist: for names that the program has chosen itself.
 *
 * Return: a descriptor, -1 after lt_error(), with errno; lt_replace_end() is due in both cases.
 */
int lt_replace_new(struct lt_replace *r, const char *path);

/**
 * lt_replace_publish() - give the file its name
 * The trace that had this name is kept as PATH.old. A second call does nothing.
 * Return: 0, or -1 after lt_error(): then the older file has its name still.
 */
int lt_replace_publish(struct lt_replace *r);

/* Removes PATH.part if the file has not got its name, and frees the names. */
void lt_replace_end(struct lt_replace *r);

#endif /* LT_LIB_REPLACE_H */
