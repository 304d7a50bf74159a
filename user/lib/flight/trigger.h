/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Triggers of a flight recorder, as text:
 *
 *	marker:TEXT			a marker with this text (a pattern of fnmatch(3))
 *	alloc_failed			an allocation that returned nothing
 *	events>100000/s  loss>0		in a second
 *	live_bytes{cache="dentry"}>2MiB	a rule, with live_bytes or live
 *	mem_available<200M  slab>1G	of /proc/meminfo
 *	pressure>15%			some task waits for memory for this part of a second
 *	oom  hung_task  oops		what the kernel's log reports
 */
#ifndef LT_FLIGHT_TRIGGER_H
#define LT_FLIGHT_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/rule.h"

enum lt_trigger_kind {
	LT_ON_MARKER,
	LT_ON_FAILED,
	LT_ON_EVENTS,
	LT_ON_LOSS,
	LT_ON_LIVE,
	LT_ON_AVAILABLE,
	LT_ON_SLAB,
	LT_ON_PRESSURE,
	LT_ON_OOM,
	LT_ON_HUNG,
	LT_ON_OOPS,
	LT_N_ON,
};

/**
 * struct lt_trigger - one trigger
 * @kind: enum lt_trigger_kind
 * @text: as it was written; to be freed
 * @pattern: of a marker; within @text
 * @limit: events or losses a second, bytes, or percent
 * @rule: of LT_ON_LIVE, one
 * @holds: of a condition that lasts: it has fired, and has held since
 * @waits: it holds, and could not fire yet
 */
struct lt_trigger {
	enum lt_trigger_kind kind;
	char *text;
	const char *pattern;
	double limit;
	struct lt_budget rule;
	bool holds;
	bool waits;
};

#define LT_TRIGGERS	32	/* at most, so that a set of them is an integer */

/* Triggers in the order in which they were added; starts as zero. */
struct lt_triggers {
	struct lt_trigger list[LT_TRIGGERS];
	size_t n;
};

/* Return: 0, or -1 after lt_error() about what was expected in @text. */
int lt_trigger_add(struct lt_triggers *t, const char *text);
void lt_triggers_free(struct lt_triggers *t);

/* Whether there is one of a kind. */
bool lt_triggers_have(const struct lt_triggers *t, enum lt_trigger_kind kind);

/**
 * lt_trigger_begins() - whether a condition that lasts fires
 * @holds: it holds now
 * @ready: what it causes can be done now
 * @missed: incremented once for a condition that has to wait
 *
 * It fires when it begins to hold, or, if that could cause nothing, as soon as it can; and again
 * when it has not held meanwhile.
 */
bool lt_trigger_begins(struct lt_trigger *t, bool holds, bool ready, uint64_t *missed);

/* Whether the left side of a comparison with a limit is beyond it. */
bool lt_trigger_exceeds(const struct lt_trigger *t, double value);

/**
 * lt_trigger_of_log() - what a record of /dev/kmsg reports
 * @record: "PRIORITY,SEQUENCE,TIME,FLAGS;TEXT"; only what the kernel itself has written counts
 * Return: LT_ON_OOM, _HUNG, _OOPS, or LT_N_ON: none of them.
 */
enum lt_trigger_kind lt_trigger_of_log(const char *record);

/* A value of /proc/meminfo, in bytes. False: the text lacks it. */
bool lt_meminfo_bytes(const char *text, const char *name, uint64_t *bytes);

#endif /* LT_FLIGHT_TRIGGER_H */
