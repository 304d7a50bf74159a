/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forgetting the tasks of a live trace that nothing alive refers to, where trace and table cannot
 * be made anew (state/anew.h) since others have pointers to them.
 */
#ifndef LT_STATE_FORGET_H
#define LT_STATE_FORGET_H

#include <stddef.h>
#include <stdint.h>

#include "lifetimes/lifetime.h"
#include "tasks/cgroups.h"
#include "trace/trace.h"

/**
 * struct lt_forget - when to forget
 * @look: time from which on it is looked whether it is due
 * @tasks: of the trace, that were left the last time
 * @in_cgroups: of the cgroups: those that make no event of memory, too, names and changes
 */
struct lt_forget {
	uint64_t look;
	size_t tasks;
	size_t in_cgroups;
};

/* lt_forget_tasks(), if that is due. */
void lt_forget_look(struct lt_forget *f, struct lt_trace *t, const struct lt_lifetimes *lf,
		    const struct lt_lifetimes *also, struct lt_cgroups *cgroups, uint64_t now);

/**
 * lt_forget_tasks() - forget tasks, if that is due, which is looked at once in a second
 * @f: { 0 } at first
 * @t: live; between two calls of lt_trace_next(), whose event stays valid
 * @lf, @also: all tables of the trace; @also may be NULL
 * @cgroups: of lt_cgroups_live(), or NULL
 * @now: time of the latest event, ns
 *
 * It is due when as many tasks have come as were left the last time, and some thousands, and more
 * the more objects there are: it takes time for all of both. The trace or the cgroups may have got
 * them. Nobody else may keep pointers to tasks.
 */
static inline void lt_forget_tasks(struct lt_forget *f, struct lt_trace *t,
				   const struct lt_lifetimes *lf, const struct lt_lifetimes *also,
				   struct lt_cgroups *cgroups, uint64_t now)
{
	if (now >= f->look)
		lt_forget_look(f, t, lf, also, cgroups, now);
}

#endif /* LT_STATE_FORGET_H */
