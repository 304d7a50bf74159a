/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls of functions of a trace, each from its record in the channel call.
 */
#ifndef LT_CALLS_CALL_H
#define LT_CALLS_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "calls/functions.h"
#include "trace/trace.h"

/* Objects of slab caches, and the bytes given for them. */
struct lt_call_allocated {
	uint64_t objects;
	uint64_t bytes;
};

/**
 * struct lt_call - a call of a function
 * @begin: ns on the trace's clock
 * @end: ns: when it returned, or was last seen open
 * @has_begin: the begin is in the trace's clock; a damaged record may have one before it
 * @task: the thread that ran, as far as the trace describes it; NULL: only @tid
 * @tid, @start: its identity
 * @tgid: its thread group, 0: not known
 * @cpu: on which it ended
 * @context: enum lt_context
 * @number: of the function
 * @function: NULL: the trace does not describe it
 * @depth: of its frame in the stack; a caller's is less, by a difference of 16 bits
 * @why: enum lt_call_why: why it did not return; 0: it did
 * @unread: bit n: value n could not be read
 * @cut: bit n: value n is a text, and there is more of it
 * @values: @size bytes; valid as long as the event, where they are not copied
 * @big: their byte order
 * @system: it is a system call, around calls of functions: @values are three texts, its name,
 *	arguments and result. See outer.h
 * @has_memory: @allocated is what the task allocated within it, with all calls in it. See memory.h
 */
struct lt_call {
	uint64_t begin;
	uint64_t end;
	const struct lt_task *task;
	uint64_t start;
	uint32_t tid;
	uint32_t tgid;
	uint32_t cpu;
	uint32_t unread;
	uint32_t cut;
	uint16_t number;
	uint16_t depth;
	const struct lt_function *function;
	const uint8_t *values;
	uint16_t size;
	uint8_t context;
	uint8_t why;
	bool has_begin;
	bool big;
	bool system;
	bool has_memory;
	struct lt_call_allocated allocated;
};

/* A number of @size bytes, 1 to 8, with its highest bit in all bits above it. */
uint64_t lt_call_extended(uint64_t v, unsigned int size);

/**
 * lt_call_has_made() - whether a call has made another one
 * @call: of a function; it ended later
 * @begin, @end, @depth: of the other one, in the same thread and context
 *
 * Two calls may have begun in the same ns; then the frames decide. Frames at the same place, one in
 * the other: the outer one ended with a jump. One that ended when the other began was before it.
 * Frames of two stacks cannot be compared.
 */
bool lt_call_has_made(const struct lt_call *call, uint64_t begin, uint64_t end, uint16_t depth);

/**
 * struct lt_call_value - a value of a call
 * @form: what it is
 * @there: the record has its bytes
 * @unread: it could not be read
 * @cut: of a text: there is more of it
 * @null: of a text: the pointer to it was NULL; not @unread, and not @cut
 * @number: of all kinds but bytes and text; with a sign where the kind has one
 * @bytes: as recorded, @len of them; of a text without the zero at its end
 */
struct lt_call_value {
	const struct lt_call_form *form;
	bool there;
	bool unread;
	bool cut;
	bool null;
	uint64_t number;
	const uint8_t *bytes;
	uint32_t len;
};

/* The values of a call, in the order of its record. Return: how many there are. */
unsigned int lt_call_values(const struct lt_call *call,
			    struct lt_call_value values[LT_CALL_VALUES]);

/* Whether numbers of this kind have a sign. */
bool lt_call_has_sign(enum lt_call_kind kind);

/* What it returned. Return: false: nothing, or it has not returned. */
bool lt_call_result(const struct lt_call *call, struct lt_call_value *value);

/* The error that it returned, from 1 on, where its result may be one; 0: it returned none. */
unsigned int lt_call_error(const struct lt_call *call);

/* ns from begin to end; 0 if the begin was not seen. */
static inline uint64_t lt_call_duration(const struct lt_call *call)
{
	return call->has_begin && call->end > call->begin ? call->end - call->begin : 0;
}

/* The name that its thread had at its begin; NULL: not known. */
static inline const char *lt_call_comm(const struct lt_call *call)
{
	return call->task ? lt_task_comm_at(call->task, call->begin) : NULL;
}

/* "returned", "died", "open". */
const char *lt_call_end_name(unsigned int why);

#define LT_CALL_LABEL	24

/* The name of its function; "function_12" if the trace does not describe it. @buf: may hold it. */
const char *lt_call_label(const struct lt_call *call, char buf[LT_CALL_LABEL]);

struct lt_calls;

/**
 * lt_calls_new() - a reader of the calls of a trace
 *
 * Return: NULL after lt_error(): a block FUNCTIONS is not valid.
 */
struct lt_calls *lt_calls_new(const struct lt_trace *t);
void lt_calls_free(struct lt_calls *c);

/* The functions of its trace. */
const struct lt_functions *lt_calls_functions(const struct lt_calls *c);

/* The call of the event that the trace has handed out last. Return: false: it is none. */
bool lt_calls_event(struct lt_calls *c, const struct lt_event *ev, struct lt_call *call);

/**
 * lt_calls_record() - what a record alone says about a call, without times and the task
 * @p, @d, @raw: the record, of the class CALL or CALL_OPEN: its packet, event and payload
 * @call: receives function, depth, marks and values; the rest is zero. Its values are valid as long
 *	as the packet, and until the next call
 * @units: of the clock, from begin to end; 0 where it did not return
 */
void lt_calls_record(struct lt_calls *c, const struct lt_packet *p, const struct lt_event_desc *d,
		     const uint8_t *raw, struct lt_call *call, uint64_t *units);

#endif /* LT_CALLS_CALL_H */
