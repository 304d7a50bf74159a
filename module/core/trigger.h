/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers: what is worth a look at the last seconds of a trace.
 */
#ifndef LT_TRIGGER_H
#define LT_TRIGGER_H

#include <linux/types.h>
#include <linux/wait.h>

#include "uapi/lifetrace.h"

#define LT_TRIGGER_TEXT	sizeof(((struct lt_rec_TRIGGER *)0)->text)

/**
 * struct lt_trigger - a trigger that came
 * @number: 1, 2, 3, … since the module was loaded
 * @time: of the session's clock
 * @value: what it means depends on @what
 * @what: enum lt_trigger_what
 * @wakes: it woke who waits
 * @text: ended by a zero
 */
struct lt_trigger {
	u64 number;
	u64 time;
	u64 value;
	unsigned int what;
	bool wakes;
	char text[LT_TRIGGER_TEXT];
};

/* How many are kept. */
#define LT_TRIGGERS_KEPT	16

/**
 * struct lt_triggers - a view of all triggers at one moment
 * @count: how many there were since the module was loaded
 * @woken: of these, how many woke who waits
 * @n: of @latest
 * @latest: of the latest ones, oldest first: one that woke nobody goes before one that did
 */
struct lt_triggers {
	u64 count;
	unsigned long woken;
	unsigned int n;
	struct lt_trigger latest[LT_TRIGGERS_KEPT];
};

extern wait_queue_head_t lt_trigger_wait;

void lt_trigger_note(unsigned int what, u64 value, const char *text);
unsigned long lt_triggers_woken(void);
void lt_triggers_view(struct lt_triggers *t);
const char *lt_trigger_name(unsigned int what);
void lt_triggers_freeze(bool on);
void lt_triggers_exit(void);

#endif /* LT_TRIGGER_H */
