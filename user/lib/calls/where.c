// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which function a task was in: an outermost call with events, which replaces the calls that were
 * made in it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "calls/call.h"
#include "calls/where.h"
#include "trace/pass.h"
#include "trace/places.h"

struct lt_call_places {
	struct lt_trace *t;	/* open as long as its functions are named */
	struct lt_calls *calls;
	struct lt_places places;
};

static bool is_in(const struct lt_place *p, const struct lt_call *call)
{
	return lt_call_has_made(call, p->begin, p->end, p->depth);
}

static void take(struct lt_call_places *c, const struct lt_call *call)
{
	struct lt_place_thread *th;
	bool has;

	/* The idle threads of all CPUs have one number. */
	if (!call->has_begin || call->context != LT_CTX_TASK || !call->tid)
		return;
	th = lt_places_thread(&c->places, call->tid, call->start);
	has = th->has && th->latest >= call->begin;
	while (th->n && is_in(&th->places[th->n - 1], call)) {
		th->n--;
		has = true;
	}
	if (!has)
		return;
	lt_place_add(th, &(struct lt_place){
		.begin = call->begin, .end = call->why == LT_CALL_DIED ? UINT64_MAX : call->end,
		.number = call->number + 1U, .depth = call->depth,
	});
}

static int pass_event(void *arg, const struct lt_event *ev)
{
	struct lt_call_places *c = arg;
	struct lt_call call;

	lt_places_event(&c->places, ev);
	if (lt_calls_event(c->calls, ev, &call))
		take(c, &call);
	return 0;
}

struct lt_call_places *lt_call_places_read(const char *path)
{
	struct lt_trace *t = lt_trace_open(path);
	struct lt_call_places *c;

	if (!t)
		return NULL;
	if (!lt_trace_has_channel(t, LT_CHANNEL_CALL)) {
		lt_error("%s: function calls were not recorded: record -e slab --call=NAME records those "
			 "of NAME", path);
		lt_trace_close(t);
		return NULL;
	}
	c = lt_alloc(sizeof(*c));
	c->t = t;
	lt_places_init(&c->places);
	c->calls = lt_calls_new(t);
	if (c->calls && !lt_trace_pass(t, &(const struct lt_pass){ .event = pass_event, .arg = c }))
		return c;
	lt_call_places_free(c);
	return NULL;
}

void lt_call_places_free(struct lt_call_places *c)
{
	if (!c)
		return;
	lt_places_destroy(&c->places);
	lt_calls_free(c->calls);
	lt_trace_close(c->t);
	free(c);
}

uint64_t lt_call_places_at(const struct lt_call_places *c, const struct lt_task *task,
			   uint64_t time)
{
	return lt_places_at(&c->places, task, time);
}

const char *lt_call_places_name(const struct lt_call_places *c, uint64_t number, char *buf,
				size_t size)
{
	const struct lt_function *fn;

	fn = lt_function_get(lt_calls_functions(c->calls), (uint16_t)(number - 1));
	if (!fn)
		snprintf(buf, size, "function_%u", (unsigned int)number - 1);
	else if (fn->module)
		snprintf(buf, size, "%s [%s]", fn->name, fn->module);
	else
		snprintf(buf, size, "%s", fn->name);
	return buf;
}
