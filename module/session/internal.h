/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of the session, for the files of this folder that act on it or show it.
 */
#ifndef LT_SESSION_INTERNAL_H
#define LT_SESSION_INTERNAL_H

#include <linux/mutex.h>

#include "session/params.h"
#include "session/session.h"

/**
 * struct lt_session - the running session, or the last one
 * @state: idle: it has ended, or there was none
 * @params: what it was started with
 * @stopped: time in clock units until which all probes were attached, once it has stopped
 * @armed: a panic saves its packets, see panic.c; also read without the lock
 * @panic_room: bytes of the memory for that; 0: there is none
 * @left_counter: when the CPU's counter was given up, in its units
 * @left_why: why it was, a word; NULL: it was not
 * @suspends: what the machine is about to do, or does, bits of enum lt_suspend: no session that
 *	starts gets the CPU's counter
 */
struct lt_session {
	enum lt_state state;
	struct lt_params params;
	u64 stopped;
	bool armed;
	size_t panic_room;
	u64 left_counter;
	const char *left_why;
	unsigned int suspends;
};

extern struct mutex lt_session_lock;
extern struct lt_session lt_session;	/* under lt_session_lock */

/* Loop over the channels that the session records. */
#define for_each_open(i)		for_each_channel(i) if (lt_session.params.open[i])
#define for_each_open_backward(i)	for_each_channel_backward(i) if (lt_session.params.open[i])

#endif /* LT_SESSION_INTERNAL_H */
