// SPDX-License-Identifier: GPL-2.0
/*
 * What happens when something has happened: a snapshot is to be made, or the one that is about to
 * be made has one more cause, or it is counted.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "flight/internal.h"

#define TASKS_NS	(5000 * NSEC_PER_MSEC)	/* the longest wait for a snapshot of all tasks */

static void start_snapshot(struct lt_flight *f, uint64_t now, uint64_t clock)
{
	/* The cause must not leave the window meanwhile. */
	uint64_t wait = (f->opts->window_ns - f->opts->after_ns) / 2;
	uint64_t flushed;

	f->state = LT_FLIGHT_AFTER;
	f->deadline_ns = now + f->opts->after_ns;
	f->tasks_ns = 0;
	f->cause_clock = clock;
	if (!lt_engine_flush(f->r->session.engine, &flushed) && !clock)
		f->cause_clock = flushed;
	/* Without tasks (--events) there is none; EBUSY: one is being taken. */
	if (!lt_engine_snapshot(f->r->session.engine, "1"))
		f->tasks_ns = f->deadline_ns + (wait < TASKS_NS ? wait : TASKS_NS);
}

/* A text that is cut off would be another one: what has no room is counted alone. */
static void add_cause(struct lt_flight *f, const char *cause)
{
	size_t used = strlen(f->also);

	if (used + strlen(cause) + sizeof("also=\n") <= sizeof(f->also))
		snprintf(f->also + used, sizeof(f->also) - used, "also=%s\n", cause);
}

bool lt_flight_fire(struct lt_flight *f, uint64_t now, uint64_t clock, const char *fmt, ...)
{
	char cause[sizeof(f->cause)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cause, sizeof(cause), fmt, ap);
	va_end(ap);
	if (f->state == LT_FLIGHT_WAITING && now >= f->ready_ns) {
		memcpy(f->cause, cause, sizeof(cause));
		f->also[0] = 0;
		start_snapshot(f, now, clock);
		return true;
	}
	f->missed++;
	if (f->state != LT_FLIGHT_AFTER)
		return false;
	add_cause(f, cause);
	return true;
}

int lt_flight_poll(struct lt_flight *f, int fd, uint32_t events, unsigned int what)
{
	struct epoll_event ev = { .events = events, .data.u32 = what };

	return epoll_ctl(f->epoll, EPOLL_CTL_ADD, fd, &ev);
}
