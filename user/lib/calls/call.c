// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From records to calls.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byteorder.h"
#include "base/mem.h"
#include "calls/call.h"
#include "format/picks.h"

#define MAX_ERROR	4095

/* Fields of the channel's events. */
enum {
	F_FUNCTION, F_DEPTH, F_DURATION, F_UNREAD, F_CUT, F_TID, F_TGID, F_START, F_WHY, F_BEGIN,
	F_VALUES, F_PACKED, N_F,
};

static const char *const names[N_F] = {
	"function", "depth", "duration", "unread", "cut", "tid", "tgid", "start", "why", "begin",
	"values", "packed",
};

/* The values of the short form: at the most, and bits of the size of each. */
#define SHORT_VALUES	7
#define SIZE_BITS	3

/* Those that are arrays of bytes. */
#define ARRAYS	(1ULL << F_VALUES | 1ULL << F_PACKED)

struct lt_calls {
	const struct lt_trace *t;
	struct lt_functions *functions;
	struct lt_picks picks;
	uint8_t values[SHORT_VALUES * 8];	/* of the call that was handed out last */
};

struct lt_calls *lt_calls_new(const struct lt_trace *t)
{
	struct lt_functions *f = lt_functions_new(t);
	struct lt_calls *c;

	if (!f)
		return NULL;
	c = lt_alloc(sizeof(*c));
	c->t = t;
	c->functions = f;
	lt_picks_init(&c->picks, names, N_F, ARRAYS);
	return c;
}

const struct lt_functions *lt_calls_functions(const struct lt_calls *c)
{
	return c->functions;
}

void lt_calls_free(struct lt_calls *c)
{
	if (!c)
		return;
	lt_picks_destroy(&c->picks);
	lt_functions_free(c->functions);
	free(c);
}

static void of_task(const struct lt_task *task, struct lt_call *call)
{
	if (!task)
		return;
	call->task = task;
	call->tid = task->tid;
	call->tgid = task->tgid;
	call->start = task->start;
}

/* The begin is @units of the clock before the event. */
static void take_duration(const struct lt_calls *c, const struct lt_event *ev, uint64_t units,
			  struct lt_call *call)
{
	const struct lt_clock *clock = lt_trace_clock(c->t);
	uint64_t end = clock->identity ? ev->time : lt_trace_event_units(c->t);

	call->has_begin = units <= end;
	if (!call->has_begin)
		call->begin = ev->time;
	else if (!units)
		call->begin = ev->time;
	else
		call->begin = clock->identity ? end - units : lt_clock_ns(clock, end - units);
	if (call->begin > ev->time)
		call->begin = ev->time;
}

static bool is_integer(const struct lt_call_form *form)
{
	return form->kind != LT_CALL_OF_BYTES && form->kind != LT_CALL_OF_TEXT && form->size <= 8;
}

/*
 * No stack of a thread has so many words: frames that are farther apart are in two. So are those of
 * functions that __switch_to() calls, on the stack of the next thread, before that is the current
 * one.
 */
#define STACK_WORDS	4096

bool lt_call_has_made(const struct lt_call *call, uint64_t begin, uint64_t end, uint16_t depth)
{
	int16_t deeper = (int16_t)(uint16_t)(depth - call->depth);

	if (begin < call->begin)
		return false;
	if (deeper > STACK_WORDS || deeper < -STACK_WORDS)
		return end > call->begin;
	return deeper > 0 || (!deeper && end > call->begin);
}

uint64_t lt_call_extended(uint64_t v, unsigned int size)
{
	unsigned int shift = 64 - 8 * size;

	return (uint64_t)((int64_t)(v << shift) >> shift);
}

/*
 * The values of the short form, of which there are @size bytes, as the other forms have them. Those
 * that a damaged record does not have are left out.
 */
static void unpack(struct lt_calls *c, const uint8_t *packed, uint32_t size, struct lt_call *call)
{
	const struct lt_function *f = call->function;
	uint32_t at = f ? (f->n_values * SIZE_BITS + 7) / 8 : 0, sizes;

	call->values = c->values;
	if (!f || f->n_values > SHORT_VALUES || !at || at > size)
		return;
	sizes = (uint32_t)lt_get_uint(packed, at, call->big);
	for (unsigned int i = 0; i < f->n_values; i++) {
		const struct lt_call_form *form = &f->values[i];
		uint32_t n = (sizes >> SIZE_BITS * (f->n_values - 1 - i) & 7) + 1;

		if (!is_integer(form) || n > size - at)
			return;
		lt_put_uint(c->values + call->size, form->size,
			    lt_call_extended(lt_get_uint(packed + at, n, call->big), n), call->big);
		call->size = (uint16_t)(call->size + form->size);
		at += n;
	}
}

void lt_calls_record(struct lt_calls *c, const struct lt_packet *p, const struct lt_event_desc *d,
		     const uint8_t *raw, struct lt_call *call, uint64_t *units)
{
	const struct lt_picked *at = lt_picks_of(&c->picks, d);
	const struct lt_field *values = at->fields[F_VALUES], *packed = at->fields[F_PACKED];

	*call = (struct lt_call){
		.number = (uint16_t)lt_picked_value(p, at, F_FUNCTION, raw),
		.depth = (uint16_t)lt_picked_value(p, at, F_DEPTH, raw),
		.big = p->big,
		.unread = (uint32_t)lt_picked_value(p, at, F_UNREAD, raw),
		.cut = (uint32_t)lt_picked_value(p, at, F_CUT, raw),
	};
	*units = lt_picked_value(p, at, F_DURATION, raw);
	call->function = lt_function_get(c->functions, call->number);
	if (values) {
		call->values = raw + values->offset;
		call->size = (uint16_t)lt_field_bytes(values);
	} else if (packed) {
		unpack(c, raw + packed->offset, lt_field_bytes(packed), call);
	}
}

static void on_open(const struct lt_calls *c, const struct lt_picked *at,
		    const struct lt_event *ev, struct lt_call *call)
{
	const struct lt_packet *p = lt_trace_packet(c->t);
	uint64_t begin = lt_picked_value(p, at, F_BEGIN, ev->raw);

	call->tid = (uint32_t)lt_picked_value(p, at, F_TID, ev->raw);
	call->tgid = (uint32_t)lt_picked_value(p, at, F_TGID, ev->raw);
	call->start = lt_picked_value(p, at, F_START, ev->raw);
	/* The record is that of the thread itself where it ends. */
	if (ev->task && ev->task->tid == call->tid &&
	    (!call->start || ev->task->start == call->start))
		of_task(ev->task, call);
	else
		of_task(lt_trace_task(c->t, call->tid, call->start), call);
	call->why = lt_picked_value(p, at, F_WHY, ev->raw) == LT_CALL_DIED ? LT_CALL_DIED :
							     LT_CALL_AT_END;
	call->begin = lt_clock_ns(lt_trace_clock(c->t), begin);
	call->has_begin = call->begin <= ev->time;
	if (!call->has_begin)
		call->begin = ev->time;
}

bool lt_calls_event(struct lt_calls *c, const struct lt_event *ev, struct lt_call *call)
{
	const struct lt_event_desc *d;
	uint64_t units;

	if (ev->channel != LT_CHANNEL_CALL ||
	    (ev->class != LT_CLASS_CALL && ev->class != LT_CLASS_CALL_OPEN))
		return false;
	d = lt_trace_desc(c->t);
	lt_calls_record(c, lt_trace_packet(c->t), d, ev->raw, call, &units);
	call->end = ev->time;
	call->cpu = ev->cpu;
	call->context = ev->context;
	if (ev->class == LT_CLASS_CALL) {
		of_task(ev->task, call);
		take_duration(c, ev, units, call);
	} else {
		on_open(c, lt_picks_of(&c->picks, d), ev, call);
	}
	return true;
}

/* ------------------------------------------------------------------------
 * Values
 */

bool lt_call_has_sign(enum lt_call_kind kind)
{
	return kind == LT_CALL_SIGNED || kind == LT_CALL_CHAR || kind == LT_CALL_ENUM;
}

/* Takes the value at @bytes, of which @left remain. Return: its bytes in the record. */
static uint32_t take_value(const struct lt_call *call, unsigned int i, const uint8_t *bytes,
			   uint32_t left, struct lt_call_value *v)
{
	const struct lt_call_form *form = v->form;
	uint32_t size = form->size;

	v->unread = i < 32 && call->unread >> i & 1;
	v->cut = i < 32 && call->cut >> i & 1;
	v->bytes = bytes;
	if (form->kind == LT_CALL_OF_TEXT) {
		if (size > left)
			size = left;
		v->there = size > 0;
		v->len = (uint32_t)strnlen((const char *)bytes, size);
		/* Each of both marks means something else where it stands alone. */
		v->null = v->unread && v->cut && !v->len;
		v->unread &= !v->null;
		v->cut &= !v->null;
		/* The zero at its end is there unless the record is cut short. */
		return v->len < size ? v->len + 1 : v->len;
	}
	if (size > left)
		return left;
	v->there = true;
	v->len = size;
	if (form->kind == LT_CALL_OF_BYTES)
		return size;
	v->number = lt_get_uint(bytes, size, call->big);
	if (lt_call_has_sign(form->kind))
		v->number = lt_call_extended(v->number, size);
	return size;
}

unsigned int lt_call_values(const struct lt_call *call,
			    struct lt_call_value values[LT_CALL_VALUES])
{
	const struct lt_function *f = call->function;
	uint32_t at = 0;

	/* An open call has none. */
	if (!f || call->why || call->system)
		return 0;
	for (unsigned int i = 0; i < f->n_values; i++) {
		values[i] = (struct lt_call_value){ .form = &f->values[i] };
		at += take_value(call, i, call->values ? call->values + at : (const uint8_t *)"",
				 call->size - at, &values[i]);
	}
	return f->n_values;
}

bool lt_call_result(const struct lt_call *call, struct lt_call_value *value)
{
	struct lt_call_value values[LT_CALL_VALUES];
	unsigned int n = lt_call_values(call, values);

	while (n--) {
		if (values[n].form->when != LT_CALL_THE_RESULT)
			continue;
		*value = values[n];
		return true;
	}
	return false;
}

/* Of the sizes of an int, a long or a pointer: as ERR_PTR() has it, with the sign of its size. */
unsigned int lt_call_error(const struct lt_call *call)
{
	struct lt_call_value v;
	int64_t n;

	if (!lt_call_result(call, &v) || !v.there || v.unread || v.form->size < 4 ||
	    (v.form->kind != LT_CALL_SIGNED && v.form->kind != LT_CALL_POINTER))
		return 0;
	n = (int64_t)lt_call_extended(v.number, v.form->size);
	return n < 0 && n >= -MAX_ERROR ? (unsigned int)-n : 0;
}

const char *lt_call_end_name(unsigned int why)
{
	return why == LT_CALL_DIED ? "died" : why ? "open" : "returned";
}

const char *lt_call_label(const struct lt_call *call, char buf[LT_CALL_LABEL])
{
	if (call->system)
		return (const char *)call->values;
	if (call->function)
		return call->function->name;
	snprintf(buf, LT_CALL_LABEL, "function_%" PRIu16, call->number);
	return buf;
}
