// SPDX-License-Identifier: GPL-2.0
/*
 * The rows that come from one pass over a trace.
 */
#include <stdlib.h>

#include "export/row_source.h"
#include "tasks/cgroups.h"

static bool wants(const struct lt_export *e, enum lt_fleet_table table)
{
	return e->rows & 1U << table;
}

void lt_row_source_begin(struct lt_row_source *s, struct lt_export *e,
			 const struct lt_exporter *x)
{
	bool addresses = e->opts->addresses;

	*s = (struct lt_row_source){ .e = e, .x = x, .own = lt_own_new(e->trace) };
	lt_kmalloc_init(&s->kmalloc, e->trace);
	s->of_lifetime.common.addresses = addresses;
	s->of_lifetime.trace = e->trace;
	s->of_lifetime.kmalloc = &s->kmalloc;
	s->of_lifetime.own = s->own;
	s->of_syscall.common.addresses = addresses;
	s->of_call.common.addresses = addresses;
	s->of_call.trace = e->trace;
}

void lt_row_source_free(struct lt_row_source *s)
{
	lt_syscalls_free(s->syscalls);
	lt_requests_free(s->requests);
	lt_calls_free(s->calls);
	free(s->of_call.text.s);
	lt_own_free(s->own);
}

bool lt_row_source_needs_events(const struct lt_export *e)
{
	bool needs = false;

	for (int i = 0; i < LT_N_FLEET_TABLES; i++) {
		const struct lt_row_entry *k = &lt_row_kinds[i];

		needs |= k->channel && wants(e, (enum lt_fleet_table)i) &&
			 lt_row_kind_recorded(k, e->trace);
	}
	return needs;
}

bool lt_row_source_needs_lifetimes(const struct lt_export *e)
{
	return wants(e, LT_FLEET_LIFETIME);
}

bool lt_row_source_needs_tasks(const struct lt_export *e)
{
	return wants(e, LT_FLEET_TASK);
}

static void put(struct lt_row_source *s, enum lt_fleet_table table, uint64_t time, const void *row,
		void *ctx)
{
	if (!s->failed && s->x->row(s->e, table, time, row, ctx))
		s->failed = true;
}

static void put_syscall(void *source, const struct lt_syscall *call)
{
	struct lt_row_source *s = source;

	put(s, LT_FLEET_SYSCALL, call->end, call, &s->of_syscall);
}

static void put_request(void *source, const struct lt_syscall *call)
{
	struct lt_row_source *s = source;

	put(s, LT_FLEET_REQUEST, call->end, call, &s->of_syscall);
}

int lt_row_source_task(struct lt_row_source *s, const struct lt_task_inst *t)
{
	struct lt_task_ctx c = { .tb = s->e->tasks, .cgroups = s->e->cgroups };

	if (wants(s->e, LT_FLEET_TASK))
		put(s, LT_FLEET_TASK, t->end, t, &c);
	return s->failed ? -1 : 0;
}

int lt_row_source_lifetime(struct lt_row_source *s, const struct lt_lifetime *l)
{
	put(s, LT_FLEET_LIFETIME, l->death.time, l, &s->of_lifetime);
	return s->failed ? -1 : 0;
}

/* Return: 0, or -1 after printing why calls cannot be read. */
static int take_call(struct lt_row_source *s, const struct lt_event *ev)
{
	struct lt_call call;

	if (!wants(s->e, LT_FLEET_CALL))
		return 0;
	if (!s->calls)
		s->calls = lt_calls_new(s->e->trace);
	if (!s->calls)
		return -1;
	if (lt_calls_event(s->calls, ev, &call))
		put(s, LT_FLEET_CALL, call.end, &call, &s->of_call);
	return 0;
}

static void take_others(struct lt_row_source *s, const struct lt_event *ev)
{
	if (!s->syscalls && wants(s->e, LT_FLEET_SYSCALL))
		s->syscalls = lt_syscalls_new(s->e->trace, false, put_syscall, s);
	if (!s->requests && wants(s->e, LT_FLEET_REQUEST))
		s->requests = lt_requests_new(s->e->trace, put_request, s);
	if (s->syscalls)
		lt_syscalls_event(s->syscalls, ev);
	if (s->requests)
		lt_requests_event(s->requests, ev);
}

int lt_row_source_event(struct lt_row_source *s, const struct lt_event *ev)
{
	/* Each event, since the last one is the end of what is open. */
	take_others(s, ev);
	if (ev->channel == LT_CHANNEL_CALL && take_call(s, ev))
		s->failed = true;
	return s->failed ? -1 : 0;
}

int lt_row_source_finish(struct lt_row_source *s)
{
	if (s->syscalls)
		lt_syscalls_finish(s->syscalls);
	if (s->requests)
		lt_requests_finish(s->requests);
	return s->failed ? -1 : 0;
}
