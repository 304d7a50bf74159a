/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of tasks in arguments and results of calls: they are those of the caller's pid namespace,
 * which the records of tasks name. For call.c, args.c and what prints results.
 */
#ifndef LT_CALLS_NUMBERS_H
#define LT_CALLS_NUMBERS_H

#include "calls/call.h"

struct lt_call_numbers;

struct lt_call_numbers *lt_call_numbers_new(const struct lt_trace *t);
void lt_call_numbers_free(struct lt_call_numbers *n);

/* Takes in the event that the trace has handed out last, one of the channel pid. */
void lt_call_numbers_event(struct lt_call_numbers *n, const struct lt_event *ev);

/* Fills in @ns, @outside and @made_outside of a call. */
void lt_call_numbers_show(const struct lt_call_numbers *n, struct lt_call *call);

/*
 * The number of a task, process, group or session that an argument, or the result, is, without the
 * sign of a group; 0: it is none, or one that means the caller, or all.
 */
uint32_t lt_call_number(const struct lt_call *call, unsigned int arg);
uint32_t lt_call_made_number(const struct lt_call *call);

/*
 * " [pid namespace 3: 4711]", which follows a number of a call with @ns. @outside: what the number
 * is in the initial namespace, 0: not known. @to: result, of @size bytes with the zero at its end;
 * what does not fit is left out. Return: bytes without the zero.
 */
size_t lt_call_put_number(const struct lt_call *call, uint32_t outside, char *to, size_t size);

#endif /* LT_CALLS_NUMBERS_H */
