/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that get their names when all of them is on the disk, so that no failure of the power
 * leaves a part of a file that looks like the whole.
 */
#ifndef LT_FORMS_PUBLISH_H
#define LT_FORMS_PUBLISH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct lt_publish - files that are being given their names; all zero: none
 * @thread: writes them to the disk
 * @running: there is one
 * @done: it has ended
 * @dir: the folder of all
 * @names: the files; now they have ".part" behind that
 * @n: their number
 * @failed: the first that did not get its name; NULL: all have
 * @err: why, an errno
 */
struct lt_publish {
	pthread_t thread;
	bool running;
	atomic_bool done;
	const char *dir;
	char **names;
	size_t n;
	char *failed;
	int err;
};

/**
 * lt_publish_begin() - begin to give files their names
 * @dir: they are in folders below this one; must stay
 * @names: begin with @dir; are copied
 *
 * That is done in a thread, because a disk that is busy may take seconds for it. lt_publish_wait()
 * has ended what was begun before.
 */
void lt_publish_begin(struct lt_publish *p, const char *dir, char *const *names, size_t n);

/* Whether lt_publish_wait() would not wait. */
bool lt_publish_ended(struct lt_publish *p);

/* Return: 0, also if nothing was begun, or -1 after printing what went wrong. */
int lt_publish_wait(struct lt_publish *p);

#endif /* LT_FORMS_PUBLISH_H */
