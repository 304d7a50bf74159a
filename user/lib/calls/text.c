// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values of calls as text, by what they are.
 */
#include <inttypes.h>

#include "base/digits.h"
#include "base/quote.h"
#include "calls/text.h"
#include "syscalls/names.h"

static void put_u64(struct lt_str *to, uint64_t v)
{
	char digits[LT_DIGITS];

	lt_str_bytes(to, digits, (size_t)(lt_put_u64(digits, v) - digits));
}

static void put_s64(struct lt_str *to, int64_t v)
{
	char digits[LT_DIGITS];

	lt_str_bytes(to, digits, (size_t)(lt_put_s64(digits, v) - digits));
}

static void put_hex(struct lt_str *to, uint64_t v)
{
	char digits[LT_DIGITS];

	lt_str_bytes(to, digits, (size_t)(lt_put_hex(digits, v) - digits));
}

static void put_bytes(struct lt_str *to, const uint8_t *bytes, uint32_t n)
{
	lt_str_put(to, "[");
	for (uint32_t i = 0; i < n; i++)
		lt_str_add(to, i ? " %02x" : "%02x", bytes[i]);
	lt_str_put(to, "]");
}

static void put_quoted(struct lt_str *to, const struct lt_call_value *v)
{
	lt_str_put(to, "\"");
	for (uint32_t i = 0; i < v->len; i++) {
		uint8_t next = i + 1 < v->len ? v->bytes[i + 1] : 0;
		char text[4];

		lt_str_bytes(to, text,
			     lt_quote_byte(text, v->bytes[i], next >= '0' && next <= '7'));
	}
	lt_str_put(to, v->cut ? "\"..." : "\"");
}

static void put_text(struct lt_str *to, const struct lt_call_value *v)
{
	if (v->null) {
		lt_str_put(to, "NULL");
		return;
	}
	put_quoted(to, v);
	if (v->unread)
		lt_str_put(to, "<unread>");
}

static void put_char(struct lt_str *to, uint64_t number)
{
	uint8_t c = (uint8_t)number;
	char text[4];

	if (!c || c >= 0x7f) {
		put_s64(to, (int64_t)number);
		return;
	}
	lt_str_put(to, "'");
	if (c == '\'')
		lt_str_put(to, "\\'");
	else if (c == '"')
		lt_str_put(to, "\"");
	else
		lt_str_bytes(to, text, lt_quote_byte(text, c, false));
	lt_str_put(to, "'");
}

/* "0x1255 [WRITE|USER|0x1210]": a bit without a name follows the others. */
static void put_flags(struct lt_str *to, const struct lt_call_value *v)
{
	const struct lt_call_enum *e = v->form->names;
	uint64_t rest = v->number;
	bool any = false;

	put_hex(to, v->number);
	for (size_t i = 0; e && i < e->n; i++) {
		uint64_t bits = e->names[i].value;

		if (v->number ? !bits || (rest & bits) != bits : bits)
			continue;
		lt_str_put(to, any ? "|" : " [");
		lt_str_put(to, e->names[i].name);
		any = true;
		rest &= ~bits;
		if (!rest)
			break;
	}
	if (any && rest) {
		lt_str_put(to, "|");
		put_hex(to, rest);
	}
	if (any)
		lt_str_put(to, "]");
}

static void put_enum(struct lt_str *to, const struct lt_call_value *v)
{
	const char *name = v->form->names ? lt_call_enum_name(v->form->names, v->number,
							      v->form->size) : NULL;

	if (name)
		lt_str_put(to, name);
	else
		put_s64(to, (int64_t)v->number);
}

/* Of 32 bits it is one of that machine. */
static void put_pointer(struct lt_str *to, const struct lt_call_value *v,
			const struct lt_call_style *style)
{
	uint64_t offset;
	const char *module, *name;

	if (!v->number) {
		lt_str_put(to, "NULL");
		return;
	}
	name = lt_trace_function(style->t, v->number, &offset, &module);
	if (!name) {
		if (style->hidden)
			lt_str_put(to, "address");
		else
			put_hex(to, v->number);
		return;
	}
	lt_str_put(to, name);
	if (offset) {
		lt_str_put(to, "+");
		put_hex(to, offset);
	}
	if (module)
		lt_str_add(to, " [%s]", module);
}

bool lt_call_may_be_address(const struct lt_call_value *v)
{
	switch (v->form->kind) {
	case LT_CALL_POINTER:
	case LT_CALL_HEX:
		/* Small numbers, and errors, are none. */
		return v->number >= 1U << 16 && -v->number >= 1U << 16 && v->form->size >= 4;
	case LT_CALL_UNSIGNED:
	case LT_CALL_SIGNED:
		return v->number >> 32 && -v->number >> 32;
	case LT_CALL_OF_BYTES:
		return true;
	default:
		return false;
	}
}

static void put_value(struct lt_str *to, const struct lt_call_value *v,
		      const struct lt_call_style *style)
{
	if (!v->there || (v->unread && (v->form->kind != LT_CALL_OF_TEXT || !v->len))) {
		lt_str_put(to, v->there ? "<unread>" : "<missing>");
		return;
	}
	if (style->hidden && v->form->kind != LT_CALL_POINTER && lt_call_may_be_address(v)) {
		lt_str_put(to, v->form->kind == LT_CALL_OF_BYTES ? "bytes" : "address");
		return;
	}
	switch (v->form->kind) {
	case LT_CALL_SIGNED:
		put_s64(to, (int64_t)v->number);
		break;
	case LT_CALL_HEX:
		put_hex(to, v->number);
		break;
	case LT_CALL_POINTER:
		put_pointer(to, v, style);
		break;
	case LT_CALL_BOOL:
		lt_str_put(to, v->number ? "true" : "false");
		break;
	case LT_CALL_CHAR:
		put_char(to, v->number);
		break;
	case LT_CALL_ENUM:
		put_enum(to, v);
		break;
	case LT_CALL_FLAGS:
		put_flags(to, v);
		break;
	case LT_CALL_OF_BYTES:
		put_bytes(to, v->bytes, v->len);
		break;
	case LT_CALL_OF_TEXT:
		put_text(to, v);
		break;
	default:
		put_u64(to, v->number);
	}
}

/* @before: stands before the first one. */
static bool put_values(struct lt_str *to, const struct lt_call_value *values, unsigned int n,
		       enum lt_call_when when, const char *before,
		       const struct lt_call_style *style)
{
	bool any = false;

	for (unsigned int i = 0; i < n; i++) {
		const struct lt_call_form *form = values[i].form;

		if (form->when != when)
			continue;
		lt_str_put(to, any ? ", " : before);
		any = true;
		if (form->name[0]) {
			lt_str_put(to, ".");
			lt_str_put(to, form->name);
			lt_str_put(to, "=");
		}
		put_value(to, &values[i], style);
	}
	return any;
}

bool lt_call_put_values(struct lt_str *to, const struct lt_call *call, enum lt_call_when when,
			const struct lt_call_style *style)
{
	struct lt_call_value values[LT_CALL_VALUES];

	return put_values(to, values, lt_call_values(call, values), when, "", style);
}

/* Of a system call: its text number @n. */
static const char *text_of(const struct lt_call *call, unsigned int n)
{
	const char *text = (const char *)call->values;

	while (n--)
		text += strlen(text) + 1;
	return text;
}

void lt_call_put_args(struct lt_str *to, const struct lt_call *call,
		      const struct lt_call_style *style)
{
	struct lt_call_value values[LT_CALL_VALUES];
	unsigned int n = lt_call_values(call, values);
	uint32_t size = call->size;
	bool any;

	if (call->system) {
		lt_str_put(to, text_of(call, 1));
		return;
	}
	if (!call->function && !call->why) {
		/* Zeros behind the values belong to the form of the record. */
		while (size && !call->values[size - 1])
			size--;
		if (size && style->hidden)
			lt_str_put(to, "bytes");
		else if (size)
			put_bytes(to, call->values, size);
		return;
	}
	any = put_values(to, values, n, LT_CALL_AT_ENTRY, "", style);
	put_values(to, values, n, LT_CALL_AT_RETURN, any ? "; " : "", style);
}

bool lt_call_put_result(struct lt_str *to, const struct lt_call *call,
			const struct lt_call_style *style)
{
	unsigned int error = lt_call_error(call);
	const char *name = error ? lt_error_name(error) : NULL;
	struct lt_call_value v;

	if (call->why || call->system) {
		lt_str_put(to, call->system ? text_of(call, 2) : "?");
		return true;
	}
	if (!lt_call_result(call, &v))
		return false;
	if (name) {
		lt_str_put(to, "-");
		lt_str_put(to, name);
	} else {
		put_value(to, &v, style);
	}
	return true;
}
