/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of calls as text.
 */
#ifndef LT_CALLS_TEXT_H
#define LT_CALLS_TEXT_H

#include "base/str.h"
#include "calls/call.h"

/**
 * struct lt_call_style - how values are written
 * @t: for the names of code
 * @hidden: "address" for each value that is one, or may be one
 */
struct lt_call_style {
	const struct lt_trace *t;
	bool hidden;
};

/**
 * lt_call_put_values() - values of a call, behind a text
 * @when: those that were read then
 *
 * ".address=0x7f0000001000, .flags=0x1255 [WRITE|USER], .name=\"abc\"...". A pointer to code is the
 * code's name. A value that could not be read is <unread>, one whose bytes the record lacks
 * <missing>.
 * Return: whether there are any.
 */
bool lt_call_put_values(struct lt_str *to, const struct lt_call *call, enum lt_call_when when,
			const struct lt_call_style *style);

/*
 * All but the result: those of the entry, and behind a semicolon those of the return. Of a function
 * that the trace does not describe: the bytes.
 */
void lt_call_put_args(struct lt_str *to, const struct lt_call *call,
		      const struct lt_call_style *style);

/* "0", "-ENOENT", "true"; "?" of a call that did not return. Return: false: it returns nothing. */
bool lt_call_put_result(struct lt_str *to, const struct lt_call *call,
			const struct lt_call_style *style);

/* Whether a value may be an address, of the kernel or of a program: these are secrets. */
bool lt_call_may_be_address(const struct lt_call_value *v);

#endif /* LT_CALLS_TEXT_H */
