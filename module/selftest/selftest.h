/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The self-test at load.
 */
#ifndef LT_SELFTEST_H
#define LT_SELFTEST_H

#include <linux/types.h>

struct lt_channel;
struct lt_rec_TASK;

/**
 * struct lt_found - a record, with its context from the packet and the records before
 * @id: enum lt_event_id
 * @context: enum lt_context
 * @time: in clock units
 * @task: the record of the task that ran, NULL: there is none
 * @site: the record of the site of a short form, NULL: there is none
 */
struct lt_found {
	unsigned int id;
	unsigned int context;
	u64 time;
	const struct lt_rec_TASK *task;
	const struct lt_rec_SITE *site;
};

/**
 * struct lt_selftest - the self-test of a channel
 * @act: do something known; while recording. Return: 0 or an errno
 * @check: compare the records with what was done; the session has stopped, its buffers
 *	are still there, and no packet was read from them. Return: 0, -ENOMEM, -EPROTO: a
 *	field or a record is wrong, said in the log
 * @end: undo @act, whatever that returned; NULL: there is nothing to undo
 *
 * All in process context; they sleep.
 */
struct lt_selftest {
	int (*act)(void);
	int (*check)(void);
	void (*end)(void);
};

extern const struct lt_selftest lt_selftest_kmem, lt_selftest_pid;

/* walk.c */
int lt_selftest_walk(struct lt_channel *ch,
		     void (*fn)(const struct lt_found *f, const void *payload));
bool lt_selftest_lost(struct lt_channel *ch);

#endif /* LT_SELFTEST_H */
