// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From records to calls: the arguments of a call that replaces its program come from the record
 * of its begin. The parts of a call that was restarted become one in join.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/picks.h"
#include "syscalls/join.h"
#include "syscalls/numbers.h"
#include "syscalls/syscall.h"

/* Fields of the channel's events. */
enum {
	F_NR, F_FLAGS, F_DURATION, F_RESULT, F_TID, F_TGID, F_START, F_WHY, F_BEGIN, F_ARG,
	F_ELEMENT, F_SIZE, F_TEXT, F_BYTES, F_ARG0,
	N_F = F_ARG0 + LT_SYSCALL_MAX_ARGS,
};

static const char *const names[N_F] = {
	"nr", "flags", "duration", "result", "tid", "tgid", "start", "why", "begin", "arg",
	"element", "size", "text", "bytes", "arg0", "arg1", "arg2", "arg3", "arg4", "arg5",
};

/* Those that are arrays of bytes. */
#define ARRAYS	(1ULL << F_TEXT | 1ULL << F_BYTES)

/**
 * struct unfinished - a call, or the begin of one, of which more records are to follow
 * @time: of its record, and of those
 * @packet: number of its packet, which has them all
 * @is_begin: it is of sys_begin
 */
struct unfinished {
	struct lt_syscall call;
	uint64_t time;
	uint64_t packet;
	bool is_begin;
};

struct lt_syscalls {
	const struct lt_trace *t;
	lt_syscalls_fn *fn;
	void *arg;
	struct lt_syscall_numbers *numbers;
	struct lt_syscall_join join;
	const struct lt_abi *abi;
	const struct lt_abi *abi32;
	struct lt_picks picks;
	struct lt_syscall *begun;		/* of sys_begin, whose end has not come */
	size_t n_begun;
	size_t cap_begun;
	struct unfinished *unfinished;	/* at most one of each CPU */
	size_t n_unfinished;
	size_t cap_unfinished;
};

/* A call is decided. */
static void hand_out(void *arg, const struct lt_syscall *call)
{
	struct lt_syscalls *c = arg;
	struct lt_syscall copy = *call;

	lt_syscall_numbers_show(c->numbers, &copy);
	c->fn(c->arg, &copy);
}

struct lt_syscalls *lt_syscalls_new(const struct lt_trace *t, bool parts, lt_syscalls_fn *fn,
				    void *arg)
{
	struct lt_syscalls *c = lt_alloc(sizeof(*c));

	c->t = t;
	c->abi = lt_abi_of(lt_trace_info(t, "machine"), false);
	c->abi32 = lt_abi_of(lt_trace_info(t, "machine"), true);
	c->fn = fn;
	c->arg = arg;
	lt_picks_init(&c->picks, names, N_F, ARRAYS);
	c->numbers = lt_syscall_numbers_new(t);
	lt_syscall_join_init(&c->join, parts, hand_out, c);
	return c;
}

void lt_syscalls_free(struct lt_syscalls *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_begun; i++)
		lt_syscall_drop_texts(&c->begun[i]);
	for (size_t i = 0; i < c->n_unfinished; i++)
		lt_syscall_drop_texts(&c->unfinished[i].call);
	lt_picks_destroy(&c->picks);
	free(c->begun);
	free(c->unfinished);
	lt_syscall_join_destroy(&c->join);
	lt_syscall_numbers_free(c->numbers);
	free(c);
}

static uint64_t value(const struct lt_syscalls *c, const struct lt_picked *at,
		      const struct lt_event *ev, unsigned int i)
{
	return lt_picked_value(lt_trace_packet(c->t), at, i, ev->raw);
}

/* ns from the begin of the call, so many units of the clock before its event, to the event. */
static uint64_t duration_ns(const struct lt_syscalls *c, const struct lt_event *ev, uint64_t units)
{
	const struct lt_clock *clock = lt_trace_clock(c->t);
	uint64_t end = lt_trace_event_units(c->t), begin;

	if (clock->identity)
		return units;
	if (units > end)
		return UINT64_MAX;
	begin = lt_clock_ns(clock, end - units);
	return begin < ev->time ? ev->time - begin : 0;
}

/* ------------------------------------------------------------------------
 * Records
 */

static void read_args(struct lt_syscalls *c, const struct lt_picked *at, const struct lt_event *ev,
		      struct lt_syscall *call)
{
	/* Some events have room for all that there can be. */
	unsigned int max = lt_syscall_n_args(call->abi, call->nr);

	call->n_args = 0;
	while (call->n_args < max && at->fields[F_ARG0 + call->n_args]) {
		call->args[call->n_args] = value(c, at, ev, F_ARG0 + call->n_args);
		call->n_args++;
	}
}

static void read_call(struct lt_syscalls *c, const struct lt_picked *at, const struct lt_event *ev,
		      struct lt_syscall *call)
{
	*call = (struct lt_syscall){
		.end = ev->time, .cpu = ev->cpu, .parts = 1,
		.nr = (int32_t)value(c, at, ev, F_NR),
		.flags = (uint8_t)value(c, at, ev, F_FLAGS),
	};
	call->compat = call->flags & LT_SYS_COMPAT;
	call->abi = call->compat ? c->abi32 : lt_abi_of_syscall(c->abi, call->nr);
	read_args(c, at, ev, call);
}

static void of_running_task(const struct lt_event *ev, struct lt_syscall *call)
{
	if (!ev->task)
		return;
	call->task = ev->task;
	call->tid = ev->task->tid;
	call->tgid = ev->task->tgid;
	call->start = ev->task->start;
}

/* Return: number of the thread's begin, and one; 0: it has none. */
static size_t begin_of(const struct lt_syscalls *c, uint32_t tid, uint64_t start)
{
	for (size_t i = 0; i < c->n_begun; i++) {
		if (c->begun[i].tid == tid && c->begun[i].start == start)
			return i + 1;
	}
	return 0;
}

/* Of each thread there is at most one. */
static void forget_begin(struct lt_syscalls *c, uint32_t tid, uint64_t start)
{
	size_t i = begin_of(c, tid, start);

	if (!i)
		return;
	lt_syscall_drop_texts(&c->begun[i - 1]);
	c->begun[i - 1] = c->begun[--c->n_begun];
}

static void take_begin(struct lt_syscalls *c, const struct lt_syscall *call)
{
	forget_begin(c, call->tid, call->start);
	c->begun = lt_grow(c->begun, &c->cap_begun, c->n_begun, sizeof(*c->begun));
	c->begun[c->n_begun++] = *call;
}

/* Times of one moment, one of which was calculated: each is rounded down. */
static bool is_near(uint64_t a, uint64_t b)
{
	return a - b + 2 <= 4;
}

/*
 * The arguments, and the thread that called, are those of the begin: afterwards the thread may have
 * the number of its leader. Threads that ended inside have no end; of each thread only the latest
 * begin is kept.
 */
static void find_begin(struct lt_syscalls *c, struct lt_syscall *call)
{
	for (size_t i = c->n_begun; i--;) {
		struct lt_syscall *b = &c->begun[i];

		if (!is_near(b->begin, call->begin) || b->nr != call->nr)
			continue;
		call->n_args = b->n_args;
		memcpy(call->args, b->args, sizeof(call->args));
		call->task = b->task;
		call->tid = b->tid;
		call->tgid = b->tgid;
		call->start = b->start;
		/* A call that failed has them, too, and could read all of them. */
		if (call->n_texts) {
			lt_syscall_drop_texts(b);
		} else {
			call->texts = b->texts;
			call->n_texts = b->n_texts;
			call->no_texts |= b->no_texts;
		}
		*b = c->begun[--c->n_begun];
		return;
	}
}

static void take_return(struct lt_syscalls *c, struct lt_syscall *call)
{
	if (call->flags & LT_SYS_BEGUN)
		find_begin(c, call);
	lt_syscall_join(&c->join, call);
}

/* The call is taken as it is, once nothing of it is to follow. */
static void finish(struct lt_syscalls *c, struct lt_syscall *call, bool is_begin)
{
	if (is_begin)
		take_begin(c, call);
	else
		take_return(c, call);
}

static void on_whole(struct lt_syscalls *c, const struct lt_event *ev, struct lt_syscall *call,
		     bool is_begin)
{
	if (!(call->flags & LT_SYS_TEXTS)) {
		finish(c, call, is_begin);
		return;
	}
	c->unfinished = lt_grow(c->unfinished, &c->cap_unfinished, c->n_unfinished,
				sizeof(*c->unfinished));
	c->unfinished[c->n_unfinished++] = (struct unfinished){
		.call = *call, .time = ev->time, .packet = lt_trace_packet(c->t)->seq,
		.is_begin = is_begin,
	};
}

static void on_begin(struct lt_syscalls *c, const struct lt_picked *at, const struct lt_event *ev)
{
	struct lt_syscall call;

	read_call(c, at, ev, &call);
	of_running_task(ev, &call);
	call.begin = ev->time;
	on_whole(c, ev, &call, true);
}

static void on_return(struct lt_syscalls *c, const struct lt_picked *at, const struct lt_event *ev)
{
	uint64_t duration = duration_ns(c, ev, value(c, at, ev, F_DURATION));
	const unsigned int unseen = LT_SYS_BEFORE | LT_SYS_FIRST | LT_SYS_SKIPPED | LT_SYS_NO_SLOT;
	struct lt_syscall call;

	read_call(c, at, ev, &call);
	of_running_task(ev, &call);
	call.result = (int64_t)value(c, at, ev, F_RESULT);
	call.has_begin = !(call.flags & unseen) && duration <= ev->time;
	call.begin = call.has_begin ? ev->time - duration : 0;
	on_whole(c, ev, &call, false);
}

static enum lt_syscall_end how_of(uint64_t why)
{
	switch (why) {
	case LT_SYS_DIED:
		return LT_SYSCALL_DIED;
	case LT_SYS_OVERTAKEN:
		return LT_SYSCALL_OVERTAKEN;
	default:
		return LT_SYSCALL_AT_END;
	}
}

/*
 * What an open call was given, of its begin. The registers of a thread that is not the leader of
 * its group are not known in an execve, within which it may get another number.
 */
static void take_from_begin(struct lt_syscall *call, struct lt_syscall *b)
{
	if (b->nr != call->nr)
		return;
	if (call->flags & LT_SYS_NO_ARGS && call->has_begin && is_near(b->begin, call->begin)) {
		call->n_args = b->n_args;
		memcpy(call->args, b->args, sizeof(call->args));
		call->flags &= (uint8_t)~LT_SYS_NO_ARGS;
	}
	if (!call->n_args)
		return;
	call->texts = b->texts;
	call->n_texts = b->n_texts;
	b->texts = NULL;
}

static void on_open(struct lt_syscalls *c, const struct lt_picked *at, const struct lt_event *ev)
{
	uint64_t begin = value(c, at, ev, F_BEGIN);
	struct lt_syscall call;
	size_t b;

	read_call(c, at, ev, &call);
	call.tid = (uint32_t)value(c, at, ev, F_TID);
	call.tgid = (uint32_t)value(c, at, ev, F_TGID);
	call.start = value(c, at, ev, F_START);
	call.how = how_of(value(c, at, ev, F_WHY));
	/* The record is that of the thread itself where it ends. */
	if (ev->task && ev->task->tid == call.tid && (!call.start || ev->task->start == call.start))
		of_running_task(ev, &call);
	else
		call.task = lt_trace_task(c->t, call.tid, call.start);
	call.has_begin = begin && !(call.flags & LT_SYS_BEFORE);
	call.begin = call.has_begin ? lt_clock_ns(lt_trace_clock(c->t), begin) : 0;
	if (call.flags & LT_SYS_NO_ARGS)
		call.n_args = 0;
	b = begin_of(c, call.tid, call.start);
	if (b)
		take_from_begin(&call, &c->begun[b - 1]);
	forget_begin(c, call.tid, call.start);
	lt_syscall_join(&c->join, &call);
}

/* ------------------------------------------------------------------------
 * What arguments point to
 */

/* Records of texts that a call has at the most. */
#define MOST_TEXTS	64

static void add_text(struct lt_syscalls *c, const struct lt_picked *at, const struct lt_event *ev,
		     struct lt_syscall *call)
{
	const struct lt_field *text = at->fields[F_TEXT], *bytes = at->fields[F_BYTES];
	const struct lt_field *f = text ? text : bytes;
	uint64_t size = value(c, at, ev, F_SIZE);
	struct lt_syscall_text *to;
	size_t cap = call->n_texts;

	if (!f || size > lt_field_bytes(f) || size > sizeof(to->bytes) || cap == MOST_TEXTS)
		return;
	call->texts = lt_grow(call->texts, &cap, call->n_texts, sizeof(*call->texts));
	to = &call->texts[call->n_texts++];
	*to = (struct lt_syscall_text){
		.arg = (uint8_t)value(c, at, ev, F_ARG),
		.element = (uint8_t)value(c, at, ev, F_ELEMENT),
		.flags = (uint8_t)value(c, at, ev, F_FLAGS),
		.address = !text, .big = lt_trace_packet(c->t)->big, .size = (uint8_t)size,
	};
	memcpy(to->bytes, ev->raw + f->offset, size);
}

/*
 * Records of a call stand behind each other: what is not one of them ends the call.
 * Return: whether the event was one.
 */
static bool goes_to_unfinished(struct lt_syscalls *c, const struct lt_picked *at,
			       const struct lt_event *ev)
{
	struct unfinished u;
	bool is_of_it, more;
	size_t i;

	for (i = 0; i < c->n_unfinished && c->unfinished[i].call.cpu != ev->cpu; i++)
		;
	if (i == c->n_unfinished)
		return ev->class == LT_CLASS_SYS_STR;
	is_of_it = ev->class == LT_CLASS_SYS_STR && ev->time == c->unfinished[i].time &&
		   lt_trace_packet(c->t)->seq == c->unfinished[i].packet;
	if (is_of_it)
		add_text(c, at, ev, &c->unfinished[i].call);
	more = value(c, at, ev, F_FLAGS) & LT_SYS_TEXT_MORE;
	if (is_of_it && more)
		return true;
	u = c->unfinished[i];
	c->unfinished[i] = c->unfinished[--c->n_unfinished];
	u.call.no_texts = !is_of_it;
	finish(c, &u.call, u.is_begin);
	return ev->class == LT_CLASS_SYS_STR;
}

/* A thread that has ended restarts nothing. */
static void on_exit_of_task(struct lt_syscalls *c, const struct lt_event *ev)
{
	const struct lt_picked *at;

	if (!lt_syscall_join_waits(&c->join))
		return;
	at = lt_picks_of(&c->picks, lt_trace_desc(c->t));
	if (at->fields[F_TID] && at->fields[F_START])
		lt_syscall_join_ended(&c->join, (uint32_t)value(c, at, ev, F_TID),
				      value(c, at, ev, F_START));
}

void lt_syscalls_event(struct lt_syscalls *c, const struct lt_event *ev)
{
	const struct lt_picked *at;

	if (ev->channel == LT_CHANNEL_PID)
		lt_syscall_numbers_event(c->numbers, ev);
	if (ev->id == LT_EV_TASK_EXIT || ev->id == LT_EV_EXIT) {
		on_exit_of_task(c, ev);
		return;
	}
	if (ev->channel != LT_CHANNEL_SYSCALL)
		return;
	at = lt_picks_of(&c->picks, lt_trace_desc(c->t));
	if (goes_to_unfinished(c, at, ev))
		return;
	switch (ev->class) {
	case LT_CLASS_SYS:
		on_return(c, at, ev);
		break;
	case LT_CLASS_SYS_BEGIN:
		on_begin(c, at, ev);
		break;
	case LT_CLASS_SYS_OPEN:
		on_open(c, at, ev);
		break;
	}
}

void lt_syscalls_finish(struct lt_syscalls *c)
{
	for (size_t i = 0; i < c->n_unfinished; i++) {
		c->unfinished[i].call.no_texts = true;
		finish(c, &c->unfinished[i].call, c->unfinished[i].is_begin);
	}
	c->n_unfinished = 0;
	lt_syscall_join_finish(&c->join);
}
