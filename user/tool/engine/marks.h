/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Markers for recorders without the module: 'lifetrace mark' finds their sockets.
 *
 * A recorder binds a socket below /run, which root alone can write to, and which root alone may
 * use. A datagram is the text of a marker; its answer is an errno of 4 bytes, 0: it was written.
 */
#ifndef LT_ENGINE_MARKS_H
#define LT_ENGINE_MARKS_H

#include <stddef.h>

#define LT_MARKS_DIR	"/run"
#define LT_MARK_TEXT	119	/* bytes of a marker at the most */

/* Opens this process's socket. Return: -1, errno: there is none, as for one who is not root. */
int lt_marks_open(void);
/* @fd: -1 is none. */
void lt_marks_close(int fd);

/**
 * lt_marks_take() - take the markers that have come
 * @fd: of lt_marks_open(); -1: none
 * @mark: writes one. Return: 0 or an errno
 * @arg: first argument of @mark
 */
void lt_marks_take(int fd, int (*mark)(void *arg, const char *text), void *arg);

/**
 * lt_marks_send() - give a marker to all recorders that have a socket
 * @text: the marker
 *
 * Return: 0: at least one has written it. ENODATA: there is none. Else the errno of the last one
 * that has not.
 */
int lt_marks_send(const char *text);

#endif /* LT_ENGINE_MARKS_H */
