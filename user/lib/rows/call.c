// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Columns of function calls. Addresses, of the kernel and of programs, are secrets.
 */
#include "calls/text.h"
#include "lifetimes/lifetime.h"
#include "rows/call.h"
#include "rows/internal.h"
#include "syscalls/names.h"

static struct lt_call_style style_of(const struct lt_call_ctx *c)
{
	return (struct lt_call_style){ .t = c->trace, .hidden = !c->common.addresses };
}

static struct lt_str *empty(struct lt_call_ctx *c)
{
	c->text.n = 0;
	lt_str_put(&c->text, "");
	return &c->text;
}

static const char *function_of(struct lt_call_ctx *c, const struct lt_call *k)
{
	char buf[LT_CALL_LABEL];

	lt_str_put(empty(c), lt_call_label(k, buf));
	return c->text.s;
}

static const char *args_of(struct lt_call_ctx *c, const struct lt_call *k)
{
	const struct lt_call_style style = style_of(c);

	lt_call_put_args(empty(c), k, &style);
	return c->text.s;
}

/* NULL: it returns nothing, or has not returned. */
static const char *result_of(struct lt_call_ctx *c, const struct lt_call *k)
{
	const struct lt_call_style style = style_of(c);

	return !k->why && lt_call_put_result(empty(c), k, &style) ? c->text.s : NULL;
}

/* Whether an integer with a sign holds it: of a type without sign it may be too large. */
static bool fits(const struct lt_call_value *v)
{
	return v->number <= INT64_MAX || lt_call_has_sign(v->form->kind);
}

/* The result as a number. Return: false: there is none, it stays here, or is too large. */
static bool number_of(const struct lt_call_ctx *c, const struct lt_call *k, int64_t *number)
{
	struct lt_call_value v;

	if (!lt_call_result(k, &v) || !v.there || v.unread || v.form->kind == LT_CALL_OF_BYTES ||
	    v.form->kind == LT_CALL_OF_TEXT || !fits(&v) ||
	    (!c->common.addresses && lt_call_may_be_address(&v)))
		return false;
	*number = (int64_t)v.number;
	return true;
}

static void put_number(const struct lt_call_ctx *c, const struct lt_call *k, struct lt_value *v)
{
	int64_t number;

	if (number_of(c, k, &number))
		lt_value_i(v, number);
}

#define GETTER(id, name, TYPE, marks, known, value, meaning)			\
	LT_ROW_GETTER(id, struct lt_call, k, struct lt_call_ctx, c, TYPE, known, value)
#define FILLER(id, name, TYPE, marks, call, meaning)				\
	LT_ROW_FILLER(id, struct lt_call, k, struct lt_call_ctx, c, v, call)
#define FILLED(id, title, TYPE, mark, call, text)				\
	LT_ROW_COLUMN(id, title, TYPE, mark, , , text)

#define CALL(C, G)	\
	C(begin, "begin_ns", INSTANT, L | F | Q | N, k->has_begin, k->begin, "when it began")	\
	C(end, "end_ns", INSTANT, L | F | Q, true, k->end, "when it returned, or was seen last")	\
	C(duration, "duration_ns", NS, L | F | Q | N, k->has_begin, lt_call_duration(k), "how long it took")	\
	C(cpu, "cpu", COUNT, L | F | Q, true, k->cpu, "CPU of the end")	\
	C(ctx, "ctx", TEXT, L | F | Q, true, lt_context_name(k->context), "task, or an interrupt")	\
	C(tid, "tid", COUNT, L | F | Q, true, k->tid, "thread that ran, in the first namespace of pids")	\
	C(task, "task", TASK, Q | N, k->task, LT_ROW_BOTH(k->task, k->begin), "the thread")	\
	C(tgid, "tgid", COUNT, L | F | N, k->tgid, k->tgid, "its process")	\
	C(start, "task_start_ns", TIME, L | F | N, k->start, k->start, "when the thread was born, since boot")	\
	C(comm, "comm", NAME, L | F | N, true, lt_call_comm(k), "its name then")	\
	C(function, "function", NAME, L | F | Q, true, function_of(c, k), "the function")	\
	C(module, "module", NAME, L | F | Q | N, k->function, k->function->module, "its module; none: the kernel itself")	\
	C(args, "args", NAME, L | F | Q | V, true, args_of(c, k), "values of the entry; behind a semicolon those of the return")	\
	C(result, "result", NAME, L | F | Q | N | V, true, result_of(c, k), "what it returned")	\
	G(number, "result_value", SIGNED, L | F | Q | N, put_number(c, k, v), "that as a number; none: it has no sign and is 2^63 or more")	\
	C(error, "error", TEXT, L | F | Q | N, lt_call_error(k), lt_error_name(lt_call_error(k)), "name of its error")	\
	C(ended, "ended", TEXT, L | F | Q, true, lt_call_end_name(k->why), "how it ended")	\
	C(objects, "objects", COUNT, L | N, k->has_memory, k->allocated.objects, "slab objects that its task allocated in it, and in all that it called")	\
	C(bytes, "bytes", BYTES, L | N, k->has_memory, k->allocated.bytes, "bytes given for these")	\
	C(frame, "frame", COUNT, L | Q, true, k->depth, "where its frame is in the stack: a caller's is less, by a number of 16 bits")

CALL(GETTER, FILLER)

static const struct lt_column call_columns[] = { CALL(LT_ROW_COLUMN, FILLED) };

LT_ROW_KIND(call, "call", "a call of a function of the kernel");
