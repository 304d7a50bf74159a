/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a trace without the records that announce sites.
 */
#ifndef NEXTEVENT_H
#define NEXTEVENT_H

#include "testlib.h"
#include "trace/trace.h"

/* The next event that announces no site. Return: whether there is one. */
static inline bool test_next_event(struct lt_trace *t, struct lt_event *ev)
{
	int ret;

	do {
		ret = lt_trace_next(t, ev);
		assert_true(ret >= 0);
	} while (ret && ev->id == LT_EV_SITE);
	return ret;
}

#endif /* NEXTEVENT_H */
