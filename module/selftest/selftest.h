/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LT_SELFTEST_H
#define LT_SELFTEST_H

#include <linux/types.h>

struct lt_channel;
struct lt_rec_TASK;

/**
 * struct lt_found - a record, with what its packet and the records before say
 * @id: enum lt_event_id
 * @context: enum lt_context
 * @time: in clock units
 * @task: who was running, NULL: not said
 * @site: of a short form, NULL: not said
 */
struct lt_found {
	unsigned int id;
	unsigned int context;
	u64 time;
	const struct lt_rec_TASK *task;
	const struct lt_rec_SITE *site;
};

int lt_selftest_walk(struct lt_channel *ch,
		     void (*fn)(const struct lt_found *f, const void *payload));
bool lt_selftest_watched(const char *name);
bool lt_selftest_lost(struct lt_channel *ch);

int lt_selftest_act(void);
int lt_selftest_check(struct lt_channel *ch);
void lt_selftest_end(void);

/* selftest_task.c */
int lt_selftest_task_act(void);
int lt_selftest_task_check(struct lt_channel *ch);

#endif /* LT_SELFTEST_H */
